// SPDX-License-Identifier: Apache-2.0
#include "app/networks/network_figures.hpp"

#include <algorithm>
#include <iterator>

#include "app/networks/fuse_network.hpp"
#include "app/networks/operator_lines.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/run/wide_ranges.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::report {

NetworkRun timed_network(const FiguredNetwork& network,
                         const ChipSpec& chip,
                         const toolchain::Installation& installation,
                         const networks::TaskOptions& options) {
    networks::Graph graph = networks::read_onnx(network.file);
    for (networks::Input& input : graph.inputs) {
        input.type = input.type == isa::DataType::half ? network.type : input.type;
    }
    const auto shapes = networks::bind_inputs(graph, network.extents, 1);
    const networks::Lowering lowering{.precision = network.precision, .chip = chip};
    graph = networks::with_wide_ranges(std::move(graph), shapes, lowering);
    const networks::TimeTasks time = [&](const std::vector<networks::Task>& tasks) {
        return networks::run_tasks(tasks, chip, installation, options);
    };
    const networks::NetworkPlan plan = networks::plan_network(graph, shapes, lowering);
    FusedNetwork fused = fuse_network({graph, shapes, lowering}, plan, fusing_of(network.fuse), time);
    NetworkRun run{
        .name = graph.name, .chip = chip.name, .plan = std::move(fused.plan), .results = {}, .memory = {}};
    run.memory = networks::plan_memory(run.plan, graph.outputs);
    std::vector<networks::Task> tasks;
    for (networks::PlannedNode& node : run.plan.nodes) {
        std::erase_if(node.tasks, [](const networks::Task& task) { return !task.timed; });
        std::ranges::copy(node.tasks, std::back_inserter(tasks));
    }
    run.results = time(tasks);
    for (const Line& line : lines_of(run.plan, run.results)) {
        if (!line.error.empty()) {
            throw UserError{"{}: {}: {}", network.file.string(), line.node->op, line.error};
        }
    }
    return run;
}

std::map<std::string, double> network_figures(const FiguredNetwork& network,
                                              const ChipSpec& chip,
                                              const toolchain::Installation& installation,
                                              const networks::TaskOptions& options) {
    const nlohmann::ordered_json json = to_json(timed_network(network, chip, installation, options));
    std::map<std::string, double> figures = json["totals"].get<std::map<std::string, double>>();
    figures["peak_bytes"] = json["memory"]["peak_bytes"].get<double>();
    return figures;
}

}  // namespace ascendsim::report
