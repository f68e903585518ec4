// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/analysis/machine/recorded_plots.hpp"

namespace ascendsim::report {

/// A line, or a layer of a stack.
struct ChartSeries {
    std::string name;
    std::vector<std::pair<double, double>> points;  // by x
};

/// How a chart is drawn.
struct ChartOptions {
    std::string title;  // also for readers that cannot see it
    std::string x;      // what runs along the axes, with the unit
    std::string y;
    bool log_x = false;
    bool steps = false;  // a value holds until the next
    double least_y = 0;  // the scale begins no higher
    unsigned width = 1100;
    unsigned height = 260;
};

/// A bar with the text behind it.
struct ChartBar {
    std::string name;
    double value = 0;
    std::string text;
};

/// Something that a lane does from one moment to another.
struct ChartSpan {
    std::string lane;
    std::string name;  // spans of the same name have the same colour
    double from = 0;
    double to = 0;
};

/// Lines over one axis, as an <svg> element with a legend below it. Empty without points.
[[nodiscard]] std::string svg_lines(const std::vector<ChartSeries>& series, const ChartOptions& options);
/// Layers on top of each other; all have the same x, and each value holds until the next.
[[nodiscard]] std::string svg_stack(const std::vector<ChartSeries>& series, const ChartOptions& options);
/// Horizontal bars from zero, one below the other.
[[nodiscard]] std::string svg_bars(const std::vector<ChartBar>& bars, const ChartOptions& options);
/// Lanes one below the other, each with its spans.
[[nodiscard]] std::string svg_spans(const std::vector<ChartSpan>& spans, const ChartOptions& options);

/// A heading and a recording's plot as an <svg> element; time in s or ms, as it is long. Empty without points
/// or bars.
[[nodiscard]] std::string plot_html(const analysis::RecordedPlot& plot);
[[nodiscard]] std::string plots_html(const std::vector<analysis::RecordedPlot>& plots);

}  // namespace ascendsim::report
