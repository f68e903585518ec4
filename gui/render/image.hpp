// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ascendsim::gui {

/// One colour as bytes R, G, B, A from the lowest byte up, which is also what Dear ImGui stores.
using Pixel = std::uint32_t;

[[nodiscard]] constexpr Pixel rgba(unsigned r, unsigned g, unsigned b, unsigned a = 255) {
    return (r & 255U) | ((g & 255U) << 8U) | ((b & 255U) << 16U) | ((a & 255U) << 24U);
}

/// One byte of a colour: 0 red, 1 green, 2 blue, 3 alpha.
[[nodiscard]] constexpr unsigned channel(Pixel pixel, unsigned index) {
    return (pixel >> (8U * index)) & 255U;
}

/// A picture of whole pixels, rows from the top.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<Pixel> pixels;

    Image() = default;
    Image(int columns, int rows, Pixel fill = rgba(0, 0, 0));

    [[nodiscard]] std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
    }

    [[nodiscard]] Pixel at(int x, int y) const { return pixels[index(x, y)]; }

    Pixel& at(int x, int y) { return pixels[index(x, y)]; }

    friend bool operator==(const Image&, const Image&) = default;
};

/// The part [left, right) x [top, bottom) of a picture, cut to it; at least one pixel.
[[nodiscard]] Image cut_out(const Image& image, int left, int top, int right, int bottom);

/// What differs between two pictures, exactly.
struct ImageDifference {
    bool same_size = true;
    std::size_t pixels = 0;     ///< pixels that differ at all
    unsigned largest_step = 0;  ///< largest difference of one channel, 0 to 255
    int left = 0;               ///< the box that holds every differing pixel; right and bottom exclusive
    int top = 0;
    int right = 0;
    int bottom = 0;

    [[nodiscard]] bool none() const { return same_size && pixels == 0; }
};

/// Compares two pictures with zero tolerance.
[[nodiscard]] ImageDifference compare_images(const Image& expected, const Image& actual);

/// Draws expected, actual and difference side by side; differing pixels are magenta on a faded copy.
[[nodiscard]] Image side_by_side(const Image& expected, const Image& actual);

}  // namespace ascendsim::gui
