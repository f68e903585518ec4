// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <imgui.h>

#include "gui/canvas/geometry.hpp"
#include "gui/render/image.hpp"

namespace ascendsim::gui {

/// Adds an open polyline, `thickness` pixels wide, to a draw list; its edges fade over one pixel unless the
/// list draws sharp shapes.
///
/// Dear ImGui's own lines take the processor's approximate reciprocal square root (`rsqrtss`), whose bits
/// differ between makers. These use division and square root alone, which IEEE 754 rounds correctly
/// everywhere, and their corners lie on 1/256 pixel, so a picture has the same bytes on every machine.
void add_polyline(ImDrawList& list, std::span<const Point> points, Pixel colour, float thickness);

/// Adds a filled convex polygon, its corners in either order, as add_polyline() does.
void add_convex_polygon(ImDrawList& list, std::span<const Point> points, Pixel colour);

}  // namespace ascendsim::gui
