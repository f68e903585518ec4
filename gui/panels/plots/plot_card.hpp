// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/analysis/machine/recorded_plots.hpp"
#include "gui/canvas/canvas.hpp"
#include "gui/canvas/theme.hpp"

namespace ascendsim::gui {

/// The height that a plot's card wants at a width, pixels.
[[nodiscard]] float card_height(const FontSet& fonts, const analysis::RecordedPlot& plot, float width);

/// Draws a plot: title, axes, lines or layers or bars, and the names of its series below.
void draw_card(Canvas& canvas,
               const analysis::RecordedPlot& plot,
               Rect box,
               std::optional<Point> pointer,
               const Theme& theme);

/// What a card shows at a place: the bar there, or x and the value of each series; empty if nothing.
[[nodiscard]] std::string card_hint(const FontSet& fonts,
                                    const analysis::RecordedPlot& plot,
                                    Rect box,
                                    Point pointer);

}  // namespace ascendsim::gui
