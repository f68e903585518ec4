// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/explain.hpp"

#include <gmock/gmock.h>

#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using record::Reason;
using record::Recording;
using ::testing::HasSubstr;
using testing::SmallRun;

struct Core {
    std::uint32_t scalar, load, cube;
};

Core core(SmallRun& run, std::uint32_t number = 0) {
    const std::string name = "aic" + std::to_string(number);
    return {run.lane(name, "scalar", number), run.lane(name, "mte2", number), run.lane(name, "cube", number)};
}

// Copies of 4096 B at 64 B a cycle, the port's peak, back to back; each feeds a short mmad. `work` a mmad.
Recording copies(SmallRun& run, std::uint64_t rate, record::Limiter limiter) {
    run.recorder().metadata({{"chip", SmallRun::chip()}, {"knobs", {{"buffers", 2}, {"base_m", 128}}}});
    const Core c = core(run);
    run.busy(c.scalar, 0, 0, 10);
    std::uint64_t now = 4;
    for (int i = 0; i < 20; ++i) {
        const std::uint64_t end = now + 4096 / rate;
        const auto copy =
            run.add(c.load,
                    {.issue = 4, .start = now, .end = end, .bytes = 4096, .route = 1, .limiter = limiter},
                    "copy",
                    2);
        run.wait(c.cube, now, end + 2, Reason::flag_data, copy);
        run.add(c.cube, {.issue = 4, .start = end + 2, .end = end + 4, .work = 4096}, "mmad", 3);
        now = end + 4;
        run.add(c.load, {.issue = 4, .start = end, .end = now}, "set_flag", 4);
    }
    return run.finish(now);
}

TEST(Explain, NamesTheRouteThatRunsAtItsPeak) {
    SmallRun run;
    const Explanation all = explain(copies(run, 64, record::Limiter::port));

    EXPECT_EQ(all.bottleneck, Bottleneck::transfer);
    EXPECT_EQ(all.component, "gm_to_l1");
    EXPECT_THAT(all.verdict, HasSubstr("94 % of its peak"));  // 20 x 64 cycles of 4 + 20 x 68
    ASSERT_FALSE(all.advice.empty());
    EXPECT_THAT(all.advice[0].sentence, HasSubstr("ports to global memory"));
    EXPECT_EQ(all.advice[0].cause_cycles, 20U * 64U);
    // Another tile changes everything but the bytes that must come: 20 x 4096 B at L2's 1000 B a cycle.
    EXPECT_EQ(all.advice[0].knob, "kernel.base_m = 128");
    EXPECT_EQ(all.advice[0].gain_cycles, 1364U - 81U);
    EXPECT_EQ(all.components[0].name, "gm_to_l1");
    EXPECT_DOUBLE_EQ(all.components[0].efficiency(), 1);
}

TEST(Explain, SaysTheSameWithoutBlame) {
    SmallRun run;
    const Recording recording = copies(run, 64, record::Limiter::port);
    const Explanation all = explain(recording);
    const Explanation part = explain(recording, Explained::without_blame);

    EXPECT_FALSE(all.blame.empty());
    EXPECT_TRUE(part.blame.empty());
    EXPECT_EQ(part.verdict, all.verdict);
    EXPECT_EQ(part.path.segments.size(), all.path.segments.size());
    ASSERT_EQ(part.advice.size(), all.advice.size());
    EXPECT_EQ(part.advice[0].gain_cycles, all.advice[0].gain_cycles);

    const Explanation figures = explain(recording, Explained::figures);
    EXPECT_EQ(figures.summary.cycles, all.summary.cycles);
    EXPECT_EQ(figures.components.size(), all.components.size());
    EXPECT_TRUE(figures.path.segments.empty());
    EXPECT_TRUE(figures.advice.empty());
}

TEST(Explain, OfARunThatFailedTellsTheFailureAlone) {
    SmallRun run;
    run.recorder().event({{"kind", "failure"}, {"message", "deadlock: nobody can go on"}});
    const Recording recording = copies(run, 64, record::Limiter::port);
    const Explanation all = explain(recording);

    EXPECT_EQ(all.bottleneck, Bottleneck::unknown);
    EXPECT_THAT(all.verdict, HasSubstr("failed"));
    EXPECT_TRUE(all.advice.empty());
    const nlohmann::ordered_json json = to_json(all, recording);
    EXPECT_EQ(json["complete"], false);
    EXPECT_EQ(json["explain"]["faults"][0], "deadlock: nobody can go on");
}

