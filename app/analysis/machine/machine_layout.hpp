// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// What a link joins.
enum class LinkEnd : std::uint8_t { device, host, network };

/// One end of a link; the number is that of the device, through all servers.
struct LinkPlace {
    LinkEnd kind = LinkEnd::network;
    std::uint32_t number = 0;
};

/// One direction of a link.
struct MachineLink {
    std::string track;  // of the recording: "link:pair 0 1"
    LinkPlace from;
    LinkPlace to;
    double gb_per_s = 0;
};

/// The machine that a recording ran on: servers with as many devices each, and the links that were used.
struct MachineLayout {
    std::string title;
    std::uint32_t servers = 1;
    std::uint32_t per_server = 1;
    std::vector<MachineLink> links;

    [[nodiscard]] std::uint32_t devices() const { return servers * per_server; }
};

/// As `machine` in a recording's metadata has it.
[[nodiscard]] nlohmann::json to_json(const MachineLayout& machine);

/// Reads what to_json() wrote; links of devices that are none are left out.
[[nodiscard]] MachineLayout machine_from_json(const nlohmann::json& values);

/// The machine of a recording, or nothing if it says nothing of one.
[[nodiscard]] std::optional<MachineLayout> machine_of(const record::Recording& recording);

}  // namespace ascendsim::analysis
