// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/record/lane_sums.hpp"
#include "sim/record/occupancy.hpp"

namespace ascendsim::analysis {

using record::outside_program;

/// True if the span stands for an instruction or a wait of a program, not for standing outside of one.
[[nodiscard]] inline bool in_program(const record::Lane& lane, std::size_t i) {
    return !outside_program(lane.reason[i]);
}

/// True if any instruction ran on the lane in [from, to).
[[nodiscard]] inline bool is_used(const record::Lane& lane,
                                  std::uint64_t from = 0,
                                  std::uint64_t to = ~std::uint64_t{0}) {
    for (std::size_t i = lane.first_ending_after(from); i < lane.size() && lane.start[i] < to; ++i) {
        if (in_program(lane, i)) {
            return true;
        }
    }
    return false;
}

}  // namespace ascendsim::analysis
