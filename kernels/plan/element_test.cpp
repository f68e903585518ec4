// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/element.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ascendsim::host {
namespace {

using isa::DataType;

TEST(Half, EveryFiniteValueSurvivesTheWayThroughFloat) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        if ((bits & 0x7C00U) != 0x7C00U || (bits & 0x3FFU) == 0) {
            ASSERT_EQ(float_to_half(half_to_float(static_cast<std::uint16_t>(bits))), bits);
        }
    }
}

TEST(Half, RoundsTiesToEven) {
    const float ulp_at_one = 0x1p-10F;
    EXPECT_EQ(float_to_half(1.0F + ulp_at_one / 2), 0x3C00);
    EXPECT_EQ(float_to_half(1.0F + ulp_at_one * 1.5F), 0x3C02);
    EXPECT_EQ(float_to_half(0x1p-25F), 0x0000);  // half of the smallest subnormal
    EXPECT_EQ(float_to_half(0x1.8p-24F), 0x0002);
}

TEST(Half, OverflowsToInfinityAtTheMiddleOfTheLastStep) {
    EXPECT_EQ(float_to_half(65519.0F), 0x7BFF);
    EXPECT_EQ(float_to_half(65520.0F), 0x7C00);
    EXPECT_EQ(float_to_half(-1e30F), 0xFC00);
    EXPECT_TRUE(std::isnan(half_to_float(float_to_half(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Elements, ReadBackWhatWasWrittenInEveryType) {
    for (const DataType type : {DataType::int4,
                                DataType::int8,
                                DataType::uint8,
                                DataType::int16,
                                DataType::uint16,
                                DataType::int32,
                                DataType::uint32,
                                DataType::int64,
                                DataType::uint64,
                                DataType::half,
                                DataType::bfloat16,
                                DataType::float32,
                                DataType::float64,
                                DataType::boolean}) {
        std::array<std::byte, 32> bytes{};
        write_element(type, bytes, 3, 1);
        write_element(type, bytes, 2, 0);
        EXPECT_EQ(read_element(type, bytes, 3), 1) << isa::name(type);
        EXPECT_EQ(read_element(type, bytes, 2), 0) << isa::name(type);
    }
}

TEST(Elements, SaturateIntegers) {
    std::array<std::byte, 8> bytes{};
    write_element(DataType::int8, bytes, 0, 1000);
    EXPECT_EQ(read_element(DataType::int8, bytes, 0), 127);
    write_element(DataType::int4, bytes, 1, -100);
    EXPECT_EQ(read_element(DataType::int4, bytes, 1), -8);
    write_element(DataType::int32, bytes, 0, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(read_element(DataType::int32, bytes, 0), 0);
    write_element(DataType::uint64, bytes, 0, 1e30);
    EXPECT_EQ(read_element(DataType::uint64, bytes, 0), 0x1p64);
}

TEST(UlpDistance, CountsStepsAcrossZero) {
    EXPECT_EQ(ulp_distance(DataType::half, 1.0, 1.0 + 0x1p-10), 1);
    EXPECT_EQ(ulp_distance(DataType::half, -0x1p-24, 0x1p-24), 2);
    EXPECT_EQ(ulp_distance(DataType::float32, 0.0, -0.0), 0);
    EXPECT_EQ(ulp_distance(DataType::int32, 4, 7), 3);
}

}  // namespace
}  // namespace ascendsim::host
