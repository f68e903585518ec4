// SPDX-License-Identifier: Apache-2.0
// Run B below run A: what is the same in both, and where they part.
#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "gui/panels/timeline/timeline_frame.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::string_view words_a = "schedules part";
constexpr std::string_view words_b = "B parts";

/// Where a flag stands on its ruler.
Rect flag_box(const Canvas& canvas, const TimelineFrame& frame, float x, Rect ruler, std::string_view words) {
    if (x < frame.tracks.left || x >= frame.tracks.right) {
        return {};
    }
    const float width = canvas.measure(words, TextStyle::small).x + 8;
    const float left = std::min(x, frame.tracks.right - width);
    return {left, ruler.top + 1, left + width, ruler.bottom - 2};
}

/// A line through all rows with a flag on its ruler.
void draw_flag(
    Canvas& canvas, const TimelineFrame& frame, float x, Rect ruler, Rect flag, std::string_view words) {
    if (flag.empty()) {
        return;
    }
    const Theme& theme = frame.context.theme;
    canvas.fill(flag, theme.warning);
    canvas.text_in(flag, readable_on(theme.warning), words, Align::centre, TextStyle::small);
    canvas.fill({x, ruler.bottom - 2, x + 1, frame.tracks.bottom}, theme.warning);
}

/// The same instruction in run B: a frame, and how its length changed.
void draw_match(Canvas& canvas, const TimelineFrame& frame, const Pick& pick, const Pick& match) {
    const TimelineRow* row = frame.rows.of_lane(pick.lane);
    if (row == nullptr) {
        return;
    }
    const Theme& theme = frame.context.theme;
    const Rect bars = frame.bars_b_in(frame.box_of(*row));
    const float left = std::max(frame.axis_b.pixel(match.range().begin), frame.tracks.left - 4);
    const float right =
        std::max(left + 2, std::min(frame.axis_b.pixel(match.range().end), frame.tracks.right + 4));
    canvas.push_clip(frame.tracks);
    canvas.outline({left - 1, bars.top - 1, right + 1, bars.bottom + 1},
                   theme.run_b,
                   std::max(1.0F, std::round(1.5F * frame.context.scale())));
    canvas.pop_clip();
    if (intersect(bars, frame.tracks).empty()) {
        return;
    }
    const auto before = static_cast<double>(match.cycles());
    const auto now = static_cast<double>(pick.cycles());
    const std::string text =
        fmt::format("B: {}{}",
                    format_time(before, frame.context.time()),
                    before > 0 ? fmt::format(", A {:+.1f} %", (now / before - 1) * 100) : std::string{});
    const float width = canvas.measure(text, TextStyle::small).x + 8;
    // Beside the frame stand other bars of B: the words are in it, or else on B's ruler above it.
    const float middle =
        std::round((std::max(left, frame.tracks.left) + std::min(right, frame.tracks.right)) / 2);
    const float place = std::clamp(std::round(middle - width / 2),
                                   frame.tracks.left,
                                   std::max(frame.tracks.left, frame.tracks.right - width));
    const bool inside = right - left >= width + 4;
    const Rect& line = inside ? bars : frame.ruler_b;
    const Rect plate{place, line.top + 1, place + width, line.bottom - 1};
    canvas.push_clip(inside ? frame.tracks : frame.ruler_b);
    canvas.fill(plate, theme.raised);
    canvas.text_in(plate, theme.text, text, Align::centre, TextStyle::small);
    canvas.pop_clip();
}

}  // namespace

Flags flags_of(const Canvas& canvas, const TimelineFrame& frame) {
    if (!frame.pair.divergence()) {
        return {};
    }
    const float a = frame.axis.pixel(frame.pair.divergence_in_a());
    const float b = frame.axis_b.pixel(frame.pair.divergence_in_b());
    return {.a = flag_box(canvas, frame, a, frame.ruler, words_a),
            .b = std::abs(a - b) > 2 ? flag_box(canvas, frame, b, frame.ruler_b, words_b) : Rect{}};
}

void draw_pair(Canvas& canvas, const TimelineFrame& frame) {
    canvas.push_clip({frame.tracks.left, frame.ruler.top, frame.tracks.right, frame.tracks.bottom});
    if (frame.pair.divergence()) {
        const float a = frame.axis.pixel(frame.pair.divergence_in_a());
        const float b = frame.axis_b.pixel(frame.pair.divergence_in_b());
        const Flags flags = flags_of(canvas, frame);
        draw_flag(canvas, frame, a, frame.ruler, flags.a, words_a);
        draw_flag(canvas, frame, b, frame.ruler_b, flags.b, words_b);
    }
    canvas.pop_clip();
    const std::optional<Pick> pick = selected(frame.run, frame.context.view);
    if (pick && frame.pair.selected_in_b()) {
        draw_match(canvas, frame, *pick, *frame.pair.selected_in_b());
    }
}

std::optional<Pick> pick_b_on_screen(const TimelineFrame& frame, Point place) {
    if (!frame.compares() || !frame.tracks.contains(place)) {
        return std::nullopt;
    }
    const TimelineRow* row = frame.rows.at(place.y - frame.tracks.top + frame.scroll);
    if (row == nullptr || !row->lane_b || place.y < frame.bars_b_in(frame.box_of(*row)).top) {
        return std::nullopt;
    }
    return pick_at(*frame.pair.other(), *row->lane_b, frame.axis_b.cycle(place.x));
}

}  // namespace ascendsim::gui
