// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include "gui/canvas/geometry.hpp"
#include "gui/render/image.hpp"

namespace ascendsim::gui {

/// Begins a window that the shell places, without any decoration; ImGui::End() must follow.
void begin_fixed(const char* name, const Rect& box, Pixel background, ImVec2 padding);

}  // namespace ascendsim::gui
