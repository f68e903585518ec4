// SPDX-License-Identifier: Apache-2.0
#include "models/node/host_energy.hpp"

namespace ascendsim::node {

HostEnergy host_energy(
    const NodeSpec& node, const HostSpec& host, Picoseconds busy, Picoseconds length, std::uint32_t devices) {
    constexpr double seconds = 1e-12;  // of a ps
    const double share = static_cast<double>(devices) / static_cast<double>(node.devices.per_server);
    HostEnergy energy{.busy_us = microseconds(busy)};
    energy.joules = seconds * (host.core_w * static_cast<double>(busy) +
                               host.idle_w * share * static_cast<double>(length));
    energy.spread = energy.joules * host.power_spread;
    return energy;
}

std::uint32_t memory_ends(const TaskGraph& graph, const Flow& flow) {
    if (flow.route.empty()) {
        return 0;
    }
    const bool read = graph.links()[index(flow.route.front())].from.kind == LinkEnd::Kind::device;
    const bool written = graph.links()[index(flow.route.back())].to.kind == LinkEnd::Kind::device;
    return (read ? 1U : 0U) + (written ? 1U : 0U);
}

}  // namespace ascendsim::node
