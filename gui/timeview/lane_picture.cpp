// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/lane_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "app/analysis/lane_use.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/smooth_density.hpp"

namespace ascendsim::gui {
namespace {

using record::Lane;
using record::Reason;
using record::Stretch;

constexpr float smallest_bar = 3;  // pixels a span needs on average to be drawn by itself

/// Whether what lies between two spans is a wait. A host's thread or a link with nothing to do waits for
/// nobody; a device that computes nothing is what the reader looks for.
bool waits_between(const record::TrackPath& path) {
    return path.on_core() || path.has(record::TrackKind::device);
}

/// Waits outside of a program are background; waits within one are what the reader looks for.
Pixel cause_fill(const LaneStyle& style, Reason reason) {
    const Theme& theme = *style.theme;
    const bool faint = analysis::outside_program(reason) || (style.cause && *style.cause != reason);
    return mix(theme.panel, theme.cause(reason).colour, faint ? 0.10F : style.cause ? 0.75F : 0.42F);
}

/// Draws a lane's columns of shares, joining neighbours of the same height into one box. Causes have the
/// hatch and, where they fill enough, the letter that they have as single waits.
class DensityPainter {
public:
    /// `complete` of a recording that holds the whole run.
    DensityPainter(
        Canvas& canvas, const LaneStyle& style, Rect row, const record::TrackPath& path, bool complete)
        : canvas_{canvas}, row_{row}, style_{style} {
        for (std::size_t reason = 0; reason < record::reason_count; ++reason) {
            const auto cause = static_cast<Reason>(reason);
            colours_[reason] = cause_fill(style, cause);
            hatched_[reason] = reason != 0 && (!style.cause || *style.cause == cause);
            letter_heights_[reason] = cause_letter_room(canvas, style.theme->cause(cause)).y;
        }
        if (!waits_between(path)) {
            leave_out(Reason::issue);
        }
        if (!complete) {
            leave_out(Reason::tail);
        }
        const Pixel busy = lane_colour(*style.theme, path);
        colours_[0] = style.cause || style.found != nullptr ? mix(style.theme->panel, busy, 0.35F) : busy;
    }

    void add(const DensityColumn& column) {
        const double length = column.end - column.begin;
        double below = 0;
        float bottom = row_.bottom;
        for (std::size_t reason = 0; reason < record::reason_count; ++reason) {
            below += column.cycles[reason];
            const auto share = static_cast<float>(std::min(1.0, below / length));
            const float top = row_.bottom - std::round(share * row_.height());
            Box& box = open_[reason];
            if (top != box.top || bottom != box.bottom) {
                close(reason);
                box = {column.left, top, bottom};
            }
            note_letter(reason, {column.left, top, column.right, bottom});
            bottom = top;
        }
        right_ = column.right;
    }

    void finish() {
        for (std::size_t reason = 0; reason < record::reason_count; ++reason) {
            close(reason);
            end_band(reason);
        }
        for (const auto& [reason, box] : letters_) {
            draw_cause_letter(canvas_, box, style_.theme->cause(reason), *style_.theme);
        }
    }

private:
    struct Box {
        float left = 0;
        float top = 0;
        float bottom = 0;
    };

    static constexpr float least_hatched = 4;  // pixels across which a hatch can be seen

    void leave_out(Reason reason) {
        colours_[static_cast<std::size_t>(reason)] = style_.theme->panel;
        hatched_[static_cast<std::size_t>(reason)] = false;
    }

    void close(std::size_t reason) {
        const Box& box = open_[reason];
        if (box.bottom <= box.top) {
            return;
        }
        const Rect filled{box.left, box.top, right_, box.bottom};
        if (hatched_[reason] && filled.height() >= least_hatched) {
            const Theme& theme = *style_.theme;
            draw_cause_hatch(canvas_, filled, theme.cause(static_cast<Reason>(reason)), theme);
        } else {
            canvas_.fill(filled, colours_[reason]);
        }
    }

    /// Follows the part of neighbouring columns that one cause fills in all of them.
    void note_letter(std::size_t reason, Rect column) {
        if (!style_.labels || !hatched_[reason]) {
            return;
        }
        const float room = letter_heights_[reason];
        Rect& band = bands_[reason];
        const Rect both{
            band.left, std::max(band.top, column.top), column.right, std::min(band.bottom, column.bottom)};
        if (band.right == column.left && both.height() >= room) {
            band = both;
            return;
        }
        end_band(reason);
        if (column.height() >= room) {
            band = column;
        }
    }

    /// Letters are drawn over everything else, at last.
    void end_band(std::size_t reason) {
        if (!bands_[reason].empty()) {
            letters_.emplace_back(static_cast<Reason>(reason), bands_[reason]);
        }
        bands_[reason] = {};
    }

