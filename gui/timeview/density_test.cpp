// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/density.hpp"

#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sim/record/recorder.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::gui {
namespace {

/// A lane of short spans and waits at random places; the seed is printed by the test.
record::Recording random_run(const std::filesystem::path& file, unsigned seed, int spans) {
    std::mt19937_64 random{seed};
    const auto up_to = [&](std::uint64_t limit) { return random() % (limit + 1); };
    record::Recorder recorder{file};
    const std::uint32_t lane = recorder.lane(record::TrackPath::parse("aiv0/vector"));
    std::uint64_t now = 500;
    for (int n = 0; n < spans; ++n) {
        record::Span span;
        span.start = now + up_to(90);
        span.end = span.start + up_to(120);
        span.issue = span.start;
        span.complete = span.end;
        span.reason = up_to(2) == 0 ? record::Reason::flag_data : record::Reason::none;
        recorder.span(lane, span);
        now = span.end;
    }
    recorder.finish({{"cycles", now + 1234}});
    return record::Recording{file};
}

/// What a lane did before any moment, whole cycle or not, added up from its stretches.
class Integral {
public:
    explicit Integral(const record::Recording& run) {
        Sums sums{};
        record::for_each_stretch(run, 0, 0, run.cycles(), [&](const record::Stretch& stretch) {
            stretches_.push_back(stretch);
            before_.push_back(sums);
            sums[static_cast<std::size_t>(stretch.reason)] +=
                static_cast<double>(stretch.end - stretch.start);
        });
    }

    using Sums = std::array<double, record::reason_count>;

    [[nodiscard]] Sums between(double begin, double end) const {
        Sums sums = before(end);
        const Sums less = before(begin);
        for (std::size_t n = 0; n < sums.size(); ++n) {
            sums[n] -= less[n];
        }
        return sums;
    }

private:
    [[nodiscard]] Sums before(double cycle) const {
        const auto behind = std::ranges::upper_bound(
            stretches_, cycle, {}, [](const record::Stretch& s) { return static_cast<double>(s.start); });
        if (behind == stretches_.begin()) {
            return {};
        }
        const auto at = static_cast<std::size_t>(behind - stretches_.begin()) - 1;
        Sums sums = before_[at];
        sums[static_cast<std::size_t>(stretches_[at].reason)] +=
            cycle - static_cast<double>(stretches_[at].start);
        return sums;
    }

