// SPDX-License-Identifier: Apache-2.0
#include "models/numbers/convert.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "models/numbers/bits.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using numbers::bits_as;

template <class F>
class BulkOf : public testing::Test {};

using Formats = testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(BulkOf, Formats);

// Every sign, exponent and upper mantissa of a float with lower bits that are none, a tie, just around it,
// and random.
std::vector<float> float_sweep() {
    constexpr unsigned seed{2718};
    std::mt19937 random{seed};
    std::vector<float> values;
    for (std::uint32_t upper{0}; upper < 65536U; ++upper) {
        const auto noise = static_cast<std::uint32_t>(random());
        for (const std::uint32_t lower :
             {0U, 1U, 0x7FFFU, 0x8000U, 0x8001U, 0x0FFFU, 0x1000U, 0x1001U, noise & 0xFFFFU}) {
            values.push_back(bits_as<float>((upper << 16U) | lower));
        }
    }
    return values;
}

TYPED_TEST(BulkOf, WideningEqualsSingleConversionsForEveryPattern) {
    std::vector<TypeParam> narrow(65536);
    for (std::size_t i{0}; i < narrow.size(); ++i) {
        narrow[i] = TypeParam::from_bits(static_cast<std::uint16_t>(i));
    }
    std::vector<float> wide(narrow.size());
    std::vector<float> portable(narrow.size());
    convert(std::span<const TypeParam>{narrow}, wide);
    numbers::convert_portably(std::span<const TypeParam>{narrow}, portable);
    for (std::size_t i{0}; i < narrow.size(); ++i) {
        const auto expected = bits_as<std::uint32_t>(TypeParam::format::to_float(narrow[i].bits()));
        ASSERT_EQ(bits_as<std::uint32_t>(wide[i]), expected) << i;
        ASSERT_EQ(bits_as<std::uint32_t>(portable[i]), expected) << i;
    }
}

TYPED_TEST(BulkOf, NarrowingEqualsSingleConversions) {
    const std::vector<float> wide{float_sweep()};
    std::vector<TypeParam> narrow(wide.size());
    std::vector<TypeParam> portable(wide.size());
    convert(std::span<const float>{wide}, std::span{narrow});
    numbers::convert_portably(std::span<const float>{wide}, std::span{portable});
    for (std::size_t i{0}; i < wide.size(); ++i) {
        const std::uint16_t expected{TypeParam::format::from_float(wide[i])};
        ASSERT_EQ(narrow[i].bits(), expected) << wide[i];
        ASSERT_EQ(portable[i].bits(), expected) << wide[i];
    }
}

TYPED_TEST(BulkOf, TouchesNothingBeyondAnyLength) {
    const std::vector<float> wide(40, 1.5F);
    for (std::size_t count{0}; count < wide.size(); ++count) {
        std::vector<TypeParam> narrow(wide.size(), TypeParam{7});
        convert(std::span{wide}.first(count), std::span{narrow}.first(count));
        for (std::size_t i{0}; i < narrow.size(); ++i) {
            ASSERT_EQ(static_cast<float>(narrow[i]), i < count ? 1.5F : 7.0F) << count << ' ' << i;
        }
    }
}

TYPED_TEST(BulkOf, RefusesDifferentLengths) {
    std::vector<float> wide(3);
    std::vector<TypeParam> narrow(4);
    EXPECT_THROW(convert(std::span<const float>{wide}, std::span{narrow}), InternalError);
}

}  // namespace
}  // namespace ascendsim
