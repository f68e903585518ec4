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

INSTANTIATE_TEST_SUITE_P(
    ,
    MatmulForms,
    ::testing::Values("batch", "inner", "inner_rounds", "local", "value", "upper", "lower", "in_turn"));

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
                                           "blocks_both",
                                           "async_both",
                                           "all_local",
                                           "all_async",
                                           "rounds",
                                           "async_rounds",
                                           "batch_local"));

// 40 x 80 in blocks of 32 x 64: blocks of 16 rows that are not full, calls on a part of the rows.
class MatmulLayouts : public ::testing::TestWithParam<const char*> {};

TEST_P(MatmulLayouts, ReachTheVectorCore) {
    const KernelRun run = run_kernel("matmul_forms", {{"form", GetParam()}, {"m", "40"}, {"n", "80"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    ,
    MatmulLayouts,
    ::testing::Values("blocks_local", "blocks_all", "along_n", "batch_of_local", "batch_bias"));

// 76 columns: the last block has rows of 48 bytes, all together 304.
class MatmulWholeRows : public ::testing::TestWithParam<const char*> {};

TEST_P(MatmulWholeRows, AreAsWideAs32Bytes) {
    const KernelRun run = run_kernel("matmul_forms", {{"form", GetParam()}, {"m", "40"}, {"n", "76"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(, MatmulWholeRows, ::testing::Values("aligned_local", "aligned_all"));

TEST(MatmulSums, AddUpInL0c) {
    const KernelRun run = run_kernel("matmul_forms", {{"form", "sums"}, {"m", "32"}, {"n", "64"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

}  // namespace
}  // namespace ascendsim
