// SPDX-License-Identifier: Apache-2.0
#include "models/numbers/float16.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/defined_value.hpp"
#include "models/numbers/half.hpp"

namespace ascendsim {
namespace {

constexpr unsigned patterns{65536};

template <class F>
class Float16Of : public testing::Test {};

using Formats = testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(Float16Of, Formats);

TYPED_TEST(Float16Of, EveryPatternHasTheValueItsDefinitionSays) {
    for (unsigned i{0}; i < patterns; ++i) {
        const TypeParam number{TypeParam::from_bits(static_cast<std::uint16_t>(i))};
        const double expected{defined_value<TypeParam>(i)};
        const double actual{static_cast<double>(static_cast<float>(number))};
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(actual)) << i;
        } else {
            ASSERT_EQ(actual, expected) << i;
            ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << i;
        }
    }
}

TYPED_TEST(Float16Of, EveryPatternSurvivesTheWayThroughFloatAndDouble) {
    for (unsigned i{0}; i < patterns; ++i) {
        const TypeParam number{TypeParam::from_bits(static_cast<std::uint16_t>(i))};
        const float wide{number};
        const bool nan{std::isnan(wide)};
        // A NaN comes back quiet, its payload kept.
        const unsigned quiet{nan ? 1U << static_cast<unsigned>(TypeParam::format::mantissa_bits - 1) : 0U};
        ASSERT_EQ(TypeParam{wide}.bits(), i | quiet) << i;
        if (!nan) {
            ASSERT_EQ(TypeParam{static_cast<double>(wide)}.bits(), i);
        }
    }
}

// Between every two neighbours: just below the middle, the middle, just above it. The middle is exact in
// double.
TYPED_TEST(Float16Of, RoundsToNearestEvenBetweenAllNeighbours) {
    const unsigned top{TypeParam::format::inf_bits - 1U};
    for (unsigned i{0}; i < top; ++i) {
        const double low{defined_value<TypeParam>(i)};
        const double high{defined_value<TypeParam>(i + 1U)};
        const double middle{(low + high) / 2.0};
        const unsigned even{(i & 1U) == 0U ? i : i + 1U};
        for (const double sign : {1.0, -1.0}) {
            const unsigned s{sign < 0.0 ? 0x8000U : 0U};
            ASSERT_EQ(TypeParam{sign * middle}.bits(), even | s) << i;
            ASSERT_EQ(TypeParam{sign * std::nextafter(middle, low)}.bits(), i | s) << i;
            ASSERT_EQ(TypeParam{sign * std::nextafter(middle, high)}.bits(), (i + 1U) | s) << i;
            const float narrow{static_cast<float>(middle)};
            ASSERT_EQ(static_cast<double>(narrow), middle);
            const float s1{static_cast<float>(sign)};
            ASSERT_EQ(TypeParam{s1 * narrow}.bits(), even | s) << i;
            ASSERT_EQ(TypeParam{s1 * std::nextafter(narrow, static_cast<float>(low))}.bits(), i | s) << i;
            ASSERT_EQ(TypeParam{s1 * std::nextafter(narrow, static_cast<float>(high))}.bits(), (i + 1U) | s)
                << i;
        }
    }
}

TEST(Half, OverflowsFromHalfwayAboveItsMaximum) {
    // 65504 is the maximum; its successor would be 65536, so the middle 65520 ties to that even one:
    // infinite.
    EXPECT_EQ(half{65519.996F}.bits(), 0x7BFF);
    EXPECT_EQ(half{65520.0F}.bits(), 0x7C00);
    EXPECT_EQ(half{-65520}.bits(), 0xFC00);
    EXPECT_EQ(half{1e300}.bits(), 0x7C00);
    EXPECT_EQ(half{std::numeric_limits<std::int64_t>::min()}.bits(), 0xFC00);
    EXPECT_EQ(half{std::numeric_limits<float>::infinity()}.bits(), 0x7C00);
}

