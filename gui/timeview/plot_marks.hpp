// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "app/analysis/machine/recorded_plots.hpp"
#include "gui/canvas/canvas.hpp"
#include "gui/canvas/theme.hpp"

namespace ascendsim::gui {

/// "0.123", "12.3", "1,234": three digits, or all in front of the point.
[[nodiscard]] std::string plot_figure(double value);

/// The value at a place: of steps the one that holds there, else between two points. 0 outside of the points.
[[nodiscard]] double value_at(const analysis::PlotSeries& series, double x, bool steps);

/// The largest value in [from, to): what holds at its begin, and all points in it.
[[nodiscard]] double largest_in(const analysis::PlotSeries& series, double from, double to, bool steps);

/// The largest value of all, of a stack the largest sum. At least a very small number.
[[nodiscard]] double largest_of(const analysis::RecordedPlot& plot);

/// The top of the scale: the largest value, or the limit if that is higher and not so far away that all else
/// would lie on the ground.
[[nodiscard]] double top_of(const analysis::RecordedPlot& plot);

/// Small words on a ground of their own, readable over any curve; `place` is their upper left corner.
void draw_words_over(Canvas& canvas, Point place, const std::string& words, Pixel colour, const Theme& theme);
/// A dashed line across with the limit's value at its right end.
void draw_limit(Canvas& canvas, Rect box, float y, const std::string& words, const Theme& theme);

}  // namespace ascendsim::gui
