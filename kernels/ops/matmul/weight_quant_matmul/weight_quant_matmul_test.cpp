// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

void expect_right(const Settings& settings, std::uint64_t elements) {
    const KernelRun run = run_kernel("weight_quant_matmul", settings, {.chip = "910b3"});
    EXPECT_TRUE(run.passed()) << run.report();
    // A flag that another one makes redundant costs a cycle and no more; anything else would be a fault.
    for (const char* fault : {"race", "uninitialised", "missing", "out_of_range", "double_set", "never"}) {
        EXPECT_THAT(run.hazards, ::testing::Not(::testing::HasSubstr(fault)));
    }
    ASSERT_EQ(run.comparisons.size(), 1U);
    EXPECT_EQ(run.comparisons[0].count, elements);
}

TEST(WeightQuantMatmul, OneRowAndTailsOfEverySize) {
    // Three pieces of 128 and one of 17; columns of one tile and of a narrower last one.
    expect_right({{"m", "1"}, {"n", "96"}, {"k", "401"}, {"base_n", "64"}}, 96);
}

TEST(WeightQuantMatmul, ColumnsThatFillNoBlock) {
    // Tiles of 64 and of 35 columns; the second in rows of 64, of which 29 are padding.
    expect_right({{"m", "3"}, {"n", "99"}, {"k", "401"}, {"base_n", "64"}}, 3 * 99);
}

TEST(WeightQuantMatmul, ColumnsThatFillNoBlockInBfloat16) {
    expect_right({{"m", "3"}, {"n", "99"}, {"k", "130"}, {"base_n", "64"}, {"dtype", "bfloat16"}}, 3 * 99);
}

TEST(WeightQuantMatmul, AColumn) {
    expect_right({{"m", "1"}, {"n", "1"}, {"k", "40"}}, 1);
}

TEST(WeightQuantMatmul, Bfloat16AndMoreRowsThanATile) {
    expect_right({{"m", "150"}, {"n", "128"}, {"k", "256"}, {"dtype", "bfloat16"}, {"blocks", "2"}},
                 150 * 128);
}

TEST(WeightQuantMatmul, MorePiecesThanSlotsWaitForAFreeOne) {
    expect_right({{"m", "20"}, {"n", "32"}, {"k", "1300"}, {"slots", "2"}, {"blocks", "1"}}, 20 * 32);
}

}  // namespace
}  // namespace ascendsim
