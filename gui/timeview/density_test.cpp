// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/density.hpp"

#include <memory>
#include <random>

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

TEST(Density, WhatIsDrawnIsExactlyTheIntegral) {
    constexpr unsigned seed = 7;
    const record::testing::TemporaryFile file;
    const record::Recording run = random_run(file.path(), seed, 30'000);
    const record::Pyramid pyramid{run, 0};
    const auto end = static_cast<double>(run.cycles());
    std::mt19937 random{seed};
    std::uniform_real_distribution<double> share{0, 1};
    for (int n = 0; n < 200; ++n) {
        const double begin = share(random) * end;
        const double length = std::pow(share(random), 3) * (end - begin) + 1;
        const TimeAxis axis{{begin, begin + length}, 40, 100 + 900 * static_cast<float>(share(random))};
        float right = axis.left;
        std::uint64_t until = 0;
        bool first = true;
        for_each_density_column(pyramid, axis, n % 3 == 0 ? 2.0F : 1.0F, [&](const DensityColumn& column) {
            ASSERT_EQ(column.cycles, record::occupancy(run, 0, column.begin, column.end))
                << "seed " << seed << ", window " << n;
            ASSERT_EQ(column.cycles.total(), column.end - column.begin);
            ASSERT_TRUE(first || (column.left == right && column.begin == until)) << "gaps or overlaps";
            first = false;
            right = column.right;
            until = column.end;
        });
    }
}

TEST(Density, TheWholeRunIsCoveredFromEndToEnd) {
    const record::testing::TemporaryFile file;
    const record::Recording run = random_run(file.path(), 3, 20'000);
    const record::Pyramid pyramid{run, 0};
    const TimeAxis axis{{0, static_cast<double>(run.cycles())}, 0, 777};
    record::Occupancy sum;
    for_each_density_column(pyramid, axis, 1, [&](const DensityColumn& column) { sum += column.cycles; });
    EXPECT_EQ(sum, record::occupancy(run, 0));
}

}  // namespace
}  // namespace ascendsim::gui
