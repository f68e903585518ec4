// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

void expect_right(const Settings& settings, std::uint64_t elements) {
    const KernelRun run = run_kernel("fractal_groups", settings, {.chip = "910b2"});
    EXPECT_TRUE(run.clean()) << run.report();
    EXPECT_TRUE(run.passed()) << run.report();
    ASSERT_EQ(run.comparisons.size(), 1U);
    EXPECT_EQ(run.comparisons[0].count, elements);
}

TEST(FractalGroups, EachGroupIsOneBlockOfTwoByteElementsATap) {
    expect_right({{"groups", "5"}, {"blocks", "2"}}, 5 * 9 * 16 * 16);
}

TEST(FractalGroups, AndTwoOfFourBytes) {
    expect_right({{"groups", "3"}, {"filter", "2"}, {"dtype", "float32"}}, 3 * 2 * 4 * 16 * 8);
}

}  // namespace
}  // namespace ascendsim
