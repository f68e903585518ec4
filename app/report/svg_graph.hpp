// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "app/analysis/network_figures.hpp"

namespace ascendsim::report {

/// A graph that is laid out, as an <svg> element: a box for each operator, filled by its share of the longest
/// operator's time, with its figures on hover; a frame around operators that one of `shown` stands for.
/// Empty if the graph is not laid out.
[[nodiscard]] std::string svg_graph(const analysis::NetworkGraph& graph,
                                    const analysis::NetworkGraph& shown,
                                    std::string_view title);

/// The memory that is alive while each operator runs, over the time of the network, as an <svg> element.
/// Empty if nothing is known of it.
[[nodiscard]] std::string svg_memory(const analysis::NetworkFigures& figures);

/// At most `most` characters of a text; of a longer one the beginning and the end.
[[nodiscard]] std::string without_middle(std::string_view text, std::size_t most);

}  // namespace ascendsim::report
