// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/dock_tabs.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

constexpr const char* menu_name = "views";

float tab_width(const FontSet& fonts, const Panel& panel) {
    return fonts.measure(panel.info().title, TextStyle::regular).x + std::round(18 * fonts.scale());
}

/// The tabs that fit into `room`, the active one among them.
std::vector<Panel*> fitting_tabs(const FontSet& fonts,
                                 const std::vector<Panel*>& panels,
                                 Panel* active,
                                 float room) {
    std::vector<Panel*> shown;
    float used = 0;
    for (Panel* panel : panels) {
        used += tab_width(fonts, *panel);
        if (used > room && !shown.empty()) {
            break;
        }
        shown.push_back(panel);
    }
    if (std::ranges::find(shown, active) == shown.end()) {
        shown.back() = active;
    }
    return shown;
}

}  // namespace

float DockTabs::height(const FontSet& fonts) {
    return std::round(fonts.line_height(TextStyle::regular) + 11 * fonts.scale()) + 1;
}

void DockTabs::draw(Dock dock, const std::vector<Panel*>& panels, Panel* active, PanelContext& context) {
    const float scale = context.scale();
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = DockTabs::height(context.fonts) - 1;
    const float menu = std::round(24 * scale);
    float x = origin.x;
    bool menu_wanted = false;
    for (Panel* panel : fitting_tabs(context.fonts, panels, active, width - menu)) {
        const PanelInfo info = panel->info();
        const bool lit = panel == active;
        const float each = tab_width(context.fonts, *panel);
        ImGui::SetCursorScreenPos({x, origin.y});
        ImGui::PushID(panel);
        const bool clicked = ImGui::InvisibleButton("tab", {each, height});
        const Rect box = last_item();
        const bool hovered = ImGui::IsItemHovered();
        const bool right_clicked = hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right);
        menu_wanted = menu_wanted || right_clicked;
        if (clicked || right_clicked) {
            view_.active_tabs[std::string{name(dock)}] = std::string{info.name};
        }
        canvas.text_in(
            box, lit || hovered ? context.theme.text : context.theme.text_dim, info.title, Align::centre);
        if (lit) {
            const float line = std::max(2.0F, std::round(2 * scale));
            canvas.fill({box.left + 4 * scale, box.bottom - line, box.right - 4 * scale, box.bottom},
                        context.theme.accent);
        }
        click_tooltip("hint", info.hint);
        anchor_last_item(context, "tab/" + std::string{info.name});
        ImGui::PopID();
        x += each;
    }
    ImGui::SetCursorScreenPos({origin.x + width - menu, origin.y});
    draw_menu(dock, panels, active, {menu, height}, menu_wanted, context);
    canvas.fill({origin.x, origin.y + height, origin.x + width, origin.y + height + 1}, context.theme.border);
    ImGui::SetCursorScreenPos({origin.x, origin.y + height + 1});
}

void DockTabs::draw_menu(Dock dock,
                         const std::vector<Panel*>& panels,
                         Panel* active,
                         Point size,
                         bool wanted,
                         PanelContext& context) {
    if (ImGui::InvisibleButton("menu", {size.x, size.y}) || wanted) {
        ImGui::OpenPopup(menu_name);
    }
    click_tooltip("menu_hint", "All views of this place, and saving this one as a picture or table");
    anchor_last_item(context, fmt::format("tabs/{}", name(dock)));
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
    const float dot = std::max(2.0F, std::round(2 * context.scale()));
    const Rect box = last_item();
    const Pixel colour = ImGui::IsItemHovered() ? context.theme.text : context.theme.text_dim;
    for (float n = -1; n <= 1; ++n) {
        const float left = std::round(box.centre().x + n * 2.5F * dot - dot / 2);
        const float top = std::round(box.centre().y - dot / 2);
        canvas.fill({left, top, left + dot, top + dot}, colour);
    }
    if (!ImGui::BeginPopup(menu_name)) {
        return;
    }
    for (Panel* panel : panels) {
        const PanelInfo info = panel->info();
        if (ImGui::MenuItem(std::string{info.title}.c_str(), nullptr, panel == active)) {
            view_.active_tabs[std::string{name(dock)}] = std::string{info.name};
        }
        tooltip(info.hint);
        anchor_last_item(context, fmt::format("tabs/{}/{}", name(dock), info.name));
    }
    ImGui::Separator();
    draw_save_items(active->info(), context);
    ImGui::EndPopup();
}

void DockTabs::draw_save_items(const PanelInfo& info, PanelContext& context) {
    struct Item {
        ExportKind kind;
        const char* label;
        const char* hint;
        bool offered;
    };

    for (const Item& item :
         {Item{ExportKind::png, "Save picture (PNG)", "As it stands on the screen", true},
          Item{ExportKind::svg, "Save drawing (SVG)", "As vectors, for papers and slides", true},
          Item{ExportKind::csv, "Save table (CSV)", "All rows, plain numbers, units in the head", info.table},
          Item{ExportKind::copy, "Copy table", "The same, to the clipboard", info.table}}) {
        if (!item.offered) {
            continue;
        }
        if (ImGui::MenuItem(item.label)) {
            exports_.add({std::string{info.name}, item.kind});
        }
        tooltip(item.hint);
        anchor_last_item(context, fmt::format("save/{}", suffix(item.kind).substr(1)));
    }
}

}  // namespace ascendsim::gui
