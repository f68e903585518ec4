// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sim/record/track_path.hpp"

namespace ascendsim::record {

/// Numbers the cores of a recording, over all devices, in the order of their first lanes.
class CoreNumbers {
public:
    /// The number of a lane's core; none for lanes outside of cores.
    std::optional<std::uint32_t> of(const TrackPath& lane) {
        if (!lane.on_core()) {
            return std::nullopt;
        }
        return numbers_.try_emplace(lane.core_path(), static_cast<std::uint32_t>(numbers_.size()))
            .first->second;
    }

private:
    std::map<TrackPath, std::uint32_t> numbers_;
};

}  // namespace ascendsim::record