TEST(Explain, PromisesOfBankConflictsNoMoreThanTheirCycles) {
    SmallRun run;
    run.recorder().metadata({{"chip", SmallRun::chip()}, {"knobs", {{"spread", 0}}}});
    const auto scalar = run.lane("aiv0", "scalar");
    const auto vector = run.lane("aiv0", "vector");
    run.busy(scalar, 0, 0, 10);
    for (std::uint64_t i = 0; i < 4; ++i) {
        const std::uint64_t start = 10 + 100 * i;
        run.add(
            vector, {.issue = 4, .start = start, .end = start + 100, .work = 64, .conflict = 30}, "vadd", 3);
    }
    const Explanation all = explain(run.finish(410));
    const auto found = std::ranges::find_if(
        all.advice, [](const Advice& each) { return each.sentence.starts_with("Bank conflicts take 30 %"); });
    ASSERT_NE(found, all.advice.end());
    EXPECT_EQ(found->gain_cycles, 4U * 30U);
}

// 400 cycles of additions, of which 120 are conflicts, and then a copy whose 300 can all go.
TEST(Explain, CountsOfAnInstructionOnlyWhatConflictsTook) {
    SmallRun run;
    run.recorder().metadata({{"chip", SmallRun::chip()}, {"knobs", {{"spread", 0}}}});
    const auto scalar = run.lane("aiv0", "scalar");
    const auto vector = run.lane("aiv0", "vector");
    const auto load = run.lane("aiv0", "mte2");
    run.busy(scalar, 0, 0, 10);
    record::SpanId last;
    for (std::uint64_t start = 10; start < 410; start += 100) {
        last = run.add(
            vector, {.issue = 4, .start = start, .end = start + 100, .work = 64, .conflict = 30}, "vadd", 3);
    }
    run.wait(load, 10, 410, Reason::flag_buffer, last);
    run.add(load,
            {.issue = 4,
             .start = 410,
             .end = 710,
             .bytes = 64,
             .route = 0,
             .limiter = record::Limiter::same_line},
            "copy",
            2);
    const Explanation all = explain(run.finish(710));
    const auto place_of = [&](std::string_view words) {
        return std::ranges::find_if(
            all.advice, [&](const Advice& each) { return each.sentence.find(words) != std::string::npos; });
    };
    const auto conflicts = place_of("Bank conflicts take");
    const auto lines = place_of("same L2 lines");
    ASSERT_NE(conflicts, all.advice.end());
    ASSERT_NE(lines, all.advice.end());
    EXPECT_EQ(conflicts->cause_cycles, 120U);
    EXPECT_EQ(lines->cause_cycles, 300U);
    EXPECT_LT(lines, conflicts);
}

TEST(Explain, PromisesNoMoreThanTheCauseWhereNoKnobHelps) {
    SmallRun run;
    run.recorder().metadata({{"knobs", {{"stages", 2}}}});
    const Core c = core(run);
    run.busy(c.scalar, 0, 0, 10);
    run.add(
        c.load,
        {.issue = 10, .start = 10, .end = 70, .bytes = 64, .route = 1, .limiter = record::Limiter::same_line},
        "copy",
        2);
    const Explanation all = explain(run.finish(70));
    ASSERT_FALSE(all.advice.empty());
    EXPECT_THAT(all.advice[0].sentence, HasSubstr("same L2 lines"));
    EXPECT_EQ(all.advice[0].knob, "");  // stages would not help
    EXPECT_EQ(all.advice[0].gain_cycles, 60U);
}

TEST(Explain, OfSlowCopiesTellsWhatHoldsThemDown) {
    SmallRun run;
    const Explanation all = explain(copies(run, 16, record::Limiter::outstanding));

    EXPECT_EQ(all.bottleneck, Bottleneck::transfer);
    EXPECT_EQ(all.component, "mte2");
    EXPECT_THAT(all.verdict, HasSubstr("nothing is near its roof"));
    EXPECT_THAT(all.advice[0].sentence, HasSubstr("Requests under way"));
    EXPECT_NEAR(all.components[0].efficiency(), 0.25, 1e-9);
}

