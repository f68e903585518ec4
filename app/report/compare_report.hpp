// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <ostream>

#include "app/analysis/comparison/changed_region.hpp"
#include "app/analysis/comparison/compare.hpp"
#include "app/report/style.hpp"

namespace ascendsim::report {

/// Prints what moved between two runs: time, parameters, pipes, waits, traffic, source lines, where schedules
/// part.
void print_comparison(std::ostream& out, const analysis::Comparison& comparison, const Style& style);

/// Writes the timelines of both at one scale, A over B, of a region or of all, and what moved, as a part of a
/// page.
void write_comparison_part(std::ostream& out,
                           const analysis::Comparison& comparison,
                           const record::Recording& a,
                           const record::Recording& b,
                           const std::optional<analysis::ChangedRegion>& region);

/// Writes the same as one HTML page, with the timelines of both at one scale, A over B.
void write_comparison_html(std::ostream& out,
                           const analysis::Comparison& comparison,
                           const record::Recording& a,
                           const record::Recording& b);

}  // namespace ascendsim::report
