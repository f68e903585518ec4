// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "gui/document/search.hpp"
#include "gui/document/selection.hpp"
#include "gui/panels/timeline/timeline_pair.hpp"
#include "gui/panels/timeline/timeline_rows.hpp"
#include "gui/shell/panel.hpp"
#include "gui/timeview/busy_bars.hpp"
#include "gui/timeview/finer_buckets.hpp"
#include "gui/timeview/time_axis.hpp"

namespace ascendsim::gui {

/// Where the parts of the timeline lie in this frame.
struct TimelineFrame {
    const Run& run;
    const PanelContext& context;
    const TimelineRows& rows;
    const TimelinePair& pair;
    TimeAxis axis;
    TimeAxis axis_b;  ///< of run B, in its cycles, over the same pixels
    Rect minimap;
    Rect ruler;
    Rect ruler_b;  ///< empty unless B is shown
    Rect heads;    ///< names, left of the tracks
    Rect tracks;   ///< what moves with time
    float scroll = 0;
    const SpanFilter* found = nullptr;  ///< what the find field means, if anything
    FinerBuckets* finer = nullptr;      ///< for what rows show

    [[nodiscard]] Rect box_of(const TimelineRow& row) const {
        const float top = std::round(tracks.top + row.top - scroll);
        return {tracks.left, top, tracks.right, top + row.height};
    }

    /// Whether run B is drawn below run A in every row.
    [[nodiscard]] bool compares() const { return pair.other() != nullptr; }

    /// The lane a row is of: run A's, or run B's if only that used it. Not for heads.
    [[nodiscard]] const record::Lane& lane_of(const TimelineRow& row) const {
        return row.lane ? run.recording().lane(*row.lane) : pair.other()->recording().lane(*row.lane_b);
    }

    /// Where the bars of a lane's row are; the upper half if B is below.
    [[nodiscard]] Rect bars_in(Rect row) const {
        const float bottom = compares() ? std::round(row.centre().y) : row.bottom;
        return {row.left, row.top + 1, row.right, bottom - (compares() ? 1 : 2)};
    }

    /// Where the bars of run B are.
    [[nodiscard]] Rect bars_b_in(Rect row) const {
        return {row.left, std::round(row.centre().y), row.right, row.bottom - 3};
    }

    /// The box of a lane's bars, or nothing if its core is folded.
    [[nodiscard]] std::optional<Rect> bars_of(std::uint32_t lane) const {
        const TimelineRow* row = rows.of_lane(lane);
        return row == nullptr ? std::nullopt : std::optional{bars_in(box_of(*row))};
    }

    /// The axis of the minimap: all that the timeline can show, which is the longer run's where there are
    /// two.
    [[nodiscard]] TimeAxis whole() const {
        return {{0, std::max(run.cycles(), context.view.extent)}, minimap.left, minimap.width()};
    }
};

/// Divides the panel's box; `box` is whole pixels.
[[nodiscard]] TimelineFrame make_frame(const Run& run,
                                       const PanelContext& context,
                                       const TimelineRows& rows,
                                       const TimelinePair& pair,
                                       Rect box,
                                       float scroll);

/// `bars` are kept from frame to frame.
void draw_timeline(Canvas& canvas, const TimelineFrame& frame, BusyBars& bars);
void draw_minimap(Canvas& canvas, const TimelineFrame& frame, BusyBars& bars);
/// The selection's outline and arrows from what it waited for.
void draw_selection(Canvas& canvas, const TimelineFrame& frame);
/// Names rows and large stretches for scripts.
void name_places(Anchors& anchors, const TimelineFrame& frame);

/// The boxes on the rulers of A and B in which a flag says that the schedules part there; empty where none
/// is.
struct Flags {
    Rect a;
    Rect b;
};

[[nodiscard]] Flags flags_of(const Canvas& canvas, const TimelineFrame& frame);
/// What is the selection in run B, and where the schedules part.
void draw_pair(Canvas& canvas, const TimelineFrame& frame);
/// The stretch of run B at a place on the screen.
[[nodiscard]] std::optional<Pick> pick_b_on_screen(const TimelineFrame& frame, Point place);
/// The row and stretch of run A at a place on the screen.
[[nodiscard]] std::optional<Pick> pick_on_screen(const TimelineFrame& frame, Point place);
/// What the words and figures at the left mean: a sentence for the place of the pointer, or nothing.
[[nodiscard]] std::string hint_at(const TimelineFrame& frame, Point place);
/// "81.2 %": how much of a stretch a lane worked.
[[nodiscard]] std::string busy_text(const Run& run, std::uint32_t lane, const TimeRange& range);
/// "aiv0 MTE2: copy_gm_to_ubuf at add.cpp:29 · 1,024 cycles · 16 KiB".
[[nodiscard]] std::string describe(const Run& run, const Pick& pick, const PanelContext& context);

}  // namespace ascendsim::gui