TEST(Half, VanishesToASignedZero) {
    // The least half is 2^-24; half of it ties to zero, anything above that does not.
    EXPECT_EQ(half{std::ldexp(1.0F, -25)}.bits(), 0x0000);
    EXPECT_EQ(half{-std::ldexp(1.0F, -25)}.bits(), 0x8000);
    EXPECT_EQ(half{std::nextafter(std::ldexp(1.0F, -25), 1.0F)}.bits(), 0x0001);
    EXPECT_EQ(half{-1e-300}.bits(), 0x8000);
    EXPECT_EQ(half{5e-324}.bits(), 0x0000);
}

TEST(Half, RoundsADoubleOnce) {
    // 1 + 2^-11 + 2^-40: a float would first lose 2^-40 and then tie down to 1.
    EXPECT_EQ(half{1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)}.bits(), 0x3C01);
    EXPECT_EQ(half{1.0 + std::ldexp(1.0, -11)}.bits(), 0x3C00);
}

TEST(Bfloat16, RoundsALargeIntegerOnce) {
    // Seven bits of mantissa: 2^62 * (1 + 2^-8) is the tie; one more unit is above it.
    const std::int64_t tie{(std::int64_t{1} << 62) + (std::int64_t{1} << 54)};
    EXPECT_EQ(bfloat16{tie}.bits(), bfloat16{std::ldexp(1.0F, 62)}.bits());
    EXPECT_EQ(bfloat16{tie + 1}.bits(), bfloat16{tie}.bits() + 1);
    EXPECT_EQ(bfloat16{-(tie + 1)}.bits(), (bfloat16{tie}.bits() + 1) | 0x8000);
    EXPECT_EQ(bfloat16{std::numeric_limits<std::uint64_t>::max()}.bits(),
              bfloat16{std::ldexp(1.0F, 64)}.bits());
}

// The operations of two 11-bit significands are exact in double, or (division) far from a tie, so rounding
// the double shows that computing in float rounds only once.
TEST(Half, ArithmeticRoundsOnce) {
    constexpr unsigned seed{20240917};
    SCOPED_TRACE(seed);
    std::mt19937 random{seed};
    for (int i{0}; i < 300'000; ++i) {
        const half a{half::from_bits(static_cast<std::uint16_t>(random()))};
        const half b{half::from_bits(static_cast<std::uint16_t>(random()))};
        const double wide_a{defined_value<half>(a.bits())};
        const double wide_b{defined_value<half>(b.bits())};
        if (!std::isfinite(wide_a) || !std::isfinite(wide_b)) {
            continue;
        }
        ASSERT_EQ((a + b).bits(), half(wide_a + wide_b).bits()) << wide_a << ' ' << wide_b;
        ASSERT_EQ((a - b).bits(), half(wide_a - wide_b).bits()) << wide_a << ' ' << wide_b;
        ASSERT_EQ((a * b).bits(), half(wide_a * wide_b).bits()) << wide_a << ' ' << wide_b;
        if (wide_b != 0.0) {
            ASSERT_EQ((a / b).bits(), half(wide_a / wide_b).bits()) << wide_a << ' ' << wide_b;
        }
        ASSERT_EQ(a < b, wide_a < wide_b);
        ASSERT_EQ(a == b, wide_a == wide_b);
        ASSERT_EQ(a >= b, wide_a >= wide_b);
    }
}

TYPED_TEST(Float16Of, MixesInExpressionsAsABuiltInTypeDoes) {
    const TypeParam two{2.0F};
    static_assert(std::is_same_v<decltype(two + two), TypeParam>);
    static_assert(std::is_same_v<decltype(two * 2), TypeParam>);
    static_assert(std::is_same_v<decltype(2U - two), TypeParam>);
    static_assert(std::is_same_v<decltype(two + 1.0F), float>);
    static_assert(std::is_same_v<decltype(1.0 / two), double>);
    static_assert(std::is_same_v<decltype(-two), TypeParam>);
    EXPECT_EQ(two * 3, 6);
    EXPECT_EQ(1.0F / two, 0.5F);
    EXPECT_EQ(static_cast<float>(1 - two), -1.0F);
    EXPECT_TRUE(two > 0 && 0 < two && two >= 2.0 && two != 1.5F && !(two < 0));
    EXPECT_TRUE(static_cast<bool>(two));
    EXPECT_FALSE(static_cast<bool>(TypeParam{0.0F}));
    TypeParam number{1};
    number += two;
    number *= 2;
    number -= 1.0F;
    number /= 2.0;
    EXPECT_EQ(static_cast<float>(number), 2.5F);
    EXPECT_EQ(static_cast<float>(number++), 2.5F);
    EXPECT_EQ(static_cast<float>(--number), 2.5F);
}

