// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include "gui/canvas/canvas.hpp"

namespace ascendsim::gui {

/// Repeats finished draw lists on another canvas: boxes as boxes, hatches as hatches, and glyphs put together
/// to text again. This is how a whole window becomes SVG or plain text. Shapes should have been drawn sharp
/// (not smoothed).
void replay(const ImDrawData& data, Canvas& canvas);
/// The same of a part of the screen, whose upper left corner becomes that of the canvas.
void replay(const ImDrawData& data, Canvas& canvas, Rect part);

}  // namespace ascendsim::gui
