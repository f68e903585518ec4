// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/shell/panel.hpp"
#include "gui/shell/toasts.hpp"

namespace ascendsim::gui {

/// Draws the messages in the lower right corner; a click dismisses one.
void draw_toasts(Toasts& toasts, const Rect& screen, const PanelContext& context);

}  // namespace ascendsim::gui
