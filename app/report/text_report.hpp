// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "app/analysis/run_summary.hpp"
#include "app/report/style.hpp"

namespace ascendsim::report {

/// Prints a run for a person: time against the bounds, pipes, bubbles, traffic, source lines, numbers,
/// hazards.
void print_report(std::ostream& out,
                  const analysis::RunSummary& summary,
                  const record::Recording& recording,
                  const Style& style);

}  // namespace ascendsim::report
