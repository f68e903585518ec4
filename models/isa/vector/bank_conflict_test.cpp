// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/bank_conflict.hpp"

#include <gtest/gtest.h>

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t slice = 64 << 10;  // B, of one bank of all groups
const BufferSpec ub{};                     // 16 groups of blocks of 32 B

/// What a repeat of an instruction with two sources loses; its destination meets neither.
BankConflict lost(const VectorOperand& a,
                  const VectorOperand& b,
                  const VectorOperand& dst = {.offset = 2 * slice}) {
    return bank_conflict(ub, dst, std::array{a, b}, 16);
}

TEST(BankConflict, OfDenseSourcesIsTheirPlaces) {
    const BankConflict conflict = lost({.offset = 0}, {.offset = 4 << 10});  // 8 blocks in the same 8 groups
    EXPECT_EQ(conflict.cycles, 16U);                                         // one a repeat
    EXPECT_EQ(conflict.collision, Collision::sources);
    EXPECT_EQ(lost({.offset = 0}, {.offset = 8 * 32}).cycles, 0U);
}

// Blocks 8 apart lie in two groups, four of each source: 8 cycles. Side by side they are 2, apart from each
// other 4.
TEST(BankConflict, OfStridedSourcesIsTheStrideFirst) {
    const VectorOperand strided{.offset = 0, .block_stride = 8, .repeat_stride = 64};
    VectorOperand other = strided;
    other.offset = slice / 2;
    const BankConflict conflict = lost(strided, other);
    EXPECT_EQ(conflict.cycles, 7U * 16);
    EXPECT_EQ(conflict.collision, Collision::stride);
}

}  // namespace
}  // namespace ascendsim::isa
