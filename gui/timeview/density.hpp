// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "gui/timeview/time_axis.hpp"
#include "sim/record/pyramid.hpp"

namespace ascendsim::gui {

/// What a lane did in the stretch of time that a column of pixels stands for.
struct DensityColumn {
    float left = 0;  ///< whole pixels
    float right = 0;
    double begin = 0;  ///< cycle, within the run; not always a whole one
    double end = 0;
    std::array<double, record::reason_count> cycles{};  ///< by reason; they sum to end - begin

    [[nodiscard]] double busy_share() const { return cycles[0] / (end - begin); }
};

/// How true to the spans columns are. Up to `spans` of them a column are read themselves; of more, buckets of
/// which a column has `buckets` or more: its borders misplace at most half a bucket. The least is for rows
/// that are drawn in every frame.
struct DensityEffort {
    float spans = 8;
    double buckets = 8;
};

[[nodiscard]] inline std::uint64_t first_cycle(const TimeRange& seen) {
    return static_cast<std::uint64_t>(std::max(0.0, std::floor(seen.begin)));
}

[[nodiscard]] inline std::uint64_t last_cycle(const TimeRange& seen) {
    return static_cast<std::uint64_t>(std::max(0.0, std::ceil(seen.end)));
}

/// Spans of a lane that are at least partly in `seen`.
[[nodiscard]] inline std::size_t visible_spans(const record::Lane& lane, const TimeRange& seen) {
    const std::size_t first = lane.first_ending_after(first_cycle(seen));
    const std::size_t last = lane.first_starting_from(last_cycle(seen));
    return last > first ? last - first : 0;
}

/// The level of `pyramid` of which a column of `cycles` cycles has as many buckets or more, or its finest: a
/// column's border then cuts little of what is in it.
[[nodiscard]] inline std::size_t density_level(const record::Pyramid& pyramid,
                                               double cycles,
                                               const DensityEffort& effort = {}) {
    const std::size_t level =
        pyramid.level_for(static_cast<std::uint64_t>(std::max(1.0, cycles / effort.buckets)));
    return level == pyramid.levels() ? 0 : level;
}

/// Whether the visible spans of a lane are read themselves rather than its pyramid: there are few a column.
[[nodiscard]] inline bool spans_are_few(const record::Lane& lane,
                                        const TimeAxis& axis,
                                        float step,
                                        const DensityEffort& effort = {}) {
    return static_cast<float>(visible_spans(lane, axis.seen)) <= effort.spans * axis.width / step;
}

/// The column that starts at pixel `left`, empty; `run` is the run's length in cycles.
[[nodiscard]] inline DensityColumn column_at(const TimeAxis& axis, float left, float step, double run) {
    const float right = std::min(left + step, axis.right());
    const double last = std::max(0.0, std::min(run, axis.seen.end));
    return {.left = left,
            .right = right,
            .begin = std::clamp(axis.cycle(left), 0.0, last),
            .end = right == axis.right() ? last : std::clamp(axis.cycle(right), 0.0, last),
            .cycles = {}};
}

/// Adds what buckets hold of a column; of a bucket that its border cuts, the share inside.
inline void add_buckets(const record::Pyramid& pyramid,
                        std::size_t level,
                        const record::Pyramid::Buckets& buckets,
                        DensityColumn& column) {
    const auto size = static_cast<double>(pyramid.bucket(level));
    const auto add = [&](std::size_t from, std::size_t to, double share) {
        record::Occupancy sum;
        buckets.add(from, to, sum);
        for (std::size_t reason = 0; reason < record::reason_count; ++reason) {
            column.cycles[reason] += share * static_cast<double>(sum.cycles[reason]);
        }
    };
    const auto add_part = [&](double bucket, double cycles) {
        if (cycles > 0) {
            const double length =
                std::min((bucket + 1) * size, static_cast<double>(pyramid.end())) - bucket * size;
            const auto number = static_cast<std::size_t>(bucket);
            add(number, number + 1, cycles / length);
        }
    };
    const double first = std::ceil(column.begin / size);
    const double behind = std::floor(column.end / size);
    if (first > behind) {
        add_part(behind, column.end - column.begin);
        return;
    }
    add_part(first - 1, first * size - column.begin);
    add(static_cast<std::size_t>(first), static_cast<std::size_t>(behind), 1);
    add_part(behind, column.end - behind * size);
}

/// Calls `visit(DensityColumn)` for the columns that for_each_density_column() makes from spans.
template <class Visit>
void for_each_column_of_spans(const record::Recording& recording,
                              std::uint32_t lane,
                              const TimeAxis& axis,
                              float step,
                              const Visit& visit) {
    const auto run = static_cast<double>(recording.cycles());
    DensityColumn column = column_at(axis, axis.left, step, run);
    record::for_each_stretch(
        recording, lane, first_cycle(axis.seen), last_cycle(axis.seen), [&](const record::Stretch& stretch) {
            double now = std::max(static_cast<double>(stretch.start), axis.seen.begin);
            const auto end = static_cast<double>(stretch.end);
            while (now < end && column.left < axis.right()) {
                const double until = std::min(end, column.end);
                if (until > now) {
                    column.cycles[static_cast<std::size_t>(stretch.reason)] += until - now;
                    now = until;
                }
                if (now >= column.end) {
                    if (column.end > column.begin) {
                        visit(column);
                    }
                    column = column_at(axis, column.right, step, run);
                }
            }
        });
}

/// Calls `visit(DensityColumn)` from left to right for all of the run that is visible, in columns `step`
/// pixels wide without gaps or overlaps. Each holds what happened between its own two borders, by area:
/// exactly where there are few spans, from buckets that are small beside it otherwise. Rounding its borders
/// to buckets would sample a regular schedule unevenly and show waves that it does not have.
template <class Visit>
void for_each_density_column(const record::Recording& recording,
                             std::uint32_t lane,
                             const record::Pyramid& pyramid,
                             const TimeAxis& axis,
                             float step,
                             const Visit& visit,
                             const DensityEffort& effort = {}) {
    if (spans_are_few(recording.lane(lane), axis, step, effort)) {
        for_each_column_of_spans(recording, lane, axis, step, visit);
        return;
    }
    const std::size_t level =
        density_level(pyramid, axis.cycles_per_pixel() * static_cast<double>(step), effort);
    const auto size = static_cast<double>(pyramid.bucket(level));
    const auto run = static_cast<double>(pyramid.end());
    const DensityColumn whole = column_at(axis, axis.left, axis.width, run);
    const record::Pyramid::Buckets buckets = pyramid.read(
        level, static_cast<std::size_t>(whole.begin / size), static_cast<std::size_t>(whole.end / size) + 1);
    for (float left = axis.left; left < axis.right();) {
        DensityColumn column = column_at(axis, left, step, run);
        if (column.end > column.begin) {
            add_buckets(pyramid, level, buckets, column);
            visit(column);
        }
        left = column.right;
    }
}

}  // namespace ascendsim::gui