    Canvas& canvas_;
    Rect row_;
    const LaneStyle& style_;
    float right_ = 0;
    std::array<Box, record::reason_count> open_{};
    std::array<Pixel, record::reason_count> colours_{};
    std::array<bool, record::reason_count> hatched_{};
    std::array<float, record::reason_count> letter_heights_{};
    std::array<Rect, record::reason_count> bands_{};
    std::vector<std::pair<Reason, Rect>> letters_;
};

/// Spans that are narrower than a pixel: their share of it, never rounded up to the whole height.
class Crumbs {
public:
    Crumbs(Canvas& canvas, Rect row, Pixel colour, double cycles_per_pixel)
        : canvas_{canvas}, row_{row}, colour_{colour}, cycles_per_pixel_{cycles_per_pixel} {}

    void add(float x, double cycles) {
        if (x != x_) {
            flush();
            x_ = x;
        }
        cycles_ += cycles;
        any_ = true;
    }

    void flush() {
        if (any_) {
            const auto share = static_cast<float>(std::min(1.0, cycles_ / cycles_per_pixel_));
            const float height = std::max(std::round(share * row_.height()), std::min(4.0F, row_.height()));
            canvas_.fill({x_, row_.bottom - height, x_ + 1, row_.bottom}, colour_);
        }
        any_ = false;
        cycles_ = 0;
    }

private:
    Canvas& canvas_;
    Rect row_;
    Pixel colour_;
    double cycles_per_pixel_;
    float x_ = 0;
    double cycles_ = 0;
    bool any_ = false;
};

void draw_bubble(Canvas& canvas, Rect box, Reason reason, const LaneStyle& style) {
    const Theme& theme = *style.theme;
    if (style.cause && *style.cause != reason) {
        canvas.fill(box, cause_fill(style, reason));
        return;
    }
    if (box.width() < 4) {
        canvas.fill(box, cause_fill(style, reason));
        return;
    }
    draw_cause(canvas, box, theme.cause(reason), theme, style.labels);
    if (!analysis::outside_program(reason)) {
        canvas.fill({box.left, box.bottom - 1, box.right, box.bottom}, theme.cause(reason).colour);
    }
}

/// Over a wait that never ended: the hatch alone does not tell it from one that did.
void draw_never_set(Canvas& canvas, Rect box, Reason reason, const Theme& theme) {
    constexpr std::string_view words = "never set";
    const Point size = canvas.measure(words, TextStyle::small);
    if (box.width() < size.x + 8 || box.height() < size.y) {
        return;
    }
    const Pixel colour = theme.cause(reason).colour;
    const Point middle = box.centre();
    const Point corner{std::floor(middle.x - size.x / 2), std::floor(middle.y - size.y / 2)};
    canvas.fill({corner.x - 3, corner.y, corner.x + size.x + 3, corner.y + size.y},
                mix(theme.panel, colour, 0.16F));
    canvas.text(corner, theme.bad, words, TextStyle::small);
}

void draw_spans(Canvas& canvas,
                const Run& run,
                std::uint32_t number,
                const TimeAxis& axis,
                Rect row,
                const LaneStyle& style) {
    const Lane& lane = run.recording().lane(number);
    const Pixel whole = lane_colour(*style.theme, lane.path);
    const bool on_core = lane.path.on_core();
    const bool waits = waits_between(lane.path);
    const bool complete = run.recording().complete();
    const float strength = style.cause ? 0.35F : 1;
    Crumbs crumbs{canvas, row, mix(style.theme->panel, whole, strength), axis.cycles_per_pixel()};
    const bool separate = axis.cycles_per_pixel() < 0.25;
    record::for_each_stretch(
        run.recording(), number, first_cycle(axis.seen), last_cycle(axis.seen), [&](const Stretch& s) {
            const float left = std::max(axis.pixel(static_cast<double>(s.start)), row.left);
            const float right = std::min(axis.pixel(static_cast<double>(s.end)), row.right);
            if (right <= left) {
                if (s.reason == Reason::none && left < row.right) {
                    crumbs.add(left, static_cast<double>(s.end - s.start));
                }
                return;
            }
            const Rect box{left, row.top, right, row.bottom};
            if (s.between && (!waits || (s.reason == Reason::tail && !complete))) {
                return;
            }
            if (s.reason != Reason::none) {
                draw_bubble(canvas, box, s.reason, style);
                if (style.labels && run.never_set(number, s.start) != nullptr) {
                    draw_never_set(canvas, box, s.reason, *style.theme);
                }
                return;
            }
            const bool gap = box.width() > 3 && (separate || box.width() > 6);
            const std::string_view name = run.recording().name(lane.op[s.index]);
            const Pixel full = on_core ? whole : style.theme->task(name);
            const bool lit = style.found == nullptr || style.found->matches(lane, s.index);
            draw_pipe_bar(canvas,
                          {left, row.top, gap ? right - 1 : right, row.bottom},
                          mix(style.theme->panel, full, lit ? strength : 0.28F),
                          style.labels ? name : std::string_view{});
        });
    crumbs.flush();
}

/// Draws the few spans of a strip themselves; one narrower than a pixel is a faint pixel.
void draw_strip_spans(Canvas& canvas,
                      const Run& run,
                      std::uint32_t number,
                      const TimeAxis& axis,
                      Rect row,
                      const Theme& theme) {
    const Lane& lane = run.recording().lane(number);
    const Pixel colour = lane_colour(theme, lane.path);
    const Pixel faint = mix(theme.panel, colour, 0.4F);
    for (std::size_t i = lane.first_ending_after(first_cycle(axis.seen));
         i < lane.size() && static_cast<double>(lane.start[i]) < axis.seen.end;
         ++i) {
        if (lane.reason[i] != Reason::none) {
            continue;
        }
        const float left = std::max(axis.pixel(static_cast<double>(lane.start[i])), row.left);
        const float right = std::min(axis.pixel(static_cast<double>(lane.end[i])), row.right);
        if (left < row.right) {
            canvas.fill({left, row.top, std::max(right, left + 1), row.bottom},
                        right > left ? colour : faint);
        }
    }
}

/// Draws a strip of many spans as shades of its pipe's colour, by the share of each column's cycles that are
/// busy.
void draw_strip_shades(Canvas& canvas,
                       const Run& run,
                       std::uint32_t lane,
                       const TimeAxis& axis,
                       Rect row,
                       const LaneStyle& style) {
    const record::Pyramid* pyramid = run.pyramid(lane);
    constexpr std::size_t shades = 24;
    const Pixel colour = lane_colour(*style.theme, run.recording().lane(lane).path);
    std::array<Pixel, shades + 1> colours{};
    for (std::size_t n = 1; n <= shades; ++n) {
        colours[n] = mix(style.theme->panel, colour, static_cast<float>(n) / static_cast<float>(shades));
    }
    std::size_t shade = 0;
    Rect box{row.left, row.top, row.left, row.bottom};
    const auto flush = [&] {
        if (shade > 0) {
            canvas.fill(box, colours[shade]);
        }
    };
    const float step = std::max(2.0F, style.step);
    const auto add = [&](float left, float right, double share) {
        const auto rounded = static_cast<std::size_t>(share * static_cast<double>(shades) + 0.5);
        const auto next = share > 0 ? std::clamp<std::size_t>(rounded, 3, shades) : std::size_t{0};
        if (next != shade) {
            flush();
            box.left = left;
            shade = next;
        }
        box.right = right;
    };
    for_each_smooth_busy_column(run.recording(), lane, *pyramid, axis, step, add, {.finer = style.finer});
    flush();
}

}  // namespace

Pixel lane_colour(const Theme& theme, const record::TrackPath& path) {
    return path.on_core() ? theme.pipe(path.pipe()).colour : mix(theme.panel, theme.accent, 0.7F);
}

bool is_dense(const Run& run, std::uint32_t lane, const TimeAxis& axis) {
    return more_visible_than(axis.width / smallest_bar, run.recording().lane(lane), axis.seen);
}

void draw_lane(Canvas& canvas,
               const Run& run,
               std::uint32_t lane,
               const TimeAxis& axis,
               Rect row,
               const LaneStyle& style) {
    const record::Pyramid* pyramid = run.pyramid(lane);
    if (pyramid == nullptr || !is_dense(run, lane, axis)) {
        draw_spans(canvas, run, lane, axis, row, style);
        return;
    }
    DensityPainter painter{canvas, style, row, run.recording().lane(lane).path, run.recording().complete()};
    const auto add = [&](const DensityColumn& column) { painter.add(column); };
    for_each_smooth_column(run.recording(), lane, *pyramid, axis, style.step, add, {.finer = style.finer});
    painter.finish();
}

void draw_strip(Canvas& canvas,
                const Run& run,
                std::uint32_t lane,
                const TimeAxis& axis,
                Rect row,
                const LaneStyle& style) {
    if (run.pyramid(lane) == nullptr) {
        return;
    }
    if (is_dense(run, lane, axis)) {
        draw_strip_shades(canvas, run, lane, axis, row, style);
    } else {
        draw_strip_spans(canvas, run, lane, axis, row, *style.theme);
    }
}

record::Occupancy visible_occupancy(const Run& run, std::uint32_t lane, TimeRange seen) {
    const record::Pyramid* pyramid = run.pyramid(lane);
    constexpr float few = 512;
    if (pyramid == nullptr || !more_visible_than(few, run.recording().lane(lane), seen)) {
        return record::occupancy(run.recording(), lane, first_cycle(seen), last_cycle(seen));
    }
    const std::size_t level = density_level(*pyramid, seen.length() / 16);
    const std::uint64_t bucket = pyramid->bucket(level);
    const std::size_t most = pyramid->buckets(level);
    const std::size_t first = std::min<std::size_t>(first_cycle(seen) / bucket, most);
    const std::size_t last = std::min<std::size_t>((last_cycle(seen) + bucket - 1) / bucket, most);
    record::Occupancy sum;
    pyramid->read(level, first, std::max(first, last)).add(first, std::max(first, last), sum);
    return sum;
}

}  // namespace ascendsim::gui