    std::vector<record::Stretch> stretches_;
    std::vector<Sums> before_;
};

TEST(Density, EveryColumnHoldsWhatHappenedBetweenItsBorders) {
    constexpr unsigned seed = 7;
    const record::testing::TemporaryFile file;
    const record::Recording run = random_run(file.path(), seed, 30'000);
    const record::Pyramid pyramid{run, 0};
    const Integral integral{run};
    const auto end = static_cast<double>(run.cycles());
    std::mt19937 random{seed};
    std::uniform_real_distribution<double> share{0, 1};
    int of_spans = 0;
    for (int n = 0; n < 200; ++n) {
        const double begin = share(random) * end;
        const double length = std::pow(share(random), 3) * (end - begin) + 1;
        const TimeAxis axis{
            {begin, begin + length}, 40, std::round(100 + 900 * static_cast<float>(share(random)))};
        const float step = n % 3 == 0 ? 2.0F : 1.0F;
        const bool exact = spans_are_few(run.lane(0), axis, step);
        of_spans += exact ? 1 : 0;
        const std::size_t level = density_level(pyramid, axis.cycles_per_pixel() * static_cast<double>(step));
        // A border at the share f of a bucket misplaces at most f (1 - f) of it, a quarter.
        const double tolerance = exact ? 0 : 2 * static_cast<double>(pyramid.bucket(level)) / 4;
        constexpr double rounding = 1e-6;  // of sums up to some millions, in cycles
        float right = axis.left;
        double until = begin;
        for_each_density_column(run, 0, pyramid, axis, step, [&](const DensityColumn& column) {
            const Integral::Sums expected = integral.between(column.begin, column.end);
            double sum = 0;
            for (std::size_t reason = 0; reason < expected.size(); ++reason) {
                ASSERT_NEAR(column.cycles[reason], expected[reason], tolerance + rounding)
                    << "seed " << seed << ", window " << n;
                sum += column.cycles[reason];
            }
            ASSERT_NEAR(sum, column.end - column.begin, rounding);
            ASSERT_TRUE(column.left == right && column.begin == until) << "gaps or overlaps";
            right = column.right;
            until = column.end;
        });
        EXPECT_EQ(right, axis.right()) << "window " << n;
        EXPECT_EQ(until, begin + length) << "window " << n;
    }
    EXPECT_GT(of_spans, 20);
    EXPECT_LT(of_spans, 180);
}

TEST(Density, TheWholeRunIsCoveredFromEndToEnd) {
    const record::testing::TemporaryFile file;
    const record::Recording run = random_run(file.path(), 3, 20'000);
    const record::Pyramid pyramid{run, 0};
    const TimeAxis axis{{0, static_cast<double>(run.cycles())}, 0, 777};
    const record::Occupancy expected = record::occupancy(run, 0);
    std::array<double, record::reason_count> sum{};
    for_each_density_column(run, 0, pyramid, axis, 1, [&](const DensityColumn& column) {
        for (std::size_t n = 0; n < sum.size(); ++n) {
            sum[n] += column.cycles[n];
        }
    });
    for (std::size_t n = 0; n < sum.size(); ++n) {
        EXPECT_NEAR(sum[n], static_cast<double>(expected.cycles[n]), 1e-3);
    }
}

TEST(Density, NothingIsDrawnBeforeAndBehindTheRun) {
    for (const int spans : {1'000, 6'000}) {  // some 2 and 12 a column: read themselves, and as buckets
        const record::testing::TemporaryFile file;
        const record::Recording run = random_run(file.path(), 3, spans);
        const record::Pyramid pyramid{run, 0};
        const auto end = static_cast<double>(run.cycles());
        // The run takes the middle 512 of 1024 pixels.
        const TimeAxis axis{{-end / 2, end * 1.5}, 0, 1024};
        EXPECT_EQ(spans_are_few(run.lane(0), axis, 2), spans == 1'000);
        float left = axis.right();
        float right = axis.left;
        for_each_density_column(run, 0, pyramid, axis, 2, [&](const DensityColumn& column) {
            left = std::min(left, column.left);
            right = std::max(right, column.right);
        });
        EXPECT_EQ(left, 256);
        EXPECT_EQ(right, 768);
    }
}

/// Crossing a level of zoom reads spans; a frame that does not wait for that has the buckets that are kept.
TEST(Density, FinerBucketsAreMadeBehindTheFrameThatLacksThem) {
    constexpr unsigned seed = 11;
    const record::testing::TemporaryFile file;
    const record::Recording run = random_run(file.path(), seed, 30'000);
    const record::Pyramid pyramid{run, 0};
    const Integral integral{run};
    const TimeAxis axis{{0, static_cast<double>(run.cycles())}, 0, 1000};
    ASSERT_FALSE(spans_are_few(run.lane(0), axis, 1));
    const std::size_t level = density_level(pyramid, axis.cycles_per_pixel());
    ASSERT_LT(level, pyramid.kept_level());
    FinerBuckets finer;
    const auto farthest = [&] {  // of any column from the truth, in cycles
        double most = 0;
        int columns = 0;
        const auto add = [&](const DensityColumn& column) {
            most = std::max(most, std::abs(column.cycles[0] - integral.between(column.begin, column.end)[0]));
            ++columns;
        };
        finer.begin_frame(false);
        for_each_density_column(run, 0, pyramid, axis, 1, add, {.finer = &finer});
        EXPECT_EQ(columns, 1000);
        return most;
    };
    const double half = static_cast<double>(pyramid.bucket(level)) / 2;
    const double coarse = farthest();
    EXPECT_GT(coarse, half);
    EXPECT_LE(coarse, static_cast<double>(pyramid.bucket(pyramid.kept_level())) / 2);
    EXPECT_TRUE(finer.end_frame({}));
    while (finer.end_frame({})) {
        std::this_thread::yield();
    }
    EXPECT_LE(farthest(), half);
    EXPECT_FALSE(finer.end_frame({})) << "nothing is lacking any more";
}

TEST(Density, BusyColumnsAreThoseOfAllReasons) {
    const record::testing::TemporaryFile file;
    const record::Recording run = random_run(file.path(), 5, 30'000);
    const record::Pyramid pyramid{run, 0};
    const auto end = static_cast<double>(run.cycles());
    for (const double share : {1.0, 0.3, 0.02}) {
        const TimeAxis axis{{end * 0.1, end * (0.1 + share)}, 40, 777};
        std::vector<DensityColumn> all;
        for_each_density_column(
            run, 0, pyramid, axis, 2, [&](const DensityColumn& column) { all.push_back(column); });
        std::size_t n = 0;
        for_each_busy_column(run, 0, pyramid, axis, 2, [&](float left, float right, double busy) {
            ASSERT_LT(n, all.size());
            ASSERT_EQ(left, all[n].left);
            ASSERT_EQ(right, all[n].right);
            ASSERT_NEAR(busy, all[n].busy_share(), 1e-9);
            ++n;
        });
        EXPECT_EQ(n, all.size());
    }
}

/// Work and waits of 50 cycles each, one after the other.
record::Recording regular_run(const std::filesystem::path& file, std::uint64_t periods) {
    record::Recorder recorder{file};
    const std::uint32_t lane = recorder.lane(record::TrackPath::parse("aiv0/vector"));
    for (std::uint64_t n = 0; n < periods; ++n) {
        for (const std::uint64_t start : {100 * n, 100 * n + 50}) {
            record::Span span;
            span.issue = span.start = start;
            span.end = span.complete = start + 50;
            span.reason = start % 100 == 0 ? record::Reason::none : record::Reason::flag_data;
            recorder.span(lane, span);
        }
    }
    recorder.finish({{"cycles", 100 * periods}});
    return record::Recording{file};
}

/// A whole number of periods a pixel is half busy wherever it begins: there are no waves to be seen.
TEST(Density, ARegularScheduleLooksRegular) {
    const record::testing::TemporaryFile file;
    const record::Recording run = regular_run(file.path(), 6'000);
    const record::Pyramid pyramid{run, 0};
    for (const double periods : {1.0, 9.0}) {
        const double pixel = 100 * periods;  // cycles
        const TimeAxis axis{{17.3, 17.3 + 600 * pixel}, 40, 600};
        const bool exact = spans_are_few(run.lane(0), axis, 1);
        EXPECT_EQ(exact, periods == 1);
        const double bucket = static_cast<double>(pyramid.bucket(density_level(pyramid, pixel)));
        const double tolerance = exact ? 1e-9 : bucket / 2 / pixel;
        EXPECT_LE(tolerance, 1.0 / 28) << "half a pixel of a row of 14";
        int columns = 0;
        for_each_density_column(run, 0, pyramid, axis, 1, [&](const DensityColumn& column) {
            EXPECT_NEAR(column.busy_share(), 0.5, tolerance) << column.left;
            ++columns;
        });
        EXPECT_EQ(columns, 600);
    }
}

}  // namespace
}  // namespace ascendsim::gui
