// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/timeline/timeline_groups.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "app/analysis/machine/recorded_step.hpp"
#include "app/analysis/network_figures.hpp"
#include "gui/document/alignment.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::gui {
namespace {

using record::TrackKind;
using record::TrackPath;
using record::TrackSegment;

constexpr std::uint32_t only_b = 1U << 31U;

/// A server or device, which holds groups.
struct Holder {
    std::string name;
    std::string label;
    std::uint32_t key = 0;

    friend bool operator==(const Holder&, const Holder&) = default;
};

/// What folds as one in a run.
struct FoldedLanes {
    std::string name;
    std::string label;
    std::uint32_t key = 0;
    std::vector<std::uint32_t> lanes;
    std::vector<Holder> holders;  // from the outside in
};

/// What a run has more than one of, so that its name has to be told.
struct Several {
    bool nodes = false;
    bool devices = false;  // with cores
};

Several several_in(const Run& run) {
    std::set<std::uint32_t> nodes;
    std::set<std::uint32_t> devices;
    for (const record::Lane& lane : run.recording().lanes()) {
        if (lane.empty()) {
            continue;
        }
        if (const auto node = lane.path.number(TrackKind::node)) {
            nodes.insert(*node);
        }
        if (const auto device = lane.path.number(TrackKind::device); device && lane.core_index) {
            devices.insert(*device);
        }
    }
    return {nodes.size() > 1, devices.size() > 1};
}

std::string text_of(const TrackSegment& segment) {
    return (TrackPath{} / segment).text();
}

/// The servers and devices that a path lies in, as far as there are several.
std::vector<Holder> holders_of(const TrackPath& path, const Several& several) {
    std::vector<Holder> holders;
    std::string name;
    for (const TrackSegment& segment : path.segments()) {
        name += (name.empty() ? "" : "/") + text_of(segment);
        const bool node = segment.kind == TrackKind::node && several.nodes;
        const bool device = segment.kind == TrackKind::device && several.devices;
        if (node || device) {
            constexpr std::uint32_t of_device = 1U << 28U;
            constexpr std::uint32_t most = of_device - 1;
            const std::uint32_t number = std::min(segment.number.value_or(0), most);
            holders.push_back(
                {name,
                 text_of(segment),
                 TimelineCore::outside | TimelineCore::holder | (device ? of_device : 0U) | number});
        }
    }
    return holders;
}

/// As below its holders: "host" of "node0/host".
std::string label_of(const TrackLanes& track, const TrackPath& path, const Several& several) {
    const std::span<const TrackSegment> segments = path.segments();
    if (segments.size() < 2 || path.has(TrackKind::link)) {
        return track.name;
    }
    const TrackSegment& above = segments[segments.size() - 2];
    return above.kind == TrackKind::device && several.devices ? "streams" : text_of(above);
}

/// Cores, then what lies outside of them; of a network or a step that comes first. What one holder holds lies
/// together.
std::vector<FoldedLanes> folded_lanes(const Run& run) {
    const Several several = several_in(run);
    std::vector<FoldedLanes> all;
    for (const CoreLanes& core : run.cores()) {
        const TrackPath path = run.recording().lane(core.lanes.front()).path.core_path();
        all.push_back({.name = several.devices ? path.text() : core.name,
                       .label = core.name,
                       .key = core.core_index,
                       .lanes = core.lanes,
                       .holders = holders_of(path, several)});
    }
    const auto tracks = static_cast<std::ptrdiff_t>(all.size());
    for (const TrackLanes& track : run.tracks()) {
        const TrackPath& path = run.recording().lane(track.lanes.front()).path;
        all.push_back({.name = track.name,
                       .label = label_of(track, path, several),
                       .key = track.lanes.front() | TimelineCore::outside,
                       .lanes = track.lanes,
                       .holders = holders_of(path, several)});
    }
    if (analysis::is_network(run.recording()) || analysis::is_step(run.recording())) {
        std::rotate(all.begin(), all.begin() + tracks, all.end());
    }
    std::vector<std::pair<std::size_t, std::size_t>> order(all.size());
    for (std::size_t n = 0; n < all.size(); ++n) {
        const auto first_with = [&](std::size_t depth) {
            const auto same = [&](const FoldedLanes& one) {
                return one.holders.size() > depth && one.holders[depth] == all[n].holders[depth];
            };
            return all[n].holders.size() > depth
                       ? static_cast<std::size_t>(std::ranges::find_if(all, same) - all.begin())
                       : n;
        };
        order[n] = {first_with(0), first_with(1)};
    }
    std::vector<std::size_t> places(all.size());
    for (std::size_t n = 0; n < places.size(); ++n) {
        places[n] = n;
    }
    std::ranges::stable_sort(places, {}, [&](std::size_t n) { return order[n]; });
    std::vector<FoldedLanes> sorted;
    for (const std::size_t n : places) {
        sorted.push_back(std::move(all[n]));
    }
    return sorted;
}

/// Adds the holders of a group that are not in the list yet; returns the innermost.
std::optional<std::size_t> held_by(const std::vector<Holder>& holders, std::vector<TimelineCore>& groups) {
    std::optional<std::size_t> inside;
    for (const Holder& holder : holders) {
        const auto found = std::ranges::find(groups, holder.key, &TimelineCore::key);
        const auto place = static_cast<std::size_t>(found - groups.begin());
        if (found == groups.end()) {
            groups.push_back({holder.name, holder.label, holder.key, {}, inside});
        }
        inside = place;
    }
    return inside;
}

/// A holder shows strips of some lanes below it, the first of each group first.
void give_strips(std::vector<TimelineCore>& groups) {
    constexpr std::size_t most_strips = 8;
    for (std::size_t turn = 0; turn < most_strips; ++turn) {
        for (const TimelineCore& group : std::vector<TimelineCore>{groups}) {
            if (group.holds_others() || group.lanes.size() <= turn) {
                continue;
            }
            for (std::optional<std::size_t> above = group.inside; above; above = groups[*above].inside) {
                std::vector<TimelineLane>& strips = groups[*above].lanes;
                if (strips.size() < most_strips) {
                    strips.push_back(group.lanes[turn]);
                }
            }
        }
    }
}

std::size_t pipe_order(const Run& a, const Run* b, const TimelineLane& lane) {
    const Run& run = lane.a ? a : *b;
    const auto found =
        std::ranges::find(pipe_names, run.recording().lane(lane.a ? *lane.a : *lane.b).path.pipe());
    return static_cast<std::size_t>(found - pipe_names.begin());
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
            cores.push_back({core.name, core.name, taken ? core.key | only_b : core.key, {}, {}});
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

}  // namespace

std::vector<TimelineCore> timeline_groups(const Run& a, const Run* b) {
    std::vector<TimelineCore> groups;
    for (const FoldedLanes& folded : folded_lanes(a)) {
        const std::optional<std::size_t> inside = held_by(folded.holders, groups);
        groups.push_back({folded.name, folded.label, folded.key, {}, inside});
        for (const std::uint32_t lane : folded.lanes) {
            groups.back().lanes.push_back({lane, b == nullptr ? std::nullopt : matching_lane(a, *b, lane)});
        }
    }
    give_strips(groups);
    if (b != nullptr) {
        add_lanes_of(*b, a, groups);
    }
    return groups;
}

std::uint32_t fold_key(const Run& run, std::uint32_t lane) {
    if (const std::optional<std::uint32_t> core = run.recording().lane(lane).core_index) {
        return *core;
    }
    const auto track = std::ranges::find_if(run.tracks(), [lane](const TrackLanes& tracks) {
        return std::ranges::find(tracks.lanes, lane) != tracks.lanes.end();
    });
    return TimelineCore::outside | (track == run.tracks().end() ? lane : track->lanes.front());
}

int depth_of(const std::vector<TimelineCore>& groups, std::size_t group) {
    int depth = 0;
    for (std::optional<std::size_t> above = groups[group].inside; above; above = groups[*above].inside) {
        ++depth;
    }
    return depth;
}

}  // namespace ascendsim::gui
