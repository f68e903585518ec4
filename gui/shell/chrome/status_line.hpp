// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/shell/library.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// Draws the line below the panels: what the pointer is over, and the visible and selected stretches of time.
void draw_status_line(const Rect& box, const Library& library, const PanelContext& context);

}  // namespace ascendsim::gui
