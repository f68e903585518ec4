// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gui/canvas/canvas.hpp"
#include "gui/document/run.hpp"
#include "gui/timeview/time_axis.hpp"

namespace ascendsim::gui {

/// The busy share of one dense lane in every column of pixels, smoothed, as the minimap shows it. It is kept
/// from frame to frame and made again where anything changed: so it can be truer to the spans than rows that
/// move.
class BusyBars {
public:
    /// What a column of pixels shows.
    struct Bar {
        float left = 0;  ///< whole pixels
        float right = 0;
        float share = 0;
    };

    /// The bars of a lane that has a pyramid, from left to right, until the next call.
    [[nodiscard]] const std::vector<Bar>& of(const Run& run, std::uint32_t lane, const TimeAxis& axis);

private:
    std::weak_ptr<const RunData> of_;
    std::uint32_t lane_ = 0;
    TimeAxis axis_;
    std::vector<Bar> bars_;
};

/// Draws a bar from the foot of `box` up. What is left of a whole pixel at its top is a faint pixel: columns
/// of a regular schedule hold a little more or less than each other, and rounding would make dots of that.
void draw_busy_bar(Canvas& canvas, const BusyBars::Bar& bar, Rect box, Pixel colour);

}  // namespace ascendsim::gui
