// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "gui/timeview/finer_buckets.hpp"
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
    FinerBuckets* finer = nullptr;  ///< makes buckets that are not there; else they are made at once
};

[[nodiscard]] inline std::uint64_t first_cycle(const TimeRange& seen) {
    return static_cast<std::uint64_t>(std::max(0.0, std::floor(seen.begin)));
}

[[nodiscard]] inline std::uint64_t last_cycle(const TimeRange& seen) {
    return static_cast<std::uint64_t>(std::max(0.0, std::ceil(seen.end)));
}

/// Whether more than `count` spans of a lane are at least partly in `seen`. They are not counted where that
/// can be avoided: the lanes of two runs would be decoded at both ends of it in every frame.
[[nodiscard]] inline bool more_visible_than(float count, const record::Lane& lane, const TimeRange& seen) {
    return lane.has_more_than(
        static_cast<std::size_t>(std::max(0.0F, count)), first_cycle(seen), last_cycle(seen));
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
    return !more_visible_than(effort.spans * axis.width / step, lane, axis.seen);
}

/// The cycle of a border between columns, within the run of `run` cycles.
[[nodiscard]] inline double border_at(const TimeAxis& axis, float x, double run) {
    const double last = std::max(0.0, std::min(run, axis.seen.end));
    return x == axis.right() ? last : std::clamp(axis.cycle(x), 0.0, last);
}

/// The column that starts at pixel `left`, empty; `run` is the run's length in cycles.
[[nodiscard]] inline DensityColumn column_at(const TimeAxis& axis, float left, float step, double run) {
    const float right = std::min(left + step, axis.right());
    return {.left = left,
            .right = right,
            .begin = border_at(axis, left, run),
            .end = border_at(axis, right, run),
            .cycles = {}};
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

/// The buckets from which the columns of `axis` are made where there are many spans.
[[nodiscard]] inline record::Pyramid::Buckets density_buckets(const record::Pyramid& pyramid,
                                                              const TimeAxis& axis,
                                                              float step,
                                                              const DensityEffort& effort = {}) {
    const DensityColumn whole = column_at(axis, axis.left, axis.width, static_cast<double>(pyramid.end()));
    const auto bucket_of = [&](double cycle, std::size_t level) {
        return static_cast<std::size_t>(cycle / static_cast<double>(pyramid.bucket(level)));
    };
    std::size_t level = density_level(pyramid, axis.cycles_per_pixel() * static_cast<double>(step), effort);
    if (effort.finer != nullptr &&
        !effort.finer->has(pyramid, level, bucket_of(whole.begin, level), bucket_of(whole.end, level) + 1)) {
        level = pyramid.kept_level();
    }
    return pyramid.read(level, bucket_of(whole.begin, level), bucket_of(whole.end, level) + 1);
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
    const record::Pyramid::Buckets buckets = density_buckets(pyramid, axis, step, effort);
    const auto run = static_cast<double>(pyramid.end());
    std::array<double, record::reason_count> before{};
    const auto go_to = [&](double cycle, const auto& add) {
        const record::Pyramid::Moment moment = buckets.moment(cycle);
        for (const std::uint8_t reason : buckets.reasons()) {
            const double now = buckets.before(moment, static_cast<record::Reason>(reason));
            add(reason, now - before[reason]);
            before[reason] = now;
        }
    };
    go_to(column_at(axis, axis.left, step, run).begin, [](std::uint8_t, double) {});
    for (float left = axis.left; left < axis.right();) {
        DensityColumn column = column_at(axis, left, step, run);
        if (column.end > column.begin) {
            go_to(column.end, [&](std::uint8_t reason, double cycles) { column.cycles[reason] = cycles; });
            visit(column);
        }
        left = column.right;
    }
}

/// Calls `visit(left, right, share)` for the columns of for_each_density_column(), with the share of their
/// cycles that is busy. Where a pyramid tells, only that is read.
template <class Visit>
void for_each_busy_column(const record::Recording& recording,
                          std::uint32_t lane,
                          const record::Pyramid& pyramid,
                          const TimeAxis& axis,
                          float step,
                          const Visit& visit,
                          const DensityEffort& effort = {}) {
    if (spans_are_few(recording.lane(lane), axis, step, effort)) {
        for_each_column_of_spans(recording, lane, axis, step, [&](const DensityColumn& column) {
            visit(column.left, column.right, column.busy_share());
        });
        return;
    }
    const record::Pyramid::Buckets buckets = density_buckets(pyramid, axis, step, effort);
    const auto busy_before = [&](double cycle) {
        return buckets.before(buckets.moment(cycle), record::Reason::none);
    };
    const auto run = static_cast<double>(pyramid.end());
    double begin = border_at(axis, axis.left, run);
    double before = busy_before(begin);
    for (float left = axis.left; left < axis.right();) {
        const float right = std::min(left + step, axis.right());
        const double end = border_at(axis, right, run);
        if (end > begin) {
            const double now = busy_before(end);
            visit(left, right, (now - before) / (end - begin));
            before = now;
            begin = end;
        }
        left = right;
    }
}

}  // namespace ascendsim::gui
