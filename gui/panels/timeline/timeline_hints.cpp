// SPDX-License-Identifier: Apache-2.0
// What the words and figures at the left of the timeline mean.
#include <algorithm>

#include <fmt/format.h>

#include "gui/panels/timeline/timeline_frame.hpp"

namespace ascendsim::gui {
namespace {

std::string_view alignment_meaning(Alignment alignment) {
    switch (alignment) {
        case Alignment::time:
            return "cycle by cycle below run A (Shift+L)";
        case Alignment::length:
            return "stretched to the length of run A (Shift+R)";
        case Alignment::start:
            return "with the selected instruction starting where it starts in run A (L)";
        case Alignment::end:
            return "with the selected instruction ending where it ends in run A (R)";
    }
    return {};
}

std::string hint_of_row(const TimelineFrame& frame, const TimelineRow& row) {
    const TimelineCore& core = frame.rows.cores()[row.core];
    if (row.head) {
        const std::string_view act = frame.rows.folded(row) ? "unfold" : "fold";
        if (core.holds_others()) {
            const auto inside =
                std::ranges::count(frame.rows.cores(), std::optional{row.core}, &TimelineCore::inside);
            return fmt::format("{}: {} groups of tracks\nClick to {} it.", core.name, inside, act);
        }
        return fmt::format("{}: {} {}\nClick to {} its rows.",
                           core.name,
                           core.lanes.size(),
                           core.is_core() ? "pipes" : "tracks",
                           act);
    }
    const record::TrackPath& path = frame.lane_of(row).path;
    std::string hint = path.text();
    if (path.kind() == record::TrackKind::pipe) {
        const PipeStyle& pipe = frame.context.theme.pipe(path.pipe());
        hint = fmt::format("{} {}: {}", core.name, pipe.label, pipe.meaning);
    }
    if (row.lane) {
        hint += fmt::format("\n{}{} of the visible time busy",
                            frame.compares() ? "A: " : "",
                            busy_text(frame.run, *row.lane, frame.axis.seen));
    } else {
        hint += "\nRun A does not use it.";
    }
    if (row.lane_b) {
        hint += fmt::format("\nB: {} of the visible time busy",
                            busy_text(*frame.pair.other(), *row.lane_b, frame.axis_b.seen));
    } else if (frame.compares()) {
        hint += "\nRun B does not use it.";
    }
    return hint;
}

}  // namespace

std::string hint_at(const TimelineFrame& frame, Point place) {
    if (place.x >= frame.tracks.left) {
        return {};
    }
    if (place.y < frame.minimap.bottom) {
        return "How busy the main pipe of the first core, or the busiest stream, was over the whole run; "
               "drag there to move the view, turn the wheel to zoom.";
    }
    if (place.y < frame.ruler.bottom) {
        return frame.compares() ? "Run A, the run under study: in every row above run B"
                                : "The share of the visible time in which each pipe worked";
    }
    if (place.y < frame.tracks.top) {
        return fmt::format("Run B, the run before: drawn {}",
                           alignment_meaning(frame.context.view.alignment));
    }
    const TimelineRow* row = frame.rows.at(place.y - frame.tracks.top + frame.scroll);
    return row == nullptr ? std::string{} : hint_of_row(frame, *row);
}

}  // namespace ascendsim::gui
