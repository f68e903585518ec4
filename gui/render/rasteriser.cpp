// SPDX-License-Identifier: Apache-2.0
#include "gui/render/rasteriser.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ascendsim::gui {
namespace {

constexpr std::int64_t subpixels = 256;
constexpr float largest_position = 1.0e6F;

/// A half-open box of whole pixels.
struct Box {
    int left;
    int top;
    int right;
    int bottom;

    [[nodiscard]] bool empty() const { return left >= right || top >= bottom; }
};

/// One corner, position in 1/256 pixel, texture position in texels.
struct Corner {
    std::int64_t x;
    std::int64_t y;
    float u;
    float v;
    Pixel colour;
};

using Triangle = std::array<Corner, 3>;

struct Target {
    Image& image;
    const CoverageTexture& texture;
    Box clip;
};

/// a * b / 255, rounded to nearest.
unsigned scale(unsigned a, unsigned b) {
    return (a * b + 127U) / 255U;
}

void blend(Pixel& under, Pixel over, unsigned alpha) {
    if (alpha == 0) {
        return;
    }
    if (alpha == 255) {
        under = over | rgba(0, 0, 0);
        return;
    }
    const auto mix = [&](unsigned i) {
        return (channel(over, i) * alpha + channel(under, i) * (255U - alpha) + 127U) / 255U;
    };
    under = rgba(mix(0), mix(1), mix(2));
}

/// First pixel whose centre lies at or right of a position in 1/256 pixel.
int first_pixel(std::int64_t position) {
    return static_cast<int>((position + subpixels / 2 - 1) >> 8);
}

std::int64_t centre(int pixel) {
    return pixel * subpixels + subpixels / 2;
}

Box intersect(Box a, Box b) {
    return {std::max(a.left, b.left),
            std::max(a.top, b.top),
            std::min(a.right, b.right),
            std::min(a.bottom, b.bottom)};
}

unsigned texel(const CoverageTexture& texture, std::int64_t x, std::int64_t y) {
    const auto column = static_cast<std::size_t>(std::clamp<std::int64_t>(x, 0, texture.width - 1));
    const auto row = static_cast<std::size_t>(std::clamp<std::int64_t>(y, 0, texture.height - 1));
    return texture.texels[row * static_cast<std::size_t>(texture.width) + column];
}

/// Bilinear coverage at a position in texels, quantised to 1/256 texel.
unsigned sample(const CoverageTexture& texture, float u, float v) {
    const std::int64_t x = std::lrint(static_cast<double>(u) * 256.0) - 128;
    const std::int64_t y = std::lrint(static_cast<double>(v) * 256.0) - 128;
    const std::int64_t column = x >> 8;
    const std::int64_t row = y >> 8;
    const auto right = static_cast<unsigned>(x & 255);
    const auto lower = static_cast<unsigned>(y & 255);
    if (right == 0 && lower == 0) {
        return texel(texture, column, row);
    }
    const unsigned upper_row =
        texel(texture, column, row) * (256U - right) + texel(texture, column + 1, row) * right;
    const unsigned lower_row =
        texel(texture, column, row + 1) * (256U - right) + texel(texture, column + 1, row + 1) * right;
    return (upper_row * (256U - lower) + lower_row * lower + 32768U) >> 16U;
}

void fill_solid(const Target& target, Box box, Pixel colour, unsigned alpha) {
    for (int y = box.top; y < box.bottom; ++y) {
        Pixel* row = &target.image.at(0, y);
        if (alpha == 255) {
            std::fill(row + box.left, row + box.right, colour | rgba(0, 0, 0));
            continue;
        }
        for (int x = box.left; x < box.right; ++x) {
            blend(row[x], colour, alpha);
        }
    }
}

void fill_textured(const Target& target, Box box, const Corner& upper_left, const Corner& lower_right) {
    const auto width = static_cast<float>(lower_right.x - upper_left.x);
    const auto height = static_cast<float>(lower_right.y - upper_left.y);
    const unsigned alpha = channel(upper_left.colour, 3);
    for (int y = box.top; y < box.bottom; ++y) {
        const float down = static_cast<float>(centre(y) - upper_left.y) / height;
        const float v = upper_left.v + (lower_right.v - upper_left.v) * down;
        for (int x = box.left; x < box.right; ++x) {
            const float along = static_cast<float>(centre(x) - upper_left.x) / width;
            const float u = upper_left.u + (lower_right.u - upper_left.u) * along;
            blend(target.image.at(x, y), upper_left.colour, scale(alpha, sample(target.texture, u, v)));
        }
    }
}

bool same_texel(const Corner& a, const Corner& b) {
    return a.u == b.u && a.v == b.v;
}

/// Draws triangles (0 1 2) and (0 2 3) as a rectangle if they are one of one colour; false if they are not.
bool draw_rectangle(const Target& target, const std::array<Corner, 4>& c) {
    const bool aligned = c[0].y == c[1].y && c[1].x == c[2].x && c[2].y == c[3].y && c[3].x == c[0].x;
    const bool one_colour =
        c[0].colour == c[1].colour && c[0].colour == c[2].colour && c[0].colour == c[3].colour;
    const bool straight = c[0].v == c[1].v && c[1].u == c[2].u && c[2].v == c[3].v && c[3].u == c[0].u;
    if (!aligned || !one_colour || !straight || c[0].x > c[2].x || c[0].y > c[2].y) {
        return false;
    }
    const Box box = intersect(
        target.clip, {first_pixel(c[0].x), first_pixel(c[0].y), first_pixel(c[2].x), first_pixel(c[2].y)});
    if (box.empty()) {
        return true;
    }
    if (same_texel(c[0], c[2])) {
        fill_solid(
            target, box, c[0].colour, scale(channel(c[0].colour, 3), sample(target.texture, c[0].u, c[0].v)));
    } else {
        fill_textured(target, box, c[0], c[2]);
    }
    return true;
}

/// Twice the signed area of a, b and a point; positive if the point lies to the right of a to b on the
/// screen.
std::int64_t edge(const Corner& a, const Corner& b, std::int64_t x, std::int64_t y) {
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

/// A top or left edge owns the centres that lie on it; others need them strictly inside.
std::int64_t ownership(const Corner& a, const Corner& b) {
    const bool top = a.y == b.y && b.x > a.x;
    const bool left = b.y < a.y;
    return top || left ? 0 : -1;
}

Pixel mix_colours(const Triangle& t, const std::array<float, 3>& share) {
    const auto mix = [&](unsigned i) {
        float sum = 0.5F;
        for (std::size_t k = 0; k < 3; ++k) {
            sum += share[k] * static_cast<float>(channel(t[k].colour, i));
        }
        return static_cast<unsigned>(std::clamp(sum, 0.0F, 255.0F));
    };
    return rgba(mix(0), mix(1), mix(2), mix(3));
}

void shade(const Target& target,
           const Triangle& t,
           const std::array<float, 3>& share,
           bool one_colour,
           Pixel& pixel) {
    const Pixel colour = one_colour ? t[0].colour : mix_colours(t, share);
    float u = t[0].u;
    float v = t[0].v;
    if (!same_texel(t[0], t[1]) || !same_texel(t[0], t[2])) {
        u = t[0].u * share[0] + t[1].u * share[1] + t[2].u * share[2];
        v = t[0].v * share[0] + t[1].v * share[1] + t[2].v * share[2];
    }
    blend(pixel, colour, scale(channel(colour, 3), sample(target.texture, u, v)));
}

Box bounds(const Triangle& t) {
    const auto [left, right] = std::minmax({t[0].x, t[1].x, t[2].x});
    const auto [top, bottom] = std::minmax({t[0].y, t[1].y, t[2].y});
    return {first_pixel(left), first_pixel(top), first_pixel(right) + 1, first_pixel(bottom) + 1};
}

void draw_triangle(const Target& target, Triangle t) {
    std::int64_t area = edge(t[0], t[1], t[2].x, t[2].y);
    if (area == 0) {
        return;
    }
    if (area < 0) {
        std::swap(t[1], t[2]);
        area = -area;
    }
    const Box box = intersect(target.clip, bounds(t));
    const std::array bias{ownership(t[1], t[2]), ownership(t[2], t[0]), ownership(t[0], t[1])};
    const bool one_colour = t[0].colour == t[1].colour && t[0].colour == t[2].colour;
    const float whole = 1.0F / static_cast<float>(area);
    for (int y = box.top; y < box.bottom; ++y) {
        for (int x = box.left; x < box.right; ++x) {
            const std::array part{edge(t[1], t[2], centre(x), centre(y)),
                                  edge(t[2], t[0], centre(x), centre(y)),
                                  edge(t[0], t[1], centre(x), centre(y))};
            if (part[0] + bias[0] < 0 || part[1] + bias[1] < 0 || part[2] + bias[2] < 0) {
                continue;
            }
            const std::array share{static_cast<float>(part[0]) * whole,
                                   static_cast<float>(part[1]) * whole,
                                   static_cast<float>(part[2]) * whole};
            shade(target, t, share, one_colour, target.image.at(x, y));
        }
    }
}

/// Snaps to 1/256 pixel; positions far outside any picture are brought to its edge.
std::int64_t snap(float position) {
    const float bounded = std::clamp(position, -largest_position, largest_position);
    return std::lrint(static_cast<double>(bounded) * static_cast<double>(subpixels));
}

Corner corner(const ImDrawVert& vertex, ImVec2 origin, const CoverageTexture& texture) {
    return {snap(vertex.pos.x - origin.x),
            snap(vertex.pos.y - origin.y),
            vertex.uv.x * static_cast<float>(texture.width),
            vertex.uv.y * static_cast<float>(texture.height),
            vertex.col};
}

int bounded_pixel(float position, int limit) {
    return static_cast<int>(std::clamp(position, 0.0F, static_cast<float>(limit)));
}

RasterCounts draw_command(const ImDrawList& list,
                          const ImDrawCmd& command,
                          ImVec2 origin,
                          const Target& target) {
    RasterCounts counts;
    const auto index = [&](unsigned i) { return list.IdxBuffer[static_cast<int>(command.IdxOffset + i)]; };
    const auto at = [&](unsigned i) {
        return corner(list.VtxBuffer[static_cast<int>(command.VtxOffset) + index(i)], origin, target.texture);
    };
    for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
        const bool pair =
            i + 5 < command.ElemCount && index(i) == index(i + 3) && index(i + 2) == index(i + 4);
        if (pair && draw_rectangle(target, {at(i), at(i + 1), at(i + 2), at(i + 5)})) {
            ++counts.rectangles;
            i += 3;
            continue;
        }
        draw_triangle(target, {at(i), at(i + 1), at(i + 2)});
        ++counts.triangles;
    }
    return counts;
}

}  // namespace

RasterCounts Rasteriser::draw(const ImDrawData& data, Image& target) const {
    RasterCounts total;
    for (int n = 0; n < data.CmdListsCount; ++n) {
        const ImDrawList& list = *data.CmdLists[n];
        for (const ImDrawCmd& command : list.CmdBuffer) {
            const Box clip{bounded_pixel(command.ClipRect.x - data.DisplayPos.x, target.width),
                           bounded_pixel(command.ClipRect.y - data.DisplayPos.y, target.height),
                           bounded_pixel(command.ClipRect.z - data.DisplayPos.x, target.width),
                           bounded_pixel(command.ClipRect.w - data.DisplayPos.y, target.height)};
            if (command.UserCallback != nullptr || clip.empty()) {
                continue;
            }
            const RasterCounts counts =
                draw_command(list, command, data.DisplayPos, {target, texture_, clip});
            total.rectangles += counts.rectangles;
            total.triangles += counts.triangles;
        }
    }
    return total;
}

}  // namespace ascendsim::gui
