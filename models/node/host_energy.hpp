// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/node/node_spec.hpp"
#include "models/node/task_graph.hpp"

namespace ascendsim::node {

/// What a host draws while its devices work.
struct HostEnergy {
    double busy_us = 0;  // of all threads together
    double joules = 0;
    double spread = 0;  // J, either way
};

/// Threads that are busy for `busy` in all, in a time of `length`. Of idle power, `devices` devices have
/// their share of a server's. A thread that waits for a device is not busy: it sleeps.
[[nodiscard]] HostEnergy host_energy(
    const NodeSpec& node, const HostSpec& host, Picoseconds busy, Picoseconds length, std::uint32_t devices);

/// How often a flow's bytes pass the memory of a device: they are read where its route begins at one, and
/// written where it ends at one.
[[nodiscard]] std::uint32_t memory_ends(const TaskGraph& graph, const Flow& flow);

}  // namespace ascendsim::node
