// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>

#include "kernels/ops/conv/winograd/winograd_algebra.hpp"
#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

class WinogradCases : public ::testing::TestWithParam<Settings> {};

TEST_P(WinogradCases, AgreesWithTheDefinition) {
    const KernelRun run = run_kernel("winograd", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    WinogradCases,
    ::testing::Values(
        Settings{{"c1", "2"}, {"n1", "2"}},
        Settings{{"c1", "2"}, {"n1", "1"}, {"tile", "4"}},
        // tiles that run over both edges, more of them in a row than one repeat has
        Settings{{"batch", "2"}, {"c1", "1"}, {"n1", "1"}, {"height", "7"}, {"width", "39"}},
        Settings{{"batch", "2"}, {"c1", "1"}, {"n1", "1"}, {"height", "7"}, {"width", "39"}, {"tile", "4"}},
        Settings{{"c1", "1"}, {"n1", "3"}, {"height", "5"}, {"width", "6"}, {"pad", "0"}},
        // rows that are worked on in pieces
        Settings{{"c1", "1"}, {"n1", "1"}, {"height", "6"}, {"width", "1000"}, {"tile", "4"}}));

class WinogradOnChips : public ::testing::TestWithParam<const char*> {};

TEST_P(WinogradOnChips, OfWholeCoresIsRight) {
    const KernelRun run =
        run_kernel("winograd", {{"c1", "1"}, {"n1", "1"}, {"tile", "4"}}, {.chip = GetParam()});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(Chips, WinogradOnChips, ::testing::Values("310p3", "910a"));

TEST(Winograd, RefusesOtherTiles) {
    EXPECT_THROW(static_cast<void>(plan_kernel("winograd", {{"tile", "3"}})), UserError);
    EXPECT_THROW(static_cast<void>(plan_kernel("winograd", {{"height", "2"}, {"pad", "0"}})), UserError);
}

TEST(Winograd, MultipliesFewerTimes) {
    // 2.25 and 4 times fewer than 9 for each result: (m + 2)^2 products for m^2 results.
    EXPECT_EQ(winograd::transformed_filters(std::vector<double>(9, 1), 2).size(), 16U);
    EXPECT_EQ(winograd::transformed_filters(std::vector<double>(9, 1), 4).size(), 36U);
    const std::vector<double> ones = winograd::transformed_filters(std::vector<double>(9, 1), 2);
    EXPECT_DOUBLE_EQ(ones[5], 2.25);  // (1.5, 1.5): sums of a half of each tap, both ways
}

}  // namespace
}  // namespace ascendsim
