// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/report/style.hpp"
#include "models/node/node_spec.hpp"
#include "networks/fusion/decision.hpp"
#include "networks/run/network_plan.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::report {

/// A network as its file states it, where it was fused: what it would have taken.
struct Unfused {
    networks::NetworkPlan plan;
    std::vector<networks::TaskResult> results;  // of the nodes' tasks, in order
};

/// What calls the kernels of a network: one device's share of a server.
struct NetworkHost {
    node::NodeSpec node;
    node::HostSpec host;
};

/// A network with what the simulation of its tasks found.
struct NetworkRun {
    std::string name;
    std::string chip;
    networks::NetworkPlan plan;
    std::vector<networks::TaskResult> results;  // of the nodes' tasks, in order
    networks::MemoryPlan memory;
    nlohmann::ordered_json fusion{};    // of fusion_json(); null: nothing was fused
    nlohmann::ordered_json numerics{};  // of compute_network(); null: times alone
    std::vector<networks::Decision> decisions{};
    std::vector<networks::NotJoined> not_joined{};
    std::optional<Unfused> before{};       // of a fused network, if a picture of it is wanted
    nlohmann::ordered_json training{};     // of training_json(); null: inference
    nlohmann::ordered_json stability{};    // of train_network(); null: a single step
    nlohmann::ordered_json compression{};  // of compression_json(); null: as the file has it
    nlohmann::json power{};                // the chip's PowerSpec as JSON; null: energy is not asked for
    std::optional<NetworkHost> host{};     // what calls its kernels, for its energy
};

/// Prints totals, time by kind of operator, the longest operators, and what stands in the way.
void print_network(std::ostream& out, const NetworkRun& run, const Style& style);

/// A network at one batch.
struct BatchRun {
    std::uint64_t batch = 1;
    NetworkRun run;
};

/// Prints a line for each batch: time, time of an element of the batch, rate, memory.
void print_batches(std::ostream& out, const std::vector<BatchRun>& runs, const Style& style);

/// `network`, `chip` and `batches`: each `batch`, `us_per_element`, `elements_per_s`, and what to_json() has
/// of its run.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<BatchRun>& runs);

/// `network`, `chip`, `totals`, `kinds`, `operators` and `refused`; `training`, `stability`, `fusion` and
/// `numerics` if there are any.
[[nodiscard]] nlohmann::ordered_json to_json(const NetworkRun& run);

/// The tasks in the columns of the vendor's profiler (kernel_details.csv).
[[nodiscard]] std::string kernel_details(const NetworkRun& run);

/// The tasks one after the other, as Chrome trace JSON.
[[nodiscard]] nlohmann::ordered_json chrome_trace(const NetworkRun& run);

}  // namespace ascendsim::report
