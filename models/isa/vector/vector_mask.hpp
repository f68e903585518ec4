// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/vector/vector_shape.hpp"

namespace ascendsim::isa {

/// The shapes that vector calls make of their mask arguments on the running core. `sets` is isSetMask: the
/// argument is written to the mask register; without it the register is used as it is. In counter mode a mask
/// is an element count.
[[nodiscard]] VectorShape shape_of_lanes(std::uint64_t lanes, std::uint32_t repeats, bool sets = true);
[[nodiscard]] VectorShape shape_of_bits(const std::uint64_t* mask, std::uint32_t repeats, bool sets = true);

/// The shape of a call that takes an element count: counter mode, after which the register is full and in
/// normal mode.
[[nodiscard]] VectorShape shape_of_count(std::uint32_t count);

/// SetVectorMask by bits or by lane count, SetMaskCount/SetMaskNorm, ResetMask.
void set_mask_bits(std::uint64_t low, std::uint64_t high);
void set_mask_lanes(std::uint64_t lanes);
void set_mask_mode(bool counter);

}  // namespace ascendsim::isa
