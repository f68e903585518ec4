// SPDX-License-Identifier: Apache-2.0
// What held a device of a host program up, whose line that was, and what changes of the program would save.
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/node/host_timeline.hpp"
#include "models/node/host_times.hpp"

namespace ascendsim::node {
namespace {

/// 5 us a call, 8 us from a call's arrival to its work, 10 us to wake the host. 1 MB takes 100 us each way,
/// twice that from pageable memory, and 50 us between devices.
HostTimeline two_devices() {
    NodeSpec node;
    node.name = "tests";
    node.devices.per_server = 2;
    node.links.pair_gb_per_s = 20;
    node.hccs_near.read_dd = {.gb_per_s = 20, .latency_us = 0};
    node.copy = {.h2d_gb_per_s = 10,
                 .d2h_gb_per_s = 10,
                 .h2d_latency_us = 0,
                 .d2h_latency_us = 0,
                 .floor_us = 0,
                 .pageable_gb_per_s = 5,
                 .pageable_us = 0};
    return {node, HostSpec{.launch_us = 5, .graph_task_us = 1, .task_gap_us = 8, .sync_us = 10}};
}

constexpr CopyLoad copy_in{.from = {}, .to = 0, .bytes = 1'000'000};
constexpr KernelLoad fifty_us{.us = 50, .cube_share = 0, .vector_share = 1};

double share(const DeviceTimes& device, const std::string& what, const std::string& place) {
    double us = 0;
    for (const Share& cause : device.idle) {
        us += cause.what == what && cause.place == place ? microseconds(cause.time) : 0;
    }
    return us;
}

void expect_sums(const HostTimes& times) {
    for (const DeviceTimes& device : times.devices) {
        const Picoseconds idle = device.launching + device.waiting + device.host + device.free;
        EXPECT_EQ(device.computing + device.communication + device.copies + idle, times.length);
        Picoseconds causes = 0;
        for (const Share& cause : device.idle) {
            causes += cause.time;
        }
        EXPECT_EQ(causes, idle);
    }
}

TEST(HostCauses, NameTheLineOfEachWait) {
    HostTimeline timeline = two_devices();
    const StreamId stream = timeline.add_stream(0);
    timeline.copy(stream, timeline.issue({"copy", "a.cpp:1"}), copy_in);
    timeline.kernel(stream, timeline.issue({"k", "a.cpp:2"}, IssuedWork::kernel), fifty_us);
    timeline.synchronise(std::array{stream}, {"wait", "a.cpp:3"});
    timeline.finish();
    const HostTimes times = times_of(timeline);
    ASSERT_EQ(times.devices.size(), 1U);
    const DeviceTimes& device = times.devices[0];
    EXPECT_EQ(microseconds(times.length), 5 + 100 + 8 + 50 + 10);
    EXPECT_EQ(microseconds(device.copies), 100);
    EXPECT_EQ(share(device, "host: call of copy", "a.cpp:1"), 5);  // the kernel's call is behind the copy
    EXPECT_EQ(share(device, "launch of k", "a.cpp:2"), 8);
    EXPECT_EQ(share(device, "synchronisation, wait", "a.cpp:3"), 10);
    expect_sums(times);
}

TEST(HostCauses, BlameAnotherDevicesStream) {
    HostTimeline timeline = two_devices();
    const StreamId one = timeline.add_stream(0);
    const StreamId two = timeline.add_stream(1);
    timeline.copy(one, timeline.issue({"copy", "a.cpp:1"}), copy_in);                // 5 to 105
    const auto event = timeline.record(one, timeline.issue({"record", "a.cpp:2"}));  // at 105
    timeline.wait(two, timeline.issue({"wait", "a.cpp:3"}), event);
    timeline.kernel(two, timeline.issue({"k", "a.cpp:4"}, IssuedWork::kernel), fifty_us);  // called at 20
    timeline.finish();
    const HostTimes times = times_of(timeline);
    ASSERT_EQ(times.devices.size(), 2U);
    const DeviceTimes& second = times.devices[1];
    EXPECT_EQ(share(second, "waits for device 0, stream 0: copy", "a.cpp:1"), 105 - 20);
    EXPECT_EQ(microseconds(second.waiting), 85);
    EXPECT_EQ(microseconds(second.host), 20);
    EXPECT_EQ(microseconds(second.launching), 8);
    expect_sums(times);
}

TEST(HostCauses, PartCollectivesFromCopiesAndTellWhoCameLast) {
    HostTimeline timeline = two_devices();
    std::vector<HostTimeline::Rank> ranks;
    const StreamId first = timeline.add_stream(0);
    const StreamId second = timeline.add_stream(1);
    timeline.copy(second, timeline.issue({"copy", "a.cpp:1"}), {.from = {}, .to = 1, .bytes = 1'000'000});
    for (const StreamId stream : {first, second}) {
        const auto issued = timeline.issue({"HcclAllReduce", "a.cpp:2"});
        ranks.push_back({.stream = stream, .issued = issued, .arrived = timeline.record(stream, issued)});
    }
    timeline.collective(
        ranks, {.kind = CollectiveKind::all_reduce, .bytes = 1'000'000, .ranks = {0, 1}}, [] {});
    timeline.finish();
    const HostTimes times = times_of(timeline);
    ASSERT_EQ(times.devices.size(), 2U);
    const Picoseconds exchange = times.length - picoseconds(105);  // since the second device has its data
    EXPECT_EQ(times.devices[0].communication, exchange);
    EXPECT_EQ(times.devices[0].copies, 0U);
    EXPECT_EQ(times.devices[1].communication, exchange);
    EXPECT_EQ(microseconds(times.devices[1].copies), 100);
    EXPECT_EQ(share(times.devices[0], "waits for device 1, which comes later to HcclAllReduce", "a.cpp:2"),
              105 - 10);
    expect_sums(times);
}

TEST(HostCauses, BlameThreadsThatGiveTheDeviceWork) {
    HostTimeline timeline = two_devices();
    const StreamId stream = timeline.add_stream(0);
    timeline.kernel(stream, timeline.issue({"k", "a.cpp:1"}, IssuedWork::kernel), fifty_us);
    timeline.pass({"sleep", "a.cpp:2"}, 200);  // the same thread: the device waits for it
    timeline.finish();
    const HostTimes times = times_of(timeline);
    EXPECT_EQ(share(times.devices[0], "host: call of sleep", "a.cpp:2"), 205 - 63);
    expect_sums(times);
}

double saved(const HostTimeline& timeline, HostChange change) {
    for (const HostTrial& trial : timeline.trials()) {
        if (trial.change == change) {
            return microseconds(trial.saved);
        }
    }
    return 0;
}

constexpr KernelLoad one_us{.us = 1, .cube_share = 0, .vector_share = 1};

TEST(HostTrials, CaptureAndFuseShortKernels) {
    HostTimeline timeline = two_devices();
    const StreamId stream = timeline.add_stream(0);
    for (int i = 0; i < 10; ++i) {
        timeline.kernel(stream, timeline.issue({"k", "a.cpp:1"}, IssuedWork::kernel), one_us);
    }
    timeline.synchronise(std::array{stream}, {"wait", "a.cpp:2"});
    timeline.finish();
    // The first call, then a start and a kernel ten times, as 9 us are more than a call; then the host wakes.
    EXPECT_EQ(microseconds(timeline.length()), 5 + 10 * (8 + 1) + 10);
    EXPECT_EQ(saved(timeline, HostChange::capture), 9 * (8 - 1));  // starts of 1 us behind the first
    EXPECT_EQ(saved(timeline, HostChange::fuse), 9 * 8);           // no starts
    EXPECT_EQ(saved(timeline, HostChange::overlap), 0);
}

TEST(HostTrials, CaptureNothingAcrossWhatTheHostWaitsIn) {
    CopyLoad out = copy_in;
    std::swap(out.from, out.to);
    const std::vector<std::function<void(HostTimeline&, StreamId)>> held{
        [](HostTimeline& timeline, StreamId stream) {
            timeline.copy_now(stream, {"aclrtMemcpy", "a.cpp:2"}, copy_in);
        },
        [&out](HostTimeline& timeline, StreamId stream) {
            timeline.copy_now(stream, {"aclrtMemcpy", "a.cpp:2"}, out);
        },
        [](HostTimeline& timeline, StreamId /*stream*/) {
            timeline.pass({"aclrtQueryEventStatus", "a.cpp:2"}, 5);
        }};
    for (const auto& hold : held) {
        HostTimeline timeline = two_devices();
        const StreamId stream = timeline.add_stream(0);
        for (int i = 0; i < 4; ++i) {
            timeline.kernel(stream, timeline.issue({"k", "a.cpp:1"}, IssuedWork::kernel), one_us);
            hold(timeline, stream);
        }
        timeline.finish();
        EXPECT_EQ(saved(timeline, HostChange::capture), 0);
    }
}

TEST(HostTrials, CaptureAcrossAReadingOfTheClock) {
    HostTimeline timeline = two_devices();
    const StreamId stream = timeline.add_stream(0);
    for (int i = 0; i < 2; ++i) {
        timeline.kernel(stream, timeline.issue({"k", "a.cpp:1"}, IssuedWork::kernel), one_us);
        timeline.pass({"clock", ""}, 1, false);
    }
    timeline.finish();
    EXPECT_EQ(saved(timeline, HostChange::capture), 8 - 1);
}

TEST(HostTrials, OverlapAndPinACopy) {
    HostTimeline timeline = two_devices();
    const StreamId stream = timeline.add_stream(0);
    CopyLoad pageable = copy_in;
    pageable.pinned = false;
    timeline.copy(stream, timeline.issue({"copy", "a.cpp:1"}), pageable);  // 200 us
    timeline.kernel(
        stream, timeline.issue({"k", "a.cpp:2"}, IssuedWork::kernel), {.us = 300, .vector_share = 1});
    timeline.synchronise(std::array{stream}, {"wait", "a.cpp:3"});
    timeline.finish();
    const double length = microseconds(timeline.length());
    EXPECT_NEAR(length, 5 + 200 + 8 + 300 + 10, 1e-6);
    // Nobody waits for the copy: the kernel follows its own call.
    EXPECT_NEAR(saved(timeline, HostChange::overlap), length - (5 + 5 + 8 + 300 + 10), 1e-6);
    EXPECT_NEAR(saved(timeline, HostChange::pin), 100, 1e-6);
    EXPECT_EQ(saved(timeline, HostChange::capture), 0);  // one kernel is no graph
}

TEST(HostTrials, LeaveAloneWhatHasNothingToGain) {
    HostTimeline timeline = two_devices();
    const StreamId stream = timeline.add_stream(0);
    timeline.kernel(stream, timeline.issue({"k", "a.cpp:1"}, IssuedWork::kernel), fifty_us);
    timeline.synchronise(std::array{stream}, {"wait", "a.cpp:2"});
    timeline.finish();
    EXPECT_TRUE(timeline.trials().empty());
}

}  // namespace
}  // namespace ascendsim::node
