// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/numbers/half.hpp"
#include "models/port/testing/plain_core.hpp"

extern "C" void tap_loads();

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t side = 6;      // of the map
constexpr std::uint32_t out_side = 5;  // a filter of 2 in 6
constexpr std::uint32_t channels = 16;
constexpr std::uint32_t fractal = 256;  // elements

class TapLoads : public testing::Test {
protected:
    TapLoads() {
        for (std::uint32_t i = 0; i < side * side * channels; ++i) {
            map()[i] = half{static_cast<float>(i)};
        }
        tap_loads();
    }

    half* map() { return reinterpret_cast<half*>(core.at({Memory::l1, 0})); }

    // The fractal at `place` holds, for 16 positions from `first` on, the channels under (kh, kw).
    void expect(std::uint32_t place, std::uint32_t first, std::uint32_t kh, std::uint32_t kw) {
        const auto* values = reinterpret_cast<const half*>(core.at({Memory::l0a, 0})) + place * fractal;
        for (std::uint32_t i = 0; i < fractal; ++i) {
            const std::uint32_t position = first + i / channels;
            const std::uint32_t pixel = (position / out_side + kh) * side + position % out_side + kw;
            const float value =
                position < out_side * out_side ? static_cast<float>(pixel * channels + i % channels) : -1.0F;
            ASSERT_EQ(float{values[i]}, value) << "fractal " << place << " element " << i;
        }
    }

    ChipSpec chip;
    GlobalMemory memory{1U << 24U};
    PlainCore core{chip, memory, CoreKind::coupled};
};

TEST_F(TapLoads, Mode0GoesThroughTheTaps) {
    for (std::uint32_t tap = 0; tap < 4; ++tap) {
        expect(tap, 0, tap / 2, tap % 2);
    }
}

TEST_F(TapLoads, Mode1StaysAtATap) {
    expect(8, 0, 1, 0);
    expect(9, 16, 1, 0);  // beyond position 24 there is only padding
}

TEST_F(TapLoads, StartsWhereAskedAndLeavesGaps) {
    expect(16, out_side + 1, 0, 1);
    expect(18, out_side + 1, 1, 0);
    EXPECT_EQ(float{reinterpret_cast<const half*>(core.at({Memory::l0a, 0}))[17 * fractal]}, 0.0F);
}

}  // namespace
}  // namespace ascendsim::isa
