// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

void expect_right(const Settings& settings, std::uint64_t elements) {
    const KernelRun run = run_kernel("conv_filter_grad", settings, {.chip = "910b2"});
    EXPECT_TRUE(run.clean()) << run.report();
    EXPECT_TRUE(run.passed()) << run.report();
    ASSERT_EQ(run.comparisons.size(), 1U);
    EXPECT_EQ(run.comparisons[0].count, elements);
}

TEST(ConvFilterGrad, PlanesWhosePositionsAreNoWholeSteps) {
    // 9 x 11 positions are a step of 64 and one of 35; two output channel blocks, three of input with nine
    // taps.
    expect_right({{"batch", "2"}, {"m1", "2"}, {"c1", "3"}, {"height", "9"}, {"width", "11"}},
                 3 * 9 * 32 * 16);
}

TEST(ConvFilterGrad, AFilterInDepthWithPaddingPlanes) {
    expect_right({{"batch", "1"},
                  {"m1", "1"},
                  {"c1", "1"},
                  {"depth", "3"},
                  {"height", "5"},
                  {"width", "6"},
                  {"filter_depth", "3"},
                  {"dtype", "bfloat16"}},
                 3 * 9 * 16 * 16);
}

TEST(ConvFilterGrad, ChunksThatBeginWithinARowAndTilesThatBeginWithinAChannel) {
    // Tiles of 4 blocks of the 2 * 9 columns; chunks of 32 positions begin at columns 0, 6, 12, 5, … of 13.
    expect_right({{"batch", "1"},
                  {"m1", "2"},
                  {"c1", "2"},
                  {"height", "8"},
                  {"width", "13"},
                  {"base_m", "16"},
                  {"base_n", "64"},
                  {"step_k", "16"},
                  {"chunk", "32"}},
                 2 * 9 * 32 * 16);
}

TEST(ConvFilterGrad, AStrideOfTwoAndTapsApart) {
    expect_right({{"batch", "1"},
                  {"m1", "1"},
                  {"c1", "2"},
                  {"height", "12"},
                  {"width", "15"},
                  {"stride", "2"},
                  {"dilation", "2"},
                  {"pad", "2"}},
                 2 * 9 * 16 * 16);
}

}  // namespace
}  // namespace ascendsim
