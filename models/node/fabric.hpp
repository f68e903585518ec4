// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/node/node_spec.hpp"
#include "models/node/task_graph.hpp"

namespace ascendsim::node {

/// The links of a machine in a graph, made when first used. Devices are numbered through all servers.
class Fabric {
public:
    /// Both must outlive the fabric.
    Fabric(const NodeSpec& spec, TaskGraph& graph);

    /// The links from one device to another. Throws UserError if the node has none.
    [[nodiscard]] std::vector<LinkId> route(std::uint32_t from, std::uint32_t to);
    /// The same over RoCE, also within a server.
    [[nodiscard]] std::vector<LinkId> roce_route(std::uint32_t from, std::uint32_t to);
    /// The link between a device and its host, in one direction.
    [[nodiscard]] LinkId host_link(std::uint32_t device, bool to_device);

    [[nodiscard]] std::uint32_t server_of(std::uint32_t device) const {
        return device / spec_.devices.per_server;
    }

    /// Throws UserError unless the machine has the device.
    void check_device(std::uint32_t device) const;

    [[nodiscard]] const NodeSpec& spec() const { return spec_; }

    [[nodiscard]] TaskGraph& graph() { return graph_; }

private:
    enum class Kind : std::uint8_t { pair, port_out, port_in, package, nic_out, nic_in, host_in, host_out };

    struct Made {
        Kind kind;
        std::uint32_t from;
        std::uint32_t to;
        LinkId link;
    };

    /// What a link joins; those through switches join a device with all others.
    [[nodiscard]] static std::pair<LinkEnd, LinkEnd> ends_of(Kind kind, std::uint32_t from, std::uint32_t to);

    LinkId link(Kind kind, std::uint32_t from, std::uint32_t to, double gb_per_s);

    const NodeSpec& spec_;
    TaskGraph& graph_;
    std::vector<std::vector<Made>> made_;  // by device
};

}  // namespace ascendsim::node
