// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/rounding.hpp"

#include <random>

#include <gtest/gtest.h>

namespace ascendsim::host {
namespace {

TEST(Rounding, GrowsWithTheLengthOfTheSumAndItsMagnitudes) {
    // 16 roundings: all of them, 16 u; 10,000: 8 sqrt(10,000) u.
    EXPECT_NEAR(fp32_sum_error(15, 3), 16 * 0x1p-24 * 3, 1e-9);
    EXPECT_DOUBLE_EQ(fp32_sum_error(9'999, 3), 8 * 100 * 0x1p-24 * 3);
}

TEST(Rounding, NoticesATermThatIsLeftOut) {
    EXPECT_LT(fp32_sum_error(10'000, 10'000), 1);  // of 10,000 terms of 1
}

TEST(Rounding, CoversSumsInTheirOrder) {
    std::mt19937 random{7};
    std::normal_distribution<float> any{0, 100};
    for (int trial = 0; trial < 200; ++trial) {
        float sum = 0;
        double exact = 0;
        double magnitudes = 0;
        for (int i = 0; i < 4096; ++i) {
            const float a = any(random);
            const float b = any(random);
            const float product = a * b;
            sum += product;
            exact += double{a} * double{b};
            magnitudes += std::abs(double{a} * double{b});
        }
        EXPECT_LE(std::abs(double{sum} - exact), fp32_sum_error(4096, magnitudes));
    }
}

}  // namespace
}  // namespace ascendsim::host
