// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/shell/chrome/dock_tabs.hpp"

namespace ascendsim::gui {

/// The panels and where they are: which share a dock, which of them is shown, and the box it was drawn in.
class Docks {
public:
    /// What is chosen is in the view; the tabs' menus add to the exports.
    Docks(std::vector<std::unique_ptr<Panel>> panels, ViewState& view, Exports& exports);

    [[nodiscard]] std::span<const std::unique_ptr<Panel>> panels() const { return panels_; }

    /// Brings a panel to the front of its dock, and shows the dock.
    void show(const PanelInfo& info);
    /// Lets every panel look at what is open, before any is drawn.
    void watch(PanelContext& context);
    /// Draws a dock's tabs and its active panel.
    void draw(Dock dock, const Rect& box, PanelContext& context);

    [[nodiscard]] DocksInUse in_use(bool run_open, const PanelContext& context) const;
    /// The height at which every view of the lower dock shows all it has, so that changing tabs does not move
    /// the others.
    [[nodiscard]] float lower_wish(const PanelContext& context) const;
    /// Where a panel's content was drawn in the last frame; nothing if it is not on the screen.
    [[nodiscard]] std::optional<Rect> panel_box(std::string_view panel) const;
    /// A panel's table as comma-separated text; nothing if it is not added up yet. Throws UserError if there
    /// is no such panel, or it has no table.
    [[nodiscard]] std::optional<std::string> table_of(std::string_view panel, const PanelContext& context);

private:
    [[nodiscard]] std::vector<Panel*> in(Dock dock, bool run_open, const PanelContext& context) const;
    [[nodiscard]] Panel* active(const std::vector<Panel*>& panels, Dock dock) const;

    std::vector<std::unique_ptr<Panel>> panels_;
    ViewState& view_;
    DockTabs tabs_;
    std::map<std::string, Rect, std::less<>> boxes_;
};

}  // namespace ascendsim::gui
