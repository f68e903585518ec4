// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/isa/vector/elementwise.hpp"

namespace ascendsim::isa {

/// Runs a lane-wise instruction over the unified buffer at `ub`: in one sweep where everything is dense, by
/// repeats where the mask is a prefix, else through gathered copies of the active lanes.
void walk_lanes(std::byte* ub, const Elementwise& instruction);

/// Copies the active lanes of repeat `r` of `operand` to `packed` (lane i at i x size).
void gather_lanes(const std::byte* ub,
                  const VectorOperand& operand,
                  const VectorShape& shape,
                  std::uint32_t r,
                  std::uint32_t lanes,
                  std::byte* packed);
/// Copies the active lanes back from `packed`.
void scatter_lanes(std::byte* ub,
                   const VectorOperand& operand,
                   const VectorShape& shape,
                   std::uint32_t r,
                   std::uint32_t lanes,
                   const std::byte* packed);

}  // namespace ascendsim::isa
