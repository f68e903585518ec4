// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ascendsim::report {

/// Points that belong together, in the order in which a line joins them.
struct PlotSeries {
    std::string name;
    std::vector<std::pair<double, double>> points;
    bool steps = false;    // each value holds until the next point
    bool markers = false;  // a dot at each point, with its values on hover
};

/// Lines over two axes. The y axis begins at 0.
struct LinePlot {
    std::string title;
    std::string x_label;
    std::string y_label;
    bool log_x = false;  // of base 2; points at 0 and below are left out
    std::vector<PlotSeries> series;
    std::optional<double> limit{};  // a level that is marked
    std::string limit_name{};
};

/// As an <svg> element; empty if no series has a point.
[[nodiscard]] std::string svg_plot(const LinePlot& plot);

/// One row of a plot of ranges: a line from `low` to `high`, a box from `begin` to `end`, and marks.
struct PlotRange {
    std::string name;
    double low = 0;
    double begin = 0;
    double end = 0;
    double high = 0;
    std::vector<std::pair<std::string, double>> marks;  // "P50", …
};

/// Ranges one below the other, over one axis that begins at 0, as an <svg> element; empty without rows.
[[nodiscard]] std::string svg_ranges(const std::string& title,
                                     const std::string& x_label,
                                     const std::vector<PlotRange>& rows);

/// A step between ticks that is 1, 2 or 5 times a power of ten, so that at most `ticks` of them reach `most`.
[[nodiscard]] double tick_step(double most, int ticks);

}  // namespace ascendsim::report
