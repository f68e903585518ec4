// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gui/canvas/canvas.hpp"
#include "gui/panels/chip_view/chip_moment.hpp"

namespace ascendsim::gui {

/// A part of the diagram that can be pointed at.
struct DiagramPart {
    std::string name;  ///< "mte2", "ub"
    Rect box;
    std::string hint;
};

/// Draws a core as blocks and arrows: units lit while busy and hatched while waiting, buffers filled as far
/// as they are in use, arrows as thick as what flows. Returns what can be pointed at.
std::vector<DiagramPart> draw_core(
    Canvas& canvas, Rect box, const ChipMoment& moment, bool cube, const Theme& theme, float scale);

}  // namespace ascendsim::gui
