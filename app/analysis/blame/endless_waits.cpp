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
        const record::TrackPath& track = recording.lane(event.value("lane", 0U)).path;
        const std::string pipe = track.leaf();
        const auto cycle = event.value("cycle", std::uint64_t{0});
        const auto text = event.value("text", std::string{});
        auto wait = std::ranges::find_if(
            waits, [&](const EndlessWait& other) { return other.pipe == pipe && other.text == text; });
        if (wait == waits.end()) {
            wait = waits.insert(waits.end(),
                                {.cores = {}, .pipe = pipe, .text = text, .first = cycle, .last = cycle});
        }
        wait->cores.push_back(track.place());
        wait->first = std::min(wait->first, cycle);
        wait->last = std::max(wait->last, cycle);
    }
    return waits;
}

}  // namespace ascendsim::analysis
