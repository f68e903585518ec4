// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/analysis/machine/recorded_plots.hpp"
#include "gui/canvas/fonts.hpp"
#include "gui/canvas/geometry.hpp"

namespace ascendsim::gui {

/// From values to pixels along one axis.
struct PlotScale {
    double from = 0;
    double to = 1;
    float begin = 0;
    float end = 1;
    bool log = false;

    [[nodiscard]] float operator()(double value) const;
    [[nodiscard]] double value(float place) const;
    /// Values to mark, about as many as wanted.
    [[nodiscard]] std::vector<double> ticks(int most) const;
};

/// Where the parts of a card lie.
struct CardLayout {
    Rect title;
    Rect plot;
    Rect x_labels;
    Rect legend;
    PlotScale x;
    PlotScale y;
    float line = 0;        // height of a line of small text
    float name_width = 0;  // of bars
    float text_width = 0;  // of the words behind bars
};

[[nodiscard]] CardLayout lay_out_card(const FontSet& fonts, const analysis::RecordedPlot& plot, Rect box);

/// Lines that the names of series take below a plot of a width.
[[nodiscard]] int legend_lines(const FontSet& fonts, const analysis::RecordedPlot& plot, float width);

}  // namespace ascendsim::gui
