// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/network_figures.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "app/analysis/machine/recorded_values.hpp"

namespace ascendsim::analysis {
namespace {

constexpr std::size_t most_network_nodes = 20'000;
constexpr std::size_t most_network_edges = 100'000;
constexpr std::size_t most_points = 1000;  // of an edge
constexpr double farthest = 1e6;           // points: 350 m of paper

std::optional<std::uint64_t> index_at(const nlohmann::json& object, const char* key) {
    return recorded_value(object, key).is_number_unsigned() ? std::optional{recorded_count(object, key)}
                                                            : std::nullopt;
}

double coordinate(const nlohmann::json& value) {
    return std::clamp(recorded_number(value), -farthest, farthest);
}

GraphPoint point_at(const nlohmann::json& object, const char* x, const char* y) {
    return {coordinate(recorded_value(object, x)), coordinate(recorded_value(object, y))};
}

nlohmann::json node_json(const NetworkNode& node) {
    nlohmann::json values{{"name", node.name},
                          {"kind", node.kind},
                          {"shapes", node.shapes},
                          {"kernel", node.kernel},
                          {"limit", node.limit},
                          {"note", node.note},
                          {"error", node.error},
                          {"source", node.source},
                          {"time_us", node.time_us},
                          {"core_us", node.core_us},
                          {"hbm_bytes", node.hbm_bytes},
                          {"alive_bytes", node.alive_bytes},
                          {"kernels", node.kernels},
                          {"x", node.centre.x},
                          {"y", node.centre.y},
                          {"width", node.width},
                          {"height", node.height}};
    if (node.span) {
        values["span"] = *node.span;
    }
    if (node.part_of) {
        values["part_of"] = *node.part_of;
    }
    return values;
}

NetworkNode node_from(const nlohmann::json& values) {
    return {.name = recorded_text(values, "name"),
            .kind = recorded_text(values, "kind"),
            .shapes = recorded_text(values, "shapes"),
            .kernel = recorded_text(values, "kernel"),
            .limit = recorded_text(values, "limit"),
            .note = recorded_text(values, "note"),
            .error = recorded_text(values, "error"),
            .source = recorded_text(values, "source"),
            .time_us = recorded_figure(values, "time_us"),
            .core_us = recorded_figure(values, "core_us"),
            .hbm_bytes = recorded_figure(values, "hbm_bytes"),
            .alive_bytes = recorded_figure(values, "alive_bytes"),
            .kernels = recorded_count(values, "kernels"),
            .span = index_at(values, "span"),
            .part_of = index_at(values, "part_of"),
            .centre = point_at(values, "x", "y"),
            .width = std::min(recorded_figure(values, "width"), farthest),
            .height = std::min(recorded_figure(values, "height"), farthest)};
}

nlohmann::json graph_json(const NetworkGraph& graph) {
    nlohmann::json nodes = nlohmann::json::array();
    nlohmann::json edges = nlohmann::json::array();
    nlohmann::json frames = nlohmann::json::array();
    for (const NetworkNode& node : graph.nodes) {
        nodes.push_back(node_json(node));
    }
    for (const NetworkEdge& edge : graph.edges) {
        nlohmann::json points = nlohmann::json::array();
        for (const GraphPoint& point : edge.points) {
            points.push_back(point.x);
            points.push_back(point.y);
        }
        edges.push_back({{"from", edge.from}, {"to", edge.to}, {"points", std::move(points)}});
    }
    for (const NetworkFrame& frame : graph.frames) {
        frames.push_back({{"stands", frame.stands},
                          {"left", frame.low.x},
                          {"top", frame.low.y},
                          {"right", frame.high.x},
                          {"bottom", frame.high.y}});
    }
    return {{"nodes", std::move(nodes)},
            {"edges", std::move(edges)},
            {"frames", std::move(frames)},
            {"time_us", graph.time_us},
            {"width", graph.width},
            {"height", graph.height}};
}

void add_edge(NetworkGraph& graph, const nlohmann::json& values) {
    const auto from = index_at(values, "from");
    const auto to = index_at(values, "to");
    if (!from || !to || *from >= graph.nodes.size() || *to >= graph.nodes.size()) {
        return;
    }
    NetworkEdge& edge = graph.edges.emplace_back(NetworkEdge{.from = *from, .to = *to, .points = {}});
    const auto& points = recorded_value(values, "points");
    for (std::size_t i = 0; i + 1 < points.size() && points.is_array() && i < 2 * most_points; i += 2) {
        edge.points.push_back({coordinate(points[i]), coordinate(points[i + 1])});
    }
}

/// `stands`: how many operators frames may name.
NetworkGraph graph_from(const nlohmann::json& values, std::size_t stands) {
    NetworkGraph graph{.time_us = recorded_figure(values, "time_us"),
                       .width = std::min(recorded_figure(values, "width"), farthest),
                       .height = std::min(recorded_figure(values, "height"), farthest)};
    for (const auto& node : recorded_value(values, "nodes")) {
        if (graph.nodes.size() < most_network_nodes) {
            graph.nodes.push_back(node_from(node));
        }
    }
    stands = stands == 0 ? graph.nodes.size() : stands;
    for (NetworkNode& node : graph.nodes) {
        if (node.part_of && *node.part_of >= stands) {
            node.part_of.reset();
        }
    }
    for (const auto& edge : recorded_value(values, "edges")) {
        if (graph.edges.size() < most_network_edges) {
            add_edge(graph, edge);
        }
    }
    for (const auto& frame : recorded_value(values, "frames")) {
        if (const auto of = index_at(frame, "stands");
            of && *of < stands && graph.frames.size() < most_network_nodes) {
            graph.frames.push_back({*of, point_at(frame, "left", "top"), point_at(frame, "right", "bottom")});
        }
    }
    return graph;
}

std::vector<NetworkKind> kinds_from(const nlohmann::json& list) {
    std::vector<NetworkKind> kinds;
    for (const auto& kind : list) {
        if (kinds.size() < most_network_nodes) {
            kinds.push_back({.kind = recorded_text(kind, "kind"),
                             .count = recorded_count(kind, "count"),
                             .kernels = recorded_count(kind, "kernels"),
                             .time_us = recorded_figure(kind, "time_us"),
                             .hbm_bytes = recorded_figure(kind, "hbm_bytes")});
        }
    }
    return kinds;
}

}  // namespace

std::vector<std::size_t> by_time(const NetworkGraph& graph) {
    std::vector<std::size_t> order(graph.nodes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t node) { return graph.nodes[node].time_us <= 0; });
    std::ranges::stable_sort(
        order, std::ranges::greater{}, [&](std::size_t node) { return graph.nodes[node].time_us; });
    return order;
}

