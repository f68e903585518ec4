// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/document/run.hpp"
#include "gui/document/selection.hpp"

namespace ascendsim::gui {

/// How fast one direction of a link flows.
struct LinkFlow {
    std::string name;  ///< "from the host", or the link's own
    double gb_per_s = 0;
    double share = 0;  ///< of its rate; 0 if that is not known
};

/// A link between two devices of a server.
struct LinkMoment {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    LinkFlow flow;
};

/// One device around a moment.
struct DeviceMoment {
    std::uint32_t number = 0;
    double busy = 0;              ///< share of the window that its busiest stream worked
    std::string doing;            ///< what its main stream does at the moment, or another, if that waits
    std::vector<LinkFlow> flows;  ///< from and to its host and the network
    std::optional<std::uint32_t> stream;  ///< the lane that worked most in the whole run
};

/// One server around a moment.
struct NodeMoment {
    std::vector<DeviceMoment> devices;
    std::vector<LinkMoment> links;
    std::size_t threads = 0;  ///< of its host
    double host_busy = 0;     ///< of the busiest of them
    bool any_rate = false;    ///< whether rates of links are known
};

/// Where the tracks of a machine's devices, hosts and links are; looked up once for a run.
class NodeIndex {
public:
    void follow(const Run& run);

    [[nodiscard]] std::uint32_t servers() const { return servers_; }

    /// Streams and copy engines of a device.
    [[nodiscard]] const std::vector<std::uint32_t>& streams_of(std::uint32_t device) const;
    [[nodiscard]] NodeMoment moment_of(
        const Run& run, std::uint32_t server, double cycle, double window, const Theme& theme) const;
    /// How busy the main streams of a server's devices are in a window, on average.
    [[nodiscard]] double heat_of(const Run& run, std::uint32_t server, TimeRange window) const;

private:
    struct LinkLane {
        const analysis::MachineLink* link = nullptr;  // of data_
        std::uint32_t lane = 0;
    };

    [[nodiscard]] std::vector<std::uint32_t> devices_of(std::uint32_t server) const;
    [[nodiscard]] std::optional<std::uint32_t> main_stream(const Run& run, std::uint32_t device) const;
    [[nodiscard]] double busy_of(const Run& run, std::uint32_t device, TimeRange window) const;

    std::shared_ptr<const RunData> data_;
    std::uint32_t servers_ = 0;
    std::uint32_t per_server_ = 1;
    std::vector<std::vector<std::uint32_t>> streams_;  // by device
    std::vector<std::optional<std::uint32_t>> mains_;  // the busiest of these in the whole run
    std::vector<std::vector<std::uint32_t>> threads_;  // by server
    std::vector<LinkLane> links_;
};

}  // namespace ascendsim::gui
