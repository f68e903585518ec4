// SPDX-License-Identifier: Apache-2.0
#include "models/numbers/rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "models/numbers/defined_value.hpp"

namespace ascendsim {
namespace {

constexpr std::array all_modes{RoundMode::none,
                               RoundMode::rint,
                               RoundMode::floor,
                               RoundMode::ceil,
                               RoundMode::round,
                               RoundMode::trunc,
                               RoundMode::odd};
constexpr unsigned seed{31415};

// Chooses between two neighbours of `value` by the definition of the mode; true means the greater magnitude.
bool takes_upper(double low, double value, double high, bool low_is_odd, bool negative, RoundMode mode) {
    if (value == low) {
        return false;
    }
    const double above{value - low};
    const double below{high - value};
    switch (mode) {
        case RoundMode::floor:
            return negative;
        case RoundMode::ceil:
            return !negative;
        case RoundMode::round:
            return above >= below;
        case RoundMode::trunc:
            return false;
        case RoundMode::odd:
            return !low_is_odd;
        case RoundMode::none:
        case RoundMode::rint:
        case RoundMode::hybrid:
            return above > below || (above == below && low_is_odd);
    }
    return false;
}

// Rounds by looking the magnitude up in the table of all numbers of the format.
template <class F>
unsigned reference_float16(double value, RoundMode mode) {
    static const std::vector<double> numbers{[] {
        std::vector<double> all;
        for (unsigned i{0}; i < F::format::inf_bits; ++i) {
            all.push_back(defined_value<F>(i));
        }
        all.push_back(std::ldexp(1.0, F::format::bias + 1));  // where the next number would be
        return all;
    }()};
    const bool negative{std::signbit(value)};
    const double magnitude{std::fabs(value)};
    const auto above = std::upper_bound(numbers.begin(), numbers.end(), magnitude);
    const unsigned sign{negative ? 0x8000U : 0U};
    if (above == numbers.end()) {
        return F::format::inf_bits | sign;
    }
    const unsigned low{static_cast<unsigned>(above - numbers.begin()) - 1U};
    const bool up{takes_upper(numbers[low], magnitude, numbers[low + 1U], (low & 1U) != 0U, negative, mode)};
    return (low + (up ? 1U : 0U)) | sign;
}

template <class T>
T reference_integer(double value, RoundMode mode) {
    if (std::isnan(value)) {
        return T{0};
    }
    const double low{std::floor(std::fabs(value))};
    const bool odd{std::fmod(low, 2.0) == 1.0};
    const bool up{std::isfinite(value) &&
                  takes_upper(low, std::fabs(value), low + 1.0, odd, value < 0.0, mode)};
    const double rounded{std::copysign(up ? low + 1.0 : low, value)};
    if (rounded >= std::ldexp(1.0, std::numeric_limits<T>::digits)) {
        return std::numeric_limits<T>::max();
    }
    if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) {
        return std::numeric_limits<T>::min();
    }
    return static_cast<T>(rounded);
}

// Numbers that matter to a conversion: powers of two, halves, their neighbours in float, and random bits.
std::vector<float> telling_floats() {
    constexpr float infinity{std::numeric_limits<float>::infinity()};
    std::vector<float> values{0.0F, -0.0F, infinity, std::numeric_limits<float>::max()};
    for (int exponent{-149}; exponent < 128; ++exponent) {
        for (const float factor : {1.0F, 1.25F, 1.5F, 1.75F, 1.00048828125F, 1.0009765625F, 1.00390625F}) {
            const float value{factor * std::ldexp(1.0F, exponent)};
            values.insert(values.end(),
                          {value, std::nextafter(value, 0.0F), std::nextafter(value, infinity)});
        }
    }
    for (int i{0}; i < 600; ++i) {
        const float value{0.25F * static_cast<float>(i)};
        values.insert(values.end(), {value, std::nextafter(value, -1.0F), std::nextafter(value, 1e9F)});
    }
    std::mt19937 random{seed};
    for (int i{0}; i < 20'000; ++i) {
        const float value{numbers::bits_as<float>(static_cast<std::uint32_t>(random()))};
        values.push_back(std::isnan(value) ? 0.0F : value);
    }
    const std::size_t count{values.size()};
    for (std::size_t i{0}; i < count; ++i) {
        values.push_back(-values[i]);
    }
    return values;
}

TEST(Cast, RoundsFloatToHalfAndBfloat16InEveryMode) {
    for (const float value : telling_floats()) {
        for (const RoundMode mode : all_modes) {
            ASSERT_EQ(cast<half>(value, mode).bits(),
                      reference_float16<half>(static_cast<double>(value), mode))
                << value << " mode " << static_cast<int>(mode);
            ASSERT_EQ(cast<bfloat16>(value, mode).bits(),
                      reference_float16<bfloat16>(static_cast<double>(value), mode))
                << value << " mode " << static_cast<int>(mode);
        }
    }
}

TEST(Cast, AgreesWithConstructionToNearest) {
    for (const float value : telling_floats()) {
        ASSERT_EQ(cast<half>(value, RoundMode::rint).bits(), half{value}.bits()) << value;
        ASSERT_EQ(cast<bfloat16>(value, RoundMode::none).bits(), bfloat16{value}.bits()) << value;
    }
}

template <class Dst, class Src>
void expect_reference_integer(Src value) {
    for (const RoundMode mode : all_modes) {
        const double wide{static_cast<double>(static_cast<float>(value))};
        ASSERT_EQ(cast<Dst>(value, mode), reference_integer<Dst>(wide, mode))
            << wide << " mode " << static_cast<int>(mode);
    }
}

TEST(Cast, RoundsAndClampsFloatToIntegersInEveryMode) {
    for (const float value : telling_floats()) {
        expect_reference_integer<std::int16_t>(value);
        expect_reference_integer<std::int32_t>(value);
        expect_reference_integer<std::int64_t>(value);
    }
}

TEST(Cast, RoundsAndClampsEveryHalfAndBfloat16ToIntegers) {
    for (unsigned i{0}; i < 65536; ++i) {
        const half number{half::from_bits(static_cast<std::uint16_t>(i))};
        expect_reference_integer<std::int8_t>(number);
        expect_reference_integer<std::uint8_t>(number);
        expect_reference_integer<std::int16_t>(number);
        expect_reference_integer<std::int32_t>(number);
        expect_reference_integer<std::int32_t>(bfloat16::from_bits(static_cast<std::uint16_t>(i)));
        for (const RoundMode mode : all_modes) {
            const int whole{
                reference_integer<std::int32_t>(static_cast<double>(static_cast<float>(number)), mode)};
            ASSERT_EQ(cast_to_int4(number, mode), std::clamp(whole, -8, 7)) << i;
        }
    }
}

// The worked examples of the documentation of Cast.
TEST(Cast, GivesTheDocumentedExamples) {
    const auto with = [](RoundMode mode) { return cast<float>(0.5F, mode); };
    EXPECT_EQ(with(RoundMode::rint), 0.0F);
    EXPECT_EQ(with(RoundMode::floor), 0.0F);
    EXPECT_EQ(with(RoundMode::ceil), 1.0F);
    EXPECT_EQ(with(RoundMode::round), 1.0F);
    EXPECT_EQ(with(RoundMode::trunc), 0.0F);
    const float between{0.5F + std::ldexp(1.0F, -12)};
    EXPECT_EQ(static_cast<float>(cast<half>(between, RoundMode::rint)), 0.5F);
    EXPECT_EQ(static_cast<float>(cast<half>(between, RoundMode::round)), 0.5F + std::ldexp(1.0F, -11));
    EXPECT_EQ(static_cast<float>(cast<half>(between, RoundMode::odd)), 0.5F + std::ldexp(1.0F, -11));
    const float far{std::ldexp(1.0F, 22) + 0.5F};
    EXPECT_EQ(cast<std::int32_t>(far, RoundMode::rint), 1 << 22);
    EXPECT_EQ(cast<std::int32_t>(far, RoundMode::round), (1 << 22) + 1);
    EXPECT_EQ(cast<std::int16_t>(far, RoundMode::trunc), 32767);
    EXPECT_EQ(cast<std::int8_t>(half{127.5F}, RoundMode::ceil), 127);
    EXPECT_EQ(cast<std::int32_t>(half{-1.5F}, RoundMode::round), -2);
    EXPECT_EQ(static_cast<float>(cast<half>(std::int16_t{4098}, RoundMode::round)), 4100.0F);
    EXPECT_EQ(static_cast<float>(cast<half>(std::int16_t{4098}, RoundMode::rint)), 4096.0F);
    EXPECT_EQ(cast<float>((1 << 25) + 3, RoundMode::rint), static_cast<float>((1 << 25) + 4));
    EXPECT_EQ(cast<float>((1 << 25) + 3, RoundMode::floor), static_cast<float>(1 << 25));
    EXPECT_EQ(cast<std::int16_t>(std::numeric_limits<std::int32_t>::max(), RoundMode::none), 32767);
}

TEST(Cast, RoundsInt16ToHalfInEveryMode) {
    for (int i{-32768}; i <= 32767; ++i) {
        for (const RoundMode mode : all_modes) {
            ASSERT_EQ(cast<half>(static_cast<std::int16_t>(i), mode).bits(), reference_float16<half>(i, mode))
                << i;
        }
    }
}

// 2^24 + 1 needs 25 bits; near 2^62 the last place of a float is 2^39 and a double cannot hold the sticky bit
// below.
TEST(Cast, RoundsLargeIntegersToFloatOnce) {
    const std::int64_t base{std::int64_t{1} << 62};
    const std::int64_t place{std::int64_t{1} << 39};
    const float low{std::ldexp(1.0F, 62)};
    const float high{low + std::ldexp(1.0F, 39)};
    EXPECT_EQ(cast<float>(base + place / 2, RoundMode::rint), low);
    EXPECT_EQ(cast<float>(base + place / 2, RoundMode::round), high);
    EXPECT_EQ(cast<float>(base + place / 2 + 1, RoundMode::rint), high);
    EXPECT_EQ(cast<float>(base + place / 2 - 1, RoundMode::round), low);
    EXPECT_EQ(cast<float>(base + 1, RoundMode::ceil), high);
    EXPECT_EQ(cast<float>(base + 1, RoundMode::floor), low);
    EXPECT_EQ(cast<float>(-(base + 1), RoundMode::floor), -high);
    EXPECT_EQ(cast<float>(std::numeric_limits<std::int64_t>::min(), RoundMode::rint), -std::ldexp(1.0F, 63));
    EXPECT_EQ(cast<float>((1 << 24) + 1, RoundMode::odd), static_cast<float>((1 << 24) + 2));
}

TEST(Cast, ClampsIntegersUnlessToldToKeepLowBits) {
    constexpr CastRange low_bits{.saturate_float = false, .saturate_integer = false};
    EXPECT_EQ(cast<std::int32_t>(std::int64_t{1} << 40, RoundMode::none),
              std::numeric_limits<std::int32_t>::max());
    EXPECT_EQ(cast<std::int32_t>(-(std::int64_t{1} << 40), RoundMode::none),
              std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(cast<std::int32_t>((std::int64_t{1} << 40) + 5, RoundMode::none, low_bits), 5);
    EXPECT_EQ(cast<std::int16_t>(65537.0F, RoundMode::rint, low_bits), 1);
    EXPECT_EQ(cast<std::int8_t>(half{-129}, RoundMode::rint, low_bits), 127);
    EXPECT_EQ(cast<std::int32_t>(1e30F, RoundMode::rint, low_bits), 0);
    EXPECT_EQ(cast<std::int64_t>(std::int32_t{-7}, RoundMode::none), -7);
}

TEST(Cast, SaturatesFloatsWhenToldTo) {
    constexpr CastRange saturate{.saturate_float = true};
    const float infinity{std::numeric_limits<float>::infinity()};
    const float nan{std::numeric_limits<float>::quiet_NaN()};
    EXPECT_EQ(cast<half>(70000.0F, RoundMode::rint).bits(), 0x7C00);
    EXPECT_EQ(cast<half>(70000.0F, RoundMode::rint, saturate).bits(), 0x7BFF);
    EXPECT_EQ(cast<half>(-infinity, RoundMode::rint, saturate).bits(), 0xFBFF);
    EXPECT_EQ(cast<half>(nan, RoundMode::rint, saturate).bits(), 0);
    EXPECT_EQ(cast<half>(nan, RoundMode::rint).bits() & 0x7E00, 0x7E00);
    EXPECT_EQ(cast<bfloat16>(3.4e38F, RoundMode::rint, saturate).bits(), 0x7F7F);
}

TEST(Cast, KeepsTheSignAndTheInfinitiesWhenRoundingFloatToIntegralFloat) {
    EXPECT_TRUE(std::signbit(cast<float>(-0.25F, RoundMode::rint)));
    EXPECT_EQ(cast<float>(-0.25F, RoundMode::floor), -1.0F);
    EXPECT_EQ(cast<float>(8388607.5F, RoundMode::rint), 8388608.0F);
    EXPECT_EQ(cast<float>(1e30F, RoundMode::trunc), 1e30F);
    EXPECT_EQ(cast<float>(-std::numeric_limits<float>::infinity(), RoundMode::ceil),
              -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(cast<float>(std::numeric_limits<float>::quiet_NaN(), RoundMode::rint)));
}

TEST(Cast, DequantizesWithOneRounding) {
    EXPECT_EQ(static_cast<float>(cast_dequantized(3, half{0.5F})), 1.5F);
    // 2049 * 1 ties between 2048 and 2050; times 1 + 2^-10 it is 2051.0009..., nearest 2052.
    EXPECT_EQ(static_cast<float>(cast_dequantized(2049, half{1})), 2048.0F);
    EXPECT_EQ(static_cast<float>(cast_dequantized(2049, half::from_bits(0x3C01))), 2052.0F);
    EXPECT_EQ(cast_dequantized(std::numeric_limits<std::int32_t>::min(), half{1}).bits(), 0xFC00);
    EXPECT_EQ(static_cast<float>(cast_dequantized(1 << 30, half{std::ldexp(1.0F, -20)})), 1024.0F);
}

TEST(Cast, KnowsTheDocumentedPairs) {
    EXPECT_TRUE((documented_cast<half, float>(RoundMode::odd)));
    EXPECT_FALSE((documented_cast<bfloat16, float>(RoundMode::odd)));
    EXPECT_FALSE((documented_cast<bfloat16, float>(RoundMode::none)));
    EXPECT_TRUE((documented_cast<int4b_t, half>(RoundMode::none)));
    EXPECT_FALSE((documented_cast<std::int32_t, half>(RoundMode::none)));
    EXPECT_FALSE((documented_cast<std::int8_t, float>(RoundMode::rint)));
    EXPECT_TRUE((documented_cast<half, int4b_t>(RoundMode::none)));
    EXPECT_TRUE((documented_cast<std::int16_t, std::int32_t>(RoundMode::none)));
    EXPECT_FALSE((documented_cast<float, std::int64_t>(RoundMode::none)));
    EXPECT_FALSE((documented_cast<float, float>(RoundMode::hybrid)));
}

TEST(Int4, PacksEveryPair) {
    for (int low{-8}; low <= 7; ++low) {
        for (int high{-8}; high <= 7; ++high) {
            const int4b_t pair{int4b_t::pack(low, high)};
            ASSERT_EQ(pair.low(), low);
            ASSERT_EQ(pair.high(), high);
        }
    }
    EXPECT_EQ(int4b_t::pack(1, -1).storage, 0xF1);
}

TEST(Int4, SetsOneElementAndLeavesItsNeighbour) {
    std::array<int4b_t, 2> packed{int4b_t::pack(1, 2), int4b_t::pack(3, 4)};
    numbers::set_int4(packed.data(), 3, -5);
    numbers::set_int4(packed.data(), 0, 7);
    EXPECT_EQ(numbers::int4_at(packed.data(), 0), 7);
    EXPECT_EQ(numbers::int4_at(packed.data(), 1), 2);
    EXPECT_EQ(numbers::int4_at(packed.data(), 2), 3);
    EXPECT_EQ(numbers::int4_at(packed.data(), 3), -5);
    EXPECT_EQ(numbers::int4_bytes(5), 3U);
}

}  // namespace
}  // namespace ascendsim
