// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/comparison/compare.hpp"

#include <gmock/gmock.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using record::Reason;
using record::Recording;
using ::testing::HasSubstr;
using testing::SmallRun;

// Two copies of `copy` cycles, each followed by an mmad of 40 that waits for it; one buffer or two.
Recording buffered(SmallRun& run, std::uint64_t copy, int buffers) {
    run.recorder().metadata({{"chip", SmallRun::chip()}, {"knobs", {{"buffers", buffers}}}});
    const auto scalar = run.lane("aic0", "scalar");
    const auto load = run.lane("aic0", "mte2");
    const auto cube = run.lane("aic0", "cube");
    run.busy(scalar, 0, 0, 5);
    const auto first =
        run.add(load, {.issue = 5, .start = 5, .end = 5 + copy, .bytes = 4096, .route = 1}, "copy", 2);
    std::uint64_t free = 5 + copy;
    run.wait(cube, 5, free, Reason::flag_data, first);
    const auto mmad = run.add(cube, {.issue = 5, .start = free, .end = free + 40, .work = 4096}, "mmad", 3);
    if (buffers == 1) {
        run.wait(load, free, free + 40, Reason::flag_buffer, mmad);
        free += 40;
    }
    const auto second =
        run.add(load, {.issue = 5, .start = free, .end = free + copy, .bytes = 4096, .route = 1}, "copy", 2);
    const std::uint64_t begin = 5 + copy + 40;
    run.wait(cube, begin, free + copy, Reason::flag_data, second);
    run.add(cube, {.issue = 5, .start = free + copy, .end = free + copy + 40, .work = 4096}, "mmad", 3);
    return run.finish(free + copy + 40);
}

const Change& find(const std::vector<Change>& changes, std::string_view name) {
    static const Change none;
    const auto found = std::ranges::find(changes, name, &Change::name);
    EXPECT_NE(found, changes.end()) << name;
    return found == changes.end() ? none : *found;
}

TEST(Compare, OfKnownSummariesIsTheSame) {
    SmallRun one;
    const Recording a = buffered(one, 100, 1);
    SmallRun two;
    const Recording b = buffered(two, 100, 2);
    const Explanation before = explain(a, Explained::without_blame);  // as a dashboard has it
    const Explanation now = explain(b, Explained::without_blame);
    EXPECT_EQ(to_json(compare(a, b, before.summary, now.summary, 0.01)).dump(),
              to_json(compare(a, b)).dump());
}

TEST(Compare, NamesTheReasonThatWentAway) {
    SmallRun one;
    const Recording a = buffered(one, 100, 1);  // 5 + 100 + 40 + 100 + 40
    SmallRun two;
    const Recording b = buffered(two, 100, 2);  // 40 less
    const Comparison result = compare(a, b);

    EXPECT_EQ(result.a.cycles, 285U);
    EXPECT_EQ(result.b.cycles, 245U);
    EXPECT_TRUE(result.time.significant);
    EXPECT_THAT(
        result.verdict,
        HasSubstr("B is 14.04 % faster than A, by 40 cycles: mte2 waiting for a buffer, 40 cycles less"));
    EXPECT_EQ(find(result.waits, "mte2 flag_buffer").difference(), -40);
    EXPECT_EQ(find(result.busy, "cube").difference(), 0);
    EXPECT_FALSE(find(result.busy, "cube").significant);
    ASSERT_EQ(result.parameters.size(), 1U);
    EXPECT_EQ(result.parameters[0].path, "knobs.buffers");
    EXPECT_EQ(result.parameters[0].a, "1");
    EXPECT_EQ(result.parameters[0].b, "2");
}

TEST(Compare, GivesNoVerdictOnSpeedWhereARunFailed) {
    SmallRun one;
    const Recording a = buffered(one, 100, 1);
    SmallRun two;
    two.recorder().event({{"kind", "failure"}, {"message", "deadlock\n  aic0 waits"}});
    const Recording b = buffered(two, 100, 2);
    const Comparison result = compare(a, b);
    EXPECT_THAT(result.verdict, ::testing::Not(HasSubstr("faster")));
    EXPECT_THAT(result.verdict, ::testing::EndsWith("B: deadlock"));
    EXPECT_EQ(to_json(result)["b"]["faults"].size(), 1U);
}

TEST(Compare, GivesNoVerdictOnSpeedWhereARecordingWasCutOff) {
    SmallRun whole;
    whole.busy(whole.lane("aic0", "cube"), 0, 0, 100);
    const Recording a = whole.finish(100);
    SmallRun cut;
    cut.busy(cut.lane("aic0", "cube"), 0, 0, 50);
    const Recording b = cut.interrupted();
    EXPECT_EQ(compare(a, b).wrong_a, "");
    EXPECT_EQ(compare(a, b).wrong_b, "its recording ends before the run does");
    EXPECT_EQ(
        compare(a, b).verdict,
        "No comparison of speed, because of what is wrong with B. B: its recording ends before the run does");
}

