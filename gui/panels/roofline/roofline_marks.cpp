// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/roofline/roofline_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace ascendsim::gui {
namespace {

constexpr float single_reach = 5;   // pixels at scale 1
constexpr float reach_of_each = 2;  // more for every further way at the place
constexpr float most_reach = 15;
constexpr float one_place = 7;  // closer centres would hide most of each other

/// The part of a diamond between two upright lines, pixels from its centre; convex.
void draw_stripe(Canvas& canvas, Point at, float reach, float from, float to, Pixel colour) {
    std::array<Point, 6> corners{};
    std::size_t count = 0;
    const auto add = [&](float x, float y) { corners.at(count++) = {at.x + x, at.y + y}; };
    const float low = reach - std::abs(from);
    const float high = reach - std::abs(to);
    const bool over_middle = from < 0 && to > 0;
    add(from, -low);
    if (over_middle) {
        add(0, -reach);
    }
    add(to, -high);
    add(to, high);
    if (over_middle) {
        add(0, reach);
    }
    add(from, low);
    canvas.polygon(std::span{corners}.first(count), colour);
}

}  // namespace

std::vector<RooflineMark> marks_of(const LogPlot& plot, const Roofline& line, float scale) {
    std::vector<const Roof*> roofs;
    for (const Roof& roof : line.roofs) {
        if (roof.intensity > 0 && line.gops > 0) {
            roofs.push_back(&roof);
        }
    }
    std::ranges::stable_sort(roofs, {}, &Roof::intensity);
    std::vector<RooflineMark> marks;
    for (const Roof* roof : roofs) {
        const Point at = plot.at(roof->intensity, line.gops);
        if (marks.empty() || !same_place(marks.back().at, at, scale)) {
            marks.push_back({.at = at, .reach = 0, .roofs = {}});
        }
        marks.back().roofs.push_back(roof);
    }
    for (RooflineMark& mark : marks) {
        const Point last = plot.at(mark.roofs.back()->intensity, line.gops);
        mark.at.x = std::round((mark.at.x + last.x) / 2);
        const auto more = static_cast<float>(mark.roofs.size() - 1);
        mark.reach = std::round(std::min(single_reach + reach_of_each * more, most_reach) * scale);
    }
    return marks;
}

void draw_mark(Canvas& canvas, const RooflineMark& mark, const Theme& theme, bool filled) {
    const float reach = mark.reach;
    draw_stripe(canvas, mark.at, reach + 2, -reach - 2, reach + 2, theme.panel);
    const float each = 2 * reach / static_cast<float>(mark.roofs.size());
    for (std::size_t n = 0; n < mark.roofs.size(); ++n) {
        const float from = -reach + each * static_cast<float>(n);
        const float gap = n + 1 < mark.roofs.size() ? 1.0F : 0.0F;  // ways of one pipe have one colour
        draw_stripe(canvas,
                    mark.at,
                    reach,
                    from,
                    std::max(from + 1, from + each - gap),
                    colour_of(theme, *mark.roofs[n]));
    }
    if (!filled) {
        const float inner = reach - 2;
        draw_stripe(canvas, mark.at, inner, -inner, inner, theme.panel);
    }
}

bool same_place(Point a, Point b, float scale) {
    return std::abs(a.x - b.x) < one_place * scale && std::abs(a.y - b.y) < one_place * scale;
}

Pixel colour_of(const Theme& theme, const Roof& roof) {
    return roof.pipe == "hbm"         ? theme.accent
           : roof.pipe == "l2_reads"  ? theme.l2_reads
           : roof.pipe == "l2_writes" ? theme.l2_writes
                                      : theme.pipe(roof.pipe).colour;
}

}  // namespace ascendsim::gui
