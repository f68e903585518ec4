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

std::size_t strips_of(const TimelineCore& core) {
    constexpr std::size_t most_strips = 8;  // of tracks outside of cores
    return core.is_core() ? core.lanes.size() : std::min(core.lanes.size(), most_strips);
}

bool TimelineRows::is_shown(std::size_t group) const {
    const std::optional<std::size_t> above = cores_[group].inside;
    return !above || (open_.contains(cores_[*above].key) && is_shown(*above));
}

float TimelineRows::head_height(const TimelineCore& core, bool open, float scale) const {
    const float strips = static_cast<float>((of_b_ == nullptr ? 1U : 2U) * strips_of(core));
    const float least = std::round(19 * scale);
    return open ? least : std::max(least, strips * std::round(3 * scale) + 4);
}

void TimelineRows::unfold_new(const RowSpace& space) {
    const float lane = (of_b_ == nullptr ? 1.0F : 2.0F) * std::round(space.lane_height * space.scale);
    std::set<std::string> kinds;
    std::vector<const TimelineCore*> fresh;
    constexpr std::size_t few = 3;
    constexpr std::size_t most_unasked = 16;  // tracks that unfold although there is no room for all
    float height = 0;
    for (std::size_t n = 0; n < cores_.size(); ++n) {
        const TimelineCore& core = cores_[n];
        const bool is_new = seen_.insert(core.key).second;
        if (!is_shown(n)) {
            continue;
        }
        const bool first_of_kind = kinds.insert(kind_of(core.label)).second;
        const bool few_lanes = core.is_core() || core.lanes.size() <= most_unasked;
        if (is_new && (first_of_kind || cores_.size() <= few) && few_lanes) {
            open_.insert(core.key);
        } else if (is_new && !core.holds_others()) {
            fresh.push_back(&core);
        }
        const bool open = open_.contains(core.key) && !core.holds_others();
        height +=
            head_height(core, open, space.scale) + (open ? lane * static_cast<float>(core.lanes.size()) : 0);
    }
    for (const TimelineCore* core : fresh) {
        height += lane * static_cast<float>(core->lanes.size()) + head_height(*core, true, space.scale) -
                  head_height(*core, false, space.scale);
        if (height > space.room) {
            return;
        }
        open_.insert(core->key);
    }
}

void TimelineRows::arrange(const Run& run, const Run* other, const RowSpace& space) {
    const std::shared_ptr<const RunData> b = other == nullptr ? nullptr : other->data();
    if (of_a_ != run.data() || of_b_ != b) {
        of_a_ = run.data();
        of_b_ = b;
        cores_ = timeline_groups(run, other);
        unfold_new(space);
    }
    rows_.clear();
    float top = 0;
    const float lane_height = (b == nullptr ? 1.0F : 2.0F) * std::round(space.lane_height * space.scale);
    for (std::size_t n = 0; n < cores_.size(); ++n) {
        const TimelineCore& core = cores_[n];
        if (!is_shown(n)) {
            continue;
        }
        const bool open = open_.contains(core.key);
        rows_.push_back({n, true, {}, {}, top, head_height(core, open, space.scale)});
        top += rows_.back().height;
        for (const TimelineLane& lane : core.lanes) {
            if (open && !core.holds_others()) {
                rows_.push_back({n, false, lane.a, lane.b, top, lane_height});
                top += lane_height;
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

void TimelineRows::toggle(std::uint32_t key) {
    if (open_.erase(key) == 0) {
        open_.insert(key);
    }
}

void TimelineRows::set_all(bool open) {
    open_ = open ? seen_ : std::set<std::uint32_t>{};
}

void TimelineRows::reveal(const Run& run, std::uint32_t lane) {
    if (lane >= run.recording().lanes().size()) {
        return;
    }
    const std::uint32_t key = fold_key(run, lane);
    open_.insert(key);
    const auto found = std::ranges::find(cores_, key, &TimelineCore::key);
    for (auto above = found == cores_.end() ? std::nullopt : found->inside; above;
         above = cores_[*above].inside) {
        open_.insert(cores_[*above].key);
    }
}

}  // namespace ascendsim::gui
