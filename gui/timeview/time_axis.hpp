// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "gui/shell/view_state.hpp"

namespace ascendsim::gui {

/// The common axis of all views of time: the visible stretch over [left, left + width) pixels.
struct TimeAxis {
    TimeRange seen;
    float left = 0;
    float width = 1;

    [[nodiscard]] double cycles_per_pixel() const { return seen.length() / static_cast<double>(width); }

    /// Where a cycle lies, pixels; kept within a few screens so that far cycles stay exact in a float.
    [[nodiscard]] float x(double cycle) const {
        const double place = (cycle - seen.begin) / seen.length() * static_cast<double>(width);
        return left + static_cast<float>(std::clamp(place, -16384.0, 32768.0));
    }

    /// The same on a whole pixel.
    [[nodiscard]] float pixel(double cycle) const { return std::round(x(cycle)); }

    /// The reverse of x().
    [[nodiscard]] double cycle(float x) const {
        return seen.begin + static_cast<double>(x - left) * cycles_per_pixel();
    }

    /// The whole cycle that a pointer at `x` is on: the one in which its pixel begins, as pictures have it.
    [[nodiscard]] double whole_cycle(float x) const {
        constexpr double rounding = 1e-6;  // of a cycle that begins where the pixel does
        return std::floor(cycle(std::floor(x)) + rounding);
    }

    [[nodiscard]] float right() const { return left + width; }
};

}  // namespace ascendsim::gui
