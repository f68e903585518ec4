// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/imgui_canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/canvas/smooth_shapes.hpp"

namespace ascendsim::gui {
namespace {

int phase(float position) {
    const int rest = static_cast<int>(position) % pattern_period;
    return rest < 0 ? rest + pattern_period : rest;
}

}  // namespace

void ImGuiCanvas::fill(Rect box, Pixel colour) {
    if (!box.empty()) {
        list_->AddRectFilled({box.left, box.top}, {box.right, box.bottom}, colour);
    }
}

void ImGuiCanvas::hatch(Rect box, Pattern pattern, Pixel colour) {
    const ImVec2 low = list_->GetClipRectMin();
    const ImVec2 high = list_->GetClipRectMax();
    const Rect visible = intersect(whole_pixels(box), {std::floor(low.x), std::floor(low.y), high.x, high.y});
    if (visible.empty()) {
        return;
    }
    const CoverageTexture texture = fonts().texture();
    const Point origin = fonts().hatch_origin(pattern);
    const auto u = [&](float x) { return (origin.x + x) / static_cast<float>(texture.width); };
    const auto v = [&](float y) { return (origin.y + y) / static_cast<float>(texture.height); };
    for (float top = visible.top; top < visible.bottom; top += FontSet::hatch_height) {
        const float height = std::min(visible.bottom - top, static_cast<float>(FontSet::hatch_height));
        const auto y = static_cast<float>(phase(top));
        for (float left = visible.left; left < visible.right; left += FontSet::hatch_width) {
            const float width = std::min(visible.right - left, static_cast<float>(FontSet::hatch_width));
            const auto x = static_cast<float>(phase(left));
            list_->PrimReserve(6, 4);
            list_->PrimRectUV({left, top},
                              {left + width, top + height},
                              {u(x), v(y)},
                              {u(x + width), v(y + height)},
                              colour);
        }
    }
}

void ImGuiCanvas::draw_line(Point from, Point to, Pixel colour, float thickness) {
    if (from.x == to.x || from.y == to.y) {
        const float half = std::floor(thickness / 2);
        const float left = std::round(std::min(from.x, to.x)) - (from.x == to.x ? half : 0);
        const float top = std::round(std::min(from.y, to.y)) - (from.y == to.y ? half : 0);
        const float right = from.x == to.x ? left + thickness : std::round(std::max(from.x, to.x));
        const float bottom = from.y == to.y ? top + thickness : std::round(std::max(from.y, to.y));
        fill({left, top, right, bottom}, colour);
        return;
    }
    const std::array ends{Point{from.x + 0.5F, from.y + 0.5F}, Point{to.x + 0.5F, to.y + 0.5F}};
    add_polyline(*list_, ends, colour, thickness);
}

void ImGuiCanvas::draw_polyline(std::span<const Point> points, Pixel colour, float thickness) {
    add_polyline(*list_, points, colour, thickness);
}

void ImGuiCanvas::polygon(std::span<const Point> points, Pixel colour) {
    add_convex_polygon(*list_, points, colour);
}

void ImGuiCanvas::draw_text(Point place, Pixel colour, std::string_view text, TextStyle style) {
    const ImFont* font = fonts().font(style);
    list_->AddText(font,
                   font->FontSize,
                   {std::floor(place.x), std::floor(place.y)},
                   colour,
                   text.data(),
                   text.data() + text.size());
}

void ImGuiCanvas::push_clip(Rect box) {
    list_->PushClipRect({box.left, box.top}, {box.right, box.bottom}, true);
}

void ImGuiCanvas::pop_clip() {
    list_->PopClipRect();
}

}  // namespace ascendsim::gui
