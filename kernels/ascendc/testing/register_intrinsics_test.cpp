// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "kernels/ascendc/testing/intrinsics_test.hpp"
#include "models/numbers/half.hpp"

extern "C" void core_intrinsics(std::uint8_t* out);
extern "C" void device_intrinsics(std::uint8_t* counters);
extern "C" void tile_intrinsics(std::uint8_t* in,
                                std::uint8_t* halves,
                                std::uint8_t* out,
                                std::uint8_t* pairs);
extern "C" void sort_intrinsics(std::uint8_t* scores,
                                std::uint8_t* index,
                                std::uint8_t* out,
                                std::uint8_t* taken);
extern "C" void transpose_intrinsics(std::uint8_t* in, std::uint8_t* out);
extern "C" void lane_intrinsics(std::uint8_t* in,
                                std::uint8_t* halves,
                                std::uint8_t* most,
                                std::uint8_t* out);
extern "C" void extreme_calls(std::uint8_t* in, std::uint8_t* out);
extern "C" void window_intrinsics();
extern "C" void window_calls();
extern "C" void store_intrinsics(std::uint8_t* out);

namespace ascendsim::isa {
namespace {

class RegisterIntrinsics : public IntrinsicsTest {};

TEST_F(RegisterIntrinsics, NameTheBlockOfAMixedKernelOnItsVectorCores) {
    auto* out = tensor<std::int64_t>("out", 7);
    PlainCore core{chip, memory, CoreKind::aiv};
    // The second vector core of block 3 of 5: GetBlockIdx counts vector cores, 3 * 2 + 1.
    core.set_identity({.core = 11,
                       .block = 7,
                       .block_count = 5,
                       .sub_block = 1,
                       .sub_blocks = 2,
                       .task_ratio = 2,
                       .kind = CoreKind::aiv});
    core_intrinsics(bytes(out));
    EXPECT_EQ((std::array{out[0], out[1], out[2], out[3], out[4], out[5], out[6]}),
              (std::array<std::int64_t, 7>{3, 3, 7, 1, 2, 5, 11}));
}

TEST_F(RegisterIntrinsics, NameTheBlockOfAVectorKernel) {
    auto* out = tensor<std::int64_t>("out", 7);
    PlainCore core{chip, memory, CoreKind::aiv};
    core.set_identity({.core = 7, .block = 7, .block_count = 8, .kind = CoreKind::aiv});
    core_intrinsics(bytes(out));
    EXPECT_EQ((std::array{out[0], out[1], out[2], out[3], out[4]}),
              (std::array<std::int64_t, 5>{7, 7, 7, 0, 1}));
}

TEST_F(RegisterIntrinsics, ReachGlobalMemoryPastTheCache) {
    auto* counters = tensor<std::int32_t>("counters", 2);
    counters[0] = 7;
    counters[1] = 0;
    PlainCore core{chip, memory, CoreKind::aiv};
    device_intrinsics(bytes(counters));
    EXPECT_EQ(counters[0], 7 + 5);
    EXPECT_EQ(counters[1], 7 + 10);
}

TEST_F(RegisterIntrinsics, TakeTilesByTheirAddresses) {
    auto* in = tensor<float>("in", 64);
    auto* halves = tensor<half>("halves", 128);
    auto* out = tensor<float>("out", 64);
    auto* pairs = tensor<std::uint8_t>("pairs", 64);
    for (std::uint32_t i = 0; i < 128; ++i) {
        halves[i] = half{static_cast<float>(i % 16) - 8.0F};  // all that 4 bits hold
        in[i % 64] = static_cast<float>(i);
    }
    PlainCore core{chip, memory, CoreKind::aiv};
    tile_intrinsics(bytes(in), bytes(halves), bytes(out), bytes(pairs));
    for (std::uint32_t i = 0; i < 64; ++i) {
        ASSERT_EQ(out[i], 2 * in[i]);
        const std::uint32_t low = (2 * i % 16 - 8U) & 15U;  // the first of a pair lies in the low bits
        ASSERT_EQ(pairs[i], low | (low + 1) << 4U);
    }
}

TEST_F(RegisterIntrinsics, SortAndMergeListsByTheirAddresses) {
    constexpr std::uint32_t n = 128;
    auto* scores = tensor<float>("scores", n);
    auto* index = tensor<std::uint32_t>("index", n);
    auto* out = tensor<std::uint32_t>("out", 2 * n);
    auto* taken = tensor<std::uint16_t>("taken", 4);
    for (std::uint32_t i = 0; i < n; ++i) {
        scores[i] = static_cast<float>((i * 37) % n);  // 37 and 128 have no common divisor: all differ
        index[i] = i;
    }
    PlainCore core{chip, memory, CoreKind::aiv};
    sort_intrinsics(bytes(scores), bytes(index), bytes(out), bytes(taken));
    for (std::uint32_t i = 0; i < n; ++i) {
        float score = 0;
        std::memcpy(&score, &out[2 * i], sizeof score);
        ASSERT_EQ(score, static_cast<float>(n - 1 - i));
        ASSERT_EQ(scores[out[2 * i + 1]], score);
    }
    EXPECT_TRUE(std::all_of(taken, taken + 4, [](std::uint16_t count) { return count == 32; }));
}

TEST_F(RegisterIntrinsics, TransposeTheRowsThatRegistersName) {
    constexpr std::uint32_t side = 16;
    auto* in = tensor<std::uint16_t>("in", side * side);
    auto* out = tensor<std::uint16_t>("out", side * side);
    std::iota(in, in + side * side, std::uint16_t{0});
    PlainCore core{chip, memory, CoreKind::aiv};
    transpose_intrinsics(bytes(in), bytes(out));
    for (std::uint32_t i = 0; i < side * side; ++i) {
        ASSERT_EQ(out[i], in[i % side * side + i / side]);
    }
}

TEST_F(RegisterIntrinsics, TakeTypesAndRoundingAsTheirNamesSay) {
    constexpr std::uint32_t n = 64;
    auto* x = tensor<float>("x", n);
    auto* y = tensor<half>("y", n);
    auto* most = tensor<float>("most", n);
    auto* out = tensor<float>("out", 3 * n);
    for (std::uint32_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i);
        y[i] = half{static_cast<float>(i % 4)};
        most[i] = 31.5F;
    }
    PlainCore core{chip, memory, CoreKind::aiv};
    lane_intrinsics(bytes(x), bytes(y), bytes(most), bytes(out));
    const auto* shifted = reinterpret_cast<const std::int32_t*>(out + n);
    for (std::uint32_t i = 0; i < n; ++i) {
        EXPECT_EQ(most[i], std::max(31.5F, x[i])) << "set_atomic_max";
        EXPECT_EQ(out[i], x[i] + 2.0F * static_cast<float>(i % 4)) << "vaxpy";
        EXPECT_EQ(shifted[i], static_cast<std::int32_t>((i + 1) / 2)) << "vshr, rounded";
        EXPECT_EQ(out[2 * n + i], x[(7 - i / 8) * 8 + i % 8]) << "vgatherb";
    }
}

TEST_F(RegisterIntrinsics, KeepTheExtremeOfAllRepeatsAndItsPlace) {
    auto* x = tensor<float>("x", 128);
    auto* out = tensor<float>("out", 2);
    for (std::uint32_t i = 0; i < 128; ++i) {
        x[i] = i == 70 || i == 90 ? 9.0F : static_cast<float>(i % 8);
    }
    PlainCore core{chip, memory, CoreKind::aiv};
    extreme_calls(bytes(x), bytes(out));
    std::uint32_t place = 0;
    std::memcpy(&place, &out[1], sizeof place);
    EXPECT_EQ(out[0], 9.0F);
    EXPECT_EQ(place, 70U);  // the first of equals
}

class WindowIntrinsics : public testing::Test {
protected:
    WindowIntrinsics() {
        for (std::uint32_t i = 0; i < 4 * 8 * 16; ++i) {
            reinterpret_cast<half*>(core.at({Memory::l1, 0}))[i] = half{static_cast<float>(i)};
        }
    }

