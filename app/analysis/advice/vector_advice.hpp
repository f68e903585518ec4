// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/advice/remedies.hpp"
#include "app/analysis/advice/vector_loss.hpp"

namespace ascendsim::analysis {

/// What to do about one loss of the vector unit.
struct VectorRemedy {
    VectorLoss loss = VectorLoss::none;
    Remedy remedy;
    std::string evidence;  // how the unit's cycles split, and the line that loses most
    double share = 0;      // of the unit's busy cycles
    std::uint32_t op = 0;  // the instruction and line that lose most
    std::uint32_t site = 0;
};

/// What helps against each loss that takes more than a hundredth of the unit's time, the largest first. The
/// recording's totals name the operands whose blocks collide.
[[nodiscard]] std::vector<VectorRemedy> vector_remedies(const VectorUses& uses,
                                                        const record::Recording& recording,
                                                        const ChipNumbers& chip);

}  // namespace ascendsim::analysis
