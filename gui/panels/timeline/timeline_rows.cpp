// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/timeline/timeline_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ascendsim::gui {
namespace {

std::string kind_of(const std::string& core) {
    return core.substr(0, core.find_first_of("0123456789"));
}

}  // namespace

void TimelineRows::arrange(const Run& run, float lane_height, float scale, int copies) {
    if (run.cores().size() != known_cores_) {
        std::set<std::string> kinds;
        for (const CoreLanes& core : run.cores()) {
            const bool first_of_kind = kinds.insert(kind_of(core.name)).second;
            if (all_.insert(core.core_index).second && (first_of_kind || run.cores().size() <= 3)) {
                open_.insert(core.core_index);
            }
        }
        known_cores_ = run.cores().size();
    }
    rows_.clear();
    float top = 0;
    const auto add = [&](std::size_t core, std::optional<std::uint32_t> lane, float height) {
        rows_.push_back({core, lane, top, height});
        top += height;
    };
    for (std::size_t n = 0; n < run.cores().size(); ++n) {
        const CoreLanes& core = run.cores()[n];
        const bool open = !folded(core.core_index);
        const auto strips = static_cast<float>(copies) * static_cast<float>(core.lanes.size());
        add(n,
            std::nullopt,
            open ? std::round(19 * scale)
                 : std::max(std::round(19 * scale), strips * std::round(3 * scale) + 4));
        for (const std::uint32_t lane : core.lanes) {
            if (open) {
                add(n, lane, static_cast<float>(copies) * std::round(lane_height * scale));
            }
        }
    }
}

const TimelineRow* TimelineRows::at(float y) const {
    const auto found = std::ranges::upper_bound(rows_, y, {}, &TimelineRow::top);
    if (found == rows_.begin() || y >= height()) {
        return nullptr;
    }
    return &*(found - 1);
}

const TimelineRow* TimelineRows::of_lane(std::uint32_t lane) const {
    const auto found = std::ranges::find_if(rows_, [&](const TimelineRow& row) { return row.lane == lane; });
    return found == rows_.end() ? nullptr : &*found;
}

void TimelineRows::toggle(std::uint32_t core_index) {
    if (open_.erase(core_index) == 0) {
        open_.insert(core_index);
    }
}

void TimelineRows::set_all(bool open) {
    open_ = open ? all_ : std::set<std::uint32_t>{};
}

void TimelineRows::reveal(const Run& run, std::uint32_t lane) {
    if (lane < run.recording().lanes().size()) {
        open_.insert(run.recording().lane(lane).info.core_index);
    }
}

}  // namespace ascendsim::gui
