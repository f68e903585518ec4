// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "gui/canvas/canvas.hpp"
#include "gui/canvas/theme.hpp"
#include "gui/document/run.hpp"
#include "gui/document/search.hpp"
#include "gui/timeview/finer_buckets.hpp"
#include "gui/timeview/time_axis.hpp"
#include "sim/record/occupancy.hpp"

namespace ascendsim::gui {

/// What lanes are drawn with.
struct LaneStyle {
    const Theme* theme = nullptr;
    std::optional<record::Reason> cause;  ///< the others step back
    const SpanFilter* found = nullptr;    ///< instructions that are looked for; the others step back
    bool labels = true;                   ///< names in bars, letters in bubbles
    float step = 1;                       ///< width of density columns, pixels
    FinerBuckets* finer = nullptr;        ///< makes buckets that are not there, or none
};

/// What a lane is drawn in as a whole: the colour of its pipe; outside of cores a calm one.
[[nodiscard]] Pixel lane_colour(const Theme& theme, const record::TrackPath& path);

/// True if a lane's visible spans are too many to be drawn one by one.
[[nodiscard]] bool is_dense(const Run& run, std::uint32_t lane, const TimeAxis& axis);

/// Draws one lane: bars in the colour of the pipe and waits as hatched boxes in the colour of the cause;
/// where there are too many, the share of each moment that was busy from below, and of each cause above it,
/// hatched as its waits are. What comes behind the last span of a lane is left out while a recording does not
/// hold the whole run: nobody knows.
void draw_lane(Canvas& canvas,
               const Run& run,
               std::uint32_t lane,
               const TimeAxis& axis,
               Rect row,
               const LaneStyle& style);

/// Draws a lane as a thin strip, the more solid the busier.
void draw_strip(Canvas& canvas,
                const Run& run,
                std::uint32_t lane,
                const TimeAxis& axis,
                Rect row,
                const LaneStyle& style);

/// What a lane did in the visible stretch: exact where spans are few, from the pyramid otherwise.
[[nodiscard]] record::Occupancy visible_occupancy(const Run& run, std::uint32_t lane, TimeRange seen);

}  // namespace ascendsim::gui
