// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/docks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gui/shell/chrome/fixed_window.hpp"
#include "gui/shell/widgets.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

constexpr float panel_margin = 6;  // above and below what a panel draws, pixels at scale 1

}  // namespace

Docks::Docks(std::vector<std::unique_ptr<Panel>> panels, ViewState& view, Exports& exports)
    : panels_{std::move(panels)}, view_{view}, tabs_{view, exports} {
    std::ranges::stable_sort(panels_, {}, [](const auto& panel) { return panel->info().order; });
}

void Docks::show(const PanelInfo& info) {
    view_.active_tabs[std::string{name(info.dock)}] = std::string{info.name};
    view_.layout.show_left = view_.layout.show_left || info.dock == Dock::left;
    view_.layout.show_right = view_.layout.show_right || info.dock == Dock::right;
    view_.layout.show_bottom = view_.layout.show_bottom || info.dock == Dock::bottom;
    view_.layout.show_lower = view_.layout.show_lower || info.dock == Dock::lower;
}

void Docks::watch(PanelContext& context) {
    boxes_.clear();
    for (const std::unique_ptr<Panel>& panel : panels_) {
        panel->watch(context);
    }
}

void Docks::draw(Dock dock, const Rect& box, PanelContext& context) {
    const std::vector<Panel*> panels = in(dock, context.run_a != nullptr, context);
    Panel* const active_one = active(panels, dock);
    if (box.empty() || (active_one == nullptr && dock != Dock::centre)) {
        return;
    }
    const std::string window = fmt::format("##dock_{}", name(dock));
    begin_fixed(window.c_str(), box, context.theme.panel, {0, 0});
    context.anchors.add(fmt::format("dock/{}", name(dock)), box);
    if (active_one == nullptr) {
        empty_panel(context, "No panel for this place", "");
        ImGui::End();
        return;
    }
    tabs_.draw(dock, panels, active_one, context);
    const PanelInfo info = active_one->info();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                        {std::round(8 * context.scale()), std::round(panel_margin * context.scale())});
    ImGui::BeginChild(std::string{info.name}.c_str(), {0, 0}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    const ImVec2 place = ImGui::GetWindowPos();
    const ImVec2 size = ImGui::GetWindowSize();
    const Rect inside{place.x, place.y, place.x + size.x, place.y + size.y};
    boxes_.insert_or_assign(std::string{info.name}, inside);
    context.anchors.add(fmt::format("panel/{}", info.name), inside);
    active_one->draw_content(context);
    ImGui::EndChild();
    ImGui::End();
}

std::vector<Panel*> Docks::in(Dock dock, bool run_open, const PanelContext& context) const {
    std::vector<Panel*> found;
    for (const std::unique_ptr<Panel>& panel : panels_) {
        const PanelInfo info = panel->info();
        if (info.dock == dock && (run_open || !info.needs_run) && panel->applies(context)) {
            found.push_back(panel.get());
        }
    }
    return found;
}

Panel* Docks::active(const std::vector<Panel*>& panels, Dock dock) const {
    if (panels.empty()) {
        return nullptr;
    }
    const auto chosen = view_.active_tabs.find(std::string{name(dock)});
    if (chosen != view_.active_tabs.end()) {
        for (Panel* panel : panels) {
            if (panel->info().name == chosen->second) {
                return panel;
            }
        }
    }
    return panels.front();
}

DocksInUse Docks::in_use(bool run_open, const PanelContext& context) const {
    DocksInUse used{};
    for (std::size_t n = 0; n < dock_count; ++n) {
        used.at(n) = run_open && !in(static_cast<Dock>(n), run_open, context).empty();
    }
    return used;
}

float Docks::lower_wish(const PanelContext& context) const {
    float most = 0;
    for (const Panel* panel : in(Dock::lower, context.run_a != nullptr, context)) {
        most = std::max(most, panel->wished_height(context));
    }
    return most == 0
               ? 0
               : most + DockTabs::height(context.fonts) + 2 * std::round(panel_margin * context.scale());
}

std::optional<Rect> Docks::panel_box(std::string_view panel) const {
    const auto found = boxes_.find(panel);
    return found == boxes_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<std::string> Docks::table_of(std::string_view panel, const PanelContext& context) {
    std::vector<std::string> known;
    for (const std::unique_ptr<Panel>& one : panels_) {
        if (one->info().name == panel && one->info().table) {
            return one->table(context);
        }
        if (one->info().table) {
            known.emplace_back(one->info().name);
        }
    }
    throw UserError{"{}: no view of that name has a table{}", panel, nearest_hint(panel, known)};
}

}  // namespace ascendsim::gui
