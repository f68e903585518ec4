// SPDX-License-Identifier: Apache-2.0
// Synchronisation that the compiler inserts by itself (--cce-auto-sync): the same instructions as a kernel's
// own, under names of their own, at the line of the instruction that they stand before.
#pragma once

#include <cstdint>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

extern const OpInfo inserted_barrier_info;
extern const OpInfo inserted_set_info;
extern const OpInfo inserted_wait_info;

/// True for an instruction that no kernel asked for.
[[nodiscard]] inline bool is_inserted(const OpInfo* info) {
    return info == &inserted_barrier_info || info == &inserted_wait_info || info == &inserted_set_info;
}

/// The flag of each pair of pipes that inserted synchronisation uses: behind those of kernels and of the unit
/// flag.
inline constexpr std::uint32_t inserted_flag = 15;

/// A barrier of `pipe`. `spare`: the chip keeps this order by itself.
[[nodiscard]] TimedOp inserted_barrier(Pipe pipe, Site site, bool spare, const ChipSpec& chip);
/// The flag by which `destination` waits for `source`: its set, and the wait that follows at once.
[[nodiscard]] TimedOp inserted_set(Pipe source, Pipe destination, Site site);
[[nodiscard]] TimedOp inserted_wait(Pipe source, Pipe destination, Site site, bool spare);

/// What inserted_barrier() or inserted_wait() was told.
[[nodiscard]] inline bool is_spare(const TimedOp& op) {
    return op.kind == OpKind::barrier ? op.a != 0 : op.work != 0;
}

}  // namespace ascendsim::isa
