// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/smooth_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace ascendsim::gui {
namespace {

constexpr float fringe = 1;          // pixels over which an edge fades
constexpr float subpixels = 256;     // positions per pixel, those of the rasteriser
constexpr float longest_mitre = 10;  // times half the thickness; sharper corners are cut there

/// What one point of a polyline becomes: a vertex at `offset` pixels along the normal.
struct Rail {
    float offset;
    Pixel colour;
};

Pixel transparent(Pixel colour) {
    return rgba(channel(colour, 0), channel(colour, 1), channel(colour, 2), 0);
}

Point operator+(Point a, Point b) {
    return {a.x + b.x, a.y + b.y};
}

Point operator*(Point a, float factor) {
    return {a.x * factor, a.y * factor};
}

/// The unit normal of a line, to the left of its direction on the screen; none for a line without length.
Point normal(Point from, Point to) {
    const float dx = to.x - from.x;
    const float dy = to.y - from.y;
    const float length = std::sqrt(dx * dx + dy * dy);
    return length > 0 ? Point{dy / length, -dx / length} : Point{};
}

/// The offset of a corner that keeps both lines that meet there one pixel away.
Point mitre(Point a, Point b) {
    const Point middle = (a + b) * 0.5F;
    const float square = middle.x * middle.x + middle.y * middle.y;
    constexpr float least = 1 / (longest_mitre * longest_mitre);
    return square > 0 ? middle * (1 / std::max(square, least)) : a;
}

void add_vertex(ImDrawList& list, Point place, Pixel colour) {
    const auto snapped = [](float x) { return std::round(x * subpixels) / subpixels; };
    list.PrimWriteVtx({snapped(place.x), snapped(place.y)}, ImGui::GetFontTexUvWhitePixel(), colour);
}

void add_index(ImDrawList& list, std::size_t index) {
    list.PrimWriteIdx(static_cast<ImDrawIdx>(index));
}

void add_triangle(ImDrawList& list, std::size_t a, std::size_t b, std::size_t c) {
    add_index(list, a);
    add_index(list, b);
    add_index(list, c);
}

/// Two triangles between the vertices a, b of one point and those c, d of the next.
void add_strip(ImDrawList& list, std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    add_triangle(list, a, b, d);
    add_triangle(list, a, d, c);
}

void reserve(ImDrawList& list, std::size_t triangles, std::size_t vertices) {
    list.PrimReserve(static_cast<int>(3 * triangles), static_cast<int>(vertices));
}

Point offset_at(std::span<const Point> points, std::size_t i) {
    const Point before = i > 0 ? normal(points[i - 1], points[i]) : Point{};
    const Point after = i + 1 < points.size() ? normal(points[i], points[i + 1]) : Point{};
    if (before == Point{}) {
        return after;
    }
    return after == Point{} ? before : mitre(before, after);
}

void add_rails(ImDrawList& list, std::span<const Point> points, std::span<const Rail> rails) {
    const std::size_t strips = rails.size() - 1;
    reserve(list, 2 * strips * (points.size() - 1), rails.size() * points.size());
    const std::size_t first = list._VtxCurrentIdx;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point offset = offset_at(points, i);
        for (const Rail& rail : rails) {
            add_vertex(list, points[i] + offset * rail.offset, rail.colour);
        }
    }
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const std::size_t here = first + i * rails.size();
        const std::size_t next = here + rails.size();
        for (std::size_t n = 0; n < strips; ++n) {
            add_strip(list, here + n, here + n + 1, next + n, next + n + 1);
        }
    }
}

float twice_area(std::span<const Point> points) {
    float sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point a = points[i];
        const Point b = points[(i + 1) % points.size()];
        sum += a.x * b.y - b.x * a.y;
    }
    return sum;
}

}  // namespace

void add_polyline(ImDrawList& list, std::span<const Point> points, Pixel colour, float thickness) {
    if (points.size() < 2) {
        return;
    }
    if ((list.Flags & ImDrawListFlags_AntiAliasedLines) == 0) {
        const float half = thickness / 2;
        add_rails(list, points, std::array{Rail{half, colour}, Rail{-half, colour}});
        return;
    }
    const float inner = std::max(0.0F, (thickness - fringe) / 2);
    const float outer = inner + fringe;
    const Pixel clear = transparent(colour);
    add_rails(list,
              points,
              std::array{Rail{outer, clear}, Rail{inner, colour}, Rail{-inner, colour}, Rail{-outer, clear}});
}

void add_convex_polygon(ImDrawList& list, std::span<const Point> points, Pixel colour) {
    const std::size_t count = points.size();
    if (count < 3) {
        return;
    }
    const bool smooth = (list.Flags & ImDrawListFlags_AntiAliasedFill) != 0;
    const float outwards = twice_area(points) > 0 ? fringe / 2 : -fringe / 2;
    reserve(list, count - 2 + (smooth ? 2 * count : 0), smooth ? 2 * count : count);
    const std::size_t first = list._VtxCurrentIdx;
    for (std::size_t i = 0; i < count; ++i) {
        const Point before = points[(i + count - 1) % count];
        const Point after = points[(i + 1) % count];
        const Point offset = mitre(normal(before, points[i]), normal(points[i], after)) * outwards;
        add_vertex(list, smooth ? points[i] + offset * -1 : points[i], colour);
        if (smooth) {
            add_vertex(list, points[i] + offset, transparent(colour));
        }
    }
    const std::size_t stride = smooth ? 2 : 1;
    for (std::size_t i = 2; i < count; ++i) {
        add_triangle(list, first, first + (i - 1) * stride, first + i * stride);
    }
    for (std::size_t i = 0; smooth && i < count; ++i) {
        const std::size_t next = (i + 1) % count;
        add_strip(list, first + 2 * i, first + 2 * i + 1, first + 2 * next, first + 2 * next + 1);
    }
}

}  // namespace ascendsim::gui
