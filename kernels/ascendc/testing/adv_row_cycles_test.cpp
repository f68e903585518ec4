// SPDX-License-Identifier: Apache-2.0
// Vector cycles of normalisations and reductions: passes over all rows, as in adv_cycles_test.cpp.
#include <gtest/gtest.h>

#include "kernels/ascendc/testing/row_call.hpp"

namespace ascendsim::isa {
namespace {

// An instruction with a mask of its own fills and empties the unit in at most 60 cycles; a repeat takes up to
// two cycles where operands share a group of banks.
constexpr std::uint64_t pass(std::uint64_t repeats, std::uint64_t cycles = 2) {
    return cycles * repeats + 60;
}

std::uint64_t cycles(std::uint32_t which, const Shape& shape) {
    RowRun<float> run{which, shape, 0};
    run.go();
    return run.vector_cycles();
}

TEST(AdvRowCycles, BatchNormPassesOverAllRows) {
    // 32 rows of 64. Gamma and beta to blocks, both sums begun at 0 and scaled, stored, and the root: 9
    // instructions on a row or two. Mean: a sum; variance: difference, square, sum; result: difference,
    // quotient (2 a repeat, 3 with a shared bank), product, sum.
    EXPECT_LE(cycles(23, {32, 64, 64}), 9 * pass(4) + 7 * pass(32) + pass(32, 3));
}

TEST(AdvRowCycles, GroupNormPassesOverAllGroups) {
    // 32 channels of 32, in 4 groups of 8. Twice: row sums (7 a repeat), the sum of each group, scaling.
    // Difference, square, quotient, product and sum for each of two images. Blocks and the root: 6 small
    // instructions.
    EXPECT_LE(cycles(24, {32, 32, 32}),
              2 * (pass(32, 7) + 4 * pass(1, 7) + pass(1)) + 2 * pass(16) + pass(16, 3) + 4 * pass(16) +
                  6 * pass(4));
}

TEST(AdvRowCycles, GradientsOfGammaAndBetaAreThreePasses) {
    // 32 rows of 64: a sum, a product, a sum; two sums begun and stored.
    EXPECT_LE(cycles(26, {32, 64, 64}), 3 * pass(32) + 4 * pass(1));
}

TEST(AdvRowCycles, ProductsOfRowsFoldAllRowsAtOnce) {
    // 32 rows of 64 fold to 32, 16 and 8 columns.
    EXPECT_LE(cycles(50, {32, 64, 64}), 3 * pass(32));
}

}  // namespace
}  // namespace ascendsim::isa
