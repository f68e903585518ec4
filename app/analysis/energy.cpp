// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/energy.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/analysis/machine/recorded_values.hpp"

namespace ascendsim::analysis {
namespace {

/// One group of power parameters: what its cost is counted in, and J for one of them at a cost of 1.
struct PartKind {
    std::string_view name;
    double EnergyUse::*amount;
    double joules;
};

constexpr std::array<PartKind, 8> part_kinds{{{"idle", &EnergyUse::us, 1e-6},           // W
                                              {"cube", &EnergyUse::cube_cycles, 1e-9},  // nJ
                                              {"vector", &EnergyUse::vector_cycles, 1e-9},
                                              {"scalar", &EnergyUse::scalar_cycles, 1e-9},
                                              {"local", &EnergyUse::local_bytes, 1e-12},  // pJ
                                              {"l2", &EnergyUse::l2_bytes, 1e-12},
                                              {"hbm", &EnergyUse::hbm_bytes, 1e-12},
                                              {"link", &EnergyUse::link_bytes, 1e-12}}};

double power_number(const nlohmann::json& values, std::string_view key) {
    const auto found = values.is_object() ? values.find(key) : values.end();
    return found != values.end() && found->is_number() ? found->get<double>() : 0;
}

nlohmann::json power_group(const nlohmann::json& power, std::string_view name) {
    const auto found = power.find(name);
    return found == power.end() ? nlohmann::json{} : *found;
}

}  // namespace

void EnergyUse::add_work(const EnergyUse& other) {
    cube_cycles += other.cube_cycles;
    vector_cycles += other.vector_cycles;
    scalar_cycles += other.scalar_cycles;
    local_bytes += other.local_bytes;
    l2_bytes += other.l2_bytes;
    hbm_bytes += other.hbm_bytes;
    link_bytes += other.link_bytes;
}

EnergyPart Energy::part(std::string_view name) const {
    const auto found = std::ranges::find(parts, name, &EnergyPart::name);
    return found == parts.end() ? EnergyPart{.name = name} : *found;
}

std::optional<Energy> energy_of(const nlohmann::json& metadata, const EnergyUse& use) {
    const auto power = metadata.is_object() ? metadata.find("power") : metadata.end();
    if (power == metadata.end() || !power->is_object() || !(use.us > 0)) {
        return std::nullopt;
    }
    Energy energy{.parts = {}, .limit_w = power_number(*power, "limit_w")};
    double squares = 0;
    for (const PartKind& kind : part_kinds) {
        const nlohmann::json values = power_group(*power, kind.name);
        EnergyPart part{.name = kind.name};
        part.joules = use.*kind.amount * kind.joules * power_number(values, "cost");
        part.spread = part.joules * power_number(values, "spread");
        energy.joules += part.joules;
        squares += part.spread * part.spread;
        energy.parts.push_back(part);
    }
    energy.spread = std::sqrt(squares);
    const double seconds = use.us * 1e-6;
    energy.average_w = energy.joules / seconds;
    const double idle_w = energy.parts.front().joules / seconds;
    if (energy.limit_w > idle_w && energy.average_w > energy.limit_w) {
        // The same work, spread over more time until what it adds to idle power fits.
        energy.limited_us = use.us * (energy.average_w - idle_w) / (energy.limit_w - idle_w);
    }
    return energy;
}

std::optional<Energy> program_energy_of(const nlohmann::json& metadata,
                                        const nlohmann::json& timeline,
                                        EnergyUse kernels) {
    const nlohmann::json& values = recorded_value(timeline, "energy");
    const auto devices = static_cast<double>(recorded_list(timeline, "devices").size());
    if (!values.is_object()) {
        return std::nullopt;
    }
    kernels.us = recorded_figure(timeline, "total_us") * devices;
    kernels.link_bytes = recorded_figure(values, "link_bytes");
    kernels.hbm_bytes += recorded_figure(values, "transfer_memory_bytes");
    std::optional<Energy> energy = energy_of(metadata, kernels);
    if (energy) {
        energy->limited_us.reset();  // when devices are above their limit, sums do not tell
        const EnergyPart host{.name = "host",
                              .joules = recorded_figure(values, "host_joules"),
                              .spread = recorded_figure(values, "host_spread_joules")};
        energy->joules += host.joules;
        energy->spread = std::hypot(energy->spread, host.spread);
        energy->parts.push_back(host);
    }
    return energy;
}

nlohmann::ordered_json to_json(const Energy& energy) {
    nlohmann::ordered_json parts;
    for (const EnergyPart& part : energy.parts) {
        parts[std::string{part.name}] = {{"joules", part.joules}, {"spread_joules", part.spread}};
    }
    nlohmann::ordered_json result{{"joules", energy.joules},
                                  {"spread_joules", energy.spread},
                                  {"average_w", energy.average_w},
                                  {"limit_w", energy.limit_w},
                                  {"limited_us", nullptr},
                                  {"parts", std::move(parts)}};
    if (energy.limited_us) {
        result["limited_us"] = *energy.limited_us;
    }
    return result;
}

}  // namespace ascendsim::analysis
