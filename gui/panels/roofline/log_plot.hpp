// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "gui/shell/geometry.hpp"

namespace ascendsim::gui {

/// Both axes: powers of ten, on whole pixels.
struct LogPlot {
    Rect box;
    double x_low = 0;  // decades
    double x_high = 1;
    double y_low = 0;
    double y_high = 1;

    [[nodiscard]] Point at(double x, double y) const {
        const double right = (std::log10(std::max(x, 1e-30)) - x_low) / (x_high - x_low);
        const double up = (std::log10(std::max(y, 1e-30)) - y_low) / (y_high - y_low);
        return {std::round(box.left + static_cast<float>(std::clamp(right, -2.0, 3.0)) * box.width()),
                std::round(box.bottom - static_cast<float>(std::clamp(up, -2.0, 3.0)) * box.height())};
    }
};

/// "12.3 T/s": operations per second from 1e9 of them.
[[nodiscard]] inline std::string rate_text(double gops) {
    return gops >= 1e6    ? fmt::format("{:.3g} P/s", gops / 1e6)
           : gops >= 1000 ? fmt::format("{:.3g} T/s", gops / 1000)
                          : fmt::format("{:.3g} G/s", gops);
}

/// "0.01", "10", "100 k": a power of ten.
[[nodiscard]] inline std::string power_text(double exponent) {
    return exponent >= 5 ? fmt::format("{:g} k", std::pow(10, exponent - 3))
                         : fmt::format("{:g}", std::pow(10, exponent));
}

}  // namespace ascendsim::gui
