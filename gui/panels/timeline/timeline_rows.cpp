// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/timeline/timeline_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/analysis/network_figures.hpp"
#include "gui/document/alignment.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::uint32_t only_b = 1U << 31U;

std::string kind_of(const std::string& core) {
    return core.substr(0, core.find_first_of("0123456789"));
}

std::size_t pipe_order(const Run& a, const Run* b, const TimelineLane& lane) {
    const Run& run = lane.a ? a : *b;
    const auto found =
        std::ranges::find(pipe_names, run.recording().lane(lane.a ? *lane.a : *lane.b).path.pipe());
    return static_cast<std::size_t>(found - pipe_names.begin());
}

/// What folds as one in a run: the cores, then what lies outside of them; of a network that comes first.
struct FoldedLanes {
    std::string name;
    std::uint32_t key = 0;
    std::vector<std::uint32_t> lanes;
};

std::vector<FoldedLanes> folded_lanes(const Run& run) {
    std::vector<FoldedLanes> all;
    for (const CoreLanes& core : run.cores()) {
        all.push_back({core.name, core.core_index, core.lanes});
    }
    const auto tracks = static_cast<std::ptrdiff_t>(all.size());
    for (const TrackLanes& track : run.tracks()) {
        all.push_back({track.name, track.lanes.front() | TimelineCore::outside, track.lanes});
    }
    if (analysis::is_network(run.recording())) {
        std::rotate(all.begin(), all.begin() + tracks, all.end());
    }
    return all;
}

/// The lanes of B that A has none for, in the core of their name; a core of B alone comes after those of A.
void add_lanes_of(const Run& b, const Run& a, std::vector<TimelineCore>& cores) {
    const std::size_t of_a = cores.size();
    for (const FoldedLanes& core : folded_lanes(b)) {
        auto mine = std::ranges::find(cores, core.name, &TimelineCore::name);
        if (mine == cores.end()) {
            const bool taken = std::any_of(cores.begin(),
                                           cores.begin() + static_cast<std::ptrdiff_t>(of_a),
                                           [&](const TimelineCore& one) { return one.key == core.key; });
            cores.push_back({core.name, taken ? core.key | only_b : core.key, {}});
            mine = cores.end() - 1;
        }
        for (const std::uint32_t lane : core.lanes) {
            const bool known = std::ranges::any_of(
                mine->lanes, [&](const TimelineLane& one) { return one.b == std::optional{lane}; });
            if (!known) {
                mine->lanes.push_back({{}, lane});
            }
        }
        std::ranges::stable_sort(
            mine->lanes, {}, [&](const TimelineLane& lane) { return pipe_order(a, &b, lane); });
    }
}

std::vector<TimelineCore> cores_of(const Run& a, const Run* b) {
    std::vector<TimelineCore> cores;
    for (const FoldedLanes& core : folded_lanes(a)) {
        cores.push_back({core.name, core.key, {}});
        for (const std::uint32_t lane : core.lanes) {
            cores.back().lanes.push_back({lane, b == nullptr ? std::nullopt : matching_lane(a, *b, lane)});
        }
    }
    if (b != nullptr) {
        add_lanes_of(*b, a, cores);
    }
    return cores;
}

}  // namespace

std::uint32_t fold_key(const Run& run, std::uint32_t lane) {
    if (const std::optional<std::uint32_t> core = run.recording().lane(lane).core_index) {
        return *core;
    }
    const auto track =
        std::ranges::find(run.tracks(), run.recording().lane(lane).path.place(), &TrackLanes::name);
    return TimelineCore::outside | (track == run.tracks().end() ? lane : track->lanes.front());
}

float TimelineRows::head_height(const TimelineCore& core, bool open, float scale) const {
    const float strips = static_cast<float>((of_b_ == nullptr ? 1U : 2U) * core.lanes.size());
    const float least = std::round(19 * scale);
    return open ? least : std::max(least, strips * std::round(3 * scale) + 4);
}

void TimelineRows::unfold_new(const RowSpace& space) {
    const float lane = (of_b_ == nullptr ? 1.0F : 2.0F) * std::round(space.lane_height * space.scale);
    std::set<std::string> kinds;
    std::vector<const TimelineCore*> fresh;
    constexpr std::size_t few = 3;
    float height = 0;
    for (const TimelineCore& core : cores_) {
        const bool first_of_kind = kinds.insert(kind_of(core.name)).second;
        const bool is_new = seen_.insert(core.key).second;
        if (is_new && (first_of_kind || cores_.size() <= few)) {
            open_.insert(core.key);
        } else if (is_new) {
            fresh.push_back(&core);
        }
        const bool open = open_.contains(core.key);
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
        cores_ = cores_of(run, other);
        unfold_new(space);
    }
    rows_.clear();
    float top = 0;
    const float lane_height = (b == nullptr ? 1.0F : 2.0F) * std::round(space.lane_height * space.scale);
    for (std::size_t n = 0; n < cores_.size(); ++n) {
        const TimelineCore& core = cores_[n];
        const bool open = open_.contains(core.key);
        rows_.push_back({n, true, {}, {}, top, head_height(core, open, space.scale)});
        top += rows_.back().height;
        for (const TimelineLane& lane : core.lanes) {
            if (open) {
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
    if (lane < run.recording().lanes().size()) {
        open_.insert(fold_key(run, lane));
    }
}

}  // namespace ascendsim::gui
