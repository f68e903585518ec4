// SPDX-License-Identifier: Apache-2.0
// Several threads of a host, and ways of issuing kernels, on one time axis.
#include <array>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/node/host_timeline.hpp"
#include "models/node/host_times.hpp"

namespace ascendsim::node {
namespace {

HostSpec host_of_tests() {
    return {
        .eager_us = 40, .queue_us = 15, .launch_us = 5, .graph_task_us = 1, .task_gap_us = 8, .sync_us = 10};
}

NodeSpec node_of_tests() {
    NodeSpec node;
    node.name = "tests";
    node.devices.per_server = 1;
    node.copy = {.h2d_gb_per_s = 10, .h2d_latency_us = 0, .floor_us = 0};
    return node;
}

/// Kernels that take 50 us each, whatever runs beside them.
class FiftyMicroseconds : public KernelRunner {
public:
    void start(std::uint64_t kernel, Picoseconds now) override {
        ends_.emplace(now + picoseconds(50), kernel);
    }

    [[nodiscard]] bool busy() const override { return !ends_.empty(); }

    std::vector<Ended> go_on(std::optional<Picoseconds> until) override {
        std::vector<Ended> done;
        const Picoseconds at = ends_.begin()->first;
        while (!ends_.empty() && ends_.begin()->first == at && (!until || at <= *until)) {
            done.push_back({ends_.begin()->second, at, false});
            ends_.erase(ends_.begin());
        }
        return done;
    }

private:
    std::multimap<Picoseconds, std::uint64_t> ends_;
};

TEST(HostTimelineThreads, EachMakeCallsAtTheirOwnTime) {
    FiftyMicroseconds chip;
    HostTimeline timeline{node_of_tests(), host_of_tests()};
    timeline.run_by(chip);
    const StreamId one = timeline.add_stream(0);
    const StreamId two = timeline.add_stream(0);
    timeline.pass({"before", ""}, 20);
    const ThreadId other = timeline.add_thread();
    EXPECT_EQ(microseconds(timeline.clock(other)), 20);  // where its creator stood
    const auto first = timeline.kernel(one, timeline.issue({"a", ""}), 0);
    timeline.run_thread(other);
    const auto second = timeline.kernel(two, timeline.issue({"b", ""}), 1);
    EXPECT_EQ(microseconds(timeline.clock(ThreadId{})), 25);
    EXPECT_EQ(microseconds(timeline.clock(other)), 25);
    while (!timeline.knows(first) || !timeline.knows(second)) {
        ASSERT_TRUE(timeline.step({}));
    }
    EXPECT_EQ(microseconds(timeline.time(first)), 25 + 8 + 50);
    EXPECT_EQ(microseconds(timeline.time(second)), 25 + 8 + 50);
    timeline.wake_behind({second}, {"wait", ""});
    EXPECT_EQ(microseconds(timeline.clock(other)), 83 + 10);
    timeline.run_thread(ThreadId{});
    timeline.hand_over(other, ThreadId{});  // as by a join
    timeline.pass({"after", ""}, 1);
    EXPECT_EQ(microseconds(timeline.now()), 94);
    timeline.finish();
    EXPECT_EQ(microseconds(timeline.length()), 94);
    // The path: the call before, the other thread's call, its start, its kernel, its waking, the call after.
    const HostTimes times = times_of(timeline);
    Picoseconds critical = 0;
    for (const CallTimes& call : times.calls) {
        critical += call.critical;
    }
    EXPECT_EQ(critical, times.length);
}

TEST(HostTimelineThreads, NeverPassAThreadThatCanGoOn) {
    FiftyMicroseconds chip;
    HostTimeline timeline{node_of_tests(), host_of_tests()};
    timeline.run_by(chip);
    const StreamId stream = timeline.add_stream(0);
    timeline.add_thread();
    const auto kernel = timeline.kernel(stream, timeline.issue({"a", ""}), 0);
    while (timeline.step(picoseconds(40))) {
    }
    EXPECT_FALSE(timeline.knows(kernel));
    while (timeline.step(picoseconds(63))) {
    }
    EXPECT_TRUE(timeline.knows(kernel));
}

/// When the last of so many kernels of 50 us ends, all on one stream.
double end_of(const HostIssue& how, int kernels) {
    HostTimeline timeline{node_of_tests(), host_of_tests(), how};
    const StreamId stream = timeline.add_stream(0);
    HostTimeline::Point last;
    for (int i = 0; i < kernels; ++i) {
        last = timeline.kernel(stream,
                               timeline.issue({"k", ""}, IssuedWork::kernel),
                               KernelLoad{.us = 2, .cube_share = 0, .vector_share = 1});
    }
    return microseconds(timeline.time(last));
}

TEST(HostTimelineIssue, IsAsFastAsItsSlowestPart) {
    EXPECT_EQ(end_of({.mode = IssueMode::launch}, 10), 5 + 10 * (8 + 2));
    EXPECT_EQ(end_of({.mode = IssueMode::eager}, 10), 10 * 40 + 8 + 2);
    EXPECT_EQ(end_of({.mode = IssueMode::queue}, 10), 10 * 25 + 15 + 8 + 2);
    EXPECT_EQ(end_of({.mode = IssueMode::graph}, 10), 5 + 8 + 2 + 9 * (1 + 2));
}

TEST(HostTimelineIssue, BeginsAnotherGraphBehindEachWait) {
    HostTimeline timeline{node_of_tests(), host_of_tests(), {.mode = IssueMode::graph}};
    const StreamId stream = timeline.add_stream(0);
    const KernelLoad load{.us = 2, .cube_share = 0, .vector_share = 1};
    for (int i = 0; i < 2; ++i) {
        timeline.kernel(stream, timeline.issue({"k", ""}, IssuedWork::kernel), load);
        timeline.kernel(stream, timeline.issue({"k", ""}, IssuedWork::kernel), load);
        timeline.synchronise(std::array{stream}, {"wait", ""});
    }
    EXPECT_EQ(microseconds(timeline.now()), 2 * (5 + 8 + 2 + 1 + 2 + 10));
}

TEST(HostTimelineIssue, CopiesStayCallsOfTheirOwn) {
    HostTimeline timeline{node_of_tests(), host_of_tests(), {.mode = IssueMode::eager}};
    const StreamId stream = timeline.add_stream(0);
    timeline.copy(stream, timeline.issue({"copy", ""}), {.from = {}, .to = 0, .bytes = 100'000});
    EXPECT_EQ(microseconds(timeline.now()), 5);
}

TEST(HostTimelineIssue, JitterHasTheSeedsTimes) {
    const Jitter jitter{.shape = Jitter::Shape::uniform, .spread = 0.2};
    const auto with = [&](std::uint64_t seed) {
        return end_of({.mode = IssueMode::eager, .jitter = jitter, .seed = seed}, 10);
    };
    EXPECT_EQ(with(1), with(1));
    EXPECT_NE(with(1), with(2));
    EXPECT_NEAR(with(1), 410, 10 * 40 * 0.2 * 1.74);  // no call is further off than sqrt(3) deviations
}

}  // namespace
}  // namespace ascendsim::node
