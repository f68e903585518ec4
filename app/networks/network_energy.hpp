// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/energy.hpp"
#include "app/networks/network_report.hpp"
#include "models/node/host_energy.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::report {

/// What a task did that takes energy.
[[nodiscard]] analysis::EnergyUse energy_use(const networks::TaskResult& task);

/// J of a task beyond what an idle chip takes; `metadata` holds the chip's "power". 0 if it does not.
[[nodiscard]] double dynamic_joules(const networks::TaskResult& task, const nlohmann::json& metadata);

/// Notes what a planned run needs besides its results: memory, and the power parameters of a chip, by its
/// name or file; of the 910B3 if that is empty.
void finish(NetworkRun& run,
            const networks::Graph& graph,
            const std::string& chip,
            const std::filesystem::path& chips);

/// The energy of a network whose run has power parameters.
[[nodiscard]] std::optional<analysis::Energy> energy_of(const NetworkRun& run);

/// What the host takes while the network runs once, beside that: a thread that calls each kernel through the
/// ACL, and the device's share of an idle server. Nothing if the run has no host.
[[nodiscard]] std::optional<node::HostEnergy> host_energy_of(const NetworkRun& run);

/// J of each node, an idle chip over its time included; they add up to that energy. Empty without power
/// parameters.
[[nodiscard]] std::vector<double> joules_of_operators(const NetworkRun& run);

}  // namespace ascendsim::report
