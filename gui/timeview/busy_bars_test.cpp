// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/busy_bars.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/shell/testing.hpp"
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

/// Nine whole periods a pixel are half busy wherever the pixel begins. Of its halves, of four and a half, the
/// first is busy for 4 x 50 and 32.7 of its 450 cycles, d above one half, and the second as far below.
/// Smoothing evens that out but for the outermost two pixels, where the mirror turns the order around: the
/// weights 4, 4, 3, 2, 1 of 24 leave 4 d / 24.
TEST_F(RegularBars, AreOfOneHeightWhereRowsAreNot) {
    constexpr int pixels = 600;
    const gui::Run run = run_of(9 * (pixels + 1), file_);
    const TimeAxis axis{{17.3, 17.3 + 900.0 * pixels}, 40, pixels};
    ASSERT_EQ(bars_.of(run, 0, axis).size(), pixels);
    float until = axis.left;
    for (const BusyBars::Bar& bar : bars_.of(run, 0, axis)) {
        EXPECT_EQ(bar.left, until);
        const bool outer = bar.left < axis.left + 2 || bar.right > axis.right() - 2;
        constexpr double d = 232.7 / 450 - 0.5;
        EXPECT_NEAR(bar.share, 0.5, outer ? 4 * d / 24 + 1e-6 : 1e-6) << bar.left;
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

/// Adds up how much of each pixel is painted, up to all of it.
class Painted final : public Canvas {
public:
    using Canvas::Canvas;

    void fill(Rect box, Pixel colour) override {
        sum += static_cast<double>(box.width()) * static_cast<double>(box.height()) *
               static_cast<double>(channel(colour, 3)) / 255;
    }

    void hatch(Rect, Pattern, Pixel) override {}

    void polygon(std::span<const Point>, Pixel) override {}

    void push_clip(Rect) override {}

    void pop_clip() override {}

    double sum = 0;

private:
    void draw_line(Point, Point, Pixel, float) override {}

    void draw_polyline(std::span<const Point>, Pixel, float) override {}

    void draw_text(Point, Pixel, std::string_view, TextStyle) override {}
};

/// 9.3 periods a pixel: columns hold between 49 and 51 %, which is a little below and above 12.5 of 25
/// pixels.
TEST_F(RegularBars, ArePaintedAsHighAsTheirShareWithoutRounding) {
    constexpr int pixels = 300;
    const gui::Run run = run_of(static_cast<std::uint64_t>(9.3 * (pixels + 1)), file_);
    const TimeAxis axis{{17.3, 17.3 + 930.0 * pixels}, 0, pixels};
    TestBench bench;
    bench.host.settle();
    float least = 1;
    float most = 0;
    for (const BusyBars::Bar& bar : bars_.of(run, 0, axis)) {
        least = std::min(least, bar.share);
        most = std::max(most, bar.share);
        Painted canvas{bench.host.shell().fonts()};
        draw_busy_bar(canvas, bar, {0, 0, pixels, 25}, rgba(10, 20, 30));
        EXPECT_NEAR(canvas.sum, static_cast<double>(bar.share) * 25, 0.5 / 255 + 1e-4) << bar.left;
    }
    EXPECT_LT(std::round(least * 25), std::round(most * 25)) << "rounded, some would be dots";
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
