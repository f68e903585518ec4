// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include <nlohmann/json_fwd.hpp>

#include "app/report/style.hpp"

namespace ascendsim::report {

/// Where the time of a host program went: of each device, by call, and what would help. `totals` are those of
/// its recording; prints nothing without a timeline in them.
void print_program_times(std::ostream& out, const nlohmann::json& totals, const Style& style);

}  // namespace ascendsim::report
