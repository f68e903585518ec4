// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/blame/endless_waits.hpp"

#include <algorithm>

namespace ascendsim::analysis {

std::vector<EndlessWait> endless_waits(const RunSummary& summary, const record::Recording& recording) {
    std::vector<EndlessWait> waits;
    for (const nlohmann::json& event : summary.notes) {
        if (!event.is_object() || event.value("kind", std::string{}) != "never_set") {
            continue;
        }
        const record::LaneInfo& lane = recording.lane(event.value("lane", 0U)).info;
        const auto cycle = event.value("cycle", std::uint64_t{0});
        const auto text = event.value("text", std::string{});
        auto wait = std::ranges::find_if(
            waits, [&](const EndlessWait& other) { return other.pipe == lane.pipe && other.text == text; });
        if (wait == waits.end()) {
            wait = waits.insert(
                waits.end(), {.cores = {}, .pipe = lane.pipe, .text = text, .first = cycle, .last = cycle});
        }
        wait->cores.push_back(lane.core);
        wait->first = std::min(wait->first, cycle);
        wait->last = std::max(wait->last, cycle);
    }
    return waits;
}

}  // namespace ascendsim::analysis
