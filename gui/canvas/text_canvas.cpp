// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/text_canvas.hpp"

#include <algorithm>
#include <cmath>

namespace ascendsim::gui {

void TextCanvas::fill(Rect box, Pixel colour) {
    if (!box.empty() && channel(colour, 3) != 0) {
        ++counts_.fills;
    }
}

void TextCanvas::hatch(Rect box, Pattern /*pattern*/, Pixel /*colour*/) {
    counts_.hatches += box.empty() ? 0U : 1U;
}

void TextCanvas::draw_line(Point /*from*/, Point /*to*/, Pixel /*colour*/, float /*thickness*/) {
    ++counts_.lines;
}

void TextCanvas::draw_polyline(std::span<const Point> /*points*/, Pixel /*colour*/, float /*thickness*/) {
    ++counts_.lines;
}

void TextCanvas::polygon(std::span<const Point> /*points*/, Pixel /*colour*/) {
    ++counts_.polygons;
}

void TextCanvas::draw_text(Point place, Pixel /*colour*/, std::string_view text, TextStyle style) {
    const Point size = measure(text, style);
    const Rect box{place.x, place.y, place.x + size.x, place.y + size.y};
    if (!text.empty() && (clips_.empty() || !intersect(box, clips_.back()).empty())) {
        words_.push_back({box, std::string{text}});
    }
}

void TextCanvas::push_clip(Rect box) {
    clips_.push_back(clips_.empty() ? box : intersect(box, clips_.back()));
}

void TextCanvas::pop_clip() {
    if (!clips_.empty()) {
        clips_.pop_back();
    }
}

std::string TextCanvas::lines() const {
    std::vector<const Word*> order;
    order.reserve(words_.size());
    for (const Word& word : words_) {
        order.push_back(&word);
    }
    std::ranges::stable_sort(order, {}, [](const Word* word) { return word->box.centre().y; });
    // Words whose middles lie within four pixels are read as one line.
    constexpr float same_line = 4;
    std::vector<std::size_t> row(order.size(), 0);
    for (std::size_t i = 1; i < order.size(); ++i) {
        const bool same = order[i]->box.centre().y - order[row[i - 1]]->box.centre().y < same_line;
        row[i] = same ? row[i - 1] : i;
    }
    for (std::size_t i = 0; i < order.size();) {
        const auto end = std::ranges::upper_bound(row, row[i]) - row.begin();
        std::ranges::stable_sort(
            order.begin() + static_cast<std::ptrdiff_t>(i), order.begin() + end, {}, [](const Word* word) {
                return word->box.left;
            });
        i = static_cast<std::size_t>(end);
    }
    std::string text;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i > 0) {
            text += row[i] == row[i - 1] ? "  " : "\n";
        }
        text += order[i]->text;
    }
    return text.empty() ? text : text + "\n";
}

}  // namespace ascendsim::gui
