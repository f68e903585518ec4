// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

/// One resource under its own roof: a unit, a way of bytes on a core, or what all cores share.
struct Component {
    std::string name;          // "cube", "vector", a route, "l2", "l2_requests", "hbm"
    std::string pipe;          // that works it; empty for what all cores share
    double ideal_cycles = 0;   // at its peak rate, of one core
    double active_cycles = 0;  // of one core, on average; 0 where it cannot be told
    double total_cycles = 0;   // the run
    std::string arithmetic;    // of ideal_cycles

    /// Share of the run it needs at its peak rate.
    [[nodiscard]] double utilization() const { return total_cycles > 0 ? ideal_cycles / total_cycles : 0; }

    /// Share of the run it was active.
    [[nodiscard]] double active_share() const { return total_cycles > 0 ? active_cycles / total_cycles : 0; }

    /// Its rate while active against its peak rate; 0 where it cannot be told.
    [[nodiscard]] double efficiency() const { return active_cycles > 0 ? ideal_cycles / active_cycles : 0; }
};

/// The components of a run that have a roof, the most utilised first.
[[nodiscard]] std::vector<Component> components_of(const RunSummary& summary, const nlohmann::json& metadata);

}  // namespace ascendsim::analysis
