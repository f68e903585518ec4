// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/toast_area.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

constexpr ImGuiWindowFlags toast_window = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                          ImGuiWindowFlags_NoSavedSettings |
                                          ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;

Pixel toast_colour(ToastKind kind, const Theme& theme) {
    switch (kind) {
        case ToastKind::note:
            return theme.accent;
        case ToastKind::success:
            return theme.good;
        case ToastKind::warning:
            return theme.warning;
        case ToastKind::error:
            return theme.bad;
    }
    return theme.accent;
}

std::string text_of_toast(const Toast& toast) {
    return toast.times > 1 ? fmt::format("{}  (\u00d7{})", toast.text, toast.times) : toast.text;
}

/// Draws one message in its box; true if it was clicked.
bool draw_toast(
    const char* name, const Toast& toast, const Rect& box, float indent, const PanelContext& context) {
    const float scale = context.scale();
    const std::string text = text_of_toast(toast);
    ImGui::SetNextWindowPos({box.left, box.top});
    ImGui::SetNextWindowSize({box.width(), box.height()});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {indent, std::round(8 * scale)});
    ImGui::Begin(name, nullptr, toast_window);
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
    ImGui::PushTextWrapPos(box.width() - std::round(10 * scale));
    coloured_text(context.theme.text, text);
    ImGui::PopTextWrapPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect({box.left, box.top}, {box.right, box.bottom});
    ImGuiCanvas{list, context.fonts}.fill({box.left, box.top, box.left + std::round(4 * scale), box.bottom},
                                          toast_colour(toast.kind, context.theme));
    list.PopClipRect();
    const bool clicked = ImGui::IsWindowHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    ImGui::End();
    return clicked;
}

}  // namespace

void draw_toasts(Toasts& toasts, const Rect& screen, const PanelContext& context) {
    const float scale = context.scale();
    const float width = std::min(std::round(420 * scale), screen.width() * 0.8F);
    const float indent = std::round(14 * scale);
    float bottom = screen.bottom - std::round(30 * scale);
    std::size_t clicked = toasts.shown().size();
    for (std::size_t n = toasts.shown().size(); n-- > 0;) {
        const Toast& toast = toasts.shown()[n];
        const std::string text = text_of_toast(toast);
        const float wrap = width - indent - std::round(10 * scale);
        const float height =
            ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, wrap).y + 16 * scale;
        const Rect box = whole_pixels(
            {screen.right - width - 12 * scale, bottom - height, screen.right - 12 * scale, bottom});
        if (draw_toast(fmt::format("##toast{}", n).c_str(), toast, box, indent, context)) {
            clicked = n;
        }
        context.anchors.add(fmt::format("toast/{}", n), box);
        bottom = box.top - std::round(6 * scale);
    }
    toasts.dismiss(clicked);
}

}  // namespace ascendsim::gui
