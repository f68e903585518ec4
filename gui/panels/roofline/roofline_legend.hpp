// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gui/panels/roofline/roofline_picture.hpp"

namespace ascendsim::gui {

/// A line of the legend: a run or a way of bytes, and its figures.
struct LegendRow {
    Pixel chip;
    std::string name;
    std::string value;
    const Roof* roof = nullptr;  ///< null for a run
};

/// The runs, then every route of bytes of run A.
[[nodiscard]] std::vector<LegendRow> legend_rows(const PanelContext& context, const RooflineLines& lines);

/// The part of the panel that the legend takes, at the right of `box`.
[[nodiscard]] Rect legend_box(const PanelContext& context, Rect box);

/// The row under a point, or null: beside the rows, or the line that counts those without room.
[[nodiscard]] const LegendRow* legend_row_at(const std::vector<LegendRow>& rows,
                                             const PanelContext& context,
                                             Rect legend,
                                             Point point);

/// Rows closer where there are many; those that have no room even then are counted in a last line. `lit`
/// stand out.
void draw_legend(Canvas& canvas,
                 Rect legend,
                 const PanelContext& context,
                 const std::vector<LegendRow>& rows,
                 const std::vector<const Roof*>& lit);

}  // namespace ascendsim::gui
