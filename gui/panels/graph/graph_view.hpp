// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "app/analysis/network_figures.hpp"
#include "gui/canvas/geometry.hpp"

namespace ascendsim::gui {

/// Which part of a graph's picture is seen, and how large.
struct GraphView {
    Rect box;         ///< on the screen, pixels
    double zoom = 1;  ///< pixels a point
    double left = 0;  ///< point of the picture at the box's left side
    double top = 0;

    static constexpr double least_zoom = 0.01;
    static constexpr double most_zoom = 4;

    [[nodiscard]] Point pixel(analysis::GraphPoint at) const {
        return {static_cast<float>(box.left + (at.x - left) * zoom),
                static_cast<float>(box.top + (at.y - top) * zoom)};
    }

    [[nodiscard]] Rect pixels(analysis::GraphPoint low, analysis::GraphPoint high) const {
        const Point from = pixel(low);
        const Point to = pixel(high);
        return whole_pixels({from.x, from.y, to.x, to.y});
    }

    [[nodiscard]] Rect box_of(const analysis::NetworkNode& node) const {
        return pixels({node.centre.x - node.width / 2, node.centre.y - node.height / 2},
                      {node.centre.x + node.width / 2, node.centre.y + node.height / 2});
    }

    /// Zooms so that the point below `about` stays there.
    void zoom_by(double factor, Point about) {
        const double x = left + (about.x - box.left) / zoom;
        const double y = top + (about.y - box.top) / zoom;
        zoom = std::clamp(zoom * factor, least_zoom, most_zoom);
        left = x - (about.x - box.left) / zoom;
        top = y - (about.y - box.top) / zoom;
    }

    /// Moves the picture by pixels.
    void move_by(float x, float y) {
        left -= x / zoom;
        top -= y / zoom;
    }

    /// Keeps some of the picture in the box.
    void keep_inside(const analysis::NetworkGraph& graph) {
        const double wide = box.width() / zoom;
        const double high = box.height() / zoom;
        left = std::clamp(left, -0.9 * wide, std::max(-0.9 * wide, graph.width - 0.1 * wide));
        top = std::clamp(top, -0.9 * high, std::max(-0.9 * high, graph.height - 0.1 * high));
    }

    /// Shows all of the picture, not larger than it is.
    void fit(const analysis::NetworkGraph& graph) {
        zoom = std::min(box.width() / std::max(1.0, graph.width), box.height() / std::max(1.0, graph.height));
        zoom = std::clamp(zoom, least_zoom, 1.0);
        left = (graph.width - box.width() / zoom) / 2;
        top = (graph.height - box.height() / zoom) / 2;
    }

    /// Puts a place into the middle, in a size that can be read.
    void centre_on(analysis::GraphPoint at) {
        constexpr double readable = 0.8;
        zoom = std::max(zoom, readable);
        left = at.x - box.width() / zoom / 2;
        top = at.y - box.height() / zoom / 2;
    }
};

/// The operator below a place on the screen.
[[nodiscard]] std::optional<std::size_t> node_at(const analysis::NetworkGraph& graph,
                                                 const GraphView& view,
                                                 Point place);

}  // namespace ascendsim::gui
