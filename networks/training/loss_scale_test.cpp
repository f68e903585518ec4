// SPDX-License-Identifier: Apache-2.0
#include "networks/training/loss_scale.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace ascendsim::networks {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
const GradientHealth good{.elements = 2, .norm = 0.5};
const GradientHealth bad{.elements = 2, .not_finite = 1};

GradientHealth health(const std::vector<double>& gradient, double scale) {
    const std::vector<const std::vector<double>*> all{&gradient};
    return health_of(all, scale);
}

TEST(LossScales, HalveBehindAnOverflowAndSkipTheStep) {
    LossScale scale{{}};
    EXPECT_EQ(scale.value(), 65536);
    EXPECT_FALSE(scale.note(bad));
    EXPECT_EQ(scale.value(), 32768);
    EXPECT_TRUE(scale.note(good));
    EXPECT_EQ(scale.skipped(), 1U);
    EXPECT_EQ(scale.taken(), 1U);
    LossScale gentle{{.backoff = 0.9}};
    EXPECT_FALSE(gentle.note(bad));
    EXPECT_DOUBLE_EQ(gentle.value(), 58982.4);
}

TEST(LossScales, GrowBehindAThousandCleanSteps) {
    LossScale scale{{}};
    for (int step = 0; step < 999; ++step) {
        EXPECT_TRUE(scale.note(good));
    }
    EXPECT_FALSE(scale.note(bad));  // starts the count again
    for (int step = 0; step < 999; ++step) {
        EXPECT_TRUE(scale.note(good));
    }
    EXPECT_EQ(scale.value(), 32768);
    EXPECT_TRUE(scale.note(good));
    EXPECT_EQ(scale.value(), 65536);
}

TEST(LossScales, StayWithinTheirBounds) {
    LossScale low{{.start = 1.5}};
    EXPECT_FALSE(low.note(bad));
    EXPECT_EQ(low.value(), 1);
    LossScale high{{.start = 6e5, .growth_steps = 1}};
    EXPECT_TRUE(high.note(good));
    EXPECT_EQ(high.value(), 1e6);
    EXPECT_EQ((LossScale{{.start = 1e9}}).value(), 1e6);
}

TEST(LossScales, ClipTheNormOfAllGradients) {
    const LossScale scale{{.start = 10}};
    const GradientHealth long_one = health({30, -40, 0}, 10);  // 3 and 4
    EXPECT_DOUBLE_EQ(long_one.norm, 5);
    EXPECT_EQ(long_one.zeros, 1U);
    EXPECT_DOUBLE_EQ(long_one.largest, 4);
    EXPECT_DOUBLE_EQ(scale.gradient_factor(long_one), 1.0 / 5 / 10);
    EXPECT_DOUBLE_EQ(scale.gradient_factor(health({3, 4}, 10)), 1.0 / 10);
}

TEST(LossScales, SeeWhatIsNoNumber) {
    EXPECT_EQ(health({1, infinite, -infinite, std::numeric_limits<double>::quiet_NaN()}, 1).not_finite, 3U);
    EXPECT_FALSE(health({1, 65504}, 1).overflowed());
}

}  // namespace
}  // namespace ascendsim::networks