// As found: of a recording cut short, an efficiency of 0 that was significantly less than the other's.
TEST(Compare, DoesNotKnowWhatOnlyAWholeRunTells) {
    SmallRun whole;
    whole.busy(whole.lane("aic0", "cube"), 0, 0, 50);
    const Recording a = whole.finish(50);
    SmallRun cut;
    cut.busy(cut.lane("aic0", "cube"), 0, 0, 50);
    const Recording b = cut.interrupted();
    const Comparison result = compare(a, b);
    for (const char* const name : {"efficiency", "speed_of_light_us", "tflops", "launch_cycles"}) {
        const Change& change = find(result.figures, name);
        EXPECT_TRUE(change.known_a) << name;
        EXPECT_FALSE(change.known_b) << name;
        EXPECT_FALSE(change.significant) << name;
    }
    const nlohmann::ordered_json json = to_json(result);
    EXPECT_EQ(json["a"]["complete"], true);
    EXPECT_EQ(json["b"]["complete"], false);
    EXPECT_TRUE(json["figures"]["efficiency"]["a"].is_number());
    EXPECT_TRUE(json["figures"]["efficiency"]["b"].is_null());
    EXPECT_TRUE(json["figures"]["efficiency"]["difference"].is_null());
    EXPECT_TRUE(json["figures"]["efficiency"]["relative"].is_null());
    EXPECT_TRUE(json["figures"]["bubbles.fraction"]["b"].is_number());  // of what was recorded
}

/// The cut one lacks the second span, which says nothing of its program.
TEST(Compare, SchedulesDoNotPartWhereARecordingEnds) {
    SmallRun whole;
    const std::uint32_t lane = whole.lane("aic0", "cube");
    whole.busy(lane, 0, 0, 50);
    whole.busy(lane, 50, 50, 100);
    const Recording a = whole.finish(100);
    SmallRun cut;
    cut.busy(cut.lane("aic0", "cube"), 0, 0, 50);
    const Recording b = cut.interrupted();
    EXPECT_FALSE(first_divergence(a, b).has_value());
    EXPECT_FALSE(first_divergence(b, a).has_value());
    SmallRun shorter;
    shorter.busy(shorter.lane("aic0", "cube"), 0, 0, 50);
    EXPECT_TRUE(first_divergence(a, shorter.finish(50)).has_value()) << "it ended by itself";
}

TEST(Compare, FindsWhereTheSchedulesPart) {
    SmallRun one;
    const Recording a = buffered(one, 100, 1);
    SmallRun two;
    const Recording b = buffered(two, 100, 2);

    const std::optional<Divergence> at = first_divergence(a, b);

    ASSERT_TRUE(at);
    EXPECT_EQ(at->pipe, "mte2");
    EXPECT_EQ(at->index, 1U);
    EXPECT_TRUE(at->program);
    EXPECT_EQ(at->cycle_a, 105U);
    EXPECT_THAT(at->what_a, HasSubstr("waiting for a buffer"));
    EXPECT_THAT(at->what_b, HasSubstr("copy at kernel.cpp:2 for 100 cycles"));
}

TEST(Compare, TellsTimingFromProgram) {
    SmallRun one;
    const Recording a = buffered(one, 100, 2);
    SmallRun two;
    const Recording b = buffered(two, 120, 2);

    const Comparison result = compare(a, b);

    ASSERT_TRUE(result.divergence);
    EXPECT_FALSE(result.divergence->program);
    EXPECT_EQ(result.divergence->cycle_a, 5U);
    EXPECT_EQ(find(result.busy, "mte2").difference(), 40);
    EXPECT_EQ(result.lines.front().source, "kernel.cpp:2");
    EXPECT_EQ(result.lines.front().busy.difference(), 40);
}

TEST(Compare, OfARunWithItselfFindsNothing) {
    SmallRun one;
    const Recording a = buffered(one, 100, 2);
    const Comparison result = compare(a, a);

    EXPECT_EQ(result.verdict, "Both are the same, cycle by cycle");
    EXPECT_FALSE(result.divergence);
    EXPECT_TRUE(result.parameters.empty());
    for (const auto* changes : {&result.figures, &result.busy, &result.waits, &result.traffic}) {
        for (const Change& change : *changes) {
            EXPECT_FALSE(change.significant) << change.name;
        }
    }
}

TEST(Compare, CallsLessThanTheThresholdNoise) {
    SmallRun one;
    const Recording a = buffered(one, 1000, 2);
    SmallRun two;
    const Recording b = buffered(two, 1001, 2);
    EXPECT_FALSE(compare(a, b).time.significant);
    EXPECT_TRUE(compare(a, b, 0.0005).time.significant);
}

TEST(Compare, JsonTellsTheSame) {
    SmallRun one;
    const Recording a = buffered(one, 100, 1);
    SmallRun two;
    const Recording b = buffered(two, 100, 2);
    const nlohmann::ordered_json json = to_json(compare(a, b));

    EXPECT_EQ(json["wait_cycles"]["mte2 flag_buffer"]["difference"], -40);
    EXPECT_EQ(json["first_divergence"]["kind"], "program");
    EXPECT_EQ(json["parameters"][0]["path"], "knobs.buffers");
}

}  // namespace

TEST(CompareWords, NameAWaitByItsLabel) {
    EXPECT_EQ(in_words("mte2 flag_buffer"), "mte2 waiting for a buffer");
    EXPECT_EQ(in_words("vector"), "vector busy");
    EXPECT_EQ(in_words("vector no_such_reason"), "vector no_such_reason");
}

}  // namespace ascendsim::analysis
