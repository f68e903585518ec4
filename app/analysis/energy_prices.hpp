// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "app/analysis/energy.hpp"

namespace ascendsim::analysis {

/// What work costs, J for each of what EnergyUse counts, and W of an idle chip.
struct EnergyPrices {
    double idle_w = 0;
    double cube = 0;  // a busy cycle; so the next two
    double vector = 0;
    double scalar = 0;
    double local = 0;  // a byte; so the next two
    double l2 = 0;
    double hbm = 0;
    double limit_w = 0;

    /// J beyond an idle chip.
    [[nodiscard]] double of(const EnergyUse& use) const {
        return cube * use.cube_cycles + vector * use.vector_cycles + scalar * use.scalar_cycles +
               local * use.local_bytes + l2 * use.l2_bytes + hbm * use.hbm_bytes;
    }
};

/// The prices of metadata["power"]; nothing if the recording has none.
[[nodiscard]] std::optional<EnergyPrices> prices_of(const nlohmann::json& metadata);

}  // namespace ascendsim::analysis
