// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/port/timed_op.hpp"

namespace ascendsim::isa {

/// `b` of a cross_wait that the scalar unit makes by polling: it drops a line of its data cache, reads it
/// again and compares, until the flag's news is there [KfcServer::Run in kernel_kfc.h of asc-devkit]. Its
/// time is that of the news; profilers count such a loop as work of the scalar unit.
inline constexpr std::uint8_t polled_flag = 1;

/// Whether a profiler counts the wait of `op` as work.
[[nodiscard]] constexpr bool is_polled(const TimedOp& op) {
    return op.kind == OpKind::cross_wait && op.b == polled_flag;
}

}  // namespace ascendsim::isa
