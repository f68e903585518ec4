// SPDX-License-Identifier: Apache-2.0
#include <imgui.h>

#include "gui/canvas/theme.hpp"

namespace ascendsim::gui {
namespace {

ImVec4 colour_vec(Pixel colour) {
    return ImGui::ColorConvertU32ToFloat4(colour);
}

/// Sets the colours of a style by name.
class Colours {
public:
    explicit Colours(ImGuiStyle& style) : style_{style} {}

    void operator()(ImGuiCol slot, Pixel colour) const { style_.Colors[slot] = colour_vec(colour); }

private:
    ImGuiStyle& style_;
};

constexpr Pixel clear = rgba(0, 0, 0, 0);

void set_surfaces(const Theme& t, const Colours& set) {
    for (const ImGuiCol slot : {ImGuiCol_Text, ImGuiCol_PlotLines, ImGuiCol_PlotHistogram}) {
        set(slot, t.text);
    }
    set(ImGuiCol_TextDisabled, t.text_faint);
    set(ImGuiCol_WindowBg, t.panel);
    set(ImGuiCol_ChildBg, clear);
    set(ImGuiCol_PopupBg, t.raised);
    set(ImGuiCol_Border, t.border);
    set(ImGuiCol_BorderShadow, clear);
    for (const ImGuiCol slot : {ImGuiCol_TitleBg,
                                ImGuiCol_TitleBgActive,
                                ImGuiCol_TitleBgCollapsed,
                                ImGuiCol_MenuBarBg,
                                ImGuiCol_TableHeaderBg}) {
        set(slot, t.raised);
    }
    set(ImGuiCol_TableBorderStrong, t.border);
    set(ImGuiCol_TableBorderLight, t.grid);
    set(ImGuiCol_TableRowBg, clear);
    set(ImGuiCol_TableRowBgAlt, with_alpha(t.raised, 128));
    set(ImGuiCol_TextSelectedBg, with_alpha(t.accent, 90));
    set(ImGuiCol_ModalWindowDimBg, rgba(0, 0, 0, 90));
}

void set_controls(const Theme& t, const Colours& set) {
    const Pixel pressed = mix(t.hover, t.accent, 0.25F);
    set(ImGuiCol_FrameBg, t.raised);
    set(ImGuiCol_FrameBgHovered, t.hover);
    set(ImGuiCol_FrameBgActive, pressed);
    set(ImGuiCol_ScrollbarBg, clear);
    set(ImGuiCol_ScrollbarGrab, t.hover);
    set(ImGuiCol_ScrollbarGrabHovered, t.text_faint);
    set(ImGuiCol_ScrollbarGrabActive, t.text_dim);
    set(ImGuiCol_CheckMark, t.accent);
    set(ImGuiCol_SliderGrab, t.accent);
    set(ImGuiCol_SliderGrabActive, t.accent);
    set(ImGuiCol_Button, t.raised);
    set(ImGuiCol_ButtonHovered, t.hover);
    set(ImGuiCol_ButtonActive, pressed);
    set(ImGuiCol_Header, t.accent_soft);
    set(ImGuiCol_HeaderHovered, t.hover);
    set(ImGuiCol_HeaderActive, pressed);
    set(ImGuiCol_Separator, t.border);
    set(ImGuiCol_SeparatorHovered, t.accent);
    set(ImGuiCol_SeparatorActive, t.accent);
    set(ImGuiCol_ResizeGrip, clear);
    set(ImGuiCol_ResizeGripHovered, t.hover);
    set(ImGuiCol_ResizeGripActive, t.accent);
    set(ImGuiCol_Tab, t.panel);
    set(ImGuiCol_TabHovered, t.hover);
    set(ImGuiCol_TabActive, t.raised);
    set(ImGuiCol_TabUnfocused, t.panel);
    set(ImGuiCol_TabUnfocusedActive, t.raised);
    set(ImGuiCol_DragDropTarget, t.accent);
    set(ImGuiCol_NavHighlight, t.accent);
}

}  // namespace

void apply(const Theme& theme, float scale, ImGuiStyle& style) {
    style = ImGuiStyle{};
    set_surfaces(theme, Colours{style});
    set_controls(theme, Colours{style});
    style.WindowPadding = {8, 6};
    style.FramePadding = {6, 3};
    style.CellPadding = {6, 2};
    style.ItemSpacing = {6, 4};
    style.ItemInnerSpacing = {5, 4};
    style.IndentSpacing = 14;
    style.ScrollbarSize = 10;
    style.GrabMinSize = 8;
    style.WindowBorderSize = 0;
    style.ChildBorderSize = 0;
    style.PopupBorderSize = 1;
    style.FrameBorderSize = 0;
    style.TabBorderSize = 0;
    // Square corners: Dear ImGui rounds them with arithmetic whose last bits differ between processors.
    style.WindowRounding = 0;
    style.ChildRounding = 0;
    style.PopupRounding = 0;
    style.FrameRounding = 0;
    style.ScrollbarRounding = 0;
    style.GrabRounding = 0;
    style.TabRounding = 0;
    style.WindowMenuButtonPosition = ImGuiDir_None;
    style.AntiAliasedLinesUseTex = false;  // one texture, without baked lines
    style.ScaleAllSizes(scale);
    style.PopupBorderSize = 1;
}

}  // namespace ascendsim::gui
