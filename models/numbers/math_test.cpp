// SPDX-License-Identifier: Apache-2.0
#include "models/numbers/math.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "models/numbers/bits.hpp"
#include "models/numbers/elementary.hpp"
#include "models/numbers/half.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::numbers {
namespace {

using Bulk = void (*)(std::span<const float>, std::span<float>);
using BulkHalf = void (*)(std::span<const half>, std::span<half>);
using Reference = long double (*)(long double);
using Single = float (*)(float);

// The correctly rounded result is within half a unit of the last place; double leaves a little beyond that.
constexpr long double half_unit{0.501L};

constexpr float everywhere{std::numeric_limits<float>::infinity()};

struct Case {
    const char* name;
    Bulk bulk;
    BulkHalf bulk_half;
    Single single;
    Reference reference;
    float bound;  // of |x|, for functions only defined well up to there
};

// The functions of glibc for long double, whose error is far below half a unit of a float.
const std::array cases{
    Case{"exp", exp, exp, exp, [](long double x) { return std::exp(x); }, everywhere},
    Case{"ln", ln, ln, ln, [](long double x) { return std::log(x); }, everywhere},
    Case{"sqrt", sqrt, sqrt, sqrt, [](long double x) { return std::sqrt(x); }, everywhere},
    Case{"rsqrt", rsqrt, rsqrt, rsqrt, [](long double x) { return 1.0L / std::sqrt(x); }, everywhere},
    Case{
        "reciprocal", reciprocal, reciprocal, reciprocal, [](long double x) { return 1.0L / x; }, everywhere},
    Case{"sigmoid",
         sigmoid,
         sigmoid,
         sigmoid,
         [](long double x) { return 1.0L / (1.0L + std::exp(-x)); },
         everywhere},
    Case{"tanh", tanh, tanh, tanh, [](long double x) { return std::tanh(x); }, everywhere},
    Case{"erf", erf, erf, erf, [](long double x) { return std::erf(x); }, everywhere},
    Case{"sin", sin, sin, sin, [](long double x) { return std::sin(x); }, 1e6F},
    Case{"cos", cos, cos, cos, [](long double x) { return std::cos(x); }, 1e6F},
};

// The distance of `actual` from the exact result, in units of the last place of a float there.
long double units_off(float actual, long double exact) {
    const float nearest{static_cast<float>(exact)};
    if (std::isnan(exact) || std::isnan(actual)) {
        return std::isnan(exact) && std::isnan(actual) ? 0.0L : 1e9L;
    }
    if (std::isinf(actual) || std::isinf(nearest)) {
        return actual == nearest ? 0.0L : 1e9L;
    }
    const int exponent{exact == 0.0L ? -149 : std::max(std::ilogb(exact) - 23, -149)};
    return std::fabs(static_cast<long double>(actual) - exact) / std::ldexp(1.0L, exponent);
}

// Floats spread evenly over all bit patterns: every sign, exponent and part of a binade.
std::vector<float> dense_floats(float bound) {
    constexpr std::uint64_t stride{3001};
    std::vector<float> values;
    for (std::uint64_t bits{0}; bits < (std::uint64_t{1} << 32U); bits += stride) {
        const float value{bits_as<float>(static_cast<std::uint32_t>(bits))};
        if (std::fabs(value) <= bound || (std::isnan(value) && bound == everywhere)) {
            values.push_back(value);
        }
    }
    return values;
}

class Elementary : public testing::TestWithParam<Case> {};

TEST_P(Elementary, IsWithinHalfAUnitOfTheLastPlace) {
    const std::vector<float> x{dense_floats(GetParam().bound)};
    std::vector<float> y(x.size());
    GetParam().bulk(x, y);
    long double worst{0.0L};
    float where{0.0F};
    for (std::size_t i{0}; i < x.size(); ++i) {
        const long double off{units_off(y[i], GetParam().reference(static_cast<long double>(x[i])))};
        where = off > worst ? x[i] : where;
        worst = off > worst ? off : worst;
    }
    EXPECT_LE(worst, half_unit) << "at " << where;
}

TEST_P(Elementary, GivesTheSameBitsInBulkAndAlone) {
    const std::vector<float> x{dense_floats(std::numeric_limits<float>::infinity())};
    std::vector<float> y{x};
    GetParam().bulk(y, y);  // in place
    for (std::size_t i{0}; i < x.size(); i += 7U) {
        const float alone{GetParam().single(x[i])};
        ASSERT_EQ(bits_as<std::uint32_t>(y[i]) | (std::isnan(alone) ? 0x8000'0000U : 0U),
                  bits_as<std::uint32_t>(alone) | (std::isnan(alone) ? 0x8000'0000U : 0U))
            << x[i];
    }
}

TEST_P(Elementary, RoundsEveryHalfOnceFromFloat) {
    std::vector<half> x(65536);
    for (std::size_t i{0}; i < x.size(); ++i) {
        x[i] = half::from_bits(static_cast<std::uint16_t>(i));
    }
    std::vector<half> y(x.size());
    GetParam().bulk_half(x, y);
    for (std::size_t i{0}; i < x.size(); ++i) {
        const half expected{GetParam().single(x[i])};
        const bool both_nan{y[i] != y[i] && expected != expected};
        ASSERT_TRUE(both_nan || y[i].bits() == expected.bits()) << i;
    }
}

TEST_P(Elementary, RefusesDifferentLengths) {
    const std::vector<float> x(3);
    std::vector<float> y(4);
    EXPECT_THROW(GetParam().bulk(x, y), InternalError);
}

INSTANTIATE_TEST_SUITE_P(All, Elementary, testing::ValuesIn(cases), [](const auto& test) {
    return test.param.name;
});

TEST(ElementaryEdges, AreThoseOfTheMathematicalLimits) {
    constexpr float inf{std::numeric_limits<float>::infinity()};
    EXPECT_EQ(exp(0.0F), 1.0F);
    EXPECT_EQ(exp(-inf), 0.0F);
    EXPECT_EQ(exp(inf), inf);
    EXPECT_EQ(exp(88.72284F), std::exp(88.72284F));  // the last argument below overflow
    EXPECT_EQ(exp(88.7229F), inf);
    EXPECT_EQ(exp(-103.97F), std::numeric_limits<float>::denorm_min());
    EXPECT_EQ(ln(0.0F), -inf);
    EXPECT_EQ(ln(-0.0F), -inf);
    EXPECT_EQ(ln(inf), inf);
    EXPECT_EQ(ln(1.0F), 0.0F);
    EXPECT_TRUE(std::isnan(ln(-1.0F)));
    EXPECT_EQ(rsqrt(0.0F), inf);
    EXPECT_EQ(rsqrt(inf), 0.0F);
    EXPECT_TRUE(std::isnan(sqrt(-1.0F)));
    EXPECT_EQ(tanh(inf), 1.0F);
    EXPECT_EQ(erf(-inf), -1.0F);
    EXPECT_TRUE(std::signbit(tanh(-0.0F)) && std::signbit(sin(-0.0F)) && std::signbit(erf(-0.0F)));
    EXPECT_TRUE(std::isnan(sin(inf)));
}

TEST(Power, IsWithinHalfAUnitOfTheLastPlace) {
    constexpr unsigned seed{1618};
    SCOPED_TRACE(seed);
    std::mt19937 random{seed};
    std::uniform_real_distribution<float> exponents{-40.0F, 40.0F};
    std::vector<float> a(200'000);
    std::vector<float> b(a.size());
    for (std::size_t i{0}; i < a.size(); ++i) {
        a[i] = std::fabs(bits_as<float>(static_cast<std::uint32_t>(random())));
        b[i] = i % 3U == 0U ? std::nearbyint(exponents(random))
                            : exponents(random) / (1.0F + static_cast<float>(i % 40U));
        a[i] = i % 3U == 0U ? -a[i] : a[i];
    }
    std::vector<float> y(a.size());
    power(a, b, y);
    for (std::size_t i{0}; i < a.size(); ++i) {
        const long double exact{std::pow(static_cast<long double>(a[i]), static_cast<long double>(b[i]))};
        ASSERT_LE(units_off(y[i], exact), half_unit) << a[i] << " to the " << b[i];
    }
}

TEST(Power, TreatsSpecialCasesAsIeee754) {
    constexpr float inf{std::numeric_limits<float>::infinity()};
    constexpr float nan{std::numeric_limits<float>::quiet_NaN()};
    const std::array values{0.0F,
                            -0.0F,
                            1.0F,
                            -1.0F,
                            0.5F,
                            -0.5F,
                            2.0F,
                            -2.0F,
                            3.0F,
                            -3.0F,
                            1.5F,
                            -1.5F,
                            1e30F,
                            -1e30F,
                            16777215.0F,
                            inf,
                            -inf,
                            nan};
    for (const float x : values) {
        for (const float y : values) {
            const double expected{std::pow(static_cast<double>(x), static_cast<double>(y))};
            const float actual{power(x, y)};
            if (std::isnan(expected)) {
                EXPECT_TRUE(std::isnan(actual)) << x << " to the " << y;
            } else {
                EXPECT_LE(units_off(actual, static_cast<long double>(expected)), half_unit)
                    << x << " to the " << y;
                EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << x << " to the " << y;
            }
        }
    }
}

TEST(Divide, IsCorrectlyRoundedInFloatAndHalf) {
    constexpr unsigned seed{141421};
    SCOPED_TRACE(seed);
    std::mt19937 random{seed};
    std::vector<half> a(1500);
    std::vector<half> b(a.size());
    std::vector<half> y(a.size());
    for (std::size_t i{0}; i < a.size(); ++i) {
        a[i] = half::from_bits(static_cast<std::uint16_t>(random() % 0x7C00U));
        b[i] = half::from_bits(static_cast<std::uint16_t>(1U + random() % 0x7BFFU));
    }
    divide(a, b, y);
    for (std::size_t i{0}; i < a.size(); ++i) {
        const double exact{static_cast<double>(static_cast<float>(a[i])) /
                           static_cast<double>(static_cast<float>(b[i]))};
        ASSERT_EQ(y[i].bits(), half(exact).bits());
    }
    const std::vector<float> one{1.0F, -1.0F, 0.0F, 1.0F};
    const std::vector<float> by{3.0F, 0.0F, 0.0F, -0.0F};
    std::vector<float> quotient(4);
    divide(one, by, quotient);
    EXPECT_EQ(quotient[0], 1.0F / 3.0F);
    EXPECT_EQ(quotient[1], -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(quotient[2]));
    EXPECT_EQ(quotient[3], -std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace ascendsim::numbers
