// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/shell/layout.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// Draws the lines between docks; dragging one asks for other sizes.
void draw_splitters(const LayoutRects& rects, PanelContext& context);

}  // namespace ascendsim::gui
