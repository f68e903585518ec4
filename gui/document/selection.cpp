// SPDX-License-Identifier: Apache-2.0
#include "gui/document/selection.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/analysis/blame/path_walker.hpp"
#include "app/analysis/file_name.hpp"
#include "app/analysis/lane_use.hpp"
#include "gui/document/words.hpp"

namespace ascendsim::gui {

using record::Lane;
using record::Reason;
using record::SpanId;
using record::Stretch;

std::optional<Pick> pick_span(const Run& run, SpanId span) {
    if (!run.recording().contains(span)) {
        return std::nullopt;
    }
    const Lane& lane = run.recording().lane(span.lane);
    const std::size_t i = span.index;
    return Pick{span.lane, {lane.start[i], lane.end[i], lane.reason[i], false, i}};
}

std::optional<Pick> pick_gap(const Run& run, SpanId before) {
    const auto& lanes = run.recording().lanes();
    if (before.lane >= lanes.size() || before.index > lanes[before.lane].size()) {
        return std::nullopt;
    }
    const Lane& lane = lanes[before.lane];
    const std::size_t i = before.index;
    const std::uint64_t core_start = run.recording().launch_end(before.lane);
    const std::uint64_t from =
        i == 0 ? std::min(core_start, i < lane.size() ? lane.start[i] : core_start) : lane.end[i - 1];
    const std::uint64_t to = i < lane.size() ? lane.start[i] : run.recording().cycles();
    if (from >= to) {
        return std::nullopt;
    }
    const Reason reason = lane.empty() ? Reason::unused : i == lane.size() ? Reason::tail : Reason::issue;
    return Pick{before.lane, {from, to, reason, true, i}};
}

std::optional<Pick> pick_at(const Run& run, std::uint32_t lane, double cycle) {
    if (cycle < 0 || cycle >= run.cycles()) {
        return std::nullopt;
    }
    std::optional<Stretch> found;
    const auto at = static_cast<std::uint64_t>(cycle);
    record::for_each_stretch(run.recording(), lane, at, at + 1, [&](const Stretch& s) { found = s; });
    if (!found) {
        return std::nullopt;
    }
    if (!found->between) {
        return pick_span(run, {lane, found->index});
    }
    if (found->reason == Reason::launch) {
        const std::uint64_t to = run.recording().launch_end(lane);
        return Pick{lane, {0, to, Reason::launch, true, found->index}};
    }
    return pick_gap(run, {lane, found->index});
}

std::optional<Pick> selected(const Run& run, const ViewState& view) {
    if (view.selected_gap) {
        return pick_gap(run, *view.selected_gap);
    }
    return view.selected.empty() ? std::nullopt : pick_span(run, view.selected.back());
}

void select(ViewState& view, const Pick& pick) {
    view.selected.clear();
    view.selected_gap.reset();
    if (pick.stretch.between) {
        view.selected_gap = pick.span();
    } else {
        view.selected.push_back(pick.span());
    }
    // A selection is looked at in the inspector, unless the reader has chosen another view for that side.
    std::string& tab = view.active_tabs[std::string{name(Dock::right)}];
    if (tab.empty() || tab == "summary" || tab == "legend") {
        tab = "inspector";
    }
}

void select_and_show(ViewState& view, const Pick& pick) {
    select(view, pick);
    const TimeRange seen = view.visible();
    const TimeRange range = pick.range();
    constexpr double smallest_share = 0.004;
    constexpr double context = 12;
    if (range.length() < seen.length() * smallest_share || range.length() > seen.length()) {
        const double margin = std::max(range.length() * context, 40.0) / 2;
        view.show({range.begin - margin, range.end + margin});
    } else if (range.begin < seen.begin || range.end > seen.end) {
        const double middle = (range.begin + range.end) / 2;
        view.show({middle - seen.length() / 2, middle + seen.length() / 2});
    }
}

std::optional<Pick> neighbour(const Run& run, const Pick& from, bool forward, bool bubble) {
    const Lane& lane = run.recording().lane(from.lane);
    const auto wanted = [&](const std::optional<Pick>& pick) {
        return pick && pick->waits() == bubble &&
               (!bubble || (!analysis::outside_program(pick->stretch.reason) && pick->cycles() > 0));
    };
    // Every span has a place 2 i + 1, the gap before it 2 i.
    std::int64_t place = 2 * static_cast<std::int64_t>(from.stretch.index) + (from.stretch.between ? 0 : 1);
    const auto last = static_cast<std::int64_t>(2 * lane.size());
    for (place += forward ? 1 : -1; place >= 0 && place <= last; place += forward ? 1 : -1) {
        const SpanId id{from.lane, static_cast<std::uint64_t>(place / 2)};
        const std::optional<Pick> pick = place % 2 == 1 ? pick_span(run, id) : pick_gap(run, id);
        if (wanted(pick)) {
            return pick;
        }
    }
    return std::nullopt;
}

std::optional<Pick> producer_of(const Run& run, const Pick& pick) {
    if (!pick.stretch.between) {
        const SpanId culprit = run.recording().lane(pick.lane).culprit(pick.stretch.index);
        if (const std::optional<Pick> found = pick_span(run, culprit)) {
            return found;
        }
    }
    if (pick.stretch.index >= run.recording().lane(pick.lane).size()) {
        return std::nullopt;
    }
    analysis::PathWalker walker{run.recording()};
    pick.waits() && !pick.stretch.between ? walker.from_wait(pick.span()) : walker.from_start(pick.span());
    constexpr int most_steps = 64;
    for (int step = 0; step < most_steps; ++step) {
        const std::optional<analysis::PathSegment> segment = walker.next();
        if (!segment) {
            break;
        }
        const bool same = segment->span.lane == pick.lane && segment->span.index == pick.stretch.index;
        if (segment->span.valid() && !same) {
            return pick_span(run, segment->span);
        }
    }
    return std::nullopt;
}

std::optional<Pick> consumer_of(const Run& run, const Pick& pick) {
    if (pick.stretch.between) {
        return pick_span(run, pick.span());
    }
    const SpanId wanted = pick.span();
    constexpr std::size_t farthest = 4096;  // spans of a lane that are looked at
    std::optional<Pick> best;
    for (std::uint32_t number = 0; number < run.recording().lanes().size(); ++number) {
        const Lane& lane = run.recording().lane(number);
        const std::size_t first = lane.first_ending_after(pick.stretch.start);
        for (std::size_t i = first; i < std::min(lane.size(), first + farthest); ++i) {
            if (lane.culprit_lane[i] == wanted.lane && lane.culprit_index[i] == wanted.index) {
                if (!best || lane.end[i] < best->stretch.end) {
                    best = pick_span(run, {number, i});
                }
                break;
            }
        }
    }
    return best;
}

namespace {

/// Threads, streams and links are called by their names, if they have one.
std::string segment_label(const record::TrackSegment& segment) {
    using record::TrackKind;
    const bool by_name = segment.kind == TrackKind::thread || segment.kind == TrackKind::stream ||
                         segment.kind == TrackKind::link;
    return by_name && !segment.name.empty() ? segment.name : (record::TrackPath{} / segment).leaf();
}

}  // namespace

std::string lane_label(const Run& run, std::uint32_t lane, const Theme& theme) {
    const record::TrackPath& path = run.recording().lane(lane).path;
    if (path.kind() == record::TrackKind::pipe) {
        return fmt::format("{} {}", path.core(), track_label(path, theme));
    }
    std::string label;
    for (const record::TrackSegment& segment : path.segments()) {
        label += (label.empty() ? "" : "/") + segment_label(segment);
    }
    return label;
}

std::string track_label(const record::TrackPath& path, const Theme& theme) {
    if (path.kind() == record::TrackKind::pipe) {
        return std::string{theme.pipe(path.pipe()).label};
    }
    return path.empty() ? std::string{} : segment_label(path.segments().back());
}

std::string place_text(const record::SourceLine& line) {
    if (line.file.empty()) {
        return {};
    }
    const std::size_t slash = line.file.rfind('/');
    return fmt::format(
        "{}:{}", slash == std::string::npos ? line.file : line.file.substr(slash + 1), line.line);
}

std::string place_text(const record::Recording& recording, std::uint32_t site) {
    return analysis::place_text(recording, site);
}

std::string wait_label(const Run& run, const Pick& pick) {
    const Lane& lane = run.recording().lane(pick.lane);
    const bool on_core = lane.path.on_core();
    if (!on_core && pick.stretch.between && pick.stretch.reason == Reason::issue) {
        return "nothing to do";
    }
    const bool named = !on_core && !pick.stretch.between && lane.op[pick.stretch.index] != 0;
    return std::string{named ? run.recording().name(lane.op[pick.stretch.index])
                             : cause_words(pick.stretch.reason, on_core).label};
}

std::string pick_label(const Run& run, const Pick& pick, const Theme& /*theme*/) {
    if (pick.waits()) {
        const bool ends = run.never_set(pick.lane, pick.stretch.start) == nullptr;
        return wait_label(run, pick) + (ends ? "" : ", never set");
    }
    const Lane& lane = run.recording().lane(pick.lane);
    const std::string where = place_text(run.recording(), lane.site[pick.stretch.index]);
    const std::string_view name = run.recording().name(lane.op[pick.stretch.index]);
    return where.empty() ? std::string{name} : fmt::format("{} at {}", name, where);
}

}  // namespace ascendsim::gui
