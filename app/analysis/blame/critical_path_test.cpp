// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/blame/critical_path.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "app/analysis/blame/blame.hpp"
#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using record::Reason;
using record::Recording;
using testing::SmallRun;

// Launch to 10. The scalar unit issues a copy at 20 and the wait, then the mmad at 30; the copy occupies mte2
// for [20,50) and arrives at 60; the flag takes 5; the cube computes [65,95) and drains until 100. The task
// ends at 104.
struct Chain {
    std::uint32_t scalar, load, cube;
    record::SpanId copy, wait, mmad;
};

Chain chain(SmallRun& run) {
    Chain c{};
    c.scalar = run.lane("aic0", "scalar");
    c.load = run.lane("aic0", "mte2");
    c.cube = run.lane("aic0", "cube");
    run.add(c.scalar, {.start = 0, .end = 10, .reason = Reason::launch});
    run.busy(c.scalar, 10, 10, 30, "scalar", 1);
    run.add(c.load, {.start = 0, .end = 10, .reason = Reason::launch});
    c.copy = run.add(
        c.load, {.issue = 20, .start = 20, .end = 50, .complete = 60, .bytes = 4096, .route = 1}, "copy", 2);
    run.add(c.cube, {.start = 0, .end = 10, .reason = Reason::launch});
    c.wait = run.add(c.cube,
                     {.issue = 28, .start = 28, .end = 65, .reason = Reason::flag_data, .culprit = c.copy},
                     "wait",
                     3);
    c.mmad = run.add(c.cube, {.issue = 30, .start = 65, .end = 95, .complete = 100, .work = 4096}, "mmad", 4);
    return c;
}

std::vector<std::tuple<std::uint64_t, std::uint64_t, PathKind>> shape(const CriticalPath& path) {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, PathKind>> result;
    for (const PathSegment& segment : path.segments) {
        result.emplace_back(segment.start, segment.end, segment.kind);
    }
    return result;
}

void expect_no_gaps(const CriticalPath& path) {
    std::uint64_t now = path.from;
    std::uint64_t sum = 0;
    for (const PathSegment& segment : path.segments) {
        EXPECT_EQ(segment.start, now);
        now = segment.end;
    }
    EXPECT_EQ(now, path.to);
    for (const Root& root : path.roots) {
        sum += root.cycles;
    }
    EXPECT_EQ(sum, path.cycles());
}

TEST(CriticalPath, FollowsDataFromTheEndToTheLaunch) {
    SmallRun run;
    const Chain c = chain(run);
    const CriticalPath path = critical_path(run.finish(104), 0, 104);

    using enum PathKind;
    const decltype(shape(path)) expected{{0, 10, launch},
                                         {10, 20, scalar},
                                         {20, 50, transfer},
                                         {50, 60, latency},
                                         {60, 65, sync},
                                         {65, 95, compute},
                                         {95, 100, latency},
                                         {100, 104, tail}};
    EXPECT_EQ(shape(path), expected);
    expect_no_gaps(path);
    EXPECT_EQ(path.segments[2].span.lane, c.copy.lane);
    EXPECT_EQ(path.segments[2].span.index, c.copy.index);
    EXPECT_EQ(path[compute], 30U);
    EXPECT_EQ(path[latency], 15U);
}

TEST(CriticalPath, OfAWindowExplainsTheWindow) {
    SmallRun run;
    chain(run);
    const CriticalPath path = critical_path(run.finish(104), 40, 104);
    EXPECT_EQ(path.segments.front().start, 40U);
    expect_no_gaps(path);
}

TEST(CriticalPath, GoesThroughThePipeWhenThePipeWasBusy) {
    SmallRun run;
    const auto unit = run.lane("aiv0", "scalar");
    const auto vector = run.lane("aiv0", "vector");
    run.busy(unit, 0, 0, 6);
    run.add(vector, {.issue = 2, .start = 2, .end = 40, .work = 1}, "first", 1);
    run.add(vector, {.issue = 6, .start = 40, .end = 70, .work = 1}, "second", 2);
    const CriticalPath path = critical_path(run.finish(70), 0, 70);

    using enum PathKind;
    const decltype(shape(path)) expected{{0, 2, scalar}, {2, 40, compute}, {40, 70, compute}};
    EXPECT_EQ(shape(path), expected);
}

