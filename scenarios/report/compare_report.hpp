// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "scenarios/analysis/compare.hpp"
#include "scenarios/report/style.hpp"

namespace ascendsim::report {

/// Prints what moved between two runs: time, parameters, pipes, waits, traffic, source lines, where schedules
/// part.
void print_comparison(std::ostream& out, const analysis::Comparison& comparison, const Style& style);

/// Writes the same as one HTML page, with the timelines of both at one scale, A over B.
void write_comparison_html(std::ostream& out,
                           const analysis::Comparison& comparison,
                           const record::Recording& a,
                           const record::Recording& b);

}  // namespace ascendsim::report
