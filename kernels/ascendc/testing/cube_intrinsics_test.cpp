// SPDX-License-Identifier: Apache-2.0
// Cube instructions by their intrinsic names, against a plain product.
#include <array>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/ascendc/testing/intrinsics_test.hpp"
#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"

extern "C" void product_intrinsics(std::uint8_t* left,
                                   std::uint8_t* right,
                                   std::uint8_t* bias,
                                   std::uint8_t* out);
extern "C" void table_stores(std::uint8_t* sums, std::uint8_t* scales, std::uint8_t* out);
extern "C" void right_window_intrinsics();
extern "C" void nd2nz_intrinsics(std::uint8_t* in);
extern "C" void l1_store_intrinsics(std::uint8_t* out);

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t side = 16;
constexpr std::uint32_t inner = 32;

class CubeIntrinsics : public IntrinsicsTest {
protected:
    template <class T>
    T* local(Memory where, std::uint32_t offset) {
        return reinterpret_cast<T*>(core.at({where, offset}));
    }

    PlainCore core{chip, memory, CoreKind::aic};
};

TEST_F(CubeIntrinsics, MultiplyAndAccumulate) {
    auto* left = tensor<half>("left", side * inner);
    auto* right = tensor<half>("right", inner * side);
    auto* bias = tensor<float>("bias", side);
    auto* out = tensor<float>("out", 4 * side * side);
    for (std::uint32_t i = 0; i < side * inner; ++i) {  // small whole numbers: every sum is exact
        left[i] = half{static_cast<float>(i * 7 % 11) - 5.0F};
        right[i] = half{static_cast<float>(i * 5 % 13) - 6.0F};
    }
    for (std::uint32_t i = 0; i < side; ++i) {
        bias[i] = static_cast<float>(i) * 100;
    }
    product_intrinsics(bytes(left), bytes(right), bytes(bias), bytes(out));
    for (std::uint32_t m = 0; m < side; ++m) {
        for (std::uint32_t n = 0; n < side; ++n) {
            float product = 0;
            float squares = 0;
            for (std::uint32_t k = 0; k < inner; ++k) {
                product += float{left[m * inner + k]} * float{right[k * side + n]};
                squares += float{right[k * side + m]} * float{right[k * side + n]};
            }
            const std::uint32_t at = m * side + n;
            ASSERT_EQ(out[at], product) << m << ", " << n;
            ASSERT_EQ(out[256 + at], product + bias[n]) << "onto the bias";
            ASSERT_EQ(out[512 + at], std::fmax(2 * product + bias[n], 0.0F)) << "onto the result, then ReLU";
            ASSERT_EQ(out[768 + at], squares) << "the left operand transposed";
        }
    }
}

TEST_F(CubeIntrinsics, ScaleAndStoreResults) {
    auto* one = tensor<std::uint64_t>("one", 1);
    auto* each = tensor<std::uint64_t>("each", side);
    auto* out = tensor<std::int8_t>("out", 2 * side * side);
    const auto bits = [](float scale) {
        std::uint32_t word = 0;
        std::memcpy(&word, &scale, sizeof word);
        return std::uint64_t{word};
    };
    *one = bits(0.5F);
    for (std::uint32_t n = 0; n < side; ++n) {
        each[n] = bits(n % 2 == 0 ? 0.25F : 1.0F);
    }
    const auto value = [](std::uint32_t i) { return static_cast<float>(i) * 2 - 250; };  // even
    for (std::uint32_t i = 0; i < side * side; ++i) {
        local<float>(Memory::l0c, 0)[i] = value(i);
    }
    table_stores(bytes(one), bytes(each), bytes(out));
    const auto clamped = [](float number) {
        return static_cast<int>(std::fmin(std::fmax(std::nearbyint(number), -128.0F), 127.0F));
    };
    const auto* copied = local<half>(Memory::l1, 0x3000);
    for (std::uint32_t i = 0; i < side * side; ++i) {
        ASSERT_EQ(out[i], clamped(value(i) * 0.5F));
        ASSERT_EQ(out[256 + i], clamped(value(i) * (i % 2 == 0 ? 0.25F : 1.0F))) << "in column " << i % side;
        ASSERT_EQ(float{copied[i]}, value(i)) << "in L1";
    }
    const auto* filled = local<half>(Memory::l1, 0x4000);
    for (std::uint32_t i = 0; i < 64; ++i) {
        ASSERT_EQ(float{filled[i]}, i / side % 2 == 0 ? 3.0F : 0.0F) << "halves, 16 a block: " << i;
    }
}

TEST_F(CubeIntrinsics, TakeWindowsOfTheRightMap) {
    auto* map = local<half>(Memory::l1, 0);
    for (std::uint32_t i = 0; i < 4 * 8 * 16; ++i) {
        map[i] = half{static_cast<float>(i)};
    }
    right_window_intrinsics();
    // The first fractal: 16 positions of the first tap. As a right operand the windows have positions as rows
    // and channels as columns, and fractals of L0B hold column by column.
    const auto* values = local<half>(Memory::l0b, 0);
    for (std::uint32_t m = 0; m < side; ++m) {
        for (std::uint32_t k = 0; k < side; ++k) {
            const std::uint32_t pixel = m / 7 * 8 + m % 7;
            ASSERT_EQ(float{values[k * side + m]}, static_cast<float>(pixel * 16 + k));
        }
    }
}

TEST_F(CubeIntrinsics, SplitRowsIntoBlocksOfTheirType) {
    auto* in = tensor<std::uint8_t>("in", 4 * 48);
    for (std::uint32_t i = 0; i < 4 * 48; ++i) {
        in[i] = static_cast<std::uint8_t>(i + 1);
    }
    nd2nz_intrinsics(in);
    // Rows lie 48 bytes apart and hold 40: a block of 32 bytes, then one of 8 filled up with 0. Rows of a
    // column of blocks follow each other, columns lie 16 blocks apart.
    for (const std::uint32_t base : {0U, 0x1000U}) {
        const auto* out = local<std::uint8_t>(Memory::l1, base);
        for (std::uint32_t row = 0; row < 4; ++row) {
            for (std::uint32_t column = 0; column < 64; ++column) {
                const std::uint32_t at = column / 32 * 16 * 32 + row * 32 + column % 32;
                ASSERT_EQ(out[at], column < 40 ? in[row * 48 + column] : 0)
                    << base << ": " << row << ", " << column;
            }
        }
    }
}

TEST_F(CubeIntrinsics, StoreRunsOfL1) {
    auto* out = tensor<bfloat16>("out", 48);
    l1_store_intrinsics(reinterpret_cast<std::uint8_t*>(out));
    // Blocks 0 and 2 of L1, each 16 numbers; the third block of the tensor is not written.
    for (std::uint32_t i = 0; i < 32; ++i) {
        ASSERT_EQ(float{out[i]}, i < 16 ? 2.0F : 7.0F) << i;
    }
    EXPECT_EQ(*local<float>(Memory::l1, 0x1000), 3.0F);
    EXPECT_EQ(*local<float>(Memory::l1, 0x101C), 3.0F);  // the last of the block
}

}  // namespace
}  // namespace ascendsim::isa
