// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "app/analysis/machine/recorded_report.hpp"
#include "app/analysis/machine/recorded_step.hpp"
#include "app/analysis/network_figures.hpp"
#include "app/report/style.hpp"

namespace ascendsim::report {

/// Prints where the time of a recorded network goes: by kind, the longest operators, memory.
void print_network_figures(std::ostream& out, const analysis::NetworkFigures& figures, const Style& style);

/// Prints where a recorded step went: parts, free time by cause, the critical path, what was tried.
void print_step_figures(std::ostream& out, const analysis::RecordedStep& step, const Style& style);

/// Prints the figures that a recording brings along.
void print_report_figures(std::ostream& out, const analysis::RecordedReport& report, const Style& style);

}  // namespace ascendsim::report
