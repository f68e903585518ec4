// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// The line above the panels: the open runs, the find field, and buttons.
class Toolbar {
public:
    void draw(const Rect& box, PanelContext& context);

    /// Puts the keyboard into the find field in the next frame.
    void focus_find() { focus_find_ = true; }

private:
    void draw_find(PanelContext& context);

    bool focus_find_ = false;
};

}  // namespace ascendsim::gui
