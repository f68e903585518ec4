// SPDX-License-Identifier: Apache-2.0
#include "gui/render/image.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

unsigned largest_channel_step(Pixel a, Pixel b) {
    unsigned largest = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned x = channel(a, i);
        const unsigned y = channel(b, i);
        largest = std::max(largest, x > y ? x - y : y - x);
    }
    return largest;
}

Pixel faded(Pixel pixel) {
    const unsigned grey = (channel(pixel, 0) + channel(pixel, 1) + channel(pixel, 2)) / 3;
    return rgba(192 + grey / 4, 192 + grey / 4, 192 + grey / 4);
}

void copy_at(Image& target, const Image& source, int left) {
    for (int y = 0; y < source.height; ++y) {
        std::copy_n(&source.pixels[source.index(0, y)], source.width, &target.at(left, y));
    }
}

}  // namespace

Image::Image(int columns, int rows, Pixel fill) : width{columns}, height{rows} {
    check(columns > 0 && rows > 0, "picture of {} x {} pixels: both must be positive", columns, rows);
    pixels.assign(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), fill);
}

Image cut_out(const Image& image, int left, int top, int right, int bottom) {
    left = std::clamp(left, 0, std::max(0, image.width - 1));
    top = std::clamp(top, 0, std::max(0, image.height - 1));
    right = std::clamp(right, left + 1, std::max(left + 1, image.width));
    bottom = std::clamp(bottom, top + 1, std::max(top + 1, image.height));
    Image part{right - left, bottom - top};
    for (int y = top; y < std::min(bottom, image.height); ++y) {
        std::copy_n(image.pixels.begin() + static_cast<std::ptrdiff_t>(image.index(left, y)),
                    std::min(right, image.width) - left,
                    part.pixels.begin() + static_cast<std::ptrdiff_t>(part.index(0, y - top)));
    }
    return part;
}

ImageDifference compare_images(const Image& expected, const Image& actual) {
    ImageDifference difference;
    difference.same_size = expected.width == actual.width && expected.height == actual.height;
    if (!difference.same_size) {
        return difference;
    }
    difference.left = expected.width;
    difference.top = expected.height;
    for (int y = 0; y < expected.height; ++y) {
        for (int x = 0; x < expected.width; ++x) {
            const unsigned step = largest_channel_step(expected.at(x, y), actual.at(x, y));
            if (step == 0) {
                continue;
            }
            ++difference.pixels;
            difference.largest_step = std::max(difference.largest_step, step);
            difference.left = std::min(difference.left, x);
            difference.top = std::min(difference.top, y);
            difference.right = std::max(difference.right, x + 1);
            difference.bottom = std::max(difference.bottom, y + 1);
        }
    }
    return difference;
}

Image side_by_side(const Image& expected, const Image& actual) {
    const int width = std::max(expected.width, actual.width);
    const int height = std::max(expected.height, actual.height);
    constexpr int gap = 8;
    const Pixel outside = rgba(64, 64, 64);
    Image picture{3 * width + 2 * gap, height, outside};
    copy_at(picture, expected, 0);
    copy_at(picture, actual, width + gap);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const bool in_expected = x < expected.width && y < expected.height;
            const bool in_actual = x < actual.width && y < actual.height;
            if (!in_expected && !in_actual) {
                continue;
            }
            const bool same = in_expected && in_actual && expected.at(x, y) == actual.at(x, y);
            picture.at(2 * (width + gap) + x, y) = same ? faded(expected.at(x, y)) : rgba(255, 0, 255);
        }
    }
    return picture;
}

}  // namespace ascendsim::gui
