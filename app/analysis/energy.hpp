// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace ascendsim::analysis {

/// What a run did that takes energy, over all cores.
struct EnergyUse {
    double us = 0;
    double cube_cycles = 0;  // busy, summed over the units; so the next two
    double vector_cycles = 0;
    double scalar_cycles = 0;
    double local_bytes = 0;  // between memories of a core
    double l2_bytes = 0;     // between cores and L2
    double hbm_bytes = 0;
    double link_bytes = 0;  // to and from other chips and the host

    /// Adds what another one did, but not its time.
    void add_work(const EnergyUse& other);
};

/// The energy of one kind of work.
struct EnergyPart {
    std::string_view name;  // as the group of power parameters
    double joules = 0;
    double spread = 0;  // J, either way
};

/// What a run takes, and how sure that is.
struct Energy {
    std::vector<EnergyPart> parts;  // those of PowerSpec, in its order
    double joules = 0;
    double spread = 0;     // J: those of the parts, taken as independent
    double average_w = 0;  // before the power limit
    double limit_w = 0;
    std::optional<double> limited_us;  // time of a run that slows down to the limit, if it is above

    /// One of the parts; of none if there is no such part.
    [[nodiscard]] EnergyPart part(std::string_view name) const;
};

/// Folds the parameters of metadata["power"] over what ran; nothing if the recording has none, or took no
/// time.
[[nodiscard]] std::optional<Energy> energy_of(const nlohmann::json& metadata, const EnergyUse& use);

/// The energy of a whole host program: `kernels` is what its kernels did, `timeline` is program.timeline of
/// the recording's totals. Its parts end with "host"; average_w and the limit are those of a device.
[[nodiscard]] std::optional<Energy> program_energy_of(const nlohmann::json& metadata,
                                                      const nlohmann::json& timeline,
                                                      EnergyUse kernels);

/// joules, spread_joules, average_w, limit_w, limited_us (null below the limit), parts.<name>.{joules,
/// spread_joules}.
[[nodiscard]] nlohmann::ordered_json to_json(const Energy& energy);

}  // namespace ascendsim::analysis
