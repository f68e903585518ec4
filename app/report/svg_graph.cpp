// SPDX-License-Identifier: Apache-2.0
#include "app/report/svg_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "app/report/style.hpp"
#include "app/report/svg_timeline.hpp"

namespace ascendsim::report {

namespace {

using analysis::GraphPoint;
using analysis::NetworkEdge;
using analysis::NetworkFigures;
using analysis::NetworkFrame;
using analysis::NetworkGraph;
using analysis::NetworkNode;

/// From almost white to red, by a share of 0 to 1.
std::string warmth(double share) {
    constexpr std::array low{244.0, 244.0, 246.0};
    constexpr std::array high{224.0, 112.0, 84.0};
    std::array<int, 3> colour{};
    for (std::size_t i = 0; i < colour.size(); ++i) {
        colour[i] = static_cast<int>(low[i] + (high[i] - low[i]) * std::clamp(share, 0.0, 1.0));
    }
    return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]);
}

class GraphPicture {
public:
    GraphPicture(const NetworkGraph& graph, const NetworkGraph& shown) : graph_{graph}, shown_{shown} {
        for (const NetworkNode& node : graph.nodes) {
            longest_us_ = std::max(longest_us_, node.time_us);
        }
    }

    std::string draw(std::string_view title) {
        fmt::format_to(
            sink(),
            R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" )"
            R"(role="img" font-family="sans-serif" font-size="10" style="max-width:none"><title>{2}</title>)"
            R"(<defs><marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" orient="auto">)"
            R"(<path d="M0 0L6 3L0 6z" fill="#888"/></marker></defs>)",
            std::ceil(graph_.width),
            std::ceil(graph_.height),
            html_text(title));
        for (const NetworkFrame& frame : graph_.frames) {
            draw_frame(frame);
        }
        for (const NetworkEdge& edge : graph_.edges) {
            draw_edge(edge);
        }
        for (const NetworkNode& node : graph_.nodes) {
            draw_node(node);
        }
        fmt::format_to(sink(), "</svg>\n");
        return fmt::to_string(buffer_);
    }

private:
    std::back_insert_iterator<fmt::memory_buffer> sink() { return std::back_inserter(buffer_); }

    void draw_frame(const NetworkFrame& frame) {
        if (frame.stands >= shown_.nodes.size()) {
            return;
        }
        const NetworkNode& node = shown_.nodes[frame.stands];
        fmt::format_to(
            sink(),
            R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="6" fill="#5b8fd622" )"
            R"(stroke="#5b8fd6" stroke-dasharray="5 3"><title>{}</title></rect>)",
            frame.low.x,
            frame.low.y,
            frame.high.x - frame.low.x,
            frame.high.y - frame.low.y,
            html_text(fmt::format(
                "one kernel after fusion: {} '{}', {}", node.kind, node.name, time_text(node.time_us))));
    }

    void draw_edge(const NetworkEdge& edge) {
        if (edge.points.size() < 4) {
            return;
        }
        fmt::format_to(sink(),
                       R"svg(<path fill="none" stroke="#888" marker-end="url(#tip)" d="M{:.1f} {:.1f}C)svg",
                       edge.points[0].x,
                       edge.points[0].y);
        for (std::size_t i = 1; i < edge.points.size(); ++i) {
            fmt::format_to(sink(), "{:.1f} {:.1f} ", edge.points[i].x, edge.points[i].y);
        }
        fmt::format_to(sink(), "\"/>");
    }

    static std::string hint(const NetworkNode& node) {
        std::string text = fmt::format("{} '{}'\n{}", node.kind, node.name, node.shapes);
        if (!node.error.empty()) {
            return fmt::format("{}\ncannot run: {}", text, node.error);
        }
        if (node.time_us > 0) {
            text += fmt::format("\n{}, {}, {}", time_text(node.time_us), node.limit, node.kernel);
        }
        return node.note.empty() ? text : fmt::format("{}\n{}", text, node.note);
    }

    void draw_node(const NetworkNode& node) {
        constexpr std::size_t letters = 26;  // of the box's width
        const double left = node.centre.x - node.width / 2;
        const double top = node.centre.y - node.height / 2;
        const double share = longest_us_ > 0 ? node.time_us / longest_us_ : 0;
        fmt::format_to(
            sink(),
            R"(<g><title>{}</title><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="4" fill="{}" stroke="{}"/>)",
            html_text(hint(node)),
            left,
            top,
            node.width,
            node.height,
            node.error.empty() ? warmth(share) : "#ffffff",
            node.error.empty() ? "#999" : "#b3261e");
        fmt::format_to(sink(),
                       R"(<text x="{:.1f}" y="{:.1f}" fill="#1c1c1e" font-weight="bold">{}</text>)"
                       R"(<text x="{:.1f}" y="{:.1f}" fill="#444">{}</text>)",
                       left + 6,
                       top + 16,
                       html_text(without_middle(node.kind, node.time_us > 0 ? letters - 11 : letters)),
                       left + 6,
                       top + 31,
                       html_text(without_middle(node.name, letters)));
        if (node.time_us > 0) {
            fmt::format_to(sink(),
                           R"(<text x="{:.1f}" y="{:.1f}" fill="#1c1c1e" text-anchor="end">{}</text>)",
                           left + node.width - 6,
                           top + 16,
                           time_text(node.time_us));
        }
        fmt::format_to(sink(), "</g>");
    }

    const NetworkGraph& graph_;
    const NetworkGraph& shown_;
    double longest_us_ = 0;
    fmt::memory_buffer buffer_;
};

}  // namespace

std::string without_middle(std::string_view text, std::size_t most) {
    return columns(text) <= most ? std::string{text} : left(text, most);
}

std::string svg_graph(const NetworkGraph& graph, const NetworkGraph& shown, std::string_view title) {
    return graph.width > 0 ? GraphPicture{graph, shown}.draw(title) : std::string{};
}

std::string svg_memory(const NetworkFigures& figures) {
    constexpr double width = 1100;  // pixels
    constexpr double height = 140;
    constexpr double top = 14;
    double most = 0;
    for (const NetworkNode& node : figures.graph.nodes) {
        most = std::max(most, node.alive_bytes);
    }
    if (most <= 0 || figures.graph.time_us <= 0) {
        return {};
    }
    std::string svg = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" )"
        R"(font-family="sans-serif" font-size="10"><title>Memory between operators over time</title>)",
        width,
        height + top + 16);
    double at = 0;
    for (const NetworkNode& node : figures.graph.nodes) {
        const double wide = node.time_us / figures.graph.time_us * width;
        const double high = node.alive_bytes / most * height;
        if (wide > 0) {
            svg += fmt::format(
                R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}" fill="#5b8fd6"><title>{}</title></rect>)",
                at,
                top + height - high,
                wide,
                high,
                html_text(fmt::format("{} '{}': {}", node.kind, node.name, bytes_text(node.alive_bytes))));
        }
        at += wide;
    }
    svg += fmt::format(
        R"(<text x="0" y="10" fill="#777">{} at most</text><text x="0" y="{}" fill="#777">0</text>)"
        R"(<text x="{}" y="{}" fill="#777" text-anchor="end">{}</text></svg>)",
        bytes_text(most),
        top + height + 12,
        width,
        top + height + 12,
        time_text(figures.graph.time_us));
    return svg + "\n";
}

}  // namespace ascendsim::report
