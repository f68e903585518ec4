// SPDX-License-Identifier: Apache-2.0
#include "app/networks/graph_layout.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/process/file_text.hpp"
#include "sim/process/subprocess.hpp"
#include "sim/process/temporary_folder.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::report {
namespace {

using analysis::GraphPoint;
using analysis::NetworkEdge;
using analysis::NetworkFrame;
using analysis::NetworkGraph;
using analysis::NetworkNode;

constexpr double points_an_inch = 72;
constexpr double node_width = 2.2;  // inches: room for a name of 24 letters
constexpr double node_height = 0.55;
constexpr double picture_margin = 12;        // points
constexpr double frame_margin = 8;           // points around the operators of a frame
constexpr std::size_t most_laid_out = 3000;  // dot takes seconds for these
constexpr int most_seconds = 60;

/// Numbers of dot's answer, in points.
double in_points(std::istream& line) {
    double inches = 0;
    line >> inches;
    return inches * points_an_inch;
}

/// An edge's line: "from to count x y … style colour".
bool take_edge(std::istream& line, NetworkGraph& graph, const std::map<std::string, std::size_t>& edges) {
    std::string from;
    std::string to;
    std::size_t count = 0;
    line >> from >> to >> count;
    const auto edge = edges.find(from + " " + to);
    if (line.fail() || edge == edges.end()) {
        return false;
    }
    std::vector<GraphPoint>& points = graph.edges[edge->second].points;
    points.clear();
    for (std::size_t i = 0; i < count && !line.fail(); ++i) {
        const double x = in_points(line) + picture_margin;
        points.push_back({x, in_points(line) + picture_margin});
    }
    return !line.fail();
}

bool take_node(std::istream& line, NetworkGraph& graph) {
    char letter = 0;
    std::size_t number = 0;
    line >> letter >> number;
    if (line.fail() || number >= graph.nodes.size()) {
        return false;
    }
    NetworkNode& node = graph.nodes[number];
    node.centre.x = in_points(line) + picture_margin;
    node.centre.y = in_points(line) + picture_margin;
    node.width = in_points(line);
    node.height = in_points(line);
    return !line.fail();
}

/// The members of each frame, by the operator that stands for them.
std::map<std::size_t, std::vector<std::size_t>> members_of(const NetworkGraph& graph) {
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (const NetworkFrame& frame : graph.frames) {
        members[frame.stands] = {};
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (const auto part_of = graph.nodes[i].part_of; part_of && members.contains(*part_of)) {
            members[*part_of].push_back(i);
        }
    }
    return members;
}

void draw_frames(NetworkGraph& graph) {
    const auto members = members_of(graph);
    for (NetworkFrame& frame : graph.frames) {
        bool first = true;
        for (const std::size_t i : members.at(frame.stands)) {
            const NetworkNode& node = graph.nodes[i];
            const double x = node.width / 2 + frame_margin;
            const double y = node.height / 2 + frame_margin;
            frame.low.x = first ? node.centre.x - x : std::min(frame.low.x, node.centre.x - x);
            frame.low.y = first ? node.centre.y - y : std::min(frame.low.y, node.centre.y - y);
            frame.high.x = first ? node.centre.x + x : std::max(frame.high.x, node.centre.x + x);
            frame.high.y = first ? node.centre.y + y : std::max(frame.high.y, node.centre.y + y);
            first = false;
        }
    }
}

}  // namespace

std::string dot_text(const NetworkGraph& graph) {
    std::string text = fmt::format(
        "digraph network {{\nrankdir=TB; nodesep=0.3; ranksep=0.4; edge [arrowhead=none];\n"
        "node [shape=box, fixedsize=true, width={}, height={}, label=\"\"];\n",
        node_width,
        node_height);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        text += fmt::format("n{};\n", i);
    }
    for (const auto& [stands, members] : members_of(graph)) {
        text += fmt::format("subgraph cluster_{} {{ margin={};", stands, frame_margin);
        for (const std::size_t i : members) {
            text += fmt::format(" n{};", i);
        }
        text += " }\n";
    }
    for (const NetworkEdge& edge : graph.edges) {
        text += fmt::format("n{} -> n{};\n", edge.from, edge.to);
    }
    return text + "}\n";
}

bool take_layout(NetworkGraph& graph, std::string_view plain) {
    std::map<std::string, std::size_t> edges;
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        edges[fmt::format("n{} n{}", graph.edges[i].from, graph.edges[i].to)] = i;
    }
    std::istringstream text{std::string{plain}};
    for (std::string row; std::getline(text, row);) {
        std::istringstream line{row};
        std::string word;
        line >> word;
        if (word == "graph") {
            line >> word;  // the scale
            graph.width = in_points(line) + 2 * picture_margin;
            graph.height = in_points(line) + 2 * picture_margin;
        } else if (word == "stop") {
            draw_frames(graph);
            return true;
        } else if (!(word == "node" ? take_node(line, graph) : take_edge(line, graph, edges))) {
            return false;
        }
    }
    return false;
}

std::string lay_out(NetworkGraph& graph) {
    if (graph.nodes.empty()) {
        return "the network has no operator";
    }
    if (graph.nodes.size() > most_laid_out) {
        return fmt::format("{} operators are too many for a picture, which has {} at most",
                           graph.nodes.size(),
                           most_laid_out);
    }
    const process::TemporaryFolder folder;
    const std::filesystem::path input = folder.path() / "graph.dot";
    const std::filesystem::path output = folder.path() / "graph.plain";
    process::write_whole(input, dot_text(graph));
    process::Subprocess dot{{"timeout",
                             std::to_string(most_seconds),
                             "dot",
                             "-Tplain",
                             "-y",
                             "-o",
                             output.string(),
                             input.string()}};
    constexpr int too_long = 124;   // of the program `timeout`
    constexpr int not_found = 127;  // of the same
    switch (dot.wait()) {
        case 0:
            break;
        case too_long:
            return fmt::format("Graphviz did not lay it out within {} s", most_seconds);
        case not_found:
            return "Graphviz's program 'dot' lays graphs out and is not installed (Debian: graphviz)";
        default:
            return fmt::format("Graphviz failed: {}", dot.output().substr(0, 200));
    }
    NetworkGraph laid_out = graph;
    if (!take_layout(laid_out, process::text_of(output))) {
        return "Graphviz's answer is not whole";
    }
    graph = std::move(laid_out);
    return {};
}

}  // namespace ascendsim::report
