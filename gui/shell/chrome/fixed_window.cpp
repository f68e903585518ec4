// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/fixed_window.hpp"

#include <algorithm>

namespace ascendsim::gui {

void begin_fixed(const char* name, const Rect& box, Pixel background, ImVec2 padding) {
    ImGui::SetNextWindowPos({box.left, box.top});
    ImGui::SetNextWindowSize({std::max(1.0F, box.width()), std::max(1.0F, box.height())});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, background);
    ImGui::Begin(name,
                 nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
}

}  // namespace ascendsim::gui
