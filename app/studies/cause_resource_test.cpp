// SPDX-License-Identifier: Apache-2.0
#include "app/studies/cause_resource.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "app/analysis/testing/small_run.hpp"
#include "app/studies/advice_trials.hpp"
#include "app/studies/whatif.hpp"

namespace ascendsim::study {

namespace {

using analysis::PathKind;
using analysis::Root;
using record::Limiter;

TEST(CauseResource, IsOneOfTheResourcesThatWhatifRuns) {
    for (std::size_t kind = 0; kind < analysis::path_kind_names.size(); ++kind) {
        for (const char* pipe : {"scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixpipe", ""}) {
            for (const Limiter limiter : {Limiter::none, Limiter::hbm_bandwidth, Limiter::start_up}) {
                const std::string_view name =
                    resource_of({.kind = static_cast<PathKind>(kind), .pipe = pipe, .limiter = limiter});
                EXPECT_TRUE(name.empty() ||
                            std::ranges::find(resources(), name, &Resource::name) != resources().end())
                    << name;
            }
        }
    }
}

TEST(CauseResource, OfACauseMadeForAResourceIsThatResource) {
    for (const Resource& resource : resources()) {
        const Root cause = cause_of(resource.name);
        if (cause.kind != PathKind::other) {
            EXPECT_EQ(resource_of(cause), resource.name);
        }
    }
}

TEST(CauseResource, OfTheLaunchIsNothingThatAKernelCanChange) {
    EXPECT_EQ(resource_of({.kind = PathKind::tail, .pipe = {}}), "launch");
    EXPECT_EQ(cause_of("launch").kind, PathKind::other);
}

TEST(CauseResource, OfAUnitIsToldByAdviceThatSpeaksOfPartsOfItsWork) {
    analysis::Advice conflicts{.sentence = "Bank conflicts", .evidence = {}, .knob = {}, .knob_meaning = {}};
    conflicts.root = {.kind = PathKind::compute, .pipe = "vector"};
    EXPECT_FALSE(tells_a_part_of(conflicts, "vector rate"));  // all of it
    conflicts.resource = "bank conflicts";
    EXPECT_TRUE(tells_a_part_of(conflicts, "vector rate"));
    EXPECT_FALSE(tells_a_part_of(conflicts, "bank conflicts"));
    EXPECT_FALSE(tells_a_part_of(conflicts, "cube rate"));
}

TEST(CauseResource, OfVectorStartUpIsRunByWhatInstructionsPayBesideTheirRepeats) {
    const auto found = std::ranges::find(resources(), "vector start-up", &Resource::name);
    ASSERT_NE(found, resources().end());
    EXPECT_NE(std::ranges::find(found->costs, "vector.*.head"), found->costs.end());
    EXPECT_NE(std::ranges::find(found->costs, "vector.min_cycles"), found->costs.end());
    EXPECT_EQ(std::ranges::find(found->costs, "vector.*.repeat_b32"), found->costs.end());
}

analysis::Advice of_vector(const char* sentence, const char* resource, PathKind kind, std::uint64_t cycles) {
    analysis::Advice advice{.sentence = sentence, .evidence = {}, .knob = {}, .knob_meaning = {}};
    advice.cause_cycles = cycles;
    advice.resource = resource;
    advice.root = {.kind = kind, .pipe = "vector", .cycles = cycles};
    return advice;
}

TEST(CauseResource, OfUnitLatencyAndOfNewMasksIsTheSameCost) {
    EXPECT_TRUE(share_a_cost("unit latency", "vector start-up"));
    EXPECT_FALSE(share_a_cost("unit latency", "memory latency"));
    EXPECT_FALSE(share_a_cost("unit latency", "no such resource"));
}

// As found: instructions that wait for nothing were told to wait for each other's results, with the gain of
// the advice against new masks, to the same time.
TEST(CauseResource, WhoseRunTookAwayWhatAnotherTellsIsNotToldAgain) {
    analysis::testing::SmallRun run;
    run.busy(run.lane("aiv0", "vector"), 0, 0, 100);
    const record::Recording recording = run.finish(100);
    analysis::Explanation all;
    all.path.to = 100;
    all.advice = {of_vector("masks are set", "vector start-up", PathKind::compute, 70),
                  of_vector("short", "vector start-up", PathKind::compute, 5)};
    give_causes({{.resource = "vector start-up", .time_us = 9.1, .gain = 0.77},
                 {.resource = "unit latency", .time_us = 9.1, .gain = 0.77}},
                all,
                recording);
    ASSERT_EQ(all.advice.size(), 2U);
    EXPECT_DOUBLE_EQ(all.advice[0].without->gain_of_cause(), 0.7);  // their parts of the path
    EXPECT_DOUBLE_EQ(all.advice[1].without->gain_of_cause(), 0.05);
}

TEST(CauseResource, OfLatencyBesideNewMasksIsItsPartOfThePath) {
    analysis::testing::SmallRun run;
    run.busy(run.lane("aiv0", "vector"), 0, 0, 100);
    const record::Recording recording = run.finish(100);
    analysis::Explanation all;
    all.path.to = 100;
    all.path.roots = {{.kind = PathKind::latency, .pipe = "vector", .cycles = 3}};
    all.advice = {of_vector("masks are set", "vector start-up", PathKind::compute, 70),
                  of_vector("wait", "", PathKind::latency, 3)};
    give_causes({{.resource = "vector start-up", .time_us = 9.1, .gain = 0.77},
                 {.resource = "unit latency", .time_us = 9.0, .gain = 0.78}},
                all,
                recording);
    ASSERT_EQ(all.advice.size(), 2U);
    EXPECT_DOUBLE_EQ(all.advice[0].without->gain_of_cause(), 0.77);
    EXPECT_DOUBLE_EQ(all.advice[1].without->gain_of_cause(), 0.03);
}

TEST(CauseResource, OfMemoryIsNotToldByWhatEveryLaunchReads) {
    analysis::Advice start{
        .sentence = "Each core reads arguments", .evidence = {}, .knob = {}, .knob_meaning = {}};
    start.root = {.kind = PathKind::latency, .pipe = "scalar"};
    start.resource = analysis::no_resource;
    EXPECT_FALSE(tells_a_part_of(start, "memory latency"));
}

}  // namespace

}  // namespace ascendsim::study
