// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gui/canvas/fonts.hpp"
#include "gui/canvas/geometry.hpp"
#include "gui/canvas/pattern.hpp"
#include "gui/render/image.hpp"

namespace ascendsim::gui {

enum class Align : std::uint8_t { left, centre, right };

/// What a panel draws its picture on. One drawing routine serves the screen (ImGuiCanvas), papers (SvgCanvas)
/// and logs and tests (TextCanvas). Coordinates are pixels; boxes that carry data should be on whole pixels.
class Canvas {
public:
    explicit Canvas(const FontSet& fonts) : fonts_{&fonts} {}

    Canvas(const Canvas&) = delete;
    Canvas& operator=(const Canvas&) = delete;
    virtual ~Canvas() = default;

    virtual void fill(Rect box, Pixel colour) = 0;
    /// Inks a hatch over what is there; its phase is fixed to the canvas, so neighbours join.
    virtual void hatch(Rect box, Pattern pattern, Pixel colour) = 0;
    /// Fills a convex polygon.
    virtual void polygon(std::span<const Point> points, Pixel colour) = 0;
    virtual void push_clip(Rect box) = 0;
    virtual void pop_clip() = 0;

    void line(Point from, Point to, Pixel colour, float thickness = 1) {
        draw_line(from, to, colour, thickness);
    }

    void polyline(std::span<const Point> points, Pixel colour, float thickness = 1) {
        draw_polyline(points, colour, thickness);
    }

    /// One line of text; `place` is its upper left corner.
    void text(Point place, Pixel colour, std::string_view words, TextStyle style = TextStyle::regular) {
        draw_text(place, colour, words, style);
    }

    /// A frame of whole pixels inside `box`.
    void outline(Rect box, Pixel colour, float thickness = 1);
    /// Text in a box, centred vertically; cut with an ellipsis if it is too long, left out if not even that
    /// fits.
    void text_in(Rect box,
                 Pixel colour,
                 std::string_view text,
                 Align align = Align::left,
                 TextStyle style = TextStyle::regular);
    /// A small triangle: the head of an arrow that ends at `tip` and comes from `from`.
    void arrow_head(Point from, Point tip, Pixel colour, float size);

    /// The triangle before what can be folded, in the middle of `box`: to the right where folded, down where
    /// open.
    void fold_mark(Rect box, bool open, Pixel colour, float size);

    [[nodiscard]] Point measure(std::string_view text, TextStyle style = TextStyle::regular) const {
        return fonts_->measure(text, style);
    }

    [[nodiscard]] const FontSet& fonts() const { return *fonts_; }

protected:
    virtual void draw_line(Point from, Point to, Pixel colour, float thickness) = 0;
    virtual void draw_polyline(std::span<const Point> points, Pixel colour, float thickness) = 0;
    virtual void draw_text(Point place, Pixel colour, std::string_view text, TextStyle style) = 0;

private:
    const FontSet* fonts_;
};

}  // namespace ascendsim::gui
