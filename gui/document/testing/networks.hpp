// SPDX-License-Identifier: Apache-2.0
// Recordings of networks made by hand, for tests of the dashboard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "app/analysis/network_figures.hpp"
#include "gui/document/testing/runs.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::gui {

/// A network of `layers` equal layers: MatMul, then Add, Relu and Mul, which one kernel stands for. All times
/// are of round numbers at 1 GHz: a MatMul takes 8 us, a fused kernel 2 us, each of its parts 1 us.
inline analysis::NetworkFigures layered_network(std::size_t layers) {
    using analysis::NetworkEdge;
    using analysis::NetworkGraph;
    using analysis::NetworkNode;
    analysis::NetworkFigures figures{.name = "layers", .chip = "round"};
    NetworkGraph& after = figures.graph;
    NetworkGraph before;
    const auto add = [](NetworkGraph& graph, NetworkNode node, double x) {
        const std::size_t number = graph.nodes.size();
        node.centre = {x, 30 + 70.0 * static_cast<double>(number)};
        node.width = 158;
        node.height = 40;
        graph.time_us += node.time_us;
        graph.height = node.centre.y + 30;
        graph.width = 340;
        graph.nodes.push_back(std::move(node));
        if (number > 0) {
            const analysis::GraphPoint from{graph.nodes[number - 1].centre.x,
                                            graph.nodes[number - 1].centre.y + 20};
            const analysis::GraphPoint to{x, graph.nodes[number].centre.y - 20};
            graph.edges.push_back(
                NetworkEdge{.from = number - 1,
                            .to = number,
                            .points = {from, {from.x, from.y + 15}, {to.x, to.y - 15}, to}});
        }
    };
    for (std::size_t i = 0; i < layers; ++i) {
        const std::string name = fmt::format("encoder.layer.{}.attention.output", i);
        const NetworkNode matmul{.name = name + ".dense",
                                 .kind = "MatMul",
                                 .shapes = "float16 [128, 768]",
                                 .kernel = "MatMul 128 x 768 x 768 (m, n, k)",
                                 .limit = "aic_mte2 85.5 %",
                                 .time_us = 8,
                                 .core_us = 7,
                                 .hbm_bytes = 1e6,
                                 .alive_bytes = 2e5,
                                 .kernels = 1};
        add(after, matmul, 120);
        after.nodes.back().span = 2 * i;
        add(before, matmul, 120);
        before.nodes.back().part_of = 2 * i;
        add(after,
            {.name = name + ".bias + " + name + ".scale",
             .kind = "Add + Relu + Mul",
             .limit = "aiv_vector 66.4 %",
             .source = "fused_add_relu_mul.cpp",
             .time_us = 2,
             .core_us = 1.5,
             .kernels = 1,
             .span = 2 * i + 1},
            220);
        const std::size_t first = before.nodes.size();
        for (const char* kind : {"Add", "Relu", "Mul"}) {
            add(before,
                {.name = fmt::format("{}.{}", name, kind),
                 .kind = kind,
                 .limit = "launch",
                 .time_us = 1,
                 .core_us = 0.4,
                 .kernels = 1,
                 .part_of = 2 * i + 1},
                220);
        }
        before.frames.push_back({.stands = 2 * i + 1,
                                 .low = {220 - 87, before.nodes[first].centre.y - 28},
                                 .high = {220 + 87, before.nodes.back().centre.y + 28}});
    }
    const auto count = static_cast<double>(layers);
    figures.time_us = 10 * count;
    figures.core_us = 8.5 * count;
    figures.kernels = 2 * layers;
    figures.recorded = layers;
    figures.hbm_bytes = 1e6 * count;
    figures.weight_bytes = 1.2e6 * count;
    figures.peak_bytes = layers == 0 ? 0 : 2e5;
    figures.peak_operator = layers == 0 ? "" : after.nodes[0].name;
    if (layers > 0) {
        figures.kinds = {{"MatMul", layers, layers, 8 * count, 1e6 * count},
                         {"Add + Relu + Mul", layers, layers, 2 * count, 0}};
        figures.before = std::move(before);
    } else {
        figures.no_picture = "the network has no operator";
    }
    return figures;
}

/// Writes the recording of a network; of its kernels only the fused ones have a pipe of a core.
inline void record_network(const std::filesystem::path& file, const analysis::NetworkFigures& figures) {
    record::Recorder recorder{file};
    recorder.metadata({{"title", figures.name},
                       {"mode", "timing"},
                       {"chip", round_chip()},
                       {"sources", {{"fused_add_relu_mul.cpp", "// Add, Relu and Mul\nvoid fused();\n"}}},
                       {"network", analysis::to_json(figures)}});
    const std::uint32_t operators = recorder.lane(analysis::operators_track());
    const std::uint32_t kernels = recorder.lane(analysis::kernels_track());
    const std::uint32_t vector = recorder.lane({{record::TrackKind::device, 0},
                                                {record::TrackKind::group, 0},
                                                {record::TrackKind::core, "aiv0"},
                                                {record::TrackKind::pipe, "vector"}});
    std::uint64_t now = 0;
    for (const analysis::NetworkNode& node : figures.graph.nodes) {
        const auto end = now + static_cast<std::uint64_t>(node.time_us * 1000);
        const auto put = [&](std::uint32_t lane, std::uint64_t from, const std::string& what, bool waits) {
            recorder.span(lane,
                          {.issue = from,
                           .start = from,
                           .end = end,
                           .complete = end,
                           .op = recorder.op(what),
                           .site = node.source.empty() ? 0 : recorder.site("fused_add_relu_mul.cpp", 2),
                           .reason = waits ? record::Reason::unused : record::Reason::none});
        };
        put(operators, now, fmt::format("{} '{}'", node.kind, node.name), false);
        put(kernels, now + 200, node.source.empty() ? "matmul" : "fused_add_relu_mul", false);
        put(vector, now, node.source.empty() ? "not recorded" : "vadd", node.source.empty());
        now = end;
    }
    recorder.finish({{"cycles", now}, {"time_us", figures.time_us}, {"cores_used", 1}});
}

}  // namespace ascendsim::gui
