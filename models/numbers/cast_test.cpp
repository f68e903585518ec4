// SPDX-License-Identifier: Apache-2.0
#include "models/numbers/cast.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

constexpr std::array all_modes{RoundMode::none,
                               RoundMode::rint,
                               RoundMode::floor,
                               RoundMode::ceil,
                               RoundMode::round,
                               RoundMode::trunc,
                               RoundMode::odd};

template <class To, class From>
struct Pair {
    using Dst = To;
    using Src = From;
};

template <class T>
T from_random_bits(std::uint64_t random) {
    if constexpr (numbers::is_float16<T>) {
        return T::from_bits(static_cast<std::uint16_t>(random));
    } else if constexpr (std::is_same_v<T, float>) {
        return numbers::bits_as<float>(static_cast<std::uint32_t>(random));
    } else {
        return static_cast<T>(random);
    }
}

// Random bits, and for floats many values between -40000 and 40000 with few bits behind the point, which tie
// often.
template <class T>
std::vector<T> telling_values() {
    constexpr unsigned seed{57721};
    std::mt19937_64 random{seed};
    std::vector<T> values;
    for (int i{0}; i < 70'001; ++i) {
        values.push_back(from_random_bits<T>(random() >> (random() % 48U)));
        if constexpr (!std::is_integral_v<T>) {
            values.push_back(T(std::ldexp(
                static_cast<float>(static_cast<std::int64_t>(random() % 80001U) - 40000), -(i % 4))));
            values.push_back(T(
                std::ldexp(static_cast<float>(static_cast<std::int64_t>(random() % 33U) - 16), i % 34 - 2)));
        }
    }
    return values;
}

template <class T>
bool same(T a, T b) {
    if constexpr (std::is_same_v<T, float>) {
        return numbers::bits_as<std::uint32_t>(a) == numbers::bits_as<std::uint32_t>(b);
    } else if constexpr (numbers::is_float16<T>) {
        return a.bits() == b.bits();
    } else {
        return a == b;
    }
}

template <class P>
class CastAll : public testing::Test {};

using Pairs = testing::Types<Pair<float, float>,
                             Pair<half, float>,
                             Pair<bfloat16, float>,
                             Pair<std::int64_t, float>,
                             Pair<std::int32_t, float>,
                             Pair<std::int16_t, float>,
                             Pair<float, half>,
                             Pair<std::int32_t, half>,
                             Pair<std::int16_t, half>,
                             Pair<std::int8_t, half>,
                             Pair<std::uint8_t, half>,
                             Pair<float, bfloat16>,
                             Pair<std::int32_t, bfloat16>,
                             Pair<half, std::int16_t>,
                             Pair<float, std::int16_t>,
                             Pair<half, std::int8_t>,
                             Pair<half, std::uint8_t>,
                             Pair<float, std::int32_t>,
                             Pair<std::int16_t, std::int32_t>,
                             Pair<std::int64_t, std::int32_t>,
                             Pair<std::int32_t, std::int64_t>,
                             Pair<float, std::int64_t>>;
TYPED_TEST_SUITE(CastAll, Pairs);

TYPED_TEST(CastAll, EqualsSingleCastsInEveryModeAndRange) {
    using Dst = typename TypeParam::Dst;
    using Src = typename TypeParam::Src;
    const std::vector<Src> from{telling_values<Src>()};
    std::vector<Dst> to(from.size());
    constexpr std::array ranges{CastRange{}, CastRange{.saturate_float = true, .saturate_integer = false}};
    for (const CastRange range : ranges) {
        for (const RoundMode mode : all_modes) {
            cast_all(std::span<const Src>{from}, std::span<Dst>{to}, mode, range);
            for (std::size_t i{0}; i < from.size(); ++i) {
                ASSERT_TRUE(same(to[i], cast<Dst>(from[i], mode, range)))
                    << "element " << i << ", mode " << static_cast<int>(mode);
            }
        }
    }
}

TEST(CastAllInt4, PacksAndUnpacksAnyLength) {
    for (std::size_t count{0}; count < 20U; ++count) {
        std::vector<half> from(count);
        for (std::size_t i{0}; i < count; ++i) {
            from[i] = half{static_cast<float>(i) * 0.75F - 9.0F};
        }
        std::vector<int4b_t> packed(numbers::int4_bytes(count));
        std::vector<half> back(count);
        cast_all(from, packed, RoundMode::floor);
        cast_all(packed, back);
        for (std::size_t i{0}; i < count; ++i) {
            ASSERT_EQ(back[i], cast_to_int4(from[i], RoundMode::floor)) << i;
        }
        if (count % 2U == 1U) {
            ASSERT_EQ(packed.back().high(), 0);
        }
    }
}

TEST(CastAllDequantized, ScalesEachElement) {
    const std::vector<std::int32_t> from{3, -8, 100'032, 1 << 30};
    std::vector<half> to(from.size());
    cast_all_dequantized(from, to, half{0.5F});
    EXPECT_EQ(to[0], 1.5F);
    EXPECT_EQ(to[1], -4.0F);
    EXPECT_EQ(to[2], 50'016.0F);  // 1563 * 32, where 32 is the last place
    EXPECT_EQ(to[3].bits(), 0x7C00);
}

TEST(CastAllLengths, MustAgree) {
    const std::vector<half> from(3);
    std::vector<int4b_t> packed(3);
    std::vector<float> wide(4);
    EXPECT_THROW(cast_all(from, packed, RoundMode::rint), InternalError);
    EXPECT_THROW(cast_all(std::span<const half>{from}, std::span<float>{wide}, RoundMode::none),
                 InternalError);
}

}  // namespace
}  // namespace ascendsim
