// SPDX-License-Identifier: Apache-2.0
#include "app/validation/statistics.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace ascendsim::validation {
namespace {

TEST(Fit, FiguresOfKnownErrors) {
    // Errors -0.5, 0, +0.1, +0.2.
    const std::array<TimePair, 4> pairs{{{2, 1}, {10, 10}, {100, 110}, {1000, 1200}}};
    const Fit result = fit(pairs);
    EXPECT_EQ(result.cases, 4U);
    EXPECT_NEAR(result.mape, 0.8 / 4, 1e-12);
    EXPECT_NEAR(result.bias, -0.2 / 4, 1e-12);
    EXPECT_NEAR(result.median_ape, 0.15, 1e-12);  // between 0.1 and 0.2
    EXPECT_NEAR(result.p90_ape, 0.5, 1e-12);      // the fourth of four
    EXPECT_NEAR(result.kendall, 1, 1e-12);
}

TEST(Fit, KendallCountsPairsInOrder) {
    // Of the six pairs one is turned round: (5 - 1) / 6.
    const std::array<TimePair, 4> pairs{{{1, 1}, {2, 3}, {3, 2}, {4, 4}}};
    EXPECT_NEAR(kendall(pairs), 4.0 / 6, 1e-12);
    EXPECT_EQ(kendall(std::span{pairs}.first(1)), 0);
}

TEST(Fit, TiesCountInNeitherDirection) {
    // Two measured alike: of three pairs two differ in measured, three in simulated; both in order.
    const std::array<TimePair, 3> pairs{{{1, 1}, {1, 2}, {2, 3}}};
    EXPECT_NEAR(kendall(pairs), 2 / std::sqrt(2.0 * 3.0), 1e-12);
}

TEST(Fit, NothingFitsNothing) {
    EXPECT_EQ(fit({}).cases, 0U);
}

}  // namespace
}  // namespace ascendsim::validation
