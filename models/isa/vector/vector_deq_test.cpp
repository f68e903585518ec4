// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_deq.hpp"

#include <gtest/gtest.h>

#include "models/isa/testing/vector_bench.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t dst_offset = 32768;
constexpr std::uint32_t table_offset = 65536;
constexpr Site here{"test", 1};

using Deq = VectorBench;

const VectorOperand source{0, 1, 8, DataType::int16};

VectorOperand destination(DataType type) {
    return {dst_offset, 1, 8, type};
}

TEST(DeqScale, PacksIntoTheBitsTheHardwareReads) {
    // 1.0F is 0x3F800000; -1 in 9 bits from bit 37 on is 0x1FF << 37; bit 46 is the sign.
    EXPECT_EQ((DeqScale{1.0F, -1, true}.pack()), 0x3F800000U | 0x1FFULL << 37U | 1ULL << 46U);
    const DeqScale back = DeqScale::unpack(DeqScale{0.25F, -256, false}.pack());
    EXPECT_EQ(back.scale, 0.25F);
    EXPECT_EQ(back.offset, -256);
    EXPECT_FALSE(back.is_signed);
}

TEST_F(Deq, ScalesRoundsToEvenAddsAndSaturates) {
    const std::int16_t values[]{3, 5, 1000, -1000, 0};
    for (std::uint32_t i = 0; i < 5; ++i) {
        put(2 * i, values[i]);
    }
    set_deq_scale({.scale = 0.5F, .offset = 7, .is_signed = true});
    vector_cast_deq(destination(DataType::int8), source, false, false, VectorShape::of_count(5), here);
    // 1.5 -> 2, 2.5 -> 2, 500 and -500 beyond the ends, 0; each plus 7.
    const std::int8_t expected[]{9, 9, 127, -128, 7};
    for (std::uint32_t i = 0; i < 5; ++i) {
        EXPECT_EQ(at<std::int8_t>(dst_offset + i), expected[i]) << i;
    }
}

TEST_F(Deq, FillsOneHalfOfEachBlockAndLeavesTheOther) {
    for (std::uint32_t i = 0; i < 128; ++i) {
        put(2 * i, static_cast<std::int16_t>(i));
    }
    for (std::uint32_t i = 0; i < 256; ++i) {
        put(dst_offset + i, std::uint8_t{0xEE});
    }
    set_deq_scale({.scale = 1.0F, .offset = 0, .is_signed = false});
    vector_cast_deq(destination(DataType::uint8), source, false, true, VectorShape::of_lanes(128, 1), here);
    for (std::uint32_t i = 0; i < 256; ++i) {
        const std::uint32_t block = i / 32;  // 16 results in its second half
        const std::uint32_t expected = i % 32 < 16 ? 0xEE : block * 16 + i % 16;
        EXPECT_EQ(at<std::uint8_t>(dst_offset + i), expected) << i;
    }
}

TEST_F(Deq, TakesScaleAndSignOfEachColumnFromATable) {
    for (std::uint32_t i = 0; i < 16; ++i) {
        put(table_offset + 8 * i,
            DeqScale{.scale = static_cast<float>(i),
                     .offset = static_cast<std::int32_t>(i),
                     .is_signed = i % 2 == 0}
                .pack());
        put(2 * i, std::int16_t{-3});
        put(32 + 2 * i, std::int16_t{20});
    }
    set_deq_table(table_offset);
    vector_cast_deq(destination(DataType::int8), source, true, false, VectorShape::of_count(32), here);
    for (std::uint32_t i = 0; i < 16; ++i) {
        const int small = -3 * static_cast<int>(i) + static_cast<int>(i);  // at least -30: fits int8
        EXPECT_EQ(at<std::int8_t>(dst_offset + i), i % 2 == 0 ? small : 0)
            << i;                                                          // unsigned: below zero is zero
        const int large = 20 * static_cast<int>(i) + static_cast<int>(i);  // at most 315
        const int limit = i % 2 == 0 ? 127 : 255;
        EXPECT_EQ(at<std::uint8_t>(dst_offset + 32 + i), std::min(large, limit)) << i;
    }
}

TEST_F(Deq, RefusesATypeOfTheOtherSign) {
    set_deq_scale({.scale = 1.0F, .offset = 0, .is_signed = true});
    EXPECT_ANY_THROW(
        vector_cast_deq(destination(DataType::uint8), source, false, false, VectorShape::of_count(16), here));
}

TEST_F(Deq, AddsScalesAndClips) {
    const std::int32_t a[]{1000000, -5, 3, 2048};
    const std::int32_t b[]{24, 1, 0, 1};
    for (std::uint32_t i = 0; i < 4; ++i) {
        put(4 * i, a[i]);
        put(1024 + 4 * i, b[i]);
    }
    core.registers().deq_scale = 0.0078125F;  // 2^-7
    const VectorOperand left{0, 1, 8, DataType::int32};
    const VectorOperand right{1024, 1, 8, DataType::int32};
    vector_add_deq_relu({dst_offset, 1, 4, DataType::half}, left, right, VectorShape::of_count(4), here);
    // 1000024 / 128 = 7812.6875: halves are 4 apart there; -4 / 128 is below zero; 3 / 128; 2049 / 128
    // = 16.0078125 lies between halves 1/64 apart, in the middle: to even.
    EXPECT_EQ(float{at<half>(dst_offset)}, 7812.0F);
    EXPECT_EQ(float{at<half>(dst_offset + 2)}, 0.0F);
    EXPECT_EQ(float{at<half>(dst_offset + 4)}, 0.0234375F);
    EXPECT_EQ(float{at<half>(dst_offset + 6)}, 16.0F);
}

}  // namespace
}  // namespace ascendsim::isa
