// SPDX-License-Identifier: Apache-2.0
#include "models/node/host_timeline.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/node/host_times.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::node {
namespace {

/// 5 us a call, 8 us from a call's arrival to its work, 10 us to wake the host. 1 MB takes 100 us each way.
HostTimeline timeline_of_tests() {
    NodeSpec node;
    node.name = "tests";
    node.devices.per_server = 2;
    node.links.pair_gb_per_s = 20;
    node.hccs_near.read_dd = {.gb_per_s = 20, .latency_us = 3};
    node.copy = {.h2d_gb_per_s = 10,
                 .d2h_gb_per_s = 10,
                 .h2d_latency_us = 0,
                 .d2h_latency_us = 0,
                 .floor_us = 0,
                 .pageable_gb_per_s = 5,
                 .pageable_us = 15};
    return {node, HostSpec{.launch_us = 5, .task_gap_us = 8, .sync_us = 10}};
}

constexpr std::uint64_t million_bytes = 1'000'000;
constexpr CopyLoad to_device{.from = {}, .to = 0, .bytes = million_bytes};
constexpr KernelLoad all_cores{.us = 50, .cube_share = 0, .vector_share = 1};

double us(HostTimeline& timeline, const HostTimeline::Point& point) {
    return microseconds(timeline.time(point));
}

TEST(HostTimeline, RunsAKernelBehindItsCallAndItsLaunch) {
    HostTimeline timeline = timeline_of_tests();
    const StreamId stream = timeline.add_stream(0);
    const auto kernel = timeline.kernel(stream, timeline.issue({"k", "a.cpp:1"}), all_cores);
    EXPECT_EQ(us(timeline, kernel), 5 + 8 + 50);
    EXPECT_EQ(microseconds(timeline.now()), 5);  // the host went on
    timeline.synchronise(std::array{stream}, {"wait", "a.cpp:2"});
    EXPECT_EQ(microseconds(timeline.now()), 5 + 8 + 50 + 10);
    EXPECT_EQ(us(timeline, kernel), 5 + 8 + 50);  // also once the epoch is over
}

TEST(HostTimeline, HidesACopyOfAnotherStream) {
    HostTimeline timeline = timeline_of_tests();
    const StreamId one = timeline.add_stream(0);
    const StreamId two = timeline.add_stream(0);
    const auto copy = timeline.copy(one, timeline.issue({"copy", "a.cpp:1"}), to_device);
    const auto kernel = timeline.kernel(two, timeline.issue({"k", "a.cpp:2"}), all_cores);
    EXPECT_EQ(us(timeline, copy), 5 + 100);  // its time holds its start
    EXPECT_EQ(us(timeline, kernel), 5 + 5 + 8 + 50);
    timeline.finish();
    const HostTimes times = times_of(timeline);
    ASSERT_EQ(times.devices.size(), 1U);
    EXPECT_EQ(microseconds(times.devices[0].computing), 50);
    EXPECT_EQ(microseconds(times.devices[0].copies), 50);    // of 100, the kernel hides 50
    EXPECT_EQ(microseconds(times.devices[0].launching), 0);  // the kernel's is behind the copy
    EXPECT_EQ(microseconds(times.devices[0].host), 5);
    EXPECT_EQ(times.devices[0].free, 0U);
}

TEST(HostTimeline, OrdersStreamsByEvents) {
    HostTimeline timeline = timeline_of_tests();
    const StreamId one = timeline.add_stream(0);
    const StreamId two = timeline.add_stream(0);
    timeline.copy(one, timeline.issue({"copy", "a.cpp:1"}), to_device);
    const auto event = timeline.record(one, timeline.issue({"record", "a.cpp:2"}));
    timeline.wait(two, timeline.issue({"wait", "a.cpp:3"}), event);
    const auto kernel = timeline.kernel(two, timeline.issue({"k", "a.cpp:4"}), all_cores);
    EXPECT_EQ(us(timeline, event), 5 + 100);
    EXPECT_EQ(us(timeline, kernel), 5 + 100 + 8 + 50);
}

TEST(HostTimeline, GivesFreeCoresToAnotherKernel) {
    HostTimeline timeline = timeline_of_tests();
    const StreamId one = timeline.add_stream(0);
    const StreamId two = timeline.add_stream(0);
    const auto first = timeline.kernel(
        one, timeline.issue({"a", "a.cpp:1"}), {.us = 50, .cube_share = 0, .vector_share = 0.25});
    const auto second = timeline.kernel(
        two, timeline.issue({"b", "a.cpp:2"}), {.us = 50, .cube_share = 0, .vector_share = 0.75});
    EXPECT_EQ(us(timeline, first), 5 + 8 + 50);
    EXPECT_EQ(us(timeline, second), 5 + 5 + 8 + 50);  // the cores of the other are not its own
}

TEST(HostTimeline, SharesTheCoresThatTwoKernelsWant) {
    HostTimeline timeline = timeline_of_tests();
    const StreamId one = timeline.add_stream(0);
    const StreamId two = timeline.add_stream(0);
    const auto first = timeline.kernel(one, timeline.issue({"a", "a.cpp:1"}), all_cores);
    const auto second = timeline.kernel(two, timeline.issue({"b", "a.cpp:2"}), all_cores);
    // Alone for 5 us; then 45 us of work at half the rate; then the other's last 5 us.
    EXPECT_NEAR(us(timeline, first), 13 + 5 + 90, 1e-6);
    EXPECT_NEAR(us(timeline, second), 13 + 100, 1e-6);
}

TEST(HostTimeline, ChargesPageableMemoryAndOtherDevices) {
    HostTimeline timeline = timeline_of_tests();
    const StreamId stream = timeline.add_stream(1);
    CopyLoad load = to_device;
    load.to = 1;
    load.pinned = false;
    const auto pageable = timeline.copy(stream, timeline.issue({"copy", "a.cpp:1"}), load);
    EXPECT_EQ(us(timeline, pageable), 5 + 15 + 200);
    const auto across = timeline.copy(
        stream, timeline.issue({"copy", "a.cpp:2"}), {.from = 0, .to = 1, .bytes = million_bytes});
    EXPECT_EQ(us(timeline, across) - us(timeline, pageable), 3 + 50);
    EXPECT_THROW(timeline.add_stream(2), UserError);
}

TEST(HostTimeline, HoldsTheHostUpDuringACopyOutsideOfStreams) {
    HostTimeline timeline = timeline_of_tests();
    const StreamId stream = timeline.add_stream(0);
    timeline.copy_now(stream, {"copy", "a.cpp:1"}, to_device);
    EXPECT_EQ(microseconds(timeline.now()), 100);
    timeline.pass({"query", "a.cpp:2"}, 7);
    EXPECT_EQ(microseconds(timeline.now()), 107);
    EXPECT_EQ(microseconds(timeline.end_of(stream)), 0);  // its streams have nothing to do
}

TEST(HostTimeline, AddsUpWhatItTells) {
    HostTimeline timeline = timeline_of_tests();
    const StreamId one = timeline.add_stream(0);
    const StreamId two = timeline.add_stream(0);
    for (int i = 0; i < 3; ++i) {
        timeline.copy(one, timeline.issue({"copy", "a.cpp:1"}), to_device);
        timeline.kernel(two, timeline.issue({"k", "a.cpp:2"}), all_cores);
        timeline.kernel(one, timeline.issue({"l", "a.cpp:3"}), all_cores);
        timeline.synchronise(std::array{one, two}, {"wait", "a.cpp:4"});
    }
    timeline.finish();
    const HostTimes times = times_of(timeline);
    const DeviceTimes& device = times.devices.at(0);
    EXPECT_EQ(device.computing + device.copies + device.launching + device.host + device.free, times.length);
    Picoseconds critical = 0;
    Picoseconds waited = 0;
    for (const CallTimes& call : times.calls) {
        critical += call.critical;
        waited += call.waited;
    }
    EXPECT_EQ(critical, times.length);
    EXPECT_EQ(waited, device.host);
    ASSERT_EQ(times.calls.size(), 4U);
    EXPECT_EQ(times.calls[0].count, 3U);
    EXPECT_EQ(microseconds(times.calls[0].device), 300);
    EXPECT_EQ(microseconds(times.calls[0].with_launch), 3 * (5 + 100));
}

TEST(HostTimeline, TellsWhichRankOthersWaitedFor) {
    HostTimeline timeline = timeline_of_tests();
    const std::array streams{timeline.add_stream(0), timeline.add_stream(1)};
    const auto first = timeline.issue({"all-reduce", "a.cpp:1"});
    const auto early = timeline.record(streams[0], first);
    timeline.kernel(streams[1], timeline.issue({"k", "a.cpp:2"}), all_cores);
    const auto second = timeline.issue({"all-reduce", "a.cpp:1"});
    const auto late = timeline.record(streams[1], second);
    bool moved = false;
    std::vector<Picoseconds> ends;
    const auto note = [&](Picoseconds now) { ends.push_back(now); };
    static_cast<void>(
        timeline.collective({{streams[0], first, early, note}, {streams[1], second, late, note}},
                            {.bytes = million_bytes, .ranks = {0, 1}},
                            [&] { moved = true; }));
    timeline.finish();
    EXPECT_TRUE(moved);
    // Each rank reduces half of the bytes and gathers the other, over a link of 20 GB/s.
    EXPECT_EQ(ends, std::vector(2, picoseconds(10 + 8 + 50 + 2 * 25)));
    const HostTimes times = times_of(timeline);
    ASSERT_EQ(times.collectives.size(), 1U);
    const CollectiveTimes& all_reduce = times.collectives[0];
    EXPECT_EQ(all_reduce.count, 1U);
    ASSERT_EQ(all_reduce.ranks.size(), 2U);
    EXPECT_EQ(microseconds(all_reduce.ranks[0].waited), 10 + 8 + 50 - 5);
    EXPECT_EQ(all_reduce.ranks[0].last, 0U);
    EXPECT_EQ(microseconds(all_reduce.ranks[1].waited), 0);
    EXPECT_EQ(all_reduce.ranks[1].last, 1U);
}

}  // namespace
}  // namespace ascendsim::node