    // Fractals (16 positions, 16 channels of a tap) row by row of a 32 x 64 matrix; a map 8 wide has 7
    // windows of 2 in a row, one 4 wide would have 3.
    void expect_windows() {
        const auto* values = reinterpret_cast<const half*>(core.at({Memory::l0a, 0}));
        for (std::uint32_t m = 0; m < 21; ++m) {
            for (std::uint32_t k = 0; k < 64; ++k) {
                const std::uint32_t tap = k / 16;
                const std::uint32_t pixel = (m / 7 + tap / 2) * 8 + m % 7 + tap % 2;
                const std::uint32_t at = (m / 16 * 4 + tap) * 256 + m % 16 * 16 + k % 16;
                ASSERT_EQ(float{values[at]}, static_cast<float>(pixel * 16 + k % 16))
                    << "position " << m << ", k " << k;
            }
        }
    }

    ChipSpec chip;
    GlobalMemory memory{1U << 24U};
    PlainCore core{chip, memory, CoreKind::aic};
};

TEST_F(WindowIntrinsics, TakeTheWidthFromTheLowHalfOfTheRegister) {
    window_intrinsics();
    expect_windows();
}

TEST_F(WindowIntrinsics, ShareTheRegisterWithTheCalls) {
    window_calls();
    expect_windows();
}

TEST_F(WindowIntrinsics, StoreWithOperandsInRegisters) {
    auto* out = reinterpret_cast<float*>(memory.allocate("out", 16 * 24 * sizeof(float)));
    for (std::uint32_t i = 0; i < 256; ++i) {
        reinterpret_cast<float*>(core.at({Memory::l0c, 0}))[i] = static_cast<float>(i + 1);
    }
    store_intrinsics(reinterpret_cast<std::uint8_t*>(out));
    for (std::uint32_t row = 0; row < 16; ++row) {
        for (std::uint32_t column = 0; column < 24; ++column) {
            ASSERT_EQ(out[row * 24 + column], column < 16 ? static_cast<float>(row * 16 + column + 1) : 0.0F);
        }
    }
}

}  // namespace
}  // namespace ascendsim::isa
