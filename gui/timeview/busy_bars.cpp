// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/busy_bars.hpp"

#include <cmath>

#include "gui/canvas/theme.hpp"
#include "gui/timeview/smooth_density.hpp"

namespace ascendsim::gui {

const std::vector<BusyBars::Bar>& BusyBars::of(const Run& run, std::uint32_t lane, const TimeAxis& axis) {
    // Where a column's border cuts a bucket, up to a quarter of the bucket counts to the wrong column. Of an
    // eighth of a column that is 6 % at both borders, a pixel or two of the minimap: dots along its edge that
    // the schedule does not have. Of a 64th it is less than half a pixel of a row of 64. Up to some 800,000
    // spans are read themselves, which takes some hundredths of a second, once.
    constexpr DensityEffort exact{.spans = 512, .buckets = 64};
    const bool same = of_.lock() == run.data() && lane == lane_ && axis.left == axis_.left &&
                      axis.width == axis_.width && axis.seen.begin == axis_.seen.begin &&
                      axis.seen.end == axis_.seen.end;
    if (!same) {
        of_ = run.data();
        lane_ = lane;
        axis_ = axis;
        bars_.clear();
        const auto add = [&](const DensityColumn& column) {
            bars_.push_back({column.left, column.right, static_cast<float>(column.busy_share())});
        };
        for_each_smooth_column(run.recording(), lane, *run.pyramid(lane), axis, 1, add, exact);
    }
    return bars_;
}

void draw_busy_bar(Canvas& canvas, const BusyBars::Bar& bar, Rect box, Pixel colour) {
    const float height = bar.share * box.height();
    const float whole = std::floor(height);
    const float top = box.bottom - whole;
    if (whole > 0) {
        canvas.fill({bar.left, top, bar.right, box.bottom}, colour);
    }
    const auto alpha = static_cast<unsigned>(std::round(255 * (height - whole)));
    if (alpha > 0) {
        canvas.fill({bar.left, top - 1, bar.right, top}, with_alpha(colour, alpha));
    }
}

}  // namespace ascendsim::gui
