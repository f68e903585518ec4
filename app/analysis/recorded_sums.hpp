// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/record/lane_sums.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// What the spans of a lane of a recording add up to in [from, to).
[[nodiscard]] record::LaneSums sums_of_lane(const record::Recording& recording,
                                            const record::Lane& lane,
                                            std::uint64_t from,
                                            std::uint64_t to);

/// What the spans of each lane of a recording add up to in [from, to); spans that reach over an end are cut
/// there.
[[nodiscard]] std::vector<record::LaneSums> sums_of(const record::Recording& recording,
                                                    std::uint64_t from,
                                                    std::uint64_t to);

}  // namespace ascendsim::analysis
