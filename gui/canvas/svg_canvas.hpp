// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gui/canvas/canvas.hpp"

namespace ascendsim::gui {

/// Writes the picture as SVG 1.1: boxes, hatches as patterns, text as text.
class SvgCanvas final : public Canvas {
public:
    SvgCanvas(int width, int height, Pixel background, const FontSet& fonts);

    void fill(Rect box, Pixel colour) override;
    void hatch(Rect box, Pattern pattern, Pixel colour) override;
    void draw_line(Point from, Point to, Pixel colour, float thickness) override;
    void draw_polyline(std::span<const Point> points, Pixel colour, float thickness) override;
    void polygon(std::span<const Point> points, Pixel colour) override;
    void draw_text(Point place, Pixel colour, std::string_view text, TextStyle style) override;
    void push_clip(Rect box) override;
    void pop_clip() override;

    /// The whole document.
    [[nodiscard]] std::string document() const;

private:
    std::string pattern_url(Pattern pattern, Pixel colour);

    int width_;
    int height_;
    Pixel background_;
    std::string body_;
    std::string definitions_;
    std::vector<std::pair<Pattern, Pixel>> patterns_;
    int clips_ = 0;
    int open_clips_ = 0;
};

}  // namespace ascendsim::gui
