// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/machine/machine_layout.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "app/analysis/machine/recorded_values.hpp"

namespace ascendsim::analysis {
namespace {

constexpr std::uint64_t most_servers = 4096;
constexpr std::uint64_t most_per_server = 64;
constexpr std::size_t most_machine_links = 10'000;

std::string link_place_text(const LinkPlace& place) {
    return place.kind == LinkEnd::network
               ? "network"
               : fmt::format("{} {}", place.kind == LinkEnd::device ? "device" : "host", place.number);
}

std::optional<LinkPlace> link_place_from(const std::string& text, std::uint32_t devices) {
    if (text == "network") {
        return LinkPlace{};
    }
    const bool device = text.starts_with("device ");
    if (!device && !text.starts_with("host ")) {
        return std::nullopt;
    }
    std::uint32_t number = devices;
    std::from_chars(text.data() + text.find(' ') + 1, text.data() + text.size(), number);
    return number < devices ? std::optional{LinkPlace{device ? LinkEnd::device : LinkEnd::host, number}}
                            : std::nullopt;
}

}  // namespace

nlohmann::json to_json(const MachineLayout& machine) {
    nlohmann::json links = nlohmann::json::array();
    for (const MachineLink& link : machine.links) {
        links.push_back({{"track", link.track},
                         {"from", link_place_text(link.from)},
                         {"to", link_place_text(link.to)},
                         {"gb_per_s", link.gb_per_s}});
    }
    return {{"title", machine.title},
            {"servers", machine.servers},
            {"per_server", machine.per_server},
            {"links", std::move(links)}};
}

MachineLayout machine_from_json(const nlohmann::json& values) {
    const auto count = [&values](const char* key, std::uint64_t most) {
        return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(recorded_count(values, key), 1, most));
    };
    MachineLayout machine{.title = recorded_text(values, "title"),
                          .servers = count("servers", most_servers),
                          .per_server = count("per_server", most_per_server),
                          .links = {}};
    for (const auto& link : recorded_list(values, "links")) {
        const auto from = link_place_from(recorded_text(link, "from"), machine.devices());
        const auto to = link_place_from(recorded_text(link, "to"), machine.devices());
        if (from && to && machine.links.size() < most_machine_links) {
            machine.links.push_back({.track = recorded_text(link, "track"),
                                     .from = *from,
                                     .to = *to,
                                     .gb_per_s = recorded_figure(link, "gb_per_s")});
        }
    }
    return machine;
}

std::optional<MachineLayout> machine_of(const record::Recording& recording) {
    const nlohmann::json& values = recorded_value(recording.metadata(), "machine");
    return values.is_object() ? std::optional{machine_from_json(values)} : std::nullopt;
}

}  // namespace ascendsim::analysis
