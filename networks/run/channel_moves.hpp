// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "networks/operators/operators.hpp"

namespace ascendsim::networks {

/// True for a join of channels by the kernel `rearrange`.
[[nodiscard]] bool joins_channels(const Task& task);

/// True for a kernel that makes parts of the channels of its one operand. Blocks lie one behind the other as
/// channels do, so that it does the same with them.
[[nodiscard]] bool parts_channels(const Task& task);

/// True if the first channel that it takes begins a block of `c0`.
[[nodiscard]] bool begins_with_block(const Task& task, std::uint64_t c0);

/// True for a kernel that takes its operand as the network states it or in blocks, by a knob.
[[nodiscard]] bool takes_either(const Task& task);

/// True if the task's loop computes each element of `shape` by itself, beside numbers that are the same for
/// all.
[[nodiscard]] bool by_elements(const Task& task, const host::Shape& shape);

}  // namespace ascendsim::networks
