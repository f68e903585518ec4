// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "models/port/testing/plain_core.hpp"

namespace ascendsim::isa {

/// Cycles that instructions hold the vector unit, without the first one: the test kernels clear their
/// results.
[[nodiscard]] inline std::uint64_t vector_cycles_after_first(PlainCore& core) {
    std::uint64_t cycles = 0;
    bool first = true;
    for (const TimedOp& op : core.ops()) {
        if (op.pipe == Pipe::vector && op.occupies > 0 && !std::exchange(first, false)) {
            cycles += op.occupies;
        }
    }
    return cycles;
}

}  // namespace ascendsim::isa
