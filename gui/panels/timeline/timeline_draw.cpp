// SPDX-License-Identifier: Apache-2.0
// Rows, names and strips of the timeline.
#include <span>

#include <fmt/format.h>

#include "app/analysis/network_figures.hpp"
#include "gui/canvas/elide.hpp"
#include "gui/panels/timeline/timeline_frame.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/density.hpp"
#include "gui/timeview/lane_picture.hpp"
#include "gui/timeview/time_ruler.hpp"

namespace ascendsim::gui {
namespace {

/// Where many lanes are dense on a wide screen, columns of two pixels keep a frame within its time.
float column_width(const TimelineFrame& frame) {
    constexpr float most_columns = 60'000;
    float lanes = 0;
    for (const TimelineRow& row : frame.rows.rows()) {
        const Rect box = frame.box_of(row);
        const bool visible = !row.head && box.bottom > frame.tracks.top && box.top < frame.tracks.bottom;
        lanes += visible ? (frame.compares() ? 2.0F : 1.0F) : 0.0F;
    }
    return lanes * frame.tracks.width() > most_columns ? 2 : 1;
}

LaneStyle style_of(const TimelineFrame& frame, float step = 1) {
    return {.theme = &frame.context.theme,
            .cause = frame.context.view.cause,
            .found = frame.found,
            .labels = true,
            .step = step,
            .finer = frame.finer};
}

void draw_lane_head(Canvas& canvas, const TimelineFrame& frame, const TimelineRow& row, Rect box) {
    const Theme& theme = frame.context.theme;
    const float scale = frame.context.scale();
    const record::TrackPath& path = frame.lane_of(row).path;
    const float chip = std::round(3 * scale);
    const float left = box.left + std::round(16 * scale);
    canvas.fill({left, box.top + 3, left + chip, box.bottom - 4}, lane_colour(theme, path));
    const float right = box.right - std::round(8 * scale);
    const float middle = frame.compares() ? std::round(box.centre().y) : box.bottom;
    const bool always_busy = path == analysis::operators_track();
    float taken = 0;  // by figures beside the name
    if (row.lane && !always_busy) {
        const std::string busy = busy_text(frame.run, *row.lane, frame.axis.seen);
        taken =
            canvas.measure(frame.compares() ? "A " + busy : busy, TextStyle::small).x + std::round(6 * scale);
        canvas.text_in({left, box.top, right, middle},
                       frame.compares() ? theme.run_a : theme.text_dim,
                       frame.compares() ? "A " + busy : busy,
                       Align::right,
                       TextStyle::small);
    }
    if (row.lane_b && !always_busy) {
        canvas.text_in({left, middle, right, box.bottom},
                       theme.run_b,
                       "B " + busy_text(*frame.pair.other(), *row.lane_b, frame.axis_b.seen),
                       Align::right,
                       TextStyle::small);
    }
    const float name = left + chip + std::round(6 * scale);
    canvas.text_in(
        {name, box.top, right, middle},
        theme.text,
        without_middle(canvas.fonts(), track_label(path, theme), TextStyle::small, right - taken - name),
        Align::left,
        TextStyle::small);
}

void draw_core_head(Canvas& canvas, const TimelineFrame& frame, const TimelineRow& row, Rect box) {
    const Theme& theme = frame.context.theme;
    const float scale = frame.context.scale();
    const TimelineCore& core = frame.rows.cores()[row.core];
    const bool folded = frame.rows.folded(row);
    const auto depth = static_cast<float>(depth_of(frame.rows.cores(), row.core));
    const float left = box.left + depth * std::round(10 * scale);
    const Rect mark{left, box.top, left + std::round(14 * scale), box.top + row.height};
    canvas.fold_mark(mark, !folded, theme.text_dim, 7 * scale);
    canvas.text_in({left + std::round(16 * scale), box.top, box.right, box.top + row.height},
                   folded ? theme.text_dim : theme.text,
                   core.label,
                   Align::left,
                   folded ? TextStyle::small : TextStyle::bold);
}

void draw_strips(Canvas& canvas, const TimelineFrame& frame, const TimelineRow& row, Rect box) {
    const TimelineCore& core = frame.rows.cores()[row.core];
    const float each = std::round(3 * frame.context.scale());
    const std::span<const TimelineLane> lanes{core.lanes.data(), strips_of(core)};
    const auto count = static_cast<float>(lanes.size() * (frame.compares() ? 2 : 1));
    float top = std::round(box.top + (row.height - count * each) / 2);
    for (const TimelineLane& lane : lanes) {
        if (lane.a) {
            const Rect strip{box.left, top, box.right, top + each - 1};
            draw_strip(canvas, frame.run, *lane.a, frame.axis, strip, style_of(frame));
        }
        top += each;
    }
    if (!frame.compares()) {
        return;
    }
    for (const TimelineLane& lane : lanes) {
        if (lane.b) {
            const Rect strip{box.left, top, box.right, top + each - 1};
            draw_strip(canvas, *frame.pair.other(), *lane.b, frame.axis_b, strip, style_of(frame));
        }
        top += each;
    }
}

/// Run B's lane below that of A, on a ground of its own.
void draw_lane_b(Canvas& canvas, const TimelineFrame& frame, const TimelineRow& row, Rect box, float step) {
    const Rect bars = frame.bars_b_in(box);
    const Theme& theme = frame.context.theme;
    canvas.fill(bars, theme.window);
    if (row.lane_b) {
        LaneStyle style = style_of(frame, step);
        style.found = nullptr;  // speaks of run A's numbers
        draw_lane(canvas, *frame.pair.other(), *row.lane_b, frame.axis_b, bars, style);
    }
    canvas.fill({box.left, box.bottom - 1, box.right, box.bottom}, theme.grid);
}

void draw_row(Canvas& canvas, const TimelineFrame& frame, const TimelineRow& row, Rect box, float step) {
    const Theme& theme = frame.context.theme;
    const Rect head{frame.heads.left, box.top, frame.heads.right, box.bottom};
    if (row.head) {
        const bool folded = frame.rows.folded(row);
        if (!folded) {
            canvas.fill({frame.heads.left, box.top, box.right, box.bottom}, theme.raised);
        }
        draw_core_head(canvas, frame, row, head);
        if (folded) {
            draw_strips(canvas, frame, row, box);
        }
        return;
    }
    const Rect bars = frame.bars_in(box);
    draw_lane_head(canvas, frame, row, head);
    canvas.push_clip(intersect({box.left, box.top, box.right, box.bottom}, frame.tracks));
    if (row.lane) {
        draw_lane(canvas, frame.run, *row.lane, frame.axis, bars, style_of(frame, step));
    }
    if (frame.compares()) {
        draw_lane_b(canvas, frame, row, box, step);
    }
    canvas.pop_clip();
}

std::string_view alignment_words(Alignment alignment) {
    switch (alignment) {
        case Alignment::time:
            return ", before";
        case Alignment::length:
            return ", stretched";
        case Alignment::start:
            return ", same start";
        case Alignment::end:
            return ", same end";
    }
    return "";
}

}  // namespace

std::string busy_text(const Run& run, std::uint32_t lane, const TimeRange& range) {
    const record::Occupancy seen = visible_occupancy(run, lane, range);
    return format_percent(
        seen.total() == 0 ? 0 : static_cast<double>(seen.busy()) / static_cast<double>(seen.total()));
}

TimelineFrame make_frame(const Run& run,
                         const PanelContext& context,
                         const TimelineRows& rows,
                         const TimelinePair& pair,
                         Rect box,
                         float scroll) {
    const float scale = context.scale();
    const float head = std::min(time_header_width(scale), std::round(box.width() / 3));
    const float map = std::round(24 * scale);
    const float ruler = std::round(19 * scale);
    const float left = box.left + head;
    const float top = box.top + map + std::round(4 * scale);
    const float below = top + ruler + (pair.other() != nullptr ? ruler : 0);
    const TimeRange seen = context.view.visible();
    const float width = std::max(1.0F, box.right - left);
    const TimeRange seen_b{pair.mapping().to_b(seen.begin), pair.mapping().to_b(seen.end)};
    TimelineFrame frame{.run = run,
                        .context = context,
                        .rows = rows,
                        .pair = pair,
                        .axis = {seen, left, width},
                        .axis_b = {seen_b, left, width},
                        .minimap = {left, box.top, box.right, box.top + map},
                        .ruler = {left, top, box.right, top + ruler},
                        .ruler_b = {left, top + ruler, box.right, below},
                        .heads = {box.left, below, left, box.bottom},
                        .tracks = {left, below, box.right, box.bottom}};
    frame.scroll =
        std::round(std::clamp(scroll, 0.0F, std::max(0.0F, rows.height() - frame.tracks.height())));
    return frame;
}

void draw_timeline(Canvas& canvas, const TimelineFrame& frame, BusyBars& bars) {
    const PanelContext& context = frame.context;
    draw_minimap(canvas, frame, bars);
    const Flags flags = frame.compares() ? flags_of(canvas, frame) : Flags{};
    draw_ruler(canvas, frame.axis, frame.ruler, context.time(), context.theme, flags.a);
    const Rect corner{frame.heads.left, frame.ruler.top, frame.heads.right - 8, frame.ruler.bottom};
    if (frame.compares()) {
        const Run& b = *frame.pair.other();
        draw_ruler(canvas, frame.axis_b, frame.ruler_b, b.time(context.view.unit), context.theme, flags.b);
        canvas.text_in(corner, context.theme.run_a, "A, now", Align::right, TextStyle::small);
        canvas.text_in({corner.left, frame.ruler_b.top, corner.right, frame.ruler_b.bottom},
                       context.theme.run_b,
                       fmt::format("B{}", alignment_words(context.view.alignment)),
                       Align::right,
                       TextStyle::small);
    } else {
        canvas.text_in(corner, context.theme.text_faint, "busy in view", Align::right, TextStyle::small);
    }
    const Rect all{frame.heads.left, frame.tracks.top, frame.tracks.right, frame.tracks.bottom};
    canvas.push_clip(all);
    draw_time_grid(canvas, frame.axis, frame.tracks, context.time(), context.theme);
    const float step = column_width(frame);
    for (const TimelineRow& row : frame.rows.rows()) {
        const Rect box = frame.box_of(row);
        if (box.bottom > all.top && box.top < all.bottom) {
            draw_row(canvas, frame, row, box, step);
        }
    }
    canvas.pop_clip();
    canvas.push_clip(frame.tracks);
    draw_selection(canvas, frame);
    canvas.pop_clip();
    if (frame.compares()) {
        draw_pair(canvas, frame);
    }
    const Rect timed{frame.tracks.left, frame.ruler.top, frame.tracks.right, frame.tracks.bottom};
    canvas.push_clip(timed);
    draw_time_overlays(canvas, frame.axis, timed, context.view, context.theme);
    canvas.pop_clip();
    draw_scroll_mark(canvas, frame.context, frame.tracks, frame.rows.height(), frame.scroll);
}

}  // namespace ascendsim::gui
