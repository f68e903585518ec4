// SPDX-License-Identifier: Apache-2.0
#include "app/studies/whatif.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "app/analysis/testing/small_run.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::study {

namespace {

using analysis::testing::SmallRun;
using record::Limiter;

const Resource& find(std::string_view name) {
    const auto found = std::ranges::find(resources(), name, &Resource::name);
    EXPECT_NE(found, resources().end()) << name;
    return *found;
}

ChipFile chip() {
    return open_chip("910b3", toolchain::Installation::find().chips());
}

TEST(Whatif, DoublesRatesAndHalvesCosts) {
    const std::vector<scenario::Override> rate = made_faster(find("HBM bandwidth"), chip(), false);
    ASSERT_EQ(rate.size(), 1U);
    EXPECT_EQ(rate[0].path, "whatif.hbm.gb_per_s");
    EXPECT_EQ(std::stod(rate[0].value), 3200);
    for (const scenario::Override& set : made_faster(find("memory latency"), chip(), false)) {
        if (set.path == "whatif.l2.read_latency") {
            EXPECT_EQ(set.value, "108");  // 216 cycles, halved
        }
    }
}

TEST(Whatif, MemoryWithoutLatencyHasNoQueuesEither) {
    // The wait for a busy memory is part of what a read takes to come back.
    const std::vector<scenario::Override> changes = made_faster(find("memory latency"), chip(), true);
    const auto queue = std::ranges::find(changes, "whatif.hbm.queue_cycles", &scenario::Override::path);
    ASSERT_NE(queue, changes.end());
    EXPECT_EQ(std::stod(queue->value), 0);
}

TEST(Whatif, WithoutALimitCostsNothing) {
    const std::vector<scenario::Override> changes = made_faster(find("launch"), chip(), true);
    ASSERT_EQ(changes.size(), 6U);
    for (const scenario::Override& set : changes) {
        EXPECT_EQ(std::stod(set.value), 0) << set.path;
    }
}

TEST(Whatif, ChangesEveryVectorInstruction) {
    const std::vector<scenario::Override> changes = made_faster(find("vector rate"), chip(), false);
    EXPECT_TRUE(std::ranges::any_of(
        changes, [](const scenario::Override& set) { return set.path == "whatif.vector.exp.repeat_b32"; }));
    EXPECT_GT(changes.size(), 30U);
}

TEST(Whatif, EveryResourceNamesParametersThatExist) {
    for (const Resource& resource : resources()) {
        EXPECT_FALSE(made_faster(resource, chip(), true).empty()) << resource.name;
    }
}

TEST(Whatif, PathSharesAreThoseOfThePath) {
    // 10 cycles of scalar work, a copy of 60 held down by HBM, an mmad of 30: the path is these, one after
    // the other.
    SmallRun run;
    const std::uint32_t scalar = run.lane("aic0", "scalar");
    const std::uint32_t load = run.lane("aic0", "mte2");
    const std::uint32_t cube = run.lane("aic0", "cube");
    run.busy(scalar, 0, 0, 10);
    const auto copy = run.add(
        load,
        {.issue = 10, .start = 10, .end = 70, .bytes = 64, .route = 1, .limiter = Limiter::hbm_bandwidth},
        "copy");
    run.wait(cube, 10, 70, record::Reason::flag_data, copy);
    run.add(cube, {.issue = 10, .start = 70, .end = 100, .work = 1}, "mmad");
    const record::Recording recording = run.finish(100);
    const nlohmann::ordered_json shares = path_shares(analysis::critical_path(recording, 0, 100), recording);
    EXPECT_DOUBLE_EQ(shares["HBM bandwidth"], 0.6);
    EXPECT_DOUBLE_EQ(shares["L2 misses"], 0.6);
    EXPECT_DOUBLE_EQ(shares["cube rate"], 0.3);
    EXPECT_DOUBLE_EQ(shares["scalar unit"], 0.1);
    EXPECT_DOUBLE_EQ(shares["L2 bandwidth"], 0);
    EXPECT_TRUE(shares["queue depth"].is_null());
}

TEST(Whatif, TextAndJsonPutTheLargestGainFirstAndPrintTheDifference) {
    const Trial twice{.overrides = {{"whatif.hbm.gb_per_s", "3200"}},
                      .time_us = 70,
                      .gain = 0.3,
                      .estimate = 0.25,
                      .error = {}};
    const WhatIf result{
        .label = "small",
        .time_us = 100,
        .faults = {"The numbers are wrong: z"},
        .worths = {
            {.resource = "HBM bandwidth", .twice = twice, .limit = {}},
            {.resource = "launch", .twice = {}, .limit = Trial{.gain = 0.01, .estimate = {}, .error = {}}}}};
    const std::string text = whatif_text(result, {});
    EXPECT_LT(text.find("The numbers are wrong: z"), text.find("as it is"));
    EXPECT_LT(text.find("HBM bandwidth"), text.find("launch"));
    EXPECT_THAT(text, testing::HasSubstr("-30.0 %"));
    EXPECT_THAT(text, testing::HasSubstr("-25.0 %"));
    EXPECT_THAT(text, testing::HasSubstr("-5.0 %"));
    WhatIf idle = result;
    idle.worths[1].limit->gain = 0;
    EXPECT_THAT(whatif_text(idle, {}), testing::HasSubstr("no gain from: launch"));
    EXPECT_NEAR(to_json(result)["whatif"][0]["twice"]["difference"].get<double>(), 0.05, 1e-12);
    EXPECT_TRUE(to_json(result)["whatif"][1]["limit"]["difference"].is_null());
}

}  // namespace

}  // namespace ascendsim::study
