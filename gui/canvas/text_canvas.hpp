// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gui/canvas/canvas.hpp"

namespace ascendsim::gui {

/// Keeps the words of a picture and counts the rest: what a reader would read, for logs and tests.
class TextCanvas final : public Canvas {
public:
    explicit TextCanvas(const FontSet& fonts) : Canvas{fonts} {}

    struct Word {
        Rect box;
        std::string text;
    };

    struct Counts {
        std::size_t fills = 0;
        std::size_t hatches = 0;
        std::size_t lines = 0;
        std::size_t polygons = 0;
    };

    void fill(Rect box, Pixel colour) override;
    void hatch(Rect box, Pattern pattern, Pixel colour) override;
    void draw_line(Point from, Point to, Pixel colour, float thickness) override;
    void draw_polyline(std::span<const Point> points, Pixel colour, float thickness) override;
    void polygon(std::span<const Point> points, Pixel colour) override;
    void draw_text(Point place, Pixel colour, std::string_view text, TextStyle style) override;
    void push_clip(Rect box) override;
    void pop_clip() override;

    /// Words that are at least partly visible, in drawing order.
    [[nodiscard]] const std::vector<Word>& words() const { return words_; }

    [[nodiscard]] const Counts& counts() const { return counts_; }

    /// The words as lines from top to bottom; words of a line are separated by two spaces.
    [[nodiscard]] std::string lines() const;

private:
    std::vector<Word> words_;
    std::vector<Rect> clips_;
    Counts counts_;
};

}  // namespace ascendsim::gui
