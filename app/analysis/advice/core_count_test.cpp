// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/core_count.hpp"

#include <gtest/gtest.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using record::Reason;
using record::Recording;
using testing::SmallRun;

// `cores` vector cores of 40 that each copy for `work` cycles after a launch of 1000, at 1 GHz; 30 cycles a
// core more.
Recording launched(SmallRun& run, std::uint32_t cores, std::uint64_t work, double of_chip = 40) {
    const nlohmann::json chip{{"name", "x"},
                              {"cores", {{"clock_ghz", 1.0}, {"aic", 20}, {"aiv", of_chip}, {"split", true}}},
                              {"launch", {{"per_core_us", 0.03}}}};
    run.recorder().metadata({{"chip", chip},
                             {"knobs", nlohmann::json::object()},
                             {"launches", {{{"entry", "k"}, {"blocks", cores}}}}});
    const std::uint64_t end = 1100 + work;
    for (std::uint32_t core = 0; core < cores; ++core) {
        const std::string name = "aiv" + std::to_string(core);
        const auto scalar = run.lane(name, "scalar", core);
        const auto load = run.lane(name, "mte2", core);
        run.add(scalar, {.start = 0, .end = 1000, .reason = Reason::launch});
        run.busy(scalar, 1000, 1000, 1100);  // arguments, stack: the same on every core
        run.add(load, {.issue = 1100, .start = 1100, .end = end, .bytes = 64, .route = 1}, "copy", 2);
    }
    run.recorder().event({{"kind", "launch"},
                          {"start", 0},
                          {"first_core", 1000},
                          {"cores_end", end},
                          {"end", end},
                          {"cores", cores},
                          {"blocks", cores}});
    return run.finish(end);
}

TEST(BestCoreCount, WeighsTheShareAgainstTheLaunch) {
    SmallRun run;
    const Recording recording = launched(run, 4, 3000);
    const auto count = best_core_count(summarise(recording), recording);
    ASSERT_TRUE(count);
    EXPECT_EQ(count->now, 4U);
    EXPECT_EQ(count->available, 40U);
    // 12000 / m + 30 m is least at m = 20: 600 + 16 x 30 instead of 3000.
    EXPECT_EQ(count->best, 20U);
    EXPECT_DOUBLE_EQ(count->gain_cycles, 3000 - 600 - 16 * 30);
}

TEST(BestCoreCount, BelievesNoChipWithMillionsOfCores) {
    for (const double of_chip : {4e9, 1e30, -1.0}) {
        SmallRun run;
        const Recording recording = launched(run, 4, 3000, of_chip);
        EXPECT_FALSE(best_core_count(summarise(recording), recording));
    }
}

TEST(BestCoreCount, PrefersFewerCoresForLittleWork) {
    SmallRun run;
    const Recording recording = launched(run, 32, 30);
    const auto count = best_core_count(summarise(recording), recording);
    ASSERT_TRUE(count);
    EXPECT_EQ(count->best, 6U);  // 960 / m + 30 m: sqrt(32) = 5.7, and 6 is better than 5
}

TEST(Explain, AdvisesNoMoreCoresWhereTheyWouldMakeTheRunLonger) {
    SmallRun run;
    const Explanation all = explain(launched(run, 8, 240));  // 1920 / m + 30 m is least at 8
    for (const Advice& each : all.advice) {
        EXPECT_EQ(each.sentence.find("divide the work"), std::string::npos) << each.sentence;
    }
    SmallRun more;
    const Explanation worth = explain(launched(more, 4, 3000));
    const auto found = std::ranges::find_if(worth.advice, [](const Advice& each) {
        return each.sentence == "Only 4 of 40 cores work: divide the work into about 20 shares";
    });
    ASSERT_NE(found, worth.advice.end());
    EXPECT_EQ(found->cause_cycles, 1920U);
    EXPECT_FALSE(found->bounded);  // an estimate: only the speed of light bounds what more cores gain
    EXPECT_GE(found->gain_cycles, 1920U);
    EXPECT_EQ(found->knob, "launch.blocks = 4");
    EXPECT_EQ(found->tries, (std::vector<std::string>{"launch.blocks=20", "launch.blocks=16"}));
}

// A kernel that gives each core total / blocks elements runs on 32 cores where it does not on 40.
TEST(CoreCount, TriesWhatDoublingOrHalvingReachesToo) {
    using Counts = std::vector<std::uint32_t>;
    const auto to_try = [](std::uint32_t now, std::uint32_t best) {
        return core_counts_to_try({.now = now, .available = 40, .best = best});
    };
    EXPECT_EQ(to_try(8, 40), (Counts{40, 32}));
    EXPECT_EQ(to_try(8, 16), (Counts{16}));
    EXPECT_EQ(to_try(24, 40), (Counts{40}));  // 48 are too many
    EXPECT_EQ(to_try(40, 9), (Counts{9, 10}));
    EXPECT_EQ(to_try(7, 3), (Counts{3}));
}

}  // namespace

}  // namespace ascendsim::analysis
