// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/power_curve.hpp"

#include <gtest/gtest.h>

#include "app/analysis/energy.hpp"
#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {
namespace {

/// 100 W idle, 2 nJ a cycle of a cube, 20 pJ a byte of L2 and 30 of HBM, at most 500 W.
nlohmann::json metadata_of(double limit_w) {
    const auto cost = [](double value) { return nlohmann::json{{"cost", value}, {"spread", 0.1}}; };
    return {{"chip", testing::SmallRun::chip()},
            {"power",
             {{"idle", cost(100)},
              {"cube", cost(2)},
              {"vector", cost(1)},
              {"scalar", cost(0.1)},
              {"local", cost(1)},
              {"l2", cost(20)},
              {"hbm", cost(30)},
              {"link", cost(40)},
              {"limit_w", limit_w}}}};
}

/// 100 us at 1 GHz: a cube of each of two cores works in the second quarter, and 1 MB comes from HBM over the
/// third and fourth.
record::Recording busy_run(testing::SmallRun& run, double limit_w) {
    run.recorder().metadata(metadata_of(limit_w));
    const std::uint32_t one = run.lane("aic0", "cube");
    const std::uint32_t two = run.lane("aic1", "cube", 1);
    const std::uint32_t copies = run.lane("aic0", "mte2");
    run.busy(one, 25'000, 25'000, 50'000);
    run.busy(two, 25'000, 25'000, 50'000);
    run.add(copies,
            {.issue = 50'000,
             .start = 50'000,
             .end = 100'000,
             .memory = 1,
             .bytes = 1'000'000,
             .route = 1,
             .limiter = record::Limiter::port,
             .requests = 2000,
             .hbm_read_bytes = 1'000'000});
    run.other_tracks(100'000);
    return run.finish(100'000);
}

TEST(PowerCurve, SpreadsEachWorkOverItsTime) {
    testing::SmallRun run;
    const record::Recording recording = busy_run(run, 500);
    const RunSummary summary = summarise(recording);
    const std::optional<PowerCurve> curve = power_curve(recording, summary, 4);
    ASSERT_TRUE(curve);
    ASSERT_EQ(curve->watts.size(), 4U);
    EXPECT_DOUBLE_EQ(curve->stretch_us, 25);
    EXPECT_DOUBLE_EQ(curve->watts[0], 100);
    EXPECT_DOUBLE_EQ(curve->watts[1], 100 + 2 * 2);  // two cubes of 2 nJ a nanosecond
    EXPECT_DOUBLE_EQ(curve->watts[2], 100 + 1);      // 50 pJ of a byte, 1 MB in 50 us
    EXPECT_DOUBLE_EQ(curve->watts[3], 100 + 1);
    EXPECT_DOUBLE_EQ(curve->peak_w, 104);
    EXPECT_DOUBLE_EQ(curve->limited_us, 100);
    EXPECT_EQ(curve->above_us, 0);
}

TEST(PowerCurve, AddsUpToTheEnergyOfTheRunHoweverItIsCut) {
    testing::SmallRun run;
    const record::Recording recording = busy_run(run, 500);
    const RunSummary summary = summarise(recording);
    ASSERT_TRUE(summary.energy);
    for (const std::size_t stretches : {1U, 3U, 7U, 1000U}) {
        const std::optional<PowerCurve> curve = power_curve(recording, summary, stretches);
        EXPECT_NEAR(curve->joules(), summary.energy->joules, 1e-12) << stretches;
        EXPECT_DOUBLE_EQ(curve->spread, summary.energy->spread / summary.energy->joules);
    }
}

TEST(PowerCurve, StretchesTheRunWhereItIsAboveTheLimit) {
    testing::SmallRun run;
    const record::Recording recording = busy_run(run, 102);
    const std::optional<PowerCurve> curve = power_curve(recording, summarise(recording), 4);
    EXPECT_DOUBLE_EQ(curve->above_us, 25);
    EXPECT_DOUBLE_EQ(curve->limited_us, 75 + 25 * 4 / 2.0);  // 4 W above idle where 2 W fit
    EXPECT_EQ(to_json(*curve)["watts"].size(), 4U);
}

TEST(PowerCurve, IsNoneWithoutPowerParameters) {
    testing::SmallRun run;
    run.recorder().metadata({{"chip", testing::SmallRun::chip()}});
    run.busy(run.lane("aic0", "cube"), 0, 0, 10);
    const record::Recording recording = run.finish(10);
    EXPECT_FALSE(power_curve(recording, summarise(recording), 4));
}

}  // namespace
}  // namespace ascendsim::analysis