TEST(CriticalPath, AFullQueueLeadsToWhatKeptItFull) {
    SmallRun run;
    const auto unit = run.lane("aiv0", "scalar");
    const auto vector = run.lane("aiv0", "vector");
    const auto store = run.lane("aiv0", "mte3");
    run.busy(unit, 0, 0, 4);
    run.add(vector, {.issue = 2, .start = 2, .end = 50, .work = 1}, "slow", 1);
    const auto next = run.add(vector, {.issue = 4, .start = 50, .end = 55, .work = 1}, "next", 2);
    run.wait(unit, 4, 50, Reason::queue_full, next, "vadd", 3);
    run.busy(unit, 50, 50, 53);
    run.add(store, {.issue = 53, .start = 53, .end = 90, .bytes = 64}, "copy", 4);
    const CriticalPath path = critical_path(run.finish(90), 0, 90);

    using enum PathKind;
    const decltype(shape(path)) expected{
        {0, 2, scalar}, {2, 50, compute}, {50, 53, scalar}, {53, 90, transfer}};
    EXPECT_EQ(shape(path), expected);
}

TEST(CriticalPath, PassesFromCoreToCoreAndFromLaunchToLaunch) {
    SmallRun run;
    const auto a = run.lane("aic0", "scalar", 0);
    const auto b = run.lane("aic1", "scalar", 1);
    run.add(a, {.start = 0, .end = 5, .reason = Reason::launch});
    run.add(b, {.start = 0, .end = 5, .reason = Reason::launch});
    const auto sets = run.busy(a, 5, 5, 40);
    run.busy(b, 5, 5, 8);
    run.wait(b, 8, 60, Reason::cross_core, sets);
    run.busy(b, 60, 60, 70);
    run.add(a, {.start = 40, .end = 75, .reason = Reason::tail});
    run.add(b, {.start = 70, .end = 75, .reason = Reason::tail});
    run.add(a, {.start = 75, .end = 80, .reason = Reason::launch});  // a second launch, on one core
    run.add(b, {.start = 75, .end = 100, .reason = Reason::unused});
    run.busy(a, 80, 80, 100);
    const CriticalPath path = critical_path(run.finish(100), 0, 100);

    using enum PathKind;
    const decltype(shape(path)) expected{{0, 5, launch},
                                         {5, 40, scalar},
                                         {40, 60, sync},
                                         {60, 70, scalar},
                                         {70, 75, tail},
                                         {75, 80, launch},
                                         {80, 100, scalar}};
    EXPECT_EQ(shape(path), expected);
    expect_no_gaps(path);
}

TEST(CriticalPath, AFurtherBlockWaitsForTheOneBefore) {
    SmallRun run;
    const auto unit = run.lane("aiv0", "scalar");
    const auto vector = run.lane("aiv0", "vector");
    run.busy(unit, 0, 0, 5);
    run.add(vector, {.issue = 5, .start = 5, .end = 30, .complete = 34, .work = 1});
    run.add(unit, {.start = 5, .end = 44, .reason = Reason::block});
    run.add(vector, {.start = 30, .end = 44, .reason = Reason::block});
    run.busy(unit, 44, 44, 60);
    const CriticalPath path = critical_path(run.finish(60), 0, 60);

    using enum PathKind;
    const decltype(shape(path)) expected{
        {0, 5, scalar}, {5, 30, compute}, {30, 34, latency}, {34, 44, block}, {44, 60, scalar}};
    EXPECT_EQ(shape(path), expected);
}

TEST(CriticalPath, OfAnyRecordingSumsToItsTime) {
    constexpr unsigned seed = 41;
    SCOPED_TRACE(seed);
    std::mt19937_64 random{seed};
    for (int round = 0; round < 60; ++round) {
        SmallRun run;
        std::uint64_t cycles = 1;
        const char* const pipes[]{"scalar", "vector", "mte2", "mte3"};
        for (std::uint32_t number = 0; number < 8; ++number) {
            const auto lane = run.lane("aiv" + std::to_string(number / 4), pipes[number % 4], number / 4);
            std::uint64_t now = random() % 20;
            for (std::uint64_t i = 0; i < 60; ++i) {
                const std::uint64_t start = now + random() % 4;
                now = start + random() % 30;
                record::Span span{.issue = start - std::min(start, random() % 40),
                                  .start = start,
                                  .end = now,
                                  .complete = now + random() % 20,
                                  .work = 1};
                if (random() % 3 == 0) {  // culprits may be anything: later spans, spans of no lane
                    span.reason = static_cast<Reason>(random() % record::reason_count);
                    span.culprit = {static_cast<std::uint32_t>(random() % 9), random() % 70};
                }
                run.add(lane, span);
            }
            cycles = std::max(cycles, now + 20);
        }
        const Recording recording = run.finish(cycles);
        expect_no_gaps(critical_path(recording, 0, cycles));
        for (const Blame& blame : blame_of(recording, 0, cycles)) {
            std::uint64_t sum = 0;
            for (const Root& root : blame.roots) {
                sum += root.cycles;
            }
            EXPECT_EQ(sum, blame.cycles) << blame.pipe;
        }
    }
}

