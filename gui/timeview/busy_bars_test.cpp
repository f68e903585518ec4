// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/busy_bars.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/timeview/density.hpp"
#include "sim/record/recorder.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::gui {
namespace {

/// A run whose lane works for 50 of every 100 cycles and waits in the others.
class RegularBars : public ::testing::Test {
protected:
    static gui::Run run_of(std::uint64_t periods, const record::testing::TemporaryFile& file) {
        record::Recorder recorder{file.path()};
        const std::uint32_t lane = recorder.lane(record::TrackPath::parse("aiv0/vector"));
        for (std::uint64_t start = 0; start < 100 * periods; start += 50) {
            const bool busy = start % 100 == 0;
            recorder.span(lane,
                          {.issue = start,
                           .start = start,
                           .end = start + 50,
                           .complete = start + 50,
                           .reason = busy ? record::Reason::none : record::Reason::flag_data});
        }
        recorder.finish({{"cycles", 100 * periods}});
        return gui::Run{
            std::make_shared<const RunData>(std::make_shared<const record::Recording>(file.path())),
            nullptr,
            true};
    }

    record::testing::TemporaryFile file_;
    BusyBars bars_;
};

/// Nine whole periods a pixel are half busy wherever the pixel begins.
TEST_F(RegularBars, AreOfOneHeightWhereRowsAreNot) {
    constexpr int pixels = 600;
    const gui::Run run = run_of(9 * (pixels + 1), file_);
    const TimeAxis axis{{17.3, 17.3 + 900.0 * pixels}, 40, pixels};
    ASSERT_EQ(bars_.of(run, 0, axis).size(), pixels);
    float until = axis.left;
    for (const BusyBars::Bar& bar : bars_.of(run, 0, axis)) {
        EXPECT_EQ(bar.left, until);
        EXPECT_NEAR(bar.share, 0.5, 1e-6) << bar.left;
        until = bar.right;
    }
    double farthest = 0;
    for_each_density_column(run.recording(), 0, *run.pyramid(0), axis, 1, [&](const DensityColumn& column) {
        farthest = std::max(farthest, std::abs(column.busy_share() - 0.5));
    });
    EXPECT_GT(farthest, 1e-3) << "the buckets of rows misplace some, or the bars need none of their own";
}

/// Of 300 periods, 600 spans a pixel, buckets tell: half of one in 64 may be misplaced.
TEST_F(RegularBars, OfVeryManySpansAreNearlyOfOneHeight) {
    constexpr int pixels = 40;
    const gui::Run run = run_of(300 * (pixels + 1), file_);
    const TimeAxis axis{{17.3, 17.3 + 30'000.0 * pixels}, 0, pixels};
    ASSERT_EQ(bars_.of(run, 0, axis).size(), pixels);
    for (const BusyBars::Bar& bar : bars_.of(run, 0, axis)) {
        EXPECT_NEAR(bar.share, 0.5, 0.5 / 64) << bar.left;
    }
}

TEST_F(RegularBars, FollowTheRunAndTheAxis) {
    const gui::Run run = run_of(1'000, file_);
    const auto bars = [&](const gui::Run& of, float width) {
        return bars_.of(of, 0, {{0, 100'000}, 0, width}).size();
    };
    EXPECT_EQ(bars(run, 100), 100U);
    EXPECT_EQ(bars(run, 60), 60U);
    const record::testing::TemporaryFile other{"_other.rec"};
    EXPECT_EQ(bars(run_of(500, other), 60), 30U) << "the run ends in the middle";
}

}  // namespace
}  // namespace ascendsim::gui
