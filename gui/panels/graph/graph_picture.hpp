// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/analysis/network_figures.hpp"
#include "gui/panels/graph/graph_view.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// What the colour of an operator says.
enum class GraphColour : std::uint8_t { time, limit };

/// A graph as it is drawn.
struct GraphPicture {
    const analysis::NetworkGraph& graph;
    const analysis::NetworkGraph& shown;  ///< the graph that ran, which frames speak of
    GraphColour colour = GraphColour::time;
    const std::vector<bool>& found;       ///< by operator: what the find field means; empty if it is empty
    std::optional<std::size_t> selected;  ///< an operator of `graph`
};

/// Draws frames, edges and operators, as much of them as is seen.
void draw_graph(Canvas& canvas, const GraphView& view, const GraphPicture& picture, const Theme& theme);

/// The pipe in "aic_mte2 85.5 %", as recordings name it; "launch" and nothing as they are.
[[nodiscard]] std::string_view limit_word(std::string_view limit);

}  // namespace ascendsim::gui
