// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// The stretch of two runs in which one fell behind the other most.
struct ChangedRegion {
    std::uint64_t from_a = 0;  // cycle
    std::uint64_t from_b = 0;
    std::uint64_t length = 0;  // of either, so that both are drawn at one scale
    std::int64_t slip = 0;     // cycles that `b` lost within it; negative if it gained
};

/// Follows the instructions that both runs have on the lane whose end moved most, and finds the twelfth of
/// them over which the second run lost, or gained, most. None if no instruction moved.
[[nodiscard]] std::optional<ChangedRegion> changed_region(const record::Recording& a,
                                                          const record::Recording& b);

}  // namespace ascendsim::analysis
