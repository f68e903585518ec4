// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "models/isa/vector/vector_shape.hpp"
#include "models/spec/core_spec.hpp"

namespace ascendsim::isa {

/// Which operands of a vector instruction meet in a bank group.
enum class Collision : std::uint8_t {
    none,
    sources,      // the two sources with each other
    destination,  // the destination with a source
    stride,       // the blocks of one operand, whose stride comes back to the same group
};

/// By Collision, as recordings hold them.
inline constexpr std::array<std::string_view, 4> collision_names{
    "unknown", "sources", "destination", "stride"};

struct BankConflict {
    std::uint32_t cycles = 0;
    Collision collision = Collision::none;
};

/// Cycles a vector instruction loses to bank conflicts in the unified buffer.
///
///   bank group = consecutive 32 B blocks go to consecutive groups     bank in group = 64 KiB slices
///
/// Two reads (or two writes) of one repeat in the same group take turns: the busiest group sets the repeat's
/// cycles. A write that meets a read in the same bank is delayed by a repeat; if it meets one there too, the
/// pipe stalls. The first figure is documented; measured on 910B with 64 repeats of Add: read-read 130
/// cycles, read-write 115, partly overlapping 109, none 64.
[[nodiscard]] BankConflict bank_conflict(const BufferSpec& buffers,
                                         const VectorOperand& dst,
                                         std::span<const VectorOperand> sources,
                                         std::uint32_t repeats);

/// The same, of which the cycles alone.
[[nodiscard]] inline std::uint32_t bank_conflict_cycles(const BufferSpec& buffers,
                                                        const VectorOperand& dst,
                                                        std::span<const VectorOperand> sources,
                                                        std::uint32_t repeats) {
    return bank_conflict(buffers, dst, sources, repeats).cycles;
}

}  // namespace ascendsim::isa
