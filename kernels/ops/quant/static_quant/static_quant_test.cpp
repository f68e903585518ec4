// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

class StaticQuantCases : public ::testing::TestWithParam<Settings> {};

TEST_P(StaticQuantCases, IsExact) {
    const KernelRun run = run_kernel("static_quant", GetParam(), {.chip = "910b3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings of(const char* shape, const char* dtype, const char* channels, const char* offset) {
    return {{"shape", shape}, {"dtype", dtype}, {"channels", channels}, {"offset", offset}};
}

// Shared by rows, by columns, by both, in pieces of long rows; tails of all. With one scale for all, a core
// has more than fits at once (1,200,001 / 40 elements): its buffers leave no room for a row of factors.
INSTANTIATE_TEST_SUITE_P(Kernels,
                         StaticQuantCases,
                         ::testing::Values(of("97,333", "bfloat16", "true", "true"),
                                           of("81,1021", "float16", "true", "false"),
                                           of("90,600", "float32", "true", "true"),
                                           of("1,7168", "bfloat16", "true", "true"),
                                           of("3,40000", "float16", "true", "true"),
                                           of("5,1536", "bfloat16", "true", "true"),
                                           of("45,9000", "float32", "true", "true"),
                                           of("7,5,373", "bfloat16", "false", "true"),
                                           of("33,1000", "float32", "false", "false"),
                                           of("1200001", "bfloat16", "false", "true"),
                                           of("1200001", "float32", "false", "true"),
                                           of("1,5", "float16", "false", "true")));

// 40 cores, by ascend_quant_v2_tiling.cpp: of eight rows of eight lines each is cut into four pieces of two
// lines, which keep 32 cores busy; of (190 KiB - 1536 * 16) / (1536 * 3) rows of 1536 bfloat16 36 fit.
TEST(StaticQuant, RowsAtATimeAreThoseOfTheOperator) {
    const auto rows = [](const char* shape) {
        return plan_kernel("static_quant", {{"shape", shape}}, "910b3").chosen.at("tile");
    };
    EXPECT_EQ(rows("8,2048"), 1U);
    EXPECT_EQ(rows("4096,1536"), 36U);
    EXPECT_EQ(rows("256,1536"), 7U);  // a core's share
}

TEST(StaticQuant, NeedsCopiesWithPadding) {
    EXPECT_THROW(static_cast<void>(plan_kernel("static_quant", {}, "910a")), UserError);
}

}  // namespace
}  // namespace ascendsim
