// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/plot_marks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gui/canvas/format.hpp"

namespace ascendsim::gui {

using analysis::PlotKind;
using analysis::PlotSeries;
using analysis::RecordedPlot;

std::string plot_figure(double value) {
    const double size = std::abs(value);
    return size >= 999.5  ? format_number(value, 0)
           : size >= 1e-3 ? fmt::format("{:.3g}", value)
           : size > 0     ? fmt::format("{:.2g}", value)
                          : "0";
}

double value_at(const PlotSeries& series, double x, bool steps) {
    const auto behind = std::ranges::upper_bound(series.points, x, {}, &std::pair<double, double>::first);
    if (behind == series.points.begin()) {
        return 0;
    }
    const auto& [at, value] = *(behind - 1);
    if (behind == series.points.end()) {
        return steps || x == at ? value : 0;
    }
    if (steps || behind->first <= at) {
        return value;
    }
    return value + (behind->second - value) * (x - at) / (behind->first - at);
}

double largest_in(const PlotSeries& series, double from, double to, bool steps) {
    double largest = value_at(series, from, steps);
    auto point = std::ranges::lower_bound(series.points, from, {}, &std::pair<double, double>::first);
    for (; point != series.points.end() && point->first < to; ++point) {
        largest = std::max(largest, point->second);
    }
    return largest;
}

double top_of(const RecordedPlot& plot) {
    constexpr double farthest = 5;  // times the largest value
    const double largest = largest_of(plot);
    const double limit = plot.limit.value_or(0);
    return limit > largest && limit < farthest * largest ? limit : largest;
}

double largest_of(const RecordedPlot& plot) {
    double top = 1e-12;
    if (plot.kind == PlotKind::stack && !plot.series.empty()) {
        for (std::size_t i = 0; i < plot.series.front().points.size(); ++i) {
            double sum = 0;
            for (const PlotSeries& series : plot.series) {
                sum += std::max(0.0, series.points[i].second);
            }
            top = std::max(top, sum);
        }
    } else {
        for (const PlotSeries& series : plot.series) {
            for (const auto& [x, y] : series.points) {
                top = std::max(top, y);
            }
        }
    }
    return top;
}

void draw_words_over(
    Canvas& canvas, Point place, const std::string& words, Pixel colour, const Theme& theme) {
    const Point size = canvas.measure(words, TextStyle::small);
    canvas.fill(whole_pixels({place.x - 2, place.y, place.x + size.x + 2, place.y + size.y}),
                with_alpha(theme.panel, 215));
    canvas.text(place, colour, words, TextStyle::small);
}

void draw_limit(Canvas& canvas, Rect box, float y, const std::string& words, const Theme& theme) {
    const float dash = std::round(6 * canvas.fonts().scale());
    for (float x = box.left; x < box.right; x += 2 * dash) {
        canvas.fill({x, y, std::min(x + dash, box.right), y + 1}, theme.bad);
    }
    const Point size = canvas.measure(words, TextStyle::small);
    const float top = y + size.y + 2 <= box.bottom ? y + 1 : y - size.y;
    draw_words_over(canvas, {std::round(box.right - size.x - 4), std::round(top)}, words, theme.bad, theme);
}

}  // namespace ascendsim::gui
