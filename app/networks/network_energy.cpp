// SPDX-License-Identifier: Apache-2.0
#include "app/networks/network_energy.hpp"

#include "models/node/call_sums.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/config/fields.hpp"

namespace ascendsim::report {

analysis::EnergyUse energy_use(const networks::TaskResult& task) {
    return {.us = task.time_us,
            .cube_cycles = task.cube_cycles,
            .vector_cycles = task.vector_cycles,
            .scalar_cycles = task.scalar_cycles,
            .local_bytes = task.moved_bytes,  // what comes from L2 moves on once
            .l2_bytes = task.moved_bytes,
            .hbm_bytes = task.hbm_read_bytes + task.hbm_write_bytes};
}

double dynamic_joules(const networks::TaskResult& task, const nlohmann::json& metadata) {
    const auto energy = analysis::energy_of(metadata, energy_use(task));
    return energy ? energy->joules - energy->parts.front().joules : 0;
}

void finish(NetworkRun& run,
            const networks::Graph& graph,
            const std::string& chip,
            const std::filesystem::path& chips) {
    run.memory = networks::plan_memory(run.plan, graph.outputs);
    PowerSpec power = open_chip(chip.empty() ? "910b3" : chip, chips).power;
    run.power = ascendsim::to_json(fields_of(power));
}

std::optional<analysis::Energy> energy_of(const NetworkRun& run) {
    if (run.power.is_null()) {
        return std::nullopt;
    }
    analysis::EnergyUse all;
    for (const networks::TaskResult& task : run.results) {
        const analysis::EnergyUse use = energy_use(task);
        all.us += use.us;
        all.cube_cycles += use.cube_cycles;
        all.vector_cycles += use.vector_cycles;
        all.scalar_cycles += use.scalar_cycles;
        all.local_bytes += use.local_bytes;
        all.l2_bytes += use.l2_bytes;
        all.hbm_bytes += use.hbm_bytes;
    }
    return analysis::energy_of({{"power", run.power}}, all);
}

std::optional<node::HostEnergy> host_energy_of(const NetworkRun& run) {
    if (!run.host) {
        return std::nullopt;
    }
    node::CallSums calls;
    double us = 0;
    for (const networks::TaskResult& task : run.results) {
        if (task.time_us > 0) {
            calls.add(run.host->host, node::IssueMode::launch, task.time_us);
            us += task.time_us;
        }
    }
    return node::host_energy(
        run.host->node, run.host->host, node::picoseconds(calls.host_us()), node::picoseconds(us), 1);
}

std::vector<double> joules_of_operators(const NetworkRun& run) {
    std::vector<double> joules;
    if (run.power.is_null()) {
        return joules;
    }
    const nlohmann::json metadata{{"power", run.power}};
    auto result = run.results.begin();
    for (const networks::PlannedNode& node : run.plan.nodes) {
        double sum = 0;
        for (std::size_t i = 0; i < node.tasks.size(); ++i, ++result) {
            const auto energy = analysis::energy_of(metadata, energy_use(*result));
            sum += energy ? energy->joules : 0;
        }
        joules.push_back(sum);
    }
    return joules;
}

}  // namespace ascendsim::report
