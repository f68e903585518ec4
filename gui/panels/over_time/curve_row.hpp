// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "app/analysis/machine/recorded_plots.hpp"
#include "gui/canvas/canvas.hpp"
#include "gui/canvas/theme.hpp"
#include "gui/timeview/time_axis.hpp"

namespace ascendsim::gui {

/// A plot over time as one row below the timeline.
struct CurveRow {
    const analysis::RecordedPlot& plot;
    double top_value = 1;  // of the scale, which begins at 0
    TimeAxis axis;
    double us_a_cycle = 1;
    std::optional<double> cursor;  // cycle
};

/// Draws name, scale and series at the left of the axis, and the curves on it.
void draw_curve_row(Canvas& canvas, const CurveRow& row, Rect box, const Theme& theme);

}  // namespace ascendsim::gui
