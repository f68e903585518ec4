// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/graph/graph_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gui/canvas/elide.hpp"

namespace ascendsim::gui {
namespace {

using analysis::GraphPoint;
using analysis::NetworkEdge;
using analysis::NetworkFrame;
using analysis::NetworkGraph;
using analysis::NetworkNode;

/// The operator that takes longest.
double longest_of(const NetworkGraph& graph) {
    double longest = 0;
    for (const NetworkNode& node : graph.nodes) {
        longest = std::max(longest, node.time_us);
    }
    return longest;
}

Pixel fill_of(const NetworkNode& node, GraphColour colour, double longest_us, const Theme& theme) {
    if (node.time_us <= 0) {
        return theme.raised;
    }
    if (colour == GraphColour::time) {
        return mix(theme.raised, theme.bad, static_cast<float>(node.time_us / longest_us));
    }
    const std::string_view word = limit_word(node.limit);
    return word == "launch" ? mix(theme.raised, theme.cause(record::Reason::launch).colour, 0.6F)
                            : theme.pipe(word).colour;
}

GraphPoint between(GraphPoint a, GraphPoint b, double share) {
    return {a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
}

/// A place on a Bezier curve of four points.
GraphPoint on_curve(const GraphPoint* p, double share) {
    const GraphPoint a = between(p[0], p[1], share);
    const GraphPoint b = between(p[1], p[2], share);
    const GraphPoint c = between(p[2], p[3], share);
    return between(between(a, b, share), between(b, c, share), share);
}

bool is_seen(const NetworkEdge& edge, const GraphView& view) {
    Rect around{1e9F, 1e9F, -1e9F, -1e9F};
    for (const GraphPoint& point : edge.points) {
        const Point at = view.pixel(point);
        around = {std::min(around.left, at.x),
                  std::min(around.top, at.y),
                  std::max(around.right, at.x + 1),
                  std::max(around.bottom, at.y + 1)};
    }
    return !intersect(around, view.box).empty();
}

void draw_edge(Canvas& canvas, const GraphView& view, const NetworkEdge& edge, Pixel colour) {
    constexpr int pieces = 10;  // of a curve
    std::vector<Point> line;
    for (std::size_t i = 0; i + 3 < edge.points.size(); i += 3) {
        for (int piece = line.empty() ? 0 : 1; piece <= pieces; ++piece) {
            line.push_back(view.pixel(on_curve(&edge.points[i], static_cast<double>(piece) / pieces)));
        }
    }
    if (line.size() < 2) {
        return;
    }
    canvas.polyline(line, colour);
    constexpr double pointed = 0.3;  // of the zoom: smaller ones have lines alone
    if (view.zoom >= pointed) {
        canvas.arrow_head(line[line.size() - 2], line.back(), colour, static_cast<float>(6 * view.zoom));
    }
}

void draw_frame(Canvas& canvas,
                const GraphView& view,
                const NetworkFrame& frame,
                const GraphPicture& picture,
                const Theme& theme) {
    const Rect box = view.pixels(frame.low, frame.high);
    if (intersect(box, view.box).empty()) {
        return;
    }
    const bool lit = picture.selected && picture.graph.nodes[*picture.selected].part_of == frame.stands;
    canvas.fill(box, mix(theme.panel, theme.accent, lit ? 0.3F : 0.12F));
    canvas.outline(box, theme.accent, lit ? 2 : 1);
}

/// One or two lines of text, as the box has room.
void draw_words(Canvas& canvas, Rect box, const NetworkNode& node, Pixel colour, double whole_us) {
    const float line = canvas.measure("X", TextStyle::small).y;
    const float gap = std::round(line * 0.4F);
    const Rect room{box.left + gap, box.top, box.right - gap, box.bottom};
    if (box.height() < line + 2 || room.width() < 3 * line) {
        return;
    }
    const bool two = box.height() >= 2 * line + 2;
    const float middle = two ? std::round(box.centre().y) : box.bottom;
    float right = room.right;
    if (node.time_us > 0 && whole_us > 0) {
        const std::string share = format_percent(node.time_us / whole_us);
        const float wide = canvas.measure(share, TextStyle::small).x;
        if (room.width() > wide + 4 * line) {
            canvas.text_in({room.right - wide - 1, box.top, room.right + 1, middle},
                           colour,
                           share,
                           Align::right,
                           TextStyle::small);
            right = room.right - wide - gap;
        }
    }
    const auto words = [&](std::string_view text, Rect place, TextStyle style) {
        canvas.text_in(
            place, colour, without_middle(canvas.fonts(), text, style, place.width()), Align::left, style);
    };
    words(node.kind, {room.left, box.top, right, middle}, TextStyle::small);
    if (two) {
        words(node.name, {room.left, middle, room.right, box.bottom}, TextStyle::small);
    }
}

}  // namespace

std::string_view limit_word(std::string_view limit) {
    std::string_view word = limit.substr(0, limit.find(' '));
    for (const std::string_view cores : {"aic_", "aiv_"}) {
        if (word.starts_with(cores)) {
            word.remove_prefix(cores.size());
        }
    }
    return word;
}

void draw_graph(Canvas& canvas, const GraphView& view, const GraphPicture& picture, const Theme& theme) {
    canvas.push_clip(view.box);
    const double longest = longest_of(picture.graph);
    for (const NetworkFrame& frame : picture.graph.frames) {
        draw_frame(canvas, view, frame, picture, theme);
    }
    for (const NetworkEdge& edge : picture.graph.edges) {
        if (is_seen(edge, view)) {
            draw_edge(canvas, view, edge, theme.text_faint);
        }
    }
    for (std::size_t i = 0; i < picture.graph.nodes.size(); ++i) {
        const NetworkNode& node = picture.graph.nodes[i];
        const Rect box = view.box_of(node);
        if (intersect(box, view.box).empty()) {
            continue;
        }
        const bool dimmed = !picture.found.empty() && !picture.found[i];
        const Pixel full = fill_of(node, picture.colour, longest, theme);
        const Pixel colour = dimmed ? mix(theme.panel, full, 0.25F) : full;
        canvas.fill(box, colour);
        const bool lit = picture.selected == i;
        canvas.outline(box,
                       lit                   ? theme.accent
                       : !node.error.empty() ? theme.bad
                       : dimmed              ? theme.raised
                                             : theme.border,
                       lit ? 3 : 1);
        draw_words(canvas, box, node, dimmed ? theme.text_faint : readable_on(colour), picture.graph.time_us);
    }
    canvas.pop_clip();
}

std::optional<std::size_t> node_at(const NetworkGraph& graph, const GraphView& view, Point place) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (view.box.contains(place) && view.box_of(graph.nodes[i]).contains(place)) {
            return i;
        }
    }
    return std::nullopt;
}

}  // namespace ascendsim::gui
