// SPDX-License-Identifier: Apache-2.0
// Vector cycles of the high-level API: passes over all rows, not instructions row by row. The bounds follow from the
// costs of a default chip: a repeat of 256 bytes takes a cycle in simple operations and casts, and an instruction that
// comes with a mask of its own fills and empties the unit besides, at most 40 cycles.
#include <gtest/gtest.h>

#include "kernels/ascendc/testing/shape_call.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint64_t fill = 40;  // of an instruction that sets the mask, and of what a ragged count adds

std::uint64_t cycles(std::uint32_t which, std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    Call call;
    call.fill<float>(3);
    call.go(which, m, n, k);
    return call.vector_cycles();
}

TEST(AdvCycles, dequantisation_to_floats_is_a_cast_and_a_product) {
    // 24 rows of 64 elements: 24 repeats to cast, and 24 to multiply at up to two cycles where row and scales share a
    // group of banks.
    EXPECT_LE(cycles(201, 24, 64, 64), (24 + fill) + (2 * 24 + fill));
    // 24 rows of 80, of which 72 count: stripes of 64 and of 8 columns with a mask each, of 24 repeats.
    EXPECT_LE(cycles(201, 24, 80, 72), 2 * (24 + fill) + 2 * (2 * 24 + fill));
}

TEST(AdvCycles, dequantisation_to_halves_narrows_in_one_pass_more) {
    // Scales of 64 bits are gathered at two cycles for each 32 of them.
    const std::uint64_t gather = 2 * 64 / 32 + fill;
    EXPECT_LE(cycles(202, 24, 64, 64), gather + (24 + fill) + (2 * 24 + fill) + (24 + fill));
}

}  // namespace
}  // namespace ascendsim::isa
