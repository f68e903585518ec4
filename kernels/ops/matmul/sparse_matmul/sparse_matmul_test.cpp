// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/child_run.hpp"
#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using ::testing::HasSubstr;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;
using ::testing::ThrowsMessage;

Settings sparse_size(const char* m, const char* n, const char* k, const Settings& more = {}) {
    Settings all{{"m", m}, {"n", n}, {"k", k}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

class SparseMatmulOf : public ::testing::TestWithParam<Settings> {};

TEST_P(SparseMatmulOf, IsTheProductWithTheWeightsThatAreKept) {
    const testing::KernelRun run = run_kernel("sparse_matmul", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    ,
    SparseMatmulOf,
    ::testing::Values(sparse_size("1", "16", "64"),
                      sparse_size("100", "96", "640"),
                      sparse_size("150", "528", "1088"),
                      sparse_size("40", "80", "320", {{"base_m", "16"}, {"base_n", "48"}})));

TEST(SparseMatmul, IsFasterThanTheWholeProductWhereTheCubeLimitsIt) {
    const auto cycles = [](const char* kernel, const Settings& settings) {
        return testing::in_child(
            [&] { return run_kernel(kernel, settings, {.functional = false}).totals.cycles; });
    };
    const std::uint64_t sparse = cycles("sparse_matmul", sparse_size("2048", "2048", "4096"));
    const std::uint64_t whole = cycles("matmul",
                                       {{"m", "2048"},
                                        {"n", "2048"},
                                        {"k", "4096"},
                                        {"dtype", "int8"},
                                        {"out_dtype", "float16"},
                                        {"transpose_b", "true"}});
    EXPECT_LT(10 * sparse, 9 * whole);  // half as many multiplications; copies of A stay
}

TEST(SparseMatmul, RefusesWhatIsNoWholeFractal) {
    EXPECT_THAT([] { static_cast<void>(plan_kernel("sparse_matmul", sparse_size("4", "40", "64"))); },
                ThrowsMessage<UserError>(HasSubstr("multiple of 16")));
    EXPECT_THAT([] { static_cast<void>(plan_kernel("sparse_matmul", sparse_size("4", "32", "96"))); },
                ThrowsMessage<UserError>(HasSubstr("multiple of 64")));
}

}  // namespace
}  // namespace ascendsim
