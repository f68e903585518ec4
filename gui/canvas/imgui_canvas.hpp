// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/canvas/canvas.hpp"

namespace ascendsim::gui {

/// Draws into a draw list of Dear ImGui. Lines are not smoothed when they are straight up or across.
class ImGuiCanvas final : public Canvas {
public:
    ImGuiCanvas(ImDrawList& list, const FontSet& fonts) : Canvas{fonts}, list_{&list} {}

    void fill(Rect box, Pixel colour) override;
    void hatch(Rect box, Pattern pattern, Pixel colour) override;
    void draw_line(Point from, Point to, Pixel colour, float thickness) override;
    void draw_polyline(std::span<const Point> points, Pixel colour, float thickness) override;
    void polygon(std::span<const Point> points, Pixel colour) override;
    void draw_text(Point place, Pixel colour, std::string_view text, TextStyle style) override;
    void push_clip(Rect box) override;
    void pop_clip() override;

private:
    ImDrawList* list_;
};

}  // namespace ascendsim::gui
