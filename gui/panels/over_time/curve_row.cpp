// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/over_time/curve_row.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/canvas/elide.hpp"
#include "gui/timeview/plot_marks.hpp"

namespace ascendsim::gui {
namespace {

using analysis::PlotKind;
using analysis::PlotSeries;

/// What a series reaches in each column of pixels, from the left of the axis on.
std::vector<double> columns_of(const CurveRow& row, const PlotSeries& series) {
    std::vector<double> columns;
    columns.reserve(static_cast<std::size_t>(row.axis.width) + 1);
    for (float x = row.axis.left; x < row.axis.right(); ++x) {
        const double from = row.axis.cycle(x) * row.us_a_cycle;
        const double to = row.axis.cycle(x + 1) * row.us_a_cycle;
        columns.push_back(std::max(0.0, largest_in(series, from, to, row.plot.steps)));
    }
    return columns;
}

float height_of(const CurveRow& row, double value, Rect plot) {
    const auto share = static_cast<float>(std::clamp(value / row.top_value, 0.0, 1.0));
    return value > 0 ? std::max(1.0F, std::round(share * plot.height())) : 0;
}

/// Fills between two heights of each column, neighbours of the same heights in one box.
void fill_columns(Canvas& canvas,
                  const CurveRow& row,
                  Rect plot,
                  const std::vector<double>& low,
                  const std::vector<double>& high,
                  Pixel inside,
                  Pixel edge) {
    float left = row.axis.left;
    float bottom = 0;
    float top = 0;
    for (std::size_t n = 0; n <= high.size(); ++n) {
        const bool over = n == high.size();
        const float next_bottom = over ? -1 : height_of(row, low[n], plot);
        const float next_top = over ? -1 : height_of(row, high[n], plot);
        if (next_bottom == bottom && next_top == top) {
            continue;
        }
        const float x = row.axis.left + static_cast<float>(n);
        if (top > bottom) {
            canvas.fill({left, plot.bottom - top, x, plot.bottom - bottom}, inside);
            canvas.fill({left, plot.bottom - top, x, plot.bottom - top + 1}, edge);
        }
        left = x;
        bottom = next_bottom;
        top = next_top;
    }
}

/// A line of upright and level strokes through the heights of the columns.
void draw_columns(
    Canvas& canvas, const CurveRow& row, Rect plot, const std::vector<double>& columns, Pixel colour) {
    float before = 0;
    float left = row.axis.left;
    const float thick = std::max(1.0F, std::round(1.5F * canvas.fonts().scale()));
    for (std::size_t n = 0; n <= columns.size(); ++n) {
        const float height = n == columns.size() ? -1 : height_of(row, columns[n], plot);
        if (n > 0 && height == before) {
            continue;
        }
        const float x = row.axis.left + static_cast<float>(n);
        if (n > 0) {
            const float y = plot.bottom - std::max(before, 1.0F);
            canvas.fill({left, y, x, y + thick}, colour);
            if (height >= 0) {
                const float low = plot.bottom - std::min(before, height);
                const float high = plot.bottom - std::max(before, height);
                canvas.fill({x, high, x + 1, std::min(low + thick, plot.bottom)}, colour);
            }
        }
        left = x;
        before = height;
    }
}

void draw_stack(Canvas& canvas, const CurveRow& row, Rect plot, const Theme& theme) {
    std::vector<double> low(static_cast<std::size_t>(std::ceil(row.axis.width)), 0.0);
    for (std::size_t n = 0; n < row.plot.series.size(); ++n) {
        std::vector<double> high = columns_of(row, row.plot.series[n]);
        low.resize(high.size());
        for (std::size_t x = 0; x < high.size(); ++x) {
            high[x] += low[x];
        }
        const Pixel colour = theme.series(n);
        fill_columns(canvas, row, plot, low, high, mix(theme.panel, colour, 0.6F), colour);
        low = std::move(high);
    }
}

void draw_lines(Canvas& canvas, const CurveRow& row, Rect plot, const Theme& theme) {
    const bool alone = row.plot.series.size() == 1;
    for (std::size_t n = 0; n < row.plot.series.size(); ++n) {
        const std::vector<double> columns = columns_of(row, row.plot.series[n]);
        const Pixel colour = theme.series(n);
        if (alone) {
            const std::vector<double> ground(columns.size(), 0.0);
            fill_columns(canvas, row, plot, ground, columns, mix(theme.panel, colour, 0.35F), colour);
        } else {
            draw_columns(canvas, row, plot, columns, colour);
        }
    }
}

/// Name, and of each series as there are lines its colour, name and value: at the cursor, or else the
/// largest.
void draw_head(Canvas& canvas, const CurveRow& row, Rect head, const Theme& theme) {
    const float line = std::ceil(canvas.measure("X", TextStyle::small).y);
    const float gap = std::round(6 * canvas.fonts().scale());
    float top = head.top + 2;
    canvas.text({head.left, top},
                theme.text,
                without_middle(canvas.fonts(), row.plot.title, TextStyle::small, head.width()),
                TextStyle::small);
    top += line;
    const double us = row.cursor.value_or(-1) * row.us_a_cycle;
    for (std::size_t n = 0; n < row.plot.series.size() && top + line <= head.bottom; ++n) {
        const PlotSeries& series = row.plot.series[n];
        const std::string value = us >= 0
                                      ? plot_figure(value_at(series, us, row.plot.steps))
                                      : "max " + plot_figure(largest_in(series, -1, 1e300, row.plot.steps));
        const float wide = canvas.measure(value, TextStyle::small).x + gap;
        const float chip = std::round(3 * canvas.fonts().scale());
        if (!series.name.empty()) {
            canvas.fill({head.left, top + 2, head.left + chip, top + line - 2}, theme.series(n));
        }
        const Rect words{head.left + chip + gap, top, head.right, top + line};
        canvas.text({words.left, top},
                    theme.text_dim,
                    without_middle(canvas.fonts(), series.name, TextStyle::small, words.width() - wide),
                    TextStyle::small);
        canvas.text_in({words.left, top, words.right + 1, top + line},
                       theme.text,
                       value,
                       Align::right,
                       TextStyle::small);
        top += line;
    }
}

}  // namespace

void draw_curve_row(Canvas& canvas, const CurveRow& row, Rect box, const Theme& theme) {
    const float gap = std::round(8 * canvas.fonts().scale());
    const Rect plot{row.axis.left, box.top + gap, box.right, box.bottom - 2};
    if (row.plot.kind == PlotKind::stack) {
        draw_stack(canvas, row, plot, theme);
    } else {
        draw_lines(canvas, row, plot, theme);
    }
    canvas.fill({plot.left, plot.bottom, plot.right, plot.bottom + 1}, theme.border);
    const float up = plot.bottom - std::round(plot.height());
    canvas.fill({plot.left, up, plot.right, up + 1}, with_alpha(theme.text_faint, 90));
    if (!row.plot.limit || *row.plot.limit != row.top_value) {
        draw_words_over(canvas,
                        {plot.left + 3, up + 1},
                        fmt::format("{} {}", plot_figure(row.top_value), row.plot.y),
                        theme.text_dim,
                        theme);
    }
    if (row.plot.limit && *row.plot.limit > row.top_value) {
        const std::string words = fmt::format("limit {} {}", plot_figure(*row.plot.limit), row.plot.y);
        const float width = canvas.measure(words, TextStyle::small).x;
        draw_words_over(canvas, {std::round(plot.right - 4 - width), up + 1}, words, theme.text_dim, theme);
    } else if (row.plot.limit) {
        const auto share = static_cast<float>(*row.plot.limit / row.top_value);
        draw_limit(canvas,
                   plot,
                   std::round(plot.bottom - share * plot.height()),
                   fmt::format("limit {} {}", plot_figure(*row.plot.limit), row.plot.y),
                   theme);
    }
    draw_head(canvas, row, {box.left, box.top, row.axis.left - gap, box.bottom}, theme);
}

}  // namespace ascendsim::gui
