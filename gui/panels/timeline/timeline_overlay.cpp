// SPDX-License-Identifier: Apache-2.0
// What lies over and above the timeline's rows: minimap, selection, arrows, names for scripts.
#include <array>

#include <fmt/format.h>

#include "app/analysis/lane_use.hpp"
#include "app/analysis/machine/recorded_step.hpp"
#include "gui/panels/timeline/timeline_frame.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/busy_bars.hpp"
#include "gui/timeview/lane_picture.hpp"

namespace ascendsim::gui {
namespace {

/// The lane that stands for the run in the minimap: the busiest of the first core that is not its scalar
/// unit.
std::optional<std::uint32_t> main_lane(const Run& run) {
    std::optional<std::uint32_t> best;
    std::uint64_t most = 0;
    const bool step = analysis::is_step(run.recording());
    for (const CoreLanes& core : step ? std::vector<CoreLanes>{} : run.cores()) {
        for (const std::uint32_t lane : core.lanes) {
            const record::Pyramid* pyramid = run.pyramid(lane);
            if (pyramid == nullptr || run.recording().lane(lane).path.pipe() == "scalar") {
                continue;
            }
            const std::uint64_t busy = pyramid->cycles(pyramid->levels() - 1, 0, record::Reason::none);
            if (!best || busy > most) {
                best = lane;
                most = busy;
            }
        }
        if (best) {
            return best;
        }
    }
    // Of a step, and a run without cores, the busiest stream.
    for (std::uint32_t lane = 0; lane < run.recording().lanes().size(); ++lane) {
        const record::Pyramid* pyramid = run.pyramid(lane);
        const bool stream = run.recording().lane(lane).path.has(record::TrackKind::device);
        if (pyramid == nullptr || !stream || run.recording().lane(lane).core_index) {
            continue;
        }
        const std::uint64_t busy = pyramid->cycles(pyramid->levels() - 1, 0, record::Reason::none);
        if (!best || busy > most) {
            best = lane;
            most = busy;
        }
    }
    return best;
}

/// Draws an arrow from the moment something was done to the moment somebody could go on.
void draw_arrow(Canvas& canvas, Point from, Point to, Pixel colour, float scale) {
    const float bend = std::clamp(std::abs(to.x - from.x) / 2, 8 * scale, 40 * scale);
    std::array<Point, 17> points;
    for (std::size_t n = 0; n < points.size(); ++n) {
        const float t = static_cast<float>(n) / static_cast<float>(points.size() - 1);
        const float s = 1 - t;
        const float x1 = from.x + bend;
        const float x2 = to.x - bend;
        points[n] = {s * s * s * from.x + 3 * s * s * t * x1 + 3 * s * t * t * x2 + t * t * t * to.x,
                     s * s * (s + 3 * t) * from.y + t * t * (t + 3 * s) * to.y};
    }
    canvas.polyline(points, colour, std::max(1.5F, 1.5F * scale));
    canvas.arrow_head(points[points.size() - 3], to, colour, std::round(7 * scale));
}

Rect stretch_box(const TimelineFrame& frame, const Pick& pick, Rect bars) {
    const float left = frame.axis.pixel(static_cast<double>(pick.stretch.start));
    const float right = std::max(left + 2, frame.axis.pixel(static_cast<double>(pick.stretch.end)));
    return {left, bars.top, right, bars.bottom};
}

/// The middle of the row that shows a lane: its own, or its folded core's.
float row_middle(const TimelineFrame& frame, std::uint32_t lane) {
    if (const std::optional<Rect> bars = frame.bars_of(lane)) {
        return std::round(bars->centre().y);
    }
    const std::uint32_t key = fold_key(frame.run, lane);
    for (const TimelineRow& row : frame.rows.rows()) {
        if (frame.rows.cores()[row.core].key == key) {
            return std::round(frame.box_of(row).centre().y);
        }
    }
    return frame.tracks.top;
}

void draw_link(Canvas& canvas, const TimelineFrame& frame, const Pick& from, const Pick& to) {
    const record::Lane& source = frame.run.recording().lane(from.lane);
    const std::uint64_t done =
        std::clamp(from.stretch.between ? from.stretch.end : source.complete[from.stretch.index],
                   from.stretch.start,
                   std::max(from.stretch.start, to.waits() ? to.stretch.end : to.stretch.start));
    const std::uint64_t arrived = to.waits() ? to.stretch.end : to.stretch.start;
    draw_arrow(canvas,
               {frame.axis.pixel(static_cast<double>(done)), row_middle(frame, from.lane)},
               {frame.axis.pixel(static_cast<double>(arrived)), row_middle(frame, to.lane)},
               frame.context.theme.accent,
               frame.context.scale());
}

}  // namespace

void draw_minimap(Canvas& canvas, const TimelineFrame& frame, BusyBars& bars) {
    const Theme& theme = frame.context.theme;
    const Rect& box = frame.minimap;
    canvas.fill(box, theme.window);
    const TimeAxis axis = frame.whole();
    const std::optional<std::uint32_t> lane = main_lane(frame.run);
    if (lane) {
        const Pixel colour =
            mix(theme.window, lane_colour(theme, frame.run.recording().lane(*lane).path), 0.75F);
        if (is_dense(frame.run, *lane, axis)) {
            for (const BusyBars::Bar& bar : bars.of(frame.run, *lane, axis)) {
                draw_busy_bar(canvas, bar, box, colour);
            }
        } else {
            draw_strip(canvas, frame.run, *lane, axis, box, {.theme = &theme});
        }
        canvas.text_in({frame.heads.left, box.top, frame.heads.right - 8, box.bottom},
                       theme.text_faint,
                       lane_label(frame.run, *lane, theme) + ", whole run",
                       Align::right,
                       TextStyle::small);
    }
    if (!frame.context.view.window) {
        return;
    }
    const float left = axis.pixel(frame.axis.seen.begin);
    const float right = std::max(left + 2, axis.pixel(frame.axis.seen.end));
    canvas.fill({box.left, box.top, left, box.bottom}, with_alpha(theme.panel, 170));
    canvas.fill({right, box.top, box.right, box.bottom}, with_alpha(theme.panel, 170));
    canvas.outline({left, box.top, right, box.bottom}, theme.accent);
}

void draw_selection(Canvas& canvas, const TimelineFrame& frame) {
    const Theme& theme = frame.context.theme;
    const auto outline = [&](const Pick& pick) {
        if (const std::optional<Rect> bars = frame.bars_of(pick.lane)) {
            const Rect box = stretch_box(frame, pick, *bars);
            const Rect around{std::max(box.left - 1, frame.tracks.left - 4),
                              box.top - 1,
                              std::min(box.right + 1, frame.tracks.right + 4),
                              box.bottom + 1};
            canvas.outline(around, theme.text, std::max(1.0F, std::round(1.5F * frame.context.scale())));
        }
    };
    for (const record::SpanId span : frame.context.view.selected) {
        if (const std::optional<Pick> pick = pick_span(frame.run, span)) {
            outline(*pick);
        }
    }
    const std::optional<Pick> pick = selected(frame.run, frame.context.view);
    if (!pick) {
        return;
    }
    outline(*pick);
    if (const std::optional<Pick> producer = producer_of(frame.run, *pick)) {
        draw_link(canvas, frame, *producer, *pick);
    }
    if (const std::optional<Pick> consumer = consumer_of(frame.run, *pick);
        consumer && !pick->stretch.between) {
        draw_link(canvas, frame, *pick, *consumer);
    }
}

namespace {

/// The largest bubble drawn by itself.
struct LargestBubble {
    std::uint64_t cycles = 0;
    Rect bar;
};

/// Names the stretches of the lane of `row`, drawn in `box`, and looks whether one is the largest bubble.
void name_stretches(
    Anchors& anchors, const TimelineFrame& frame, const TimelineRow& row, Rect box, LargestBubble& largest) {
    constexpr std::size_t most = 400;  // stretches of one lane that get a name
    const std::string lane =
        fmt::format("timeline/{}/{}", frame.rows.cores()[row.core].name, frame.lane_of(row).path.leaf());
    // The scalar unit waits for whoever it feeds; its waits are no bubbles.
    const bool scalar = frame.run.recording().lane(*row.lane).path.pipe() == "scalar";
    std::size_t named = 0;
    const auto from = static_cast<std::uint64_t>(std::max(0.0, frame.axis.seen.begin));
    const auto to = static_cast<std::uint64_t>(std::max(0.0, std::ceil(frame.axis.seen.end)));
    record::for_each_stretch(frame.run.recording(), *row.lane, from, to, [&](const record::Stretch& stretch) {
        const float left = frame.axis.pixel(static_cast<double>(stretch.start));
        const float right = frame.axis.pixel(static_cast<double>(stretch.end));
        const Rect bars = frame.bars_in(box);
        const Rect bar = intersect({left, bars.top, right, bars.bottom}, frame.tracks);
        if (right > left && named++ < most) {
            anchors.add(fmt::format("{}/{}{}", lane, stretch.between ? "gap" : "", stretch.index), bar);
        }
        if (!scalar && stretch.reason != record::Reason::none &&
            stretch.end - stretch.start > largest.cycles && !analysis::outside_program(stretch.reason) &&
            !bar.empty()) {
            largest = {stretch.end - stretch.start, bar};
        }
    });
}

}  // namespace

void name_places(Anchors& anchors, const TimelineFrame& frame) {
    const auto whole = [&](Rect box) { return intersect(box, frame.tracks); };
    anchors.add("timeline/tracks", frame.tracks);
    anchors.add("timeline/ruler", frame.ruler);
    anchors.add("timeline/minimap", frame.minimap);
    LargestBubble largest;
    for (const TimelineRow& row : frame.rows.rows()) {
        const Rect box = frame.box_of(row);
        const std::string core = frame.rows.cores()[row.core].name;
        if (row.head) {
            anchors.add("timeline/head/" + core,
                        intersect({frame.heads.left, box.top, frame.heads.right, box.bottom}, frame.heads));
            continue;
        }
        const std::string lane = fmt::format("timeline/{}/{}", core, frame.lane_of(row).path.leaf());
        if (row.lane_b) {
            anchors.add(lane + "/b", whole(frame.bars_b_in(box)));
        }
        if (!row.lane) {
            continue;
        }
        anchors.add(lane, whole(box));
        if (!is_dense(frame.run, *row.lane, frame.axis) && !whole(box).empty()) {
            name_stretches(anchors, frame, row, box, largest);
        }
    }
    anchors.add("timeline/largest_bubble", largest.bar);
}

std::optional<Pick> pick_on_screen(const TimelineFrame& frame, Point place) {
    if (!frame.tracks.contains(place)) {
        return std::nullopt;
    }
    const TimelineRow* row = frame.rows.at(place.y - frame.tracks.top + frame.scroll);
    if (row == nullptr || !row->lane ||
        (frame.compares() && place.y >= frame.bars_b_in(frame.box_of(*row)).top)) {
        return std::nullopt;
    }
    return pick_at(frame.run, *row->lane, frame.axis.cycle(place.x));
}

std::string describe(const Run& run, const Pick& pick, const PanelContext& context) {
    std::string text = fmt::format("{}: {} \u00b7 {}",
                                   lane_label(run, pick.lane, context.theme),
                                   pick_label(run, pick, context.theme),
                                   format_time(static_cast<double>(pick.cycles()), context.time()));
    if (pick.stretch.between) {
        return text;
    }
    const record::Lane& lane = run.recording().lane(pick.lane);
    if (!pick.waits() && lane.bytes[pick.stretch.index] != 0) {
        text += fmt::format(" \u00b7 {}", format_bytes(lane.bytes[pick.stretch.index]));
    }
    if (const std::optional<Pick> culprit = pick_span(run, lane.culprit(pick.stretch.index));
        pick.waits() && culprit) {
        text += fmt::format(" \u00b7 on {} {}",
                            lane_label(run, culprit->lane, context.theme),
                            pick_label(run, *culprit, context.theme));
    }
    return text;
}

}  // namespace ascendsim::gui
