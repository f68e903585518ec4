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

/// Buckets [from, to) of a level, drawn over [left, right) pixels.
struct BucketColumn {
    float left = 0;
    float right = 0;
    std::size_t from = 0;
    std::size_t to = 0;
};

/// The buckets of a level that for_each_bucket_column() comes across.
[[nodiscard]] inline record::Pyramid::Buckets visible_buckets(const record::Pyramid& pyramid,
                                                              std::size_t level,
                                                              const TimeAxis& axis) {
    const auto bucket = static_cast<double>(pyramid.bucket(level));
    const auto buckets = static_cast<double>(pyramid.buckets(level));
    const auto place = [&](double cycle) {
        return static_cast<std::size_t>(std::clamp(std::floor(cycle / bucket), 0.0, buckets));
    };
    const double end = axis.seen.begin + axis.cycles_per_pixel() * static_cast<double>(axis.width);
    return pyramid.read(level, place(axis.seen.begin), place(end + 2 * bucket));
}

/// Calls `visit(BucketColumn)` from left to right for all that is visible. Columns are at least `step` pixels
/// wide and follow each other without gaps or overlaps in pixels and in buckets.
template <class Visit>
void for_each_bucket_column(
    const record::Pyramid& pyramid, std::size_t level, const TimeAxis& axis, float step, const Visit& visit) {
    const double per_pixel = axis.cycles_per_pixel() / static_cast<double>(pyramid.bucket(level));
    const double first = axis.seen.begin / static_cast<double>(pyramid.bucket(level)) + 0.5;
    const auto buckets = static_cast<double>(pyramid.buckets(level));
    const auto place = [&](float x) {
        return static_cast<std::size_t>(
            std::clamp(first + static_cast<double>(x - axis.left) * per_pixel, 0.0, buckets));
    };
    BucketColumn column{axis.left, axis.left, place(axis.left), 0};
    for (float x = axis.left; x < axis.right();) {
        x = std::min(x + step, axis.right());
        column.to = place(x);
        if (column.to != column.from) {
            column.right = x;
            visit(column);
            column.left = x;
            column.from = column.to;
        }
    }
}

/// Calls `visit(DensityColumn)` for the same columns: they start and end on buckets of the pyramid, so what
/// is drawn sums to exactly what happened.
template <class Visit>
void for_each_density_column(const record::Pyramid& pyramid,
                             const TimeAxis& axis,
                             float step,
                             const Visit& visit) {
    const std::size_t level = density_level(pyramid, axis.cycles_per_pixel() * static_cast<double>(step));
    const std::uint64_t bucket = pyramid.bucket(level);
    const record::Pyramid::Buckets buckets = visible_buckets(pyramid, level, axis);
    for_each_bucket_column(pyramid, level, axis, step, [&](const BucketColumn& place) {
        DensityColumn column{place.left,
                             place.right,
                             std::min(place.from * bucket, pyramid.end()),
                             std::min(place.to * bucket, pyramid.end()),
                             {}};
        buckets.add(place.from, place.to, column.cycles);
        visit(column);
    });
}

}  // namespace ascendsim::gui
