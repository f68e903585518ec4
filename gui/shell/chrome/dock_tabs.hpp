// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gui/shell/exports.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// The tabs of a dock and their menu: views that have no room for a tab, and saving a view.
class DockTabs {
public:
    DockTabs(ViewState& view, Exports& exports) : view_{view}, exports_{exports} {}

    /// Draws them at the top of the current window.
    void draw(Dock dock, const std::vector<Panel*>& panels, Panel* active, PanelContext& context);

    /// With the line below them, pixels.
    [[nodiscard]] static float height(const FontSet& fonts);

private:
    void draw_menu(Dock dock,
                   const std::vector<Panel*>& panels,
                   Panel* active,
                   Point size,
                   bool wanted,
                   PanelContext& context);
    void draw_save_items(const PanelInfo& info, PanelContext& context);

    ViewState& view_;
    Exports& exports_;
};

}  // namespace ascendsim::gui
