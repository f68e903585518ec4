// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "app/analysis/network_figures.hpp"

namespace ascendsim::report {

/// Gives each operator of a graph its place and each edge its way, with Graphviz's program `dot`. Operators
/// of a frame are kept together, and the frame is drawn around them. Returns why not, as a sentence: `dot` is
/// not installed, the graph is too large, or dot did not end; empty if it worked.
[[nodiscard]] std::string lay_out(analysis::NetworkGraph& graph);

/// The graph as dot reads it.
[[nodiscard]] std::string dot_text(const analysis::NetworkGraph& graph);

/// Takes places and ways from what `dot -Tplain -y` wrote; false if that is not whole.
[[nodiscard]] bool take_layout(analysis::NetworkGraph& graph, std::string_view plain);

}  // namespace ascendsim::report