std::string verdict(const NetworkFigures& figures) {
    if (figures.kinds.empty() || figures.time_us <= 0) {
        return "No operator of this network takes time";
    }
    const NetworkKind& top = figures.kinds.front();
    std::string text =
        fmt::format("{} takes {:.1f} % of the time, in {} of {} kernels; launches take {:.1f} %",
                    top.kind,
                    100 * top.time_us / figures.time_us,
                    top.kernels,
                    figures.kernels,
                    100 * figures.launch_us() / figures.time_us);
    if (figures.before && figures.before->time_us > 0) {
        text += fmt::format("; fusion saves {:.1f} %",
                            100 * (1 - figures.graph.time_us / figures.before->time_us));
    }
    if (!figures.complete) {
        text += "; incomplete: some operators cannot run and are not in the sums";
    }
    return text;
}

std::string left_out(const NetworkFigures& figures) {
    if (figures.recorded >= figures.kernels) {
        return {};
    }
    return fmt::format(
        "The pipes of {} of {} kernels are in the recording; the others are as long, and empty below their "
        "name",
        figures.recorded,
        figures.kernels);
}

nlohmann::json to_json(const NetworkFigures& figures) {
    nlohmann::json kinds = nlohmann::json::array();
    for (const NetworkKind& kind : figures.kinds) {
        kinds.push_back({{"kind", kind.kind},
                         {"count", kind.count},
                         {"kernels", kind.kernels},
                         {"time_us", kind.time_us},
                         {"hbm_bytes", kind.hbm_bytes}});
    }
    nlohmann::json values{{"name", figures.name},
                          {"chip", figures.chip},
                          {"complete", figures.complete},
                          {"time_us", figures.time_us},
                          {"core_us", figures.core_us},
                          {"flops", figures.flops},
                          {"hbm_bytes", figures.hbm_bytes},
                          {"moved_bytes", figures.moved_bytes},
                          {"kernels", figures.kernels},
                          {"recorded", figures.recorded},
                          {"weight_bytes", figures.weight_bytes},
                          {"input_bytes", figures.input_bytes},
                          {"peak_bytes", figures.peak_bytes},
                          {"peak_operator", figures.peak_operator},
                          {"kinds", std::move(kinds)},
                          {"graph", graph_json(figures.graph)},
                          {"no_picture", figures.no_picture},
                          {"fusion", figures.fusion}};
    if (figures.before) {
        values["before"] = graph_json(*figures.before);
    }
    return values;
}

NetworkFigures network_from_json(const nlohmann::json& values) {
    NetworkFigures figures{.name = recorded_text(values, "name"),
                           .chip = recorded_text(values, "chip"),
                           .complete = recorded_value(values, "complete") != false,
                           .time_us = recorded_figure(values, "time_us"),
                           .core_us = recorded_figure(values, "core_us"),
                           .flops = recorded_figure(values, "flops"),
                           .hbm_bytes = recorded_figure(values, "hbm_bytes"),
                           .moved_bytes = recorded_figure(values, "moved_bytes"),
                           .kernels = recorded_count(values, "kernels"),
                           .recorded = recorded_count(values, "recorded"),
                           .weight_bytes = recorded_figure(values, "weight_bytes"),
                           .input_bytes = recorded_figure(values, "input_bytes"),
                           .peak_bytes = recorded_figure(values, "peak_bytes"),
                           .peak_operator = recorded_text(values, "peak_operator"),
                           .kinds = kinds_from(recorded_value(values, "kinds")),
                           .graph = graph_from(recorded_value(values, "graph"), 0),
                           .before = {},
                           .no_picture = recorded_text(values, "no_picture"),
                           .fusion = recorded_value(values, "fusion")};
    if (recorded_value(values, "before").is_object()) {
        figures.before = graph_from(recorded_value(values, "before"),
                                    std::max<std::size_t>(1, figures.graph.nodes.size()));
    }
    return figures;
}

bool is_network(const record::Recording& recording) {
    return recorded_value(recording.metadata(), "network").is_object();
}

std::optional<NetworkFigures> network_of(const record::Recording& recording) {
    return is_network(recording) ? std::optional{network_from_json(recording.metadata()["network"])}
                                 : std::nullopt;
}

record::TrackPath operators_track() {
    return {{record::TrackKind::device, 0}, {record::TrackKind::stream, "operators"}};
}

record::TrackPath kernels_track() {
    return {{record::TrackKind::device, 0}, {record::TrackKind::stream, "kernels"}};
}

}  // namespace ascendsim::analysis
