// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "gui/canvas/canvas.hpp"
#include "gui/canvas/theme.hpp"
#include "gui/document/roofline.hpp"
#include "gui/panels/roofline/log_plot.hpp"

namespace ascendsim::gui {

/// Ways of bytes that stand at one place of the plot, as far as the eye can tell.
struct RooflineMark {
    Point at;                        ///< its centre, pixels
    float reach = 0;                 ///< from the centre to each corner, pixels
    std::vector<const Roof*> roofs;  ///< from left to right in the mark

    [[nodiscard]] Rect box() const {
        return {at.x - reach, at.y - reach, at.x + reach + 1, at.y + reach + 1};
    }
};

/// One mark for every place where the run stands, from left to right; the more ways share it, the larger it
/// is.
[[nodiscard]] std::vector<RooflineMark> marks_of(const LogPlot& plot, const Roofline& line, float scale);

/// A diamond cut into upright stripes, one in the colour of each way, so that none hides another; hollow for
/// a part of the run.
void draw_mark(Canvas& canvas, const RooflineMark& mark, const Theme& theme, bool filled);

/// Whether two points of the plot, or four of two arrows, are one place to the eye.
[[nodiscard]] bool same_place(Point a, Point b, float scale);

/// The colour of a way of bytes in the plot and its legend.
[[nodiscard]] Pixel colour_of(const Theme& theme, const Roof& roof);

}  // namespace ascendsim::gui
