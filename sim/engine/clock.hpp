// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace ascendsim {

/// One core cycle is one nanosecond of SystemC time; nothing outside the machine sees sc_time.
inline constexpr std::uint64_t ticks_per_cycle = 1000;  // default resolution: 1 ps

[[nodiscard]] inline sc_core::sc_time to_time(std::uint64_t cycles) {
    return sc_core::sc_time::from_value(cycles * ticks_per_cycle);
}

/// The global time in whole cycles.
[[nodiscard]] inline std::uint64_t now_cycles() {
    return sc_core::sc_time_stamp().value() / ticks_per_cycle;
}

}  // namespace ascendsim
