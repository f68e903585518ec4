// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "gui/canvas/canvas.hpp"
#include "gui/canvas/format.hpp"
#include "gui/canvas/theme.hpp"
#include "gui/timeview/time_axis.hpp"

namespace ascendsim::gui {

/// Width of the names left of every view of time, so that their axes stand below each other.
[[nodiscard]] inline float time_header_width(float scale) {
    return std::round(136 * scale);
}

/// Draws ticks with their times into `box`; a time that would lie on `taken` is left out.
void draw_ruler(
    Canvas& canvas, const TimeAxis& axis, Rect box, TimeScale time, const Theme& theme, Rect taken = {});
/// Draws faint lines at the ruler's ticks.
void draw_time_grid(Canvas& canvas, const TimeAxis& axis, Rect box, TimeScale time, const Theme& theme);
/// Draws the selected stretch, marks and the cursor over a view.
void draw_time_overlays(
    Canvas& canvas, const TimeAxis& axis, Rect box, const ViewState& view, const Theme& theme);

}  // namespace ascendsim::gui
