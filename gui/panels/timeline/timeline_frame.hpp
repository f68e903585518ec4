// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "gui/document/search.hpp"
#include "gui/document/selection.hpp"
#include "gui/panels/timeline/timeline_rows.hpp"
#include "gui/shell/panel.hpp"
#include "gui/timeview/time_axis.hpp"

namespace ascendsim::gui {

/// Where the parts of the timeline lie in this frame.
struct TimelineFrame {
    const Run& run;
    const PanelContext& context;
    const TimelineRows& rows;
    TimeAxis axis;
    Rect minimap;
    Rect ruler;
    Rect heads;   ///< names, left of the tracks
    Rect tracks;  ///< what moves with time
    float scroll = 0;
    const SpanFilter* found = nullptr;  ///< what the find field means, if anything

    [[nodiscard]] Rect box_of(const TimelineRow& row) const {
        const float top = std::round(tracks.top + row.top - scroll);
        return {tracks.left, top, tracks.right, top + row.height};
    }

    /// The box of a lane's bars, or nothing if its core is folded.
    [[nodiscard]] std::optional<Rect> bars_of(std::uint32_t lane) const {
        const TimelineRow* row = rows.of_lane(lane);
        if (row == nullptr) {
            return std::nullopt;
        }
        const Rect box = box_of(*row);
        return Rect{box.left, box.top + 1, box.right, box.bottom - 2};
    }

    /// The axis of the minimap: the whole run.
    [[nodiscard]] TimeAxis whole() const { return {{0, run.cycles()}, minimap.left, minimap.width()}; }
};

/// Divides the panel's box; `box` is whole pixels.
[[nodiscard]] TimelineFrame make_frame(
    const Run& run, const PanelContext& context, const TimelineRows& rows, Rect box, float scroll);

void draw_timeline(Canvas& canvas, const TimelineFrame& frame);
void draw_minimap(Canvas& canvas, const TimelineFrame& frame);
/// The selection's outline and arrows from what it waited for.
void draw_selection(Canvas& canvas, const TimelineFrame& frame);
/// Names rows and large stretches for scripts.
void name_places(Anchors& anchors, const TimelineFrame& frame);
/// The row and stretch at a place on the screen.
[[nodiscard]] std::optional<Pick> pick_on_screen(const TimelineFrame& frame, Point place);
/// "aiv0 MTE2: copy_gm_to_ubuf at add.cpp:29 · 1,024 cycles · 16 KiB".
[[nodiscard]] std::string describe(const Run& run, const Pick& pick, const PanelContext& context);

}  // namespace ascendsim::gui
