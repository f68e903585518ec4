// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "app/analysis/network_figures.hpp"
#include "app/report/style.hpp"

namespace ascendsim::report {

/// Prints where the time of a recorded network goes: by kind, the longest operators, memory.
void print_network_figures(std::ostream& out, const analysis::NetworkFigures& figures, const Style& style);

}  // namespace ascendsim::report
