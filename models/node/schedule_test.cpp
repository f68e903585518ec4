// SPDX-License-Identifier: Apache-2.0
#include "models/node/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.hpp"

namespace ascendsim::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Schedule, RunsALaneInOrderAndLanesAtTheSameTime) {
    TaskGraph graph;
    const LaneId one = graph.add_lane({"stream 0"});
    const LaneId two = graph.add_lane({"stream 1"});
    const TaskId first = graph.add(one, {.name = "a", .us = 3});
    const TaskId second = graph.add(one, {.name = "b", .us = 4});
    const TaskId other = graph.add(two, {.name = "c", .us = 5});
    const Schedule schedule = run(graph);
    EXPECT_EQ(schedule.end[index(first)], picoseconds(3));
    EXPECT_EQ(schedule.end[index(second)], picoseconds(7));
    EXPECT_EQ(schedule.end[index(other)], picoseconds(5));
    EXPECT_EQ(schedule.length, picoseconds(7));
}

TEST(Schedule, NamesWhatLetATaskStart) {
    TaskGraph graph;
    const LaneId host = graph.add_lane({"host"});
    const LaneId stream = graph.add_lane({"stream"});
    const TaskId call = graph.add(host, {.name = "call", .kind = TaskKind::host, .us = 10});
    const TaskId kernel = graph.add(stream, {.name = "kernel", .us = 2}, std::array{call});
    const TaskId next = graph.add(host, {.name = "call", .kind = TaskKind::host, .us = 1});
    const Schedule schedule = run(graph);
    EXPECT_EQ(schedule.gate[index(kernel)], call);
    EXPECT_EQ(schedule.gate[index(next)], call);
    EXPECT_THAT(critical_path(schedule), ElementsAre(call, kernel));
}

TEST(Schedule, SharesALinkFairly) {
    TaskGraph graph;
    const LinkId link = graph.add_link({"pcie", 20});
    const auto copy = [&](std::uint64_t bytes) {
        const LaneId lane = graph.add_lane({"copy"});
        return graph.add(lane, {.name = "copy", .kind = TaskKind::copy, .flow = {bytes, {link}}});
    };
    const TaskId small = copy(100'000);
    const TaskId large = copy(300'000);
    const Schedule schedule = run(graph);
    EXPECT_EQ(schedule.end[index(small)], picoseconds(10));  // 100 kB at half of 20 GB/s
    EXPECT_EQ(schedule.end[index(large)], picoseconds(20));  // 100 kB at half, then 200 kB at 20 GB/s
}

TEST(Schedule, LeavesToOthersWhatASlowFlowCannotUse) {
    TaskGraph graph;
    const LinkId wide = graph.add_link({"wide", 30});
    const LinkId narrow = graph.add_link({"narrow", 10});
    const auto flow = [&](std::vector<LinkId> route, double limit) {
        const LaneId lane = graph.add_lane({"lane"});
        return graph.add(lane, {.name = "flow", .flow = {100'000, std::move(route), limit}});
    };
    const TaskId through_both = flow({wide, narrow}, 0);
    const TaskId limited = flow({wide}, 5);
    const TaskId rest = flow({wide}, 0);
    const Schedule schedule = run(graph);
    EXPECT_EQ(schedule.end[index(through_both)], picoseconds(10));  // 10 GB/s
    EXPECT_EQ(schedule.end[index(limited)], picoseconds(20));       // 5 GB/s
    EXPECT_EQ(schedule.end[index(rest)], picoseconds(6.666667));    // 30 - 10 - 5 GB/s, rounded up
}

TEST(Schedule, ExplainsADeadlockBetweenStreams) {
    TaskGraph graph;
    const LaneId one = graph.add_lane({"stream 0"});
    const LaneId two = graph.add_lane({"stream 1"});
    const TaskId a = graph.add(one, {.name = "wait event 1", .kind = TaskKind::event});
    const TaskId b = graph.add(one, {.name = "record event 2", .kind = TaskKind::event});
    const TaskId c = graph.add(two, {.name = "wait event 2", .kind = TaskKind::event});
    const TaskId d = graph.add(two, {.name = "record event 1", .kind = TaskKind::event});
    graph.wait_for(a, d);
    graph.wait_for(c, b);
    EXPECT_THAT([&] { (void)run(graph); },
                ThrowsMessage<ProgramError>(
                    HasSubstr("wait event 1 on stream 0, which waits for record event 1 on stream 1, which "
                              "waits for wait event 2 on stream 1, which waits for record event 2")));
}

TEST(Schedule, GivesTheSameTimesTwice) {
    const auto times = [] {
        TaskGraph graph;
        std::vector<LinkId> links;
        for (int i = 0; i < 7; ++i) {
            links.push_back(graph.add_link({"link", 10.0 + i}));
        }
        for (std::uint32_t i = 0; i < 200; ++i) {
            const LaneId lane = graph.add_lane({"lane"});
            graph.add(lane,
                      {.name = "flow",
                       .us = static_cast<double>(i % 13),
                       .flow = {1000U * (i + 1), {links[i % 7], links[(i * 3 + 1) % 7]}}});
        }
        return run(graph).end;
    };
    EXPECT_EQ(times(), times());
}

TEST(Schedule, RefusesTimesThatAreNone) {
    TaskGraph graph;
    const LaneId lane = graph.add_lane({"stream"});
    EXPECT_THAT([&] { graph.add(lane, {.name = "kernel", .us = -1}); },
                ThrowsMessage<UserError>("task kernel: -1 us is not a time from 0 to 1e12 us"));
    EXPECT_THAT([&] { graph.add(lane, {.name = "copy", .flow = {.bytes = 8}}); },
                ThrowsMessage<UserError>("task copy: 8 B have neither a link to cross nor a rate"));
}

}  // namespace
}  // namespace ascendsim::node
