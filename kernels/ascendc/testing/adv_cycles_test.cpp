// SPDX-License-Identifier: Apache-2.0
// Vector cycles of the high-level API: passes over all rows, not instructions row by row. The bounds follow
// from the costs of a default chip: a repeat of 256 bytes takes a cycle in simple operations and casts, and
// an instruction that comes with a mask of its own fills and empties the unit besides, at most 40 cycles.
#include <gtest/gtest.h>

#include "kernels/ascendc/testing/shape_call.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint64_t fill = 40;  // of an instruction that sets the mask, and of what a ragged count adds

std::uint64_t cycles(std::uint32_t which, std::uint32_t m, std::uint32_t n, std::uint32_t k = 0) {
    Call call;
    call.fill<float>(3);
    call.go(which, m, n, k);
    return call.vector_cycles();
}

TEST(AdvCycles, DequantisationToFloatsIsACastAndAProduct) {
    // 24 rows of 64 elements: 24 repeats to cast, and 24 to multiply at up to two cycles where row and scales
    // share a group of banks.
    EXPECT_LE(cycles(201, 24, 64, 64), (24 + fill) + (2 * 24 + fill));
    // 24 rows of 80, of which 72 count: stripes of 64 and of 8 columns with a mask each, of 24 repeats.
    EXPECT_LE(cycles(201, 24, 80, 72), 2 * (24 + fill) + 2 * (2 * 24 + fill));
}

TEST(AdvCycles, DequantisationToHalvesNarrowsInOnePassMore) {
    // Scales of 64 bits are gathered at two cycles for each 32 of them.
    const std::uint64_t gather = 2 * 64 / 32 + fill;
    EXPECT_LE(cycles(202, 24, 64, 64), gather + (24 + fill) + (2 * 24 + fill) + (24 + fill));
}

// A pass of so many repeats, at up to two cycles each where operands share a group of banks.
constexpr std::uint64_t pass(std::uint64_t repeats) {
    return 2 * repeats + fill;
}

TEST(AdvCycles, QuantisationPerChannelTakesAPassForEachOperation) {
    // Scales and offsets to halves; 32 rows of 64: a cast, a product and a sum of 64 halves a row, a cast.
    EXPECT_LE(cycles(16, 32, 64), 2 * pass(1) + 4 * pass(32));
    EXPECT_LE(cycles(116, 32, 64), 2 * pass(32) + pass(16));  // halves need no cast before
}

TEST(AdvCycles, WeightsWidenInPassesOverAllRows) {
    // Scale and offset to floats; 32 x 64 bytes to halves (128 a repeat), to floats (64), a sum, a product, a
    // cast.
    EXPECT_LE(cycles(204, 32, 64), 2 * pass(1) + pass(16) + 4 * pass(32));
    EXPECT_LE(cycles(206, 32, 64), pass(16) + 4 * pass(32));
}

TEST(AdvCycles, ChoicesTakeAllRowsAtOnce) {
    // 32 rows of 48 with masks of 64 bytes: a cast of each row, a comparison of 1536 halves, a choice of 1536
    // floats.
    EXPECT_LE(cycles(11, 32, 48), pass(32) + pass(12) + pass(24));
    EXPECT_LE(cycles(13, 32, 48), pass(32) + pass(12) + 2 * pass(24));  // and the scaling of DropOut
    EXPECT_LE(cycles(14, 8, 256), 2 * pass(32));  // bits: a choice and the scaling of 2048 floats
}

TEST(AdvCycles, BroadcastsAndPadsCopyAllRowsAtOnce) {
    EXPECT_LE(cycles(1, 32, 48), pass(32));            // a row
    EXPECT_LE(cycles(0, 32, 48), pass(4) + pass(32));  // a column: eight values a repeat become blocks
    EXPECT_LE(cycles(3, 100, 16), pass(25) + pass(100));
}

TEST(AdvCycles, RunningSumsAlongRowsDependOnEachOtherOnceForAllRows) {
    // 32 rows of 24: filled and copied to rows of 32, transposed there and back by four instructions of two
    // repeats each, 23 sums of a column, and copied out.
    EXPECT_LE(cycles(6, 32, 24), 3 * pass(32) + 8 * pass(2) + 23 * pass(1));
}

TEST(AdvCycles, AnyAndAllFoldHalvesOfAllRows) {
    // 32 rows of 50 bytes, 64 apart, to halves; 50 -> 32 -> 16 columns; 32 results to bytes.
    EXPECT_LE(cycles(209, 32, 50), pass(16) + 2 * pass(32) + pass(1));
}

}  // namespace
}  // namespace ascendsim::isa
