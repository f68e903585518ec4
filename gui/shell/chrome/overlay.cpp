// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/overlay.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ascendsim::gui {

bool Overlay::begin(
    const char* name, const Rect& screen, Point size, bool in_the_middle, const PanelContext& context) {
    const float width = std::round(std::min(size.x, screen.width() * 0.9F));
    const float height = std::round(std::min(size.y, screen.height() * 0.9F));
    const float top = in_the_middle ? screen.centre().y - height / 2 : screen.top + 44 * context.scale();
    ImGui::SetNextWindowPos({std::round(screen.centre().x - width / 2), std::round(top)});
    ImGui::SetNextWindowSize({width, height});
    if (just_opened_) {
        ImGui::SetNextWindowFocus();
    }
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.raised);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, context.theme.panel);
    ImGui::Begin(name,
                 nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    const bool focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
    open_ = open_ && (just_opened_ || focused);
    return std::exchange(just_opened_, false);
}

void Overlay::end() {
    ImGui::End();
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
}

}  // namespace ascendsim::gui
