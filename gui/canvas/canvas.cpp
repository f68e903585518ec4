// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/canvas.hpp"

#include <array>
#include <cmath>
#include <string>

namespace ascendsim::gui {
namespace {

/// The longest start of `text` that fits `width` with an ellipsis, or nothing.
std::string shortened(const FontSet& fonts, std::string_view text, TextStyle style, float width) {
    const float ellipsis = fonts.measure("\u2026", style).x;
    if (ellipsis > width) {
        return {};
    }
    const ImFont* face = fonts.font(style);
    const char* end = nullptr;
    (void)face->CalcTextSizeA(
        face->FontSize, width - ellipsis, 0.0F, text.data(), text.data() + text.size(), &end);
    if (end == text.data()) {
        return {};
    }
    return std::string{text.data(), end} + "\u2026";
}

}  // namespace

void Canvas::outline(Rect box, Pixel colour, float thickness) {
    if (box.width() <= 2 * thickness || box.height() <= 2 * thickness) {
        fill(box, colour);
        return;
    }
    fill({box.left, box.top, box.right, box.top + thickness}, colour);
    fill({box.left, box.bottom - thickness, box.right, box.bottom}, colour);
    fill({box.left, box.top + thickness, box.left + thickness, box.bottom - thickness}, colour);
    fill({box.right - thickness, box.top + thickness, box.right, box.bottom - thickness}, colour);
}

void Canvas::text_in(Rect box, Pixel colour, std::string_view words, Align align, TextStyle style) {
    if (words.empty()) {
        return;
    }
    std::string cut;
    Point size = measure(words, style);
    if (size.x > box.width()) {
        cut = shortened(fonts(), words, style, box.width());
        if (cut.empty()) {
            return;
        }
        words = cut;
        size = measure(words, style);
    }
    const float room = box.width() - size.x;
    const float indent = align == Align::left ? 0 : align == Align::centre ? room / 2 : room;
    const float down = (box.height() - size.y) / 2;
    text({std::floor(box.left + indent), std::floor(box.top + down)}, colour, words, style);
}

void Canvas::arrow_head(Point from, Point tip, Pixel colour, float size) {
    const float dx = tip.x - from.x;
    const float dy = tip.y - from.y;
    const float length = std::sqrt(dx * dx + dy * dy);
    if (length < 0.001F) {
        return;
    }
    const Point along{dx / length * size, dy / length * size};
    const Point base{tip.x - along.x, tip.y - along.y};
    const std::array corners{tip,
                             Point{base.x - along.y / 2, base.y + along.x / 2},
                             Point{base.x + along.y / 2, base.y - along.x / 2}};
    polygon(corners, colour);
}

void Canvas::fold_mark(Rect box, bool open, Pixel colour, float size) {
    const Point at{std::round(box.centre().x), std::round(box.centre().y)};
    const float half = std::round(size / 2);
    const float depth = std::round(size / 3);
    const std::array down{
        Point{at.x - half, at.y - depth}, Point{at.x + half, at.y - depth}, Point{at.x, at.y + depth}};
    const std::array right{
        Point{at.x - depth, at.y - half}, Point{at.x + depth, at.y}, Point{at.x - depth, at.y + half}};
    polygon(open ? down : right, colour);
}

}  // namespace ascendsim::gui
