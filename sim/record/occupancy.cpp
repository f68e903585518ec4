// SPDX-License-Identifier: Apache-2.0
#include "sim/record/occupancy.hpp"

namespace ascendsim::record {

Occupancy occupancy(const Recording& recording, std::uint32_t lane, std::uint64_t from, std::uint64_t to) {
    Occupancy result;
    for_each_stretch(recording, lane, from, to, [&](const Stretch& stretch) {
        result.add(stretch.reason, stretch.end - stretch.start);
    });
    return result;
}

Occupancy occupancy(const Recording& recording, std::uint32_t lane) {
    return occupancy(recording, lane, 0, recording.cycles());
}

}  // namespace ascendsim::record
