// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/splitters.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/chrome/fixed_window.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

/// A line between docks that can be dragged.
struct Splitter {
    std::string_view name;
    Rect line;
    bool upright;
    std::function<void(ViewState&, float)> move;
};

void draw_splitter(const Splitter& splitter, PanelContext& context) {
    const float grip = std::round(3 * context.scale());
    const Rect& line = splitter.line;
    const Rect area = splitter.upright ? Rect{line.left - grip, line.top, line.right + grip, line.bottom}
                                       : Rect{line.left, line.top - grip, line.right, line.bottom + grip};
    begin_fixed(fmt::format("##splitter_{}", splitter.name).c_str(), area, rgba(0, 0, 0, 0), {0, 0});
    ImGui::InvisibleButton("grip", {area.width(), area.height()});
    const bool held = ImGui::IsItemActive();
    if (held || ImGui::IsItemHovered()) {
        ImGui::SetMouseCursor(splitter.upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        ImGuiCanvas{*ImGui::GetWindowDrawList(), context.fonts}.fill(line, context.theme.accent);
    }
    const ImVec2 by = ImGui::GetIO().MouseDelta;
    const float step = splitter.upright ? by.x : by.y;
    if (held && step != 0) {
        context.requests.change([move = splitter.move, step](ViewState& view) { move(view, step); });
    }
    anchor_last_item(context, "splitter/" + std::string{splitter.name});
    ImGui::End();
}

}  // namespace

void draw_splitters(const LayoutRects& rects, PanelContext& context) {
    const float scale = context.scale();
    const float lower = rects.dock(Dock::lower).height();
    const float column = rects.dock(Dock::centre).height() + lower;
    const std::array<Splitter, 4> splitters{
        Splitter{"left",
                 rects.left_splitter,
                 true,
                 [scale](ViewState& v, float by) { v.layout.left += by / scale; }},
        Splitter{"right",
                 rects.right_splitter,
                 true,
                 [scale](ViewState& v, float by) { v.layout.right -= by / scale; }},
        Splitter{"bottom",
                 rects.bottom_splitter,
                 false,
                 [scale](ViewState& v, float by) { v.layout.bottom -= by / scale; }},
        Splitter{"lower", rects.lower_splitter, false, [column, lower](ViewState& v, float by) {
                     const float share = v.layout.lower_share.value_or(lower / std::max(column, 1.0F));
                     v.layout.lower_share = std::clamp(share - by / std::max(column, 1.0F), 0.05F, 0.95F);
                 }}};
    for (const Splitter& splitter : splitters) {
        if (!splitter.line.empty()) {
            draw_splitter(splitter, context);
        }
    }
}

}  // namespace ascendsim::gui
