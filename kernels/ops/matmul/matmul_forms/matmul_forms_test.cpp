// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;

class MatmulForms : public ::testing::TestWithParam<const char*> {};

TEST_P(MatmulForms, GivesTheReference) {
    const KernelRun run = run_kernel("matmul_forms", {{"form", GetParam()}});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(,
                         MatmulForms,
                         ::testing::Values("batch", "inner", "local", "value", "upper", "lower"));

// 48 x 80 in blocks of 32 x 64: two by two blocks, each row and column of blocks with a ragged end.
class MatmulResults : public ::testing::TestWithParam<const char*> {};

TEST_P(MatmulResults, ReachTheVectorCore) {
    const KernelRun run = run_kernel("matmul_forms", {{"form", GetParam()}, {"m", "48"}, {"n", "80"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(,
                         MatmulResults,
                         ::testing::Values("sync_local",
                                           "async_loop",
                                           "async_count",
                                           "async_tensor",
                                           "async_global",
                                           "mixed",
                                           "both",
                                           "async_both",
                                           "all_local",
                                           "all_async",
                                           "rounds",
                                           "async_rounds",
                                           "batch_local"));

TEST(MatmulSums, AddUpInL0c) {
    const KernelRun run = run_kernel("matmul_forms", {{"form", "sums"}, {"m", "32"}, {"n", "64"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

}  // namespace
}  // namespace ascendsim
