// SPDX-License-Identifier: Apache-2.0
#include "app/networks/figures_of.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "app/networks/graph_layout.hpp"
#include "app/networks/operator_lines.hpp"
#include "networks/run/task_plan.hpp"

namespace ascendsim::report {
namespace {

using analysis::NetworkFigures;
using analysis::NetworkFrame;
using analysis::NetworkGraph;
using analysis::NetworkKind;
using analysis::NetworkNode;
using networks::PlannedNode;
using networks::Task;
using Nodes = std::vector<const PlannedNode*>;

/// Results that are known before the network runs: nothing of it is to be seen.
bool is_folded(const PlannedNode& node) {
    return node.tasks.empty() && node.refusal.empty() && !node.results.empty() &&
           std::ranges::all_of(node.results, [](const networks::Tensor& tensor) { return tensor.known(); });
}

std::string shapes_of(const PlannedNode& node) {
    std::string text;
    for (const networks::Tensor& tensor : node.results) {
        text += (text.empty() ? "" : ", ") + tensor.text();
    }
    return text;
}

NetworkNode node_of(const Line& line) {
    const auto on_host = [](const Task& task) { return bool{task.on_host}; };
    return {.name = title(*line.node),
            .kind = line.node->op,
            .shapes = shapes_of(*line.node),
            .kernel = line.problem,
            .limit = limit_of(line),
            .note = line.node->note,
            .error = line.error,
            .time_us = line.error.empty() ? line.time_us : 0,
            .core_us = line.error.empty() ? line.core_us : 0,
            .hbm_bytes = line.error.empty() ? line.hbm_bytes : 0,
            .kernels = line.node->tasks.size() -
                       static_cast<std::uint64_t>(std::ranges::count_if(line.node->tasks, on_host))};
}

/// The nodes of a plan that a graph shows, with an edge for each pair of which one reads what the other
/// makes.
struct Drawn {
    NetworkGraph graph;
    Nodes nodes;
    std::vector<std::size_t> lines;  // the index of each among all
};

Drawn drawn(const std::vector<Line>& lines) {
    Drawn result;
    std::map<std::string, std::size_t> makers;
    std::set<std::pair<std::size_t, std::size_t>> known;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const PlannedNode& node = *lines[i].node;
        if (is_folded(node)) {
            continue;
        }
        const std::size_t number = result.nodes.size();
        result.graph.nodes.push_back(node_of(lines[i]));
        result.graph.time_us += result.graph.nodes.back().time_us;
        result.nodes.push_back(&node);
        result.lines.push_back(i);
        for (const std::string& input : node.inputs) {
            const auto maker = makers.find(input);
            if (maker != makers.end() && known.emplace(maker->second, number).second) {
                result.graph.edges.push_back({.from = maker->second, .to = number, .points = {}});
            }
        }
        for (const std::string& output : node.outputs) {
            makers[output] = number;
        }
    }
    return result;
}

std::vector<NetworkKind> kinds_by_time(const std::vector<Line>& lines) {
    std::vector<NetworkKind> kinds;
    for (const auto& [op, kind] : kinds_of(lines)) {
        kinds.push_back({.kind = op,
                         .count = kind.count,
                         .kernels = kind.tasks,
                         .time_us = kind.time_us,
                         .hbm_bytes = kind.hbm_bytes});
    }
    std::ranges::stable_sort(kinds, std::ranges::greater{}, &NetworkKind::time_us);
    return kinds;
}

NetworkFigures totals_of(const NetworkRun& run, const std::vector<Line>& lines) {
    const Line total = total_of(lines);
    return {.name = run.name,
            .chip = run.chip,
            .complete = refused_of(lines) == 0,
            .time_us = total.time_us,
            .core_us = total.core_us,
            .flops = total.flops,
            .hbm_bytes = total.hbm_bytes,
            .moved_bytes = total.moved_bytes,
            .kernels = kernels_of(lines),
            .weight_bytes = static_cast<double>(run.plan.weight_bytes),
            .input_bytes = static_cast<double>(run.plan.input_bytes),
            .peak_bytes = static_cast<double>(run.memory.peak_bytes),
            .peak_operator = run.memory.peak_node,
            .kinds = kinds_by_time(lines),
            .graph = {},
            .before = {},
            .no_picture = {},
            .fusion = nlohmann::json::parse(run.fusion.dump())};
}

/// The graph that the file states, with a frame around operators that one stands for.
NetworkGraph before_of(const Unfused& before, const Drawn& after) {
    Drawn result = drawn(lines_of(before.plan, before.results));
    find_parts(result.graph, result.nodes, after.nodes);
    std::vector<std::size_t> parts(after.nodes.size());
    for (const NetworkNode& node : result.graph.nodes) {
        if (node.part_of) {
            ++parts[*node.part_of];
        }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] > 1) {
            result.graph.frames.push_back(NetworkFrame{.stands = i, .low = {}, .high = {}});
        }
    }
    return std::move(result.graph);
}

