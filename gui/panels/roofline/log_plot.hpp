// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/canvas/geometry.hpp"

namespace ascendsim::gui {

/// Both axes logarithmic, on whole pixels.
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

/// "12.3 Top/s": operations per second from 1e9 of them.
[[nodiscard]] inline std::string rate_text(double gops) {
    return gops >= 1e6    ? fmt::format("{:.3g} Pop/s", gops / 1e6)
           : gops >= 1000 ? fmt::format("{:.3g} Top/s", gops / 1000)
                          : fmt::format("{:.3g} Gop/s", gops);
}

/// "0.01", "1000", "20 k": operations per byte.
[[nodiscard]] inline std::string intensity_text(double value) {
    return value >= 1e4 ? fmt::format("{:g} k", value / 1e3) : fmt::format("{:g}", value);
}

/// Values to mark between two decades: powers of ten, with 2 and 5 of each where there would be few.
[[nodiscard]] inline std::vector<double> log_ticks(double low, double high) {
    constexpr double few_decades = 2.5;
    std::vector<double> ticks;
    for (double decade = std::floor(low); decade <= high; ++decade) {
        for (const double first : {1.0, 2.0, 5.0}) {
            const double place = decade + std::log10(first);
            if (place >= low && place <= high && (first == 1 || high - low < few_decades)) {
                ticks.push_back(first * std::pow(10, decade));
            }
        }
    }
    return ticks;
}

}  // namespace ascendsim::gui
