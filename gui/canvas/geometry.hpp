// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace ascendsim::gui {

/// A place on the screen, pixels, y downwards.
struct Point {
    float x = 0;
    float y = 0;

    friend bool operator==(Point, Point) = default;
};

/// A half-open box on the screen, pixels.
struct Rect {
    float left = 0;
    float top = 0;
    float right = 0;
    float bottom = 0;

    [[nodiscard]] float width() const { return right - left; }

    [[nodiscard]] float height() const { return bottom - top; }

    [[nodiscard]] Point centre() const { return {(left + right) / 2, (top + bottom) / 2}; }

    [[nodiscard]] bool empty() const { return right <= left || bottom <= top; }

    [[nodiscard]] bool contains(Point p) const {
        return p.x >= left && p.x < right && p.y >= top && p.y < bottom;
    }

    [[nodiscard]] Rect shrunk(float by) const { return {left + by, top + by, right - by, bottom - by}; }

    friend bool operator==(Rect, Rect) = default;
};

/// The part two boxes share; empty() if they share none.
[[nodiscard]] inline Rect intersect(Rect a, Rect b) {
    return {std::max(a.left, b.left),
            std::max(a.top, b.top),
            std::min(a.right, b.right),
            std::min(a.bottom, b.bottom)};
}

/// The box moved to whole pixels; every box that holds data goes through this, so renderers agree and no gaps
/// appear.
[[nodiscard]] inline Rect whole_pixels(Rect r) {
    return {std::round(r.left), std::round(r.top), std::round(r.right), std::round(r.bottom)};
}

}  // namespace ascendsim::gui
