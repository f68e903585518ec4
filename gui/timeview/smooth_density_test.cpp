// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/smooth_density.hpp"

#include <numbers>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "sim/record/recorder.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::uint64_t pixel_cycles = 1000;  // cycles

/// Works and waits by turns of `busy` and `idle` cycles for 600 pixels, but for a wait of `gap` cycles in the
/// middle.
class TurnByTurn {
public:
    TurnByTurn(std::uint64_t busy, std::uint64_t idle, std::uint64_t gap = 0) {
        record::Recorder recorder{file_.path()};
        const std::uint32_t lane = recorder.lane(record::TrackPath::parse("aiv0/vector"));
        std::uint64_t now = 0;
        const auto add = [&](std::uint64_t length, record::Reason reason) {
            recorder.span(lane,
                          {.issue = now,
                           .start = now,
                           .end = now + length,
                           .complete = now + length,
                           .reason = reason});
            now += length;
        };
        bool waited = gap == 0;
        while (now + busy + idle <= 600 * pixel_cycles) {
            add(busy, record::Reason::none);
            const bool middle = !waited && now >= 300 * pixel_cycles;
            add(middle ? gap : idle, record::Reason::flag_data);
            waited = waited || middle;
        }
        recorder.finish({{"cycles", now}});
    }

    /// Busy shares of the columns of one pixel from pixel `first` on; the axis begins within a
    /// cycle.
    [[nodiscard]] std::vector<double> shares(int first, int count, double* total = nullptr) const {
        const record::Recording run{file_.path()};
        const record::Pyramid pyramid{run, 0};
        const double begin = first * static_cast<double>(pixel_cycles);
        const TimeAxis axis{
            {begin, begin + static_cast<double>(pixel_cycles) * count}, 40, static_cast<float>(count)};
        std::vector<double> all;
        for_each_smooth_column(run, 0, pyramid, axis, 1, [&](const DensityColumn& column) {
            all.push_back(column.busy_share());
            if (total != nullptr) {
                *total += column.cycles[0];
            }
            const double sum = std::accumulate(column.cycles.begin(), column.cycles.end(), 0.0);
            EXPECT_NEAR(sum, column.end - column.begin, 1e-6) << "every cycle has one reason";
            EXPECT_EQ(column.right, column.left + 1);
        });
        return all;
    }

    /// Busy cycles of pixels as the recording has them.
    [[nodiscard]] double busy(int first, int count) const {
        const record::Recording run{file_.path()};
        return static_cast<double>(record::occupancy(run,
                                                     0,
                                                     pixel_cycles * static_cast<unsigned>(first),
                                                     pixel_cycles * static_cast<unsigned>(first + count))
                                       .cycles[0]);
    }

private:
    record::testing::TemporaryFile file_;
};

/// What a column lets through of a wave of `f` periods a pixel: its own pixel, and the windows of four
/// and six half pixels.
double let_through(double f) {
    const auto window = [&](int parts) {
        const double half = std::numbers::pi * f / 2;
        return std::abs(std::sin(half)) < 1e-9 ? 1 : std::sin(parts * half) / (parts * std::sin(half));
    };
    const double x = std::numbers::pi * f;
    return std::abs(std::sin(x) / x * window(4) * window(6));
}

/// The difference of the highest and the lowest column is at most that of all waves of the schedule: of a
/// share d that is busy, wave n of a period has the amplitude 2 sin(n pi d) / (n pi).
double greatest_spread(double period, double share) {
    double sum = 0;
    for (int n = 1; n < 1000; ++n) {
        const double at = n * std::numbers::pi;
        sum += 2 * std::abs(2 * std::sin(at * share) / at) * let_through(n / period);
    }
    return sum;
}