TEST(Explain, NamesTheRequestRateThatAllCoresShare) {
    SmallRun run;
    nlohmann::json chip = SmallRun::chip();
    chip["l2"]["requests_per_ns"] = 2.0;
    run.recorder().metadata({{"chip", chip}});
    const Core c = core(run);
    run.busy(c.scalar, 0, 0, 10);
    run.add(c.load,
            {.issue = 10,
             .start = 10,
             .end = 110,
             .bytes = 640,
             .route = 1,
             .limiter = record::Limiter::request_rate,
             .requests = 190},
            "copy",
            2);
    const record::Recording recording = run.finish(110);
    const Explanation all = explain(recording);

    EXPECT_EQ(all.bottleneck, Bottleneck::memory);
    EXPECT_EQ(all.component, "l2_requests");
    EXPECT_DOUBLE_EQ(all.components[0].ideal_cycles, 95);  // 190 requests at 2 a ns and 1 GHz
    // When the cores' common ways are active nobody records.
    EXPECT_TRUE(to_json(all, recording)["explain"]["components"][0]["efficiency"].is_null());
}

// L2 takes as many requests as it gives at the same time: 190 of 290 go its busier way.
TEST(Explain, CountsTheBusierDirectionOfL2) {
    SmallRun run;
    nlohmann::json chip = SmallRun::chip();
    chip["l2"]["requests_per_ns"] = 2.0;
    run.recorder().metadata({{"chip", chip}});
    const std::uint32_t load = run.lane("aiv0", "mte2", 0);
    const std::uint32_t store = run.lane("aiv0", "mte3", 0);
    run.add(load, {.issue = 0, .start = 0, .end = 100, .bytes = 40000, .route = 0, .requests = 100}, "in", 2);
    run.add(
        store, {.issue = 0, .start = 0, .end = 100, .bytes = 60000, .route = 4, .requests = 190}, "out", 3);
    const Explanation all = explain(run.finish(100));
    const auto find = [&](std::string_view name) {
        return *std::ranges::find(all.components, name, &Component::name);
    };

    EXPECT_DOUBLE_EQ(find("l2").ideal_cycles, 60);  // 60000 B at 1000 GB/s and 1 GHz
    EXPECT_THAT(find("l2").arithmetic, HasSubstr("from the cores"));
    EXPECT_DOUBLE_EQ(find("l2_requests").ideal_cycles, 95);  // 190 at 2 a ns
    EXPECT_THAT(find("l2_requests").arithmetic, HasSubstr("190 writes"));
}

// A cube at 85 % of its peak that never waits for itself: the copies behind which it works are what limits.
TEST(Explain, TakesNoComponentBesideThePathForTheLimit) {
    SmallRun run;
    run.recorder().metadata({{"chip", SmallRun::chip()}});
    const Core c = core(run);
    run.busy(c.scalar, 0, 0, 10);
    for (std::uint64_t i = 0; i < 20; ++i) {
        const std::uint64_t begin = 10 + i * 100;
        run.add(c.load,
                {.issue = 10,
                 .start = begin,
                 .end = begin + 100,
                 .bytes = 640,
                 .route = 1,
                 .limiter = record::Limiter::same_line},
                "copy",
                2);
        run.add(c.cube, {.issue = 10, .start = begin + 2, .end = begin + 87, .work = 4096 * 85}, "mmad", 3);
    }
    const Explanation all = explain(run.finish(2010));

    EXPECT_EQ(all.components[0].name, "cube");
    EXPECT_EQ(all.bottleneck, Bottleneck::transfer);
    EXPECT_EQ(all.component, "mte2");
    EXPECT_THAT(all.verdict, HasSubstr("cube, at 85 % of its peak, would be next"));
}

TEST(Explain, NamesTheCubeThatRunsAtItsPeak) {
    SmallRun run;
    run.recorder().metadata({{"chip", SmallRun::chip()}});
    const Core c = core(run);
    run.busy(c.scalar, 0, 0, 10);
    run.add(c.cube, {.issue = 10, .start = 10, .end = 1010, .work = 4096 * 1000}, "mmad", 3);
    const Recording recording = run.finish(1020);
    const Explanation all = explain(recording);

    EXPECT_EQ(all.bottleneck, Bottleneck::compute);
    EXPECT_EQ(all.component, "cube");
    EXPECT_THAT(all.advice[0].sentence, HasSubstr("The cube computes at its rate"));
    EXPECT_FALSE(all.advice[0].bounded);  // a smaller type makes copies shorter, too
    EXPECT_EQ(to_json(all, recording)["explain"]["advice"][0]["gain_is"], "estimated");
}

