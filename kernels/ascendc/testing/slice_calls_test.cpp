// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "models/numbers/half.hpp"
#include "models/port/testing/plain_core.hpp"

extern "C" void slice_calls(std::uint8_t* x,
                            std::uint8_t* packed,
                            std::uint8_t* y,
                            std::uint8_t* numbers,
                            std::uint8_t* bytes,
                            std::uint8_t* halves);

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t extent = 87;

class SliceCalls : public testing::Test {
protected:
    SliceCalls() {
        for (std::uint32_t i = 0; i < 3 * extent; ++i) {
            x[i] = static_cast<float>(i);
            y[i] = -1.0F;
        }
        for (std::uint32_t i = 0; i < 128; ++i) {
            numbers[i] = static_cast<std::int16_t>(static_cast<int>(i) - 64);
        }
        for (std::uint32_t i = 0; i < 64; ++i) {
            addends[i] = static_cast<std::int32_t>(i) - 32;
        }
        PlainCore core{chip, memory, CoreKind::aiv};
        slice_calls(raw(x), raw(packed), raw(y), raw(numbers), raw(bytes), raw(halves));
    }

    template <class T>
    T* tensor(const char* name, std::uint32_t count) {
        return reinterpret_cast<T*>(memory.allocate(name, count * sizeof(T)));
    }

    template <class T>
    static std::uint8_t* raw(T* data) {
        return reinterpret_cast<std::uint8_t*>(data);
    }

    ChipSpec chip;
    GlobalMemory memory{1U << 26U};
    float* x = tensor<float>("x", 3 * extent);
    float* packed = tensor<float>("packed", 96);
    float* y = tensor<float>("y", 3 * extent);
    std::int16_t* numbers = tensor<std::int16_t>("numbers", 256);  // 128 of them, then 64 int32
    std::int32_t* addends = reinterpret_cast<std::int32_t*>(numbers) + 64;
    std::int8_t* bytes = tensor<std::int8_t>("bytes", 256);
    half* halves = tensor<half>("halves", 64);
};

TEST_F(SliceCalls, SlicesArePiecesWithAStrideBetweenThemOfEverySecondRow) {
    // Elements 16 to 39 and, 7 further, 47 to 70 of rows 0 and 2, one after the other; and back to where they
    // were.
    for (std::uint32_t i = 0; i < 96; ++i) {
        const std::uint32_t row = i / 48 * 2;
        const std::uint32_t column = i % 48 < 24 ? 16 + i % 48 : 23 + i % 48;
        EXPECT_EQ(packed[i], static_cast<float>(row * extent + column)) << i;
    }
    for (std::uint32_t i = 0; i < 3 * extent; ++i) {
        const std::uint32_t column = i % extent;
        const bool in_piece = (column >= 16 && column <= 39) || (column >= 47 && column <= 70);
        EXPECT_EQ(y[i], in_piece && i / extent != 1 ? static_cast<float>(i) : -1.0F) << i;
    }
}

TEST_F(SliceCalls, CastDeqTakesOneScaleOrOneForEachColumn) {
    for (std::uint32_t i = 0; i < 128; ++i) {
        const int value = static_cast<int>(i) - 64;
        const std::uint32_t at = i / 16 * 32 + i % 16;
        // Half of it, to even, and 1: -64 / 2 + 1 = -31 at first.
        const int halved = value % 2 == 0 ? value / 2 : (value + (((value - 1) / 2) % 2 == 0 ? -1 : 1)) / 2;
        EXPECT_EQ(bytes[at], halved + 1) << i;
        const int scaled = std::clamp(value * static_cast<int>(i % 16), -128, 127);
        EXPECT_EQ(bytes[at + 16], scaled) << i;
    }
}

TEST_F(SliceCalls, AddDeqReluAddsScalesAndClips) {
    for (std::uint32_t i = 0; i < 64; ++i) {
        const float sum = 2.0F * (static_cast<float>(i) - 32.0F);
        EXPECT_EQ(float{halves[i]}, std::max(sum * 0.25F, 0.0F)) << i;
    }
}

}  // namespace
}  // namespace ascendsim::isa
