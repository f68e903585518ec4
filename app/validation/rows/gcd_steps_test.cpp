// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/gcd_steps.hpp"

#include <gtest/gtest.h>

namespace ascendsim::validation {
namespace {

TEST(Subtractions, AreTheSumOfEuclidsQuotients) {
    EXPECT_EQ(subtractions(0, 7), 0U);
    EXPECT_EQ(subtractions(7, 7), 1U);
    EXPECT_EQ(subtractions(-50, 1), 50U);
    EXPECT_EQ(subtractions(10, 4), 4U);  // 10 = 2·4 + 2, 4 = 2·2
}

TEST(Subtractions, TheSlowestOfATileDecides) {
    EXPECT_EQ(most_subtractions({100, 100}, {100, 100}, 64, 1), 1.0);
    // 50 and 1 are drawn once in 101·21/4 = 530 pairs, so that no tile of 16384 is without them.
    EXPECT_EQ(most_subtractions({-50, 50}, {-10, 10}, 16384, 1), 50.0);
    // One divisor for the whole tile: the largest over a in -100..100 is 100 for 1, at least 93 for a tenth
    // of 1..100, at most 22 for another tenth, 55 in the mean of all.
    EXPECT_NEAR(most_subtractions({-100, 100}, {1, 100}, 4096, 4096), 55, 12);
}

TEST(Subtractions, FewPairsHaveFewSteps) {
    const ValueRange range{2, 10000};
    EXPECT_LT(most_subtractions(range, range, 64, 1), most_subtractions(range, range, 16384, 1) / 4);
}

}  // namespace
}  // namespace ascendsim::validation