TEST(Half, MixesWithBfloat16InFloat) {
    static_assert(std::is_same_v<decltype(half{1} + bfloat16{1}), float>);
    EXPECT_EQ(half{1.5F} * bfloat16{2}, 3.0F);
    EXPECT_EQ(static_cast<half>(bfloat16{2}).bits(), half{2}.bits());
}

TYPED_TEST(Float16Of, ConvertsToIntegersTowardsZeroWithinTheirRange) {
    using Limits = std::numeric_limits<TypeParam>;
    EXPECT_EQ(static_cast<std::int32_t>(TypeParam{-2.75F}), -2);
    EXPECT_EQ(static_cast<std::int32_t>(Limits::infinity()), std::numeric_limits<std::int32_t>::max());
    EXPECT_EQ(static_cast<std::int64_t>(-Limits::infinity()), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(static_cast<std::uint64_t>(Limits::infinity()), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(static_cast<std::int32_t>(Limits::quiet_NaN()), 0);
    EXPECT_EQ(static_cast<std::uint8_t>(TypeParam{-3}), 0);
    EXPECT_EQ(static_cast<std::int8_t>(TypeParam{300}), 127);
    EXPECT_EQ(static_cast<std::int8_t>(TypeParam{-300}), -128);
    EXPECT_EQ(static_cast<std::uint8_t>(TypeParam{255}), 255);
}

TYPED_TEST(Float16Of, LimitsAgreeWithTheDefinition) {
    using Limits = std::numeric_limits<TypeParam>;
    constexpr int mantissa{TypeParam::format::mantissa_bits};
    constexpr int bias{TypeParam::format::bias};
    const auto value = [](TypeParam number) { return static_cast<double>(static_cast<float>(number)); };
    EXPECT_EQ(value(Limits::max()), std::ldexp(2.0 - std::ldexp(1.0, -mantissa), bias));
    EXPECT_EQ(value(Limits::lowest()), -value(Limits::max()));
    EXPECT_EQ(value(Limits::min()), std::ldexp(1.0, 1 - bias));
    EXPECT_EQ(value(Limits::denorm_min()), std::ldexp(1.0, 1 - bias - mantissa));
    EXPECT_EQ(value(Limits::epsilon()), std::ldexp(1.0, -mantissa));
    EXPECT_TRUE(std::isinf(value(Limits::infinity())));
    EXPECT_TRUE(std::isnan(value(Limits::quiet_NaN())));
    EXPECT_TRUE(std::isnan(value(Limits::signaling_NaN())));
    EXPECT_EQ(Limits::digits, mantissa + 1);
    EXPECT_EQ(value(Limits::max()), std::ldexp(1.0 - std::ldexp(1.0, -Limits::digits), Limits::max_exponent));
    EXPECT_EQ(value(Limits::min()), std::ldexp(1.0, Limits::min_exponent - 1));
    EXPECT_EQ(Limits::max_exponent10, static_cast<int>(std::floor(std::log10(value(Limits::max())))));
    EXPECT_EQ(Limits::min_exponent10, static_cast<int>(std::ceil(std::log10(value(Limits::min())))));
}

TEST(Half, IsUsableAtCompileTime) {
    constexpr half third{1.0 / 3.0};
    static_assert(third.bits() == 0x3555);
    static_assert(half{2} * 3 == half{6});
    static_assert(static_cast<float>(bfloat16{1.0F} / 3) == 0x1.56p-2F);
    static_assert(half{-0.0F}.bits() == 0x8000);
}

}  // namespace
}  // namespace ascendsim
