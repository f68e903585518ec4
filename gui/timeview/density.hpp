// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gui/timeview/time_axis.hpp"
#include "sim/record/pyramid.hpp"

namespace ascendsim::gui {

/// What a lane did in the stretch of time that a column of pixels stands for.
struct DensityColumn {
    float left = 0;  ///< whole pixels
    float right = 0;
    std::uint64_t begin = 0;  ///< cycle
    std::uint64_t end = 0;
    record::Occupancy cycles;  ///< sums to end - begin
};

/// The level of `pyramid` whose buckets suit columns of `cycles` cycles, or its finest.
[[nodiscard]] inline std::size_t density_level(const record::Pyramid& pyramid, double cycles) {
    const std::size_t level = pyramid.level_for(static_cast<std::uint64_t>(std::max(1.0, cycles / 2)));
    return level == pyramid.levels() ? 0 : level;
}

/// Calls `visit(DensityColumn)` from left to right for all that is visible of a lane. Columns are at least
/// `step` pixels wide, follow each other without gaps or overlaps in pixels and in cycles, and start and end
/// on buckets of the pyramid: what is drawn sums to exactly what happened.
template <class Visit>
void for_each_density_column(const record::Pyramid& pyramid,
                             const TimeAxis& axis,
                             float step,
                             const Visit& visit) {
    const std::size_t level = density_level(pyramid, axis.cycles_per_pixel() * static_cast<double>(step));
    const auto bucket = static_cast<double>(pyramid.bucket(level));
    const auto buckets = static_cast<double>(pyramid.buckets(level));
    const auto place = [&](float x) {
        return static_cast<std::size_t>(std::clamp(std::round(axis.cycle(x) / bucket), 0.0, buckets));
    };
    std::size_t from = place(axis.left);
    DensityColumn column{.left = axis.left, .right = axis.left, .cycles = {}};
    for (float x = axis.left; x < axis.right();) {
        x = std::min(x + step, axis.right());
        const std::size_t to = place(x);
        if (to == from) {
            continue;
        }
        column.right = x;
        column.begin = std::min(from * pyramid.bucket(level), pyramid.end());
        column.end = std::min(to * pyramid.bucket(level), pyramid.end());
        column.cycles = {};
        pyramid.add(level, from, to, column.cycles);
        visit(column);
        column.left = x;
        from = to;
    }
}

}  // namespace ascendsim::gui