void add_sources(NetworkPicture& picture, const Drawn& shown, const ChipSpec& chip) {
    for (std::size_t i = 0; i < shown.nodes.size(); ++i) {
        for (const Task& task : shown.nodes[i]->tasks) {
            if (task.loop != nullptr && picture.figures.graph.nodes[i].error.empty()) {
                networks::loops::Kernel kernel = networks::loops::generate(*task.loop, chip, task.tiling);
                const std::string name = networks::source_name(kernel);
                picture.figures.graph.nodes[i].source = name;
                picture.sources.emplace(name, std::move(kernel.source));
            }
        }
    }
}

}  // namespace

void find_parts(NetworkGraph& before, const Nodes& nodes, const Nodes& after) {
    std::map<std::string, std::size_t> makers;
    std::map<std::string, std::size_t> kept;  // tensors that are still there, and who makes them now
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::string& output : nodes[i]->outputs) {
            makers[output] = i;
        }
    }
    for (std::size_t i = 0; i < after.size(); ++i) {
        for (const std::string& output : after[i]->outputs) {
            kept.emplace(output, i);
        }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::string& output : nodes[i]->outputs) {
            if (const auto now = kept.find(output); now != kept.end()) {
                before.nodes[i].part_of = now->second;
            }
        }
    }
    std::vector<std::size_t> found;  // from each result that is kept back to others that are not
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (before.nodes[i].part_of) {
            found.push_back(i);
        }
    }
    while (!found.empty()) {
        const std::size_t of = found.back();
        found.pop_back();
        for (const std::string& input : nodes[of]->inputs) {
            const auto maker = makers.find(input);
            if (maker != makers.end() && !before.nodes[maker->second].part_of) {
                before.nodes[maker->second].part_of = before.nodes[of].part_of;
                found.push_back(maker->second);
            }
        }
    }
}

NetworkPicture picture_of(const NetworkRun& run, const ChipSpec& chip) {
    const std::vector<Line> lines = lines_of(run.plan, run.results);
    NetworkPicture picture{.figures = totals_of(run, lines), .sources = {}};
    NetworkFigures& figures = picture.figures;
    Drawn shown = drawn(lines);
    if (run.before) {
        figures.before = before_of(*run.before, shown);
    }
    figures.graph = std::move(shown.graph);
    std::uint64_t spans = 0;
    for (std::size_t i = 0; i < figures.graph.nodes.size(); ++i) {
        NetworkNode& node = figures.graph.nodes[i];
        if (run.memory.alive_bytes.size() == lines.size()) {
            node.alive_bytes = static_cast<double>(run.memory.alive_bytes[shown.lines[i]]);
        }
        if (node.time_us > 0) {
            node.span = spans++;
        }
    }
    add_sources(picture, shown, chip);
    figures.no_picture = lay_out(figures.graph);
    if (figures.no_picture.empty() && figures.before) {
        figures.no_picture = lay_out(*figures.before);
    }
    return picture;
}

}  // namespace ascendsim::report
