// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/isa/vector/elementwise.hpp"

namespace ascendsim::isa {

/// dst[i] = the element at `base` + offsets[i] bytes; offsets are dense uint32 at UB offset `offsets`.
void vector_gather(
    const VectorOperand& dst, std::uint32_t base, std::uint32_t offsets, const VectorShape& shape, Site site);
/// The element at `base` + offsets[i] bytes = src[i].
void vector_scatter(
    const VectorOperand& src, std::uint32_t base, std::uint32_t offsets, const VectorShape& shape, Site site);
/// Eight 32-byte blocks per repeat, each from `base` + its offset.
void vector_gather_blocks(
    const VectorOperand& dst, std::uint32_t base, std::uint32_t offsets, std::uint32_t repeats, Site site);
/// Eight elements per repeat, each spread over a block of 32 bytes.
void vector_broadcast_blocks(const VectorOperand& dst, std::uint32_t src, std::uint32_t repeats, Site site);

/// GatherMask: the elements whose bit is set, one behind another at `dst`.
struct GatherMaskCall {
    std::uint32_t dst = 0;  // B in UB
    VectorOperand src;
    std::uint8_t pattern = 0;       // 1 to 7: built-in; 0: bits at `bits`
    std::uint32_t bits = 0;         // B in UB
    std::uint32_t bits_stride = 0;  // 32-byte blocks from repeat to repeat; 0: the same bits again
    std::uint32_t repeats = 1;
    std::uint32_t elements = 0;  // of a repeat; 0: all its lanes
};

/// Returns how many elements came through; in a timing-only run as many as the pattern lets through, or all.
[[nodiscard]] std::uint64_t vector_gather_mask(const GatherMaskCall& call, Site site);

/// dst[i] = first + i x step.
void vector_progression(
    const VectorOperand& dst, ScalarBits first, ScalarBits step, const VectorShape& shape, Site site);

}  // namespace ascendsim::isa