TEST(Blame, ChargesABubbleToWhatWentOnMeanwhile) {
    SmallRun run;
    chain(run);
    const Recording recording = run.finish(104);
    const std::vector<Blame> blame = blame_of(recording, 0, 104);

    ASSERT_EQ(blame.size(), 3U);  // scalar, cube, mte2, in the order of pipe_names
    const Blame& cube = blame[1];
    ASSERT_EQ(cube.pipe, "cube");
    // Launch 10; no instruction yet 10 to 28: the scalar unit; waiting 28 to 65: the copy 28 to 50, its
    // latency 50 to 60, the flag 60 to 65; after 95 the tail.
    EXPECT_EQ(cube.cycles, 10U + 18U + 37U + 9U);
    const auto of = [&](PathKind kind, std::string_view op) {
        std::uint64_t cycles = 0;
        for (const Root& root : cube.roots) {
            cycles += root.kind == kind && recording.name(root.op) == op ? root.cycles : 0;
        }
        return cycles;
    };
    EXPECT_EQ(of(PathKind::launch, ""), 10U);
    EXPECT_EQ(of(PathKind::scalar, "scalar"), 18U);
    EXPECT_EQ(of(PathKind::transfer, "copy"), 22U);
    EXPECT_EQ(of(PathKind::latency, "copy"), 10U);
    EXPECT_EQ(of(PathKind::sync, "wait"), 5U);
    EXPECT_EQ(of(PathKind::tail, ""), 9U);
    EXPECT_EQ(cube.roots.front().cycles, 22U);
}

// Lanes of a core are blamed side by side, a chunk of the longest at a time; chunks of the others end
// elsewhere.
TEST(Blame, ChargesTheSameWhereverChunksEnd) {
    constexpr std::uint64_t tiles = 9000;
    constexpr std::uint64_t period = 100;
    SmallRun run;
    for (std::uint32_t core = 0; core < 2; ++core) {
        const std::string name = "aiv" + std::to_string(core);
        const auto unit = run.lane(name, "scalar", core);
        const auto vector = run.lane(name, "vector", core);
        const auto load = run.lane(name, "mte2", core);
        for (std::uint64_t now = 0; now < tiles * period; now += period) {
            run.busy(unit, now, now, now + 10);
            run.busy(unit, now + 10, now + 10, now + 20);
            const auto copy =
                run.add(load, {.issue = now + 5, .start = now + 10, .end = now + 60, .bytes = 64}, "copy", 2);
            run.wait(vector, now + 20, now + 60, Reason::flag_data, copy);
            run.add(vector, {.issue = now + 15, .start = now + 60, .end = now + 90, .work = 1}, "add", 3);
            run.add(vector, {.issue = now + 15, .start = now + 90, .end = now + 95, .work = 1}, "add", 3);
        }
    }
    const Recording recording = run.finish(tiles * period);
    ASSERT_GT(recording.lane(1).spans->chunks().size(), recording.lane(0).spans->chunks().size());

    const std::uint64_t from = 333 * period;  // the window cuts chunks as well
    const std::vector<Blame> blame = blame_of(recording, from, tiles * period);
    const auto vector = std::ranges::find(blame, "vector", &Blame::pipe);
    ASSERT_NE(vector, blame.end());
    const std::uint64_t counted = 2 * (tiles - 333);
    EXPECT_EQ(vector->cycles, counted * (period - 35));
    const auto copies = std::ranges::find_if(
        vector->roots, [&](const Root& root) { return recording.name(root.op) == "copy"; });
    ASSERT_NE(copies, vector->roots.end());
    EXPECT_EQ(copies->cycles, counted * 40);
    EXPECT_EQ(copies->times, counted);
}

TEST(Blame, SeesThroughAChainOfWaits) {
    SmallRun run;
    const auto unit = run.lane("aic0", "scalar");
    const auto load = run.lane("aic0", "mte2");
    const auto move = run.lane("aic0", "mte1");
    const auto cube = run.lane("aic0", "cube");
    run.busy(unit, 0, 0, 4);
    const auto copy = run.add(load, {.issue = 1, .start = 1, .end = 100, .bytes = 64}, "copy", 1);
    run.wait(move, 2, 101, Reason::flag_data, copy);
    const auto moved = run.add(move, {.issue = 3, .start = 101, .end = 111, .bytes = 64}, "load2d", 2);
    run.wait(cube, 4, 112, Reason::flag_data, moved);
    run.add(cube, {.issue = 4, .start = 112, .end = 120, .work = 1}, "mmad", 3);
    const Recording recording = run.finish(120);

    for (const Blame& blame : blame_of(recording, 0, 120)) {
        if (blame.pipe == "cube") {
            // Of the cube's 108 cycles of waiting, load2d takes 10 and two flags 1 each; 4 to 100 are the
            // copy's.
            EXPECT_EQ(recording.name(blame.roots.front().op), "copy");
            EXPECT_EQ(blame.roots.front().cycles, 96U);
        }
    }
}

}  // namespace

}  // namespace ascendsim::analysis
