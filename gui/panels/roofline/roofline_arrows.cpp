// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "gui/panels/roofline/log_plot.hpp"
#include "gui/panels/roofline/roofline_marks.hpp"
#include "gui/panels/roofline/roofline_picture.hpp"

namespace ascendsim::gui {
namespace {

/// A way of bytes before and now, on the screen.
struct Move {
    Point from;
    Point to;
    Pixel colour;
};

std::vector<Move> moves_of(const LogPlot& plot, const PanelContext& context, const RooflineLines& lines) {
    std::vector<Move> moves;
    for (const RooflineArrow& arrow : arrows_of(lines)) {
        moves.push_back({plot.at(arrow.before->intensity, lines.before->gops),
                         plot.at(arrow.now->intensity, lines.whole->gops),
                         colour_of(context.theme, *arrow.now)});
    }
    return moves;
}

/// An arrow; the `beside`-th of those with the same ends lies at their left and right in turn.
void draw_move(Canvas& canvas, const Move& move, std::ptrdiff_t beside, float scale) {
    const float length = std::hypot(move.to.x - move.from.x, move.to.y - move.from.y);
    if (length <= std::round(10 * scale)) {
        return;
    }
    const float side = static_cast<float>(beside % 2 == 1 ? (beside + 1) / 2 : -beside / 2) * 2 * scale;
    const Point by{(move.from.y - move.to.y) / length * side, (move.to.x - move.from.x) / length * side};
    const Point from{move.from.x + by.x, move.from.y + by.y};
    const Point to{move.to.x + by.x, move.to.y + by.y};
    canvas.line(from, to, move.colour, std::max(1.0F, scale));
    canvas.arrow_head(from, to, move.colour, std::round(8 * scale));
}

}  // namespace

std::vector<RooflineArrow> arrows_of(const RooflineLines& lines) {
    std::vector<RooflineArrow> arrows;
    if (lines.before == nullptr || lines.whole == nullptr) {
        return arrows;
    }
    for (const Roof& now : lines.whole->roofs) {
        const auto before = std::ranges::find(lines.before->roofs, now.name, &Roof::name);
        if (before != lines.before->roofs.end() && before->intensity > 0 && now.intensity > 0) {
            arrows.push_back({&*before, &now});
        }
    }
    return arrows;
}

void draw_arrows(Canvas& canvas,
                 const LogPlot& plot,
                 const PanelContext& context,
                 const RooflineLines& lines) {
    const float scale = context.scale();
    const std::vector<Move> moves = moves_of(plot, context, lines);
    for (std::size_t n = 0; n < moves.size(); ++n) {
        const Move& move = moves[n];
        const auto earlier = std::span{moves}.first(n);
        const auto at_once = std::ranges::count_if(
            earlier, [&](const Move& other) { return same_place(move.from, other.from, scale); });
        const auto alike = std::ranges::count_if(earlier, [&](const Move& other) {
            return same_place(move.from, other.from, scale) && same_place(move.to, other.to, scale);
        });
        const float size = std::round(static_cast<float>(4 + 2 * at_once) * scale);
        canvas.outline(
            {move.from.x - size, move.from.y - size, move.from.x + size + 1, move.from.y + size + 1},
            move.colour);
        draw_move(canvas, move, alike, scale);
    }
}

}  // namespace ascendsim::gui
