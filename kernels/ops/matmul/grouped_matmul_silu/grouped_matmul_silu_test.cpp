// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;

TEST(GroupedMatmulSilu, GroupsOfUnevenSizeWithTails) {
    // Four groups of 200 rows end at 12, 50, 112, 200: none a whole number of tiles; n and k end in fractals.
    const KernelRun run =
        run_kernel("grouped_matmul_silu",
                   {{"rows", "200"}, {"groups", "4"}, {"n", "120"}, {"k", "90"}, {"blocks", "2"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(GroupedMatmulSilu, EmptyGroupsAndMoreCoresThanTiles) {
    // Of 20 rows in 6 groups the first has 20 / 36 rows: none.
    const KernelRun run = run_kernel(
        "grouped_matmul_silu", {{"rows", "20"}, {"groups", "6"}, {"n", "64"}, {"k", "64"}, {"base_m", "16"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

}  // namespace
}  // namespace ascendsim
