// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/inserted_advice.hpp"

#include <gmock/gmock.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {
namespace {

using record::Reason;
using record::Recording;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SmallRun;

/// Twice 20 cycles of vector work, the second behind an inserted barrier that waits 25 cycles for the first
/// one's result and takes 5 itself; 80 cycles in all. `spare` of the one barrier.
Recording inserted_run(SmallRun& run, bool on, std::uint64_t spare) {
    run.recorder().metadata({{"chip", SmallRun::chip()},
                             {"knobs", nlohmann::json::object()},
                             {"auto_sync", {{"on", on}, {"stated", true}, {"origin", "CMakeLists.txt"}}}});
    const std::uint32_t scalar = run.lane("aiv0", "scalar");
    const std::uint32_t vector = run.lane("aiv0", "vector");
    run.busy(scalar, 0, 0, 10);
    const record::SpanId first =
        run.add(vector, {.issue = 10, .start = 10, .end = 30, .complete = 55, .work = 64}, "vadd", 3);
    run.wait(vector, 30, 60, Reason::barrier, first, "auto_barrier", 4);
    run.add(vector, {.issue = 10, .start = 60, .end = 80, .work = 64}, "vmul", 4);
    nlohmann::json totals = nlohmann::json::object();
    if (on) {
        const nlohmann::json place{{"file", "src/kernel.cpp"},
                                   {"line", 4},
                                   {"from", "vector"},
                                   {"to", "vector"},
                                   {"count", 1},
                                   {"spare", spare},
                                   {"cycles", 30}};
        totals["auto_sync"] = {{"barriers", 1},
                               {"flags", 0},
                               {"spare", spare},
                               {"cycles", 30},
                               {"repeated", 0},
                               {"places", nlohmann::json::array({place})}};
    }
    return run.finish(80, totals);
}

const Advice* about_inserted(const Explanation& all) {
    for (const Advice& advice : all.advice) {
        if (advice.sentence.find("the compiler inserts") != std::string::npos) {
            return &advice;
        }
    }
    return nullptr;
}

TEST(InsertedAdvice, CountsTheBarrierAndTheResultItWaitsFor) {
    SmallRun run;
    const Explanation all = explain(inserted_run(run, true, 0));
    const Advice* const advice = about_inserted(all);
    ASSERT_NE(advice, nullptr);
    EXPECT_EQ(advice->cause_cycles, 30U);  // 25 until the result is there, 5 of the barrier
    EXPECT_THAT(advice->sentence, HasSubstr("independent instructions between"));
    EXPECT_THAT(advice->evidence, HasSubstr("37.5 % of the critical path"));  // 30 of 80
    EXPECT_THAT(advice->evidence, HasSubstr("kernel.cpp:4 (30 cycles at 1 barriers)"));
}

TEST(InsertedAdvice, SaysWhereTheChipKeepsTheOrderByItself) {
    SmallRun run;
    const Explanation all = explain(inserted_run(run, true, 1));
    ASSERT_NE(about_inserted(all), nullptr);
    EXPECT_THAT(about_inserted(all)->sentence, HasSubstr("keeps in order by itself"));
    EXPECT_THAT(about_inserted(all)->evidence, HasSubstr("1 of which order a write behind a read"));
}

TEST(InsertedAdvice, IsNotGivenTwice) {
    SmallRun run;
    for (const Advice& advice : explain(inserted_run(run, true, 0)).advice) {
        EXPECT_THAT(advice.sentence, Not(HasSubstr("Synchronisation itself costs time")));
    }
}

TEST(InsertedAdvice, IsNotGivenWithoutInsertedSynchronisation) {
    SmallRun run;
    EXPECT_EQ(about_inserted(explain(inserted_run(run, false, 0))), nullptr);
}

nlohmann::json hazard(const char* kind, const char* earlier, const char* later, const char* buffer = "ub") {
    return {
        {"kind", kind}, {"earlier", {{"pipe", earlier}}}, {"later", {{"pipe", later}, {"buffer", buffer}}}};
}

TEST(AutoSyncFigures, CountsTheHazardsThatTheCompilerWouldOrder) {
    EXPECT_EQ(covered_by_auto_sync(
                  nlohmann::json::array({hazard("missing_barrier", "vector", "vector"),
                                         hazard("race", "vector", "scalar"),
                                         hazard("race", "scalar", "mte3", "ub, buffer of k.cpp:1")})),
              3U);
    EXPECT_EQ(covered_by_auto_sync(nlohmann::json::array({hazard("missing_barrier", "cube", "cube", "l0c"),
                                                          hazard("race", "mte2", "vector"),
                                                          hazard("race", "scalar", "mte1", "l1"),
                                                          hazard("double_set", "vector", "scalar")})),
              0U);
}

}  // namespace
}  // namespace ascendsim::analysis