TEST(SmoothDensity, SchedulesDoNotBeatWithThePixels) {
    for (const std::uint64_t period : {1100U, 1900U, 2100U, 2500U, 3300U}) {  // thousandths of a pixel
        for (const std::uint64_t busy : {period / 2, period / 4}) {
            const TurnByTurn run{busy, period - busy};
            const double share = static_cast<double>(busy) / static_cast<double>(period);
            const double bound = greatest_spread(static_cast<double>(period) / pixel_cycles, share);
            EXPECT_LT(bound, 0.08) << "or the weights let the schedule through";
            // At the edges of the picture the mirror continues with half a period too much or too little.
            const std::vector<double> all = run.shares(0, 590);
            const auto [least, most] = std::minmax_element(all.begin() + 4, all.end() - 4);
            EXPECT_LE(*most - *least, bound + 1e-9) << period << ", " << busy;
        }
    }
}

TEST(SmoothDensity, SumsStay) {
    const TurnByTurn run{900, 1200, 20 * pixel_cycles};
    double total = 0;
    EXPECT_EQ(run.shares(100, 400, &total).size(), 400U);
    EXPECT_NEAR(total, run.busy(100, 400), 1e-3);
}

/// A wait of ten pixels in the middle of the turns: its pixels are idle, and the turns go on beside it.
TEST(SmoothDensity, ALongWaitHasSharpEdges) {
    const TurnByTurn run{1050, 1050, 10 * pixel_cycles};
    const std::vector<double> all = run.shares(0, 590);
    // Work begins at 2.1 n pixels; that of n = 142 ends at 299.25, before the middle, that of 143 at 301.35.
    constexpr std::size_t first = 302;
    constexpr std::size_t behind = 311;  // the wait ends at 311.35
    for (std::size_t n = first; n < behind; ++n) {
        EXPECT_NEAR(all[n], 0, 1e-9) << n;
    }
    EXPECT_GT(all[first - 2], 0.3);
    EXPECT_GT(all[behind + 1], 0.3);
}

/// A wait of two pixels is shorter than what is evened out. It is a dip all the same: at its middle the
/// weights within it are those of three of the nine parts and more.
TEST(SmoothDensity, AShortWaitIsStillADip) {
    const TurnByTurn run{1800, 200, 2 * pixel_cycles};
    const std::vector<double> all = run.shares(0, 590);
    EXPECT_NEAR(all[200], 0.9, 0.05);
    EXPECT_LT(*std::min_element(all.begin() + 290, all.begin() + 310), 0.9 - 0.3);
}

TEST(SmoothDensity, BusyColumnsAreThoseOfAllReasons) {
    const record::testing::TemporaryFile file;
    {
        record::Recorder recorder{file.path()};
        const std::uint32_t lane = recorder.lane(record::TrackPath::parse("aiv0/vector"));
        for (std::uint64_t n = 0; n < 300; ++n) {
            const std::uint64_t start = 2100 * n;
            recorder.span(lane,
                          {.issue = start, .start = start, .end = start + 700, .complete = start + 700});
            recorder.span(lane,
                          {.issue = start + 700,
                           .start = start + 700,
                           .end = start + 2100,
                           .complete = start + 2100,
                           .reason = record::Reason::flag_data});
        }
        recorder.finish({{"cycles", 630'000}});
    }
    const record::Recording run{file.path()};
    const record::Pyramid pyramid{run, 0};
    // The run begins at pixel 10.5 and ends before the axis does.
    const TimeAxis axis{{-10'500, 689'500}, 40, 700};
    std::vector<DensityColumn> all;
    for_each_smooth_column(
        run, 0, pyramid, axis, 2, [&](const DensityColumn& column) { all.push_back(column); });
    std::size_t n = 0;
    for_each_smooth_busy_column(run, 0, pyramid, axis, 2, [&](float left, float right, double share) {
        ASSERT_LT(n, all.size());
        EXPECT_EQ(left, all[n].left);
        EXPECT_EQ(right, all[n].right);
        EXPECT_NEAR(share, all[n].busy_share(), 1e-9);
        ++n;
    });
    EXPECT_EQ(n, all.size());
}

}  // namespace
}  // namespace ascendsim::gui