TEST(Explain, FindsALaunchThatDominates) {
    SmallRun run;
    const Core c = core(run);
    run.add(c.scalar, {.start = 0, .end = 900, .reason = Reason::launch});
    run.busy(c.scalar, 900, 900, 1000);
    const Explanation all = explain(run.finish(1000));
    EXPECT_EQ(all.bottleneck, Bottleneck::launch);
    // Nobody changes what a launch takes: what the kernel does itself comes first, little as it is.
    ASSERT_EQ(all.advice.size(), 2U);
    EXPECT_THAT(all.advice[0].sentence, HasSubstr("The scalar unit"));
    EXPECT_EQ(all.advice[0].cause_cycles, 100U);
    EXPECT_EQ(all.advice[1].gain_cycles, 900U);
}

TEST(Explain, FindsCoresThatAreDoneEarly) {
    SmallRun run;
    for (std::uint32_t number = 0; number < 4; ++number) {
        run.busy(core(run, number).scalar, 0, 0, number == 3 ? 1000 : 400);
    }
    const Explanation all = explain(run.finish(1000));
    EXPECT_EQ(all.bottleneck, Bottleneck::imbalance);
    EXPECT_THAT(all.verdict, HasSubstr("45 %"));  // three of four cores for 600 of 1000 cycles
}

TEST(Explain, KnowsALoopOverTheElementsOfABufferByItsSource) {
    SmallRun run;
    run.recorder().metadata(
        {{"sources", {{"kernel.cpp", "for (;;) {\n    o.SetValue(j, b.GetValue(j));\n    i += 1;\n}\n"}}}});
    const Core c = core(run);
    run.busy(c.scalar, 0, 0, 900, "scalar", 2);
    run.busy(c.scalar, 900, 900, 1000, "scalar", 3);
    const Explanation all = explain(run.finish(1000));
    ASSERT_EQ(all.advice.size(), 2U);
    EXPECT_THAT(all.advice[0].sentence, HasSubstr("in place of GetValue and SetValue"));
    EXPECT_EQ(all.advice[0].cause_cycles, 900U);
    EXPECT_THAT(all.advice[1].sentence, HasSubstr("fewer and larger instructions"));
}

TEST(Explain, AsksForAnotherBufferWhenTheMainPipeWaitsForOne) {
    SmallRun run;
    run.recorder().metadata({{"knobs", {{"buffers", 1}}}});
    const Core c = core(run);
    run.busy(c.scalar, 0, 0, 5);
    auto mmad = run.add(c.cube, {.issue = 5, .start = 5, .end = 15, .work = 1}, "mmad", 3);
    std::uint64_t now = 15;
    for (int i = 0; i < 10; ++i) {
        const auto copy =
            run.add(c.load, {.issue = 5, .start = now, .end = now + 60, .bytes = 64}, "copy", 2);
        run.wait(c.cube, now, now + 60, Reason::flag_data, copy);
        mmad = run.add(c.cube, {.issue = 5, .start = now + 60, .end = now + 100, .work = 1}, "mmad", 3);
        run.wait(c.load, now + 60, now + 100, Reason::flag_buffer, mmad);
        now += 100;
    }
    const Explanation all = explain(run.finish(now));

    const auto found = std::ranges::find_if(
        all.advice, [](const Advice& a) { return a.sentence.find("double buffering") != std::string::npos; });
    ASSERT_NE(found, all.advice.end());
    EXPECT_EQ(found->cause_cycles, 10U * 40U);
    EXPECT_EQ(found->gain_cycles, 15U + 10U * 40U);  // no overlap makes the copies' 600 cycles fewer
    EXPECT_EQ(found->knob, "kernel.buffers = 1");
    EXPECT_THAT(found->evidence, HasSubstr("mmad on cube"));
}

TEST(Explain, JsonSumsUp) {
    SmallRun run;
    const Recording recording = copies(run, 64, record::Limiter::port);
    const nlohmann::ordered_json json = to_json(explain(recording), recording);

    std::uint64_t sum = 0;
    for (const auto& root : json["explain"]["critical_path"]["roots"]) {
        sum += root["cycles"].get<std::uint64_t>();
    }
    EXPECT_EQ(sum, json["cycles"]);
    EXPECT_EQ(json["explain"]["bottleneck"], "transfer");
    EXPECT_TRUE(json["explain"]["advice"][0].contains("gain_cycles_at_most"));
    std::uint64_t waits = 0;
    for (const auto& cycles : json["pipes"]["cube"]["waits"]) {
        waits += cycles.get<std::uint64_t>();
    }
    EXPECT_EQ(json["explain"]["blame"]["cube"]["cycles"], waits);
}

TEST(Explain, OfAnEmptyRecordingSaysSo) {
    SmallRun run;
    EXPECT_EQ(explain(run.finish(0)).bottleneck, Bottleneck::unknown);
}

}  // namespace

}  // namespace ascendsim::analysis
