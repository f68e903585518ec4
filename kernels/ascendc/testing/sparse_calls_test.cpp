// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/port/testing/plain_core.hpp"

extern "C" void sparse_calls();

namespace ascendsim::isa {
namespace {

TEST(SparseCalls, MultiplyWhatTheIndicesChoose) {
    ChipSpec chip;
    GlobalMemory memory{1U << 24U};
    PlainCore core{chip, memory, CoreKind::aic};
    auto* left = reinterpret_cast<std::int8_t*>(core.at({Memory::l0a, 0}));
    for (int at = 0; at < 64; ++at) {  // row 0 is 0 to 63, in two fractals of 32
        left[at / 32 * 512 + at % 32] = static_cast<std::int8_t>(at);
    }
    auto* kept = reinterpret_cast<std::int8_t*>(core.at({Memory::l1, 512}));
    auto* index = reinterpret_cast<std::uint8_t*>(core.at({Memory::l1, 1024 + 128}));
    std::fill_n(kept, 64, std::int8_t{1});          // two columns of 32 weights
    std::fill_n(index, 8, std::uint8_t{0x00});      // column 0: elements 0 and 1 of each four
    std::fill_n(index + 8, 8, std::uint8_t{0x99});  // column 1: indices 1, 2: elements 1 and 3
    sparse_calls();
    const auto* result = reinterpret_cast<const std::int32_t*>(core.at({Memory::l0c, 0}));
    // Sixteen groups that start at 4 g: the sum of 8 g + 1, and of 8 g + 4; both added twice.
    EXPECT_EQ(result[0], 2 * (8 * 120 + 16 * 1));
    EXPECT_EQ(result[1], 2 * (8 * 120 + 16 * 4));
}

}  // namespace
}  // namespace ascendsim::isa
