// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gui/document/roofline.hpp"
#include "gui/shell/canvas.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// What is drawn: run A, the chosen part of it, and run B; null for what there is not.
struct RooflineLines {
    const Roofline* whole = nullptr;
    const Roofline* part = nullptr;
    const Roofline* before = nullptr;
};

/// A way of bytes in run B and the same in run A.
struct RooflineArrow {
    const Roof* before = nullptr;
    const Roof* now = nullptr;
};

/// Of every way of bytes that both runs used; none without a run B.
[[nodiscard]] std::vector<RooflineArrow> arrows_of(const RooflineLines& lines);

/// Of the legend at the right of `box`, pixels.
[[nodiscard]] float legend_width(const PanelContext& context, Rect box);
/// From one line of the legend to the next, pixels.
[[nodiscard]] float legend_step(const PanelContext& context);

/// Axes, roofs, where the runs stand, and the legend.
void draw_roofline(Canvas& canvas, Rect box, const PanelContext& context, const RooflineLines& lines);

}  // namespace ascendsim::gui
