// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_relu_cast.hpp"

#include "models/isa/testing/vector_bench.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t right_offset = 1024;
constexpr std::uint32_t to_offset = 2048;
constexpr Site nowhere{};

using ReluCast = VectorBench;

TEST_F(ReluCast, RoundsASumOfFloatsToHalf) {
    put(0, 2048.0F);
    put(right_offset, 1.0F);  // 2049 lies between the halves 2048 and 2050: to even
    put(4, 1.0F);
    put(right_offset + 4, -1.5F);
    vector_relu_cast({to_offset, 1, 4, DataType::half},
                     {0, 1, 8, DataType::float32},
                     {right_offset, 1, 8, DataType::float32},
                     false,
                     VectorShape::of_count(2),
                     nowhere);
    EXPECT_EQ(float{at<half>(to_offset)}, 2048.0F);
    EXPECT_EQ(float{at<half>(to_offset + 2)}, 0.0F);
}

TEST_F(ReluCast, SaturatesDifferencesOfHalvesAndIntegers) {
    const float left[]{3.5F, 200.0F, -1.0F, 2.5F};
    for (std::uint32_t i = 0; i < 4; ++i) {
        put(2 * i, half{left[i]});
        put(right_offset + 2 * i, half{1.0F});
        put(512 + 2 * i, static_cast<std::int16_t>(10000 * (static_cast<int>(i) - 1)));
        put(right_offset + 512 + 2 * i, std::int16_t{-5});
    }
    vector_relu_cast({to_offset, 1, 4, DataType::int8},
                     {0, 1, 8, DataType::half},
                     {right_offset, 1, 8, DataType::half},
                     true,
                     VectorShape::of_count(4),
                     nowhere);
    const std::int8_t of_halves[]{2, 127, 0, 2};  // 2.5 and 1.5 to even, 199 and -2 beyond the ends
    vector_relu_cast({to_offset + 256, 1, 4, DataType::int8},
                     {512, 1, 8, DataType::int16},
                     {right_offset + 512, 1, 8, DataType::int16},
                     true,
                     VectorShape::of_count(4),
                     nowhere);
    const std::int8_t of_integers[]{0, 5, 127, 127};  // -9995, 5, 10005, 20005
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(at<std::int8_t>(to_offset + i), of_halves[i]) << i;
        EXPECT_EQ(at<std::int8_t>(to_offset + 256 + i), of_integers[i]) << i;
    }
}

TEST_F(ReluCast, RefusesTypesItDoesNotConvert) {
    EXPECT_ANY_THROW(vector_relu_cast({to_offset, 1, 8, DataType::float32},
                                      {0, 1, 8, DataType::float32},
                                      {right_offset, 1, 8, DataType::float32},
                                      false,
                                      VectorShape::of_count(1),
                                      nowhere));
}

}  // namespace
}  // namespace ascendsim::isa
