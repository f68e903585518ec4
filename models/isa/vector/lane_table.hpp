// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "models/isa/vector/elementwise.hpp"

namespace ascendsim::isa {

inline constexpr std::size_t data_type_count = 14;

/// What one LaneOp is: its name, cost, operands, and its kernel for each type (null where the chip has none).
struct LaneEntry {
    OpInfo info;
    const VectorCost VectorSpec::*cost = nullptr;
    std::uint8_t source_count = 0;
    bool reads_dst = false;
    std::array<LaneKernel, data_type_count> kernels{};
};

/// The instructions of a family's table.
[[nodiscard]] inline Instructions instructions_of(std::span<const LaneEntry> table) {
    Instructions result;
    for (const LaneEntry& entry : table) {
        result.push_back(&entry.info);
    }
    return result;
}

/// The entry of `op`; one table per family file.
[[nodiscard]] const LaneEntry& lane_entry(LaneOp op);
[[nodiscard]] const LaneEntry& unary_entry(LaneOp op);
[[nodiscard]] const LaneEntry& binary_entry(LaneOp op);
[[nodiscard]] const LaneEntry& scalar_entry(LaneOp op);
[[nodiscard]] const LaneEntry& ternary_entry(LaneOp op);
/// dst float, sources half: the mixed form of the ternary family.
[[nodiscard]] LaneKernel ternary_half_to_float(LaneOp op);

}  // namespace ascendsim::isa
