// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/time_ruler.hpp"

#include <algorithm>
#include <string>

namespace ascendsim::gui {
namespace {

/// Calls visit(x, cycle, step in shown units) for every tick.
template <class Visit>
void for_each_tick(const TimeAxis& axis, TimeScale time, float scale, const Visit& visit) {
    const double unit = cycles_per_unit(time);
    const int most = std::max(1, static_cast<int>(axis.width / (96 * scale)));
    double step = tick_step(axis.seen.length() / unit, most);
    if (time.unit == TimeUnit::cycles) {
        step = std::max(step, 1.0);
    }
    const double first = std::ceil(axis.seen.begin / unit / step);
    const double last = std::floor(axis.seen.end / unit / step);
    for (double n = first; n <= last; ++n) {
        visit(axis.pixel(n * step * unit), n * step * unit, step);
    }
}

}  // namespace

void draw_ruler(
    Canvas& canvas, const TimeAxis& axis, Rect box, TimeScale time, const Theme& theme, Rect taken) {
    canvas.push_clip(box);
    for_each_tick(axis, time, canvas.fonts().scale(), [&](float x, double cycle, double step) {
        canvas.fill({x, box.bottom - 5, x + 1, box.bottom}, theme.text_faint);
        const std::string tick = format_tick(cycle, step, time);
        const float end = x + 4 + canvas.measure(tick, TextStyle::small).x;
        const bool free = taken.empty() || end <= taken.left || x + 4 >= taken.right;
        if (end <= box.right && free) {
            canvas.text({x + 4, box.top + 2}, theme.text_dim, tick, TextStyle::small);
        }
    });
    canvas.pop_clip();
}

void draw_time_grid(Canvas& canvas, const TimeAxis& axis, Rect box, TimeScale time, const Theme& theme) {
    for_each_tick(axis, time, canvas.fonts().scale(), [&](float x, double, double) {
        canvas.fill({x, box.top, x + 1, box.bottom}, theme.grid);
    });
}

void draw_time_overlays(
    Canvas& canvas, const TimeAxis& axis, Rect box, const ViewState& view, const Theme& theme) {
    const auto area = [&](const TimeRange& range, Pixel inside, Pixel edge) {
        const float left = axis.pixel(range.begin);
        const float right = axis.pixel(range.end);
        canvas.fill(intersect({left, box.top, right, box.bottom}, box), inside);
        for (const float x : {left, right}) {
            canvas.fill(intersect({x, box.top, x + 1, box.bottom}, box), edge);
        }
    };
    for (const Mark& mark : view.marks) {
        area(mark.range, with_alpha(theme.warning, 16), with_alpha(theme.warning, 120));
    }
    if (view.range) {
        area(*view.range, theme.accent_soft, with_alpha(theme.accent, 200));
    }
    if (view.cursor) {
        const float x = axis.pixel(*view.cursor);
        canvas.fill(intersect({x, box.top, x + 1, box.bottom}, box), theme.guide);
    }
}

}  // namespace ascendsim::gui
