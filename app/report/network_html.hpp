// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "app/analysis/network_figures.hpp"

namespace ascendsim::report {

/// Writes a network as one HTML page that needs nothing from elsewhere: totals, kinds, the graph before and
/// after fusion, what was joined and why not, memory over time, and every operator.
void write_network_html(std::ostream& out, const analysis::NetworkFigures& figures);

}  // namespace ascendsim::report
