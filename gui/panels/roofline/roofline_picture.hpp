// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/canvas/canvas.hpp"
#include "gui/document/roofline.hpp"
#include "gui/panels/roofline/log_plot.hpp"
#include "gui/panels/roofline/roofline_marks.hpp"
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

/// Of every route of bytes that both runs used; none without a run B.
[[nodiscard]] std::vector<RooflineArrow> arrows_of(const RooflineLines& lines);

/// Where values lie in the plot that fills the left of `box`; nothing if there is no room for one.
[[nodiscard]] std::optional<LogPlot> roofline_plot(const PanelContext& context,
                                                   Rect box,
                                                   const RooflineLines& lines);

/// "cube 295 Top/s": what the highest roof is.
[[nodiscard]] std::string peak_label(const Roofline& line);

/// Where it is named: above it, where no other roof can be, and beside the marks.
[[nodiscard]] Rect peak_label_box(const LogPlot& plot,
                                  const PanelContext& context,
                                  const Roofline& line,
                                  const std::vector<RooflineMark>& marks);

/// Axes, roofs, where the runs stand, and the legend; the ways of bytes in `lit` stand out.
void draw_roofline(Canvas& canvas,
                   Rect box,
                   const PanelContext& context,
                   const RooflineLines& lines,
                   const std::vector<const Roof*>& lit);

/// From where run B stood to where run A stands, for every route of bytes. Ways that move alike lie beside
/// each other, their squares around each other.
void draw_arrows(Canvas& canvas,
                 const LogPlot& plot,
                 const PanelContext& context,
                 const RooflineLines& lines);

}  // namespace ascendsim::gui
