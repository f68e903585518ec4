// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

void expect_right(const Settings& settings, std::uint64_t elements) {
    const KernelRun run = run_kernel("conv2d", settings, {.chip = "910b2"});
    EXPECT_TRUE(run.clean()) << run.report();
    EXPECT_TRUE(run.passed()) << run.report();
    ASSERT_EQ(run.comparisons.size(), 1U);
    EXPECT_EQ(run.comparisons[0].count, elements);
}

TEST(Conv2d, three_by_three_with_tiles_that_begin_within_a_row) {
    // Output 9 x 20 = 180 positions: tiles of 48 begin at columns 0, 8, 16, 4.
    expect_right({{"batch", "2"}, {"c1", "3"}, {"height", "9"}, {"width", "20"}, {"n1", "3"}, {"base_m", "48"}, {"base_n", "32"}, {"chunk", "2"}},
                 2 * 3 * 9 * 20 * 16);
}

TEST(Conv2d, a_stride_of_two_without_padding) {
    // (11 - 5) / 2 + 1 = 4 rows of (17 - 5) / 2 + 1 = 7.
    expect_right({{"batch", "1"}, {"c1", "1"}, {"height", "11"}, {"width", "17"}, {"n1", "2"}, {"filter", "5"}, {"stride", "2"}, {"pad", "0"}, {"dtype", "bfloat16"}},
                 2 * 4 * 7 * 16);
}

TEST(Conv2d, a_filter_of_one_tap_is_a_product) {
    expect_right({{"batch", "1"}, {"c1", "5"}, {"height", "6"}, {"width", "10"}, {"n1", "1"}, {"filter", "1"}, {"pad", "0"}}, 6 * 10 * 16);
}

}  // namespace
}  // namespace ascendsim
