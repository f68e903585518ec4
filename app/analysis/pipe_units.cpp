// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/pipe_units.hpp"

#include <algorithm>

#include "app/analysis/lane_use.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::analysis {

std::string core_kind(std::string_view core) {
    return std::string{core.substr(0, std::min(core.find_first_of("0123456789"), core.size()))};
}

namespace {

template <class Used>
std::vector<PipeUnit> units_of(const record::Recording& recording, Used used) {
    std::vector<PipeUnit> units;
    for (const std::string_view pipe : pipe_names) {
        const std::size_t first = units.size();
        for (std::uint32_t number = 0; number < recording.lanes().size(); ++number) {
            const record::Lane& lane = recording.lane(number);
            if (lane.path.pipe() != pipe || !used(number)) {
                continue;
            }
            const std::string kind = core_kind(lane.path.core());
            auto unit = std::find_if(units.begin() + static_cast<std::ptrdiff_t>(first),
                                     units.end(),
                                     [&](const PipeUnit& known) { return known.cores == kind; });
            if (unit == units.end()) {
                unit = units.insert(units.end(), {std::string{pipe}, std::string{pipe}, kind, {}});
            }
            unit->lanes.push_back(number);
        }
        if (units.size() > first + 1) {
            for (std::size_t i = first; i < units.size(); ++i) {
                units[i].name = units[i].cores + "_" + units[i].pipe;
            }
        }
    }
    return units;
}

}  // namespace

std::vector<PipeUnit> pipe_units(const record::Recording& recording, std::uint64_t from, std::uint64_t to) {
    return units_of(recording, [&](std::uint32_t lane) { return is_used(recording.lane(lane), from, to); });
}

std::vector<PipeUnit> pipe_units(const record::Recording& recording,
                                 const std::vector<record::LaneSums>& sums) {
    return units_of(recording, [&](std::uint32_t lane) { return sums[lane].used(); });
}

}  // namespace ascendsim::analysis
