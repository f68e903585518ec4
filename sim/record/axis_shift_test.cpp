// SPDX-License-Identifier: Apache-2.0
#include "sim/record/axis_shift.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "sim/record/recorder.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::record {
namespace {

using testing::TemporaryFile;

TEST(AxisShift, EndsWhereSomethingElseBeginsMuchLater) {
    const AxisMap axis{std::vector<AxisShift>{{0, 100}, {40, 500}}};
    EXPECT_EQ(axis.begin(0), 100U);
    EXPECT_EQ(axis.end(40), 140U);    // the first kernel's end
    EXPECT_EQ(axis.begin(40), 540U);  // the second one's start
    EXPECT_EQ(axis.begin(41), 541U);
    EXPECT_EQ(AxisMap{std::vector<AxisShift>{}}.end(7), 7U);
    EXPECT_EQ((AxisMap{std::vector<AxisShift>{{10, 5}}}.begin(9)), 9U);
}

TEST(AxisShift, PutsCoresAloneOntoTheAxis) {
    const TemporaryFile file;
    {
        Recorder recorder{file.path()};
        const std::uint32_t core = recorder.lane(TrackPath::parse("aiv0/vector"));
        const std::uint32_t thread = recorder.lane(TrackPath::parse("host/thread0"));
        recorder.span(core, {.issue = 10, .start = 10, .end = 40, .complete = 45});
        recorder.span(core, {.issue = 39, .start = 40, .end = 60, .complete = 60});
        recorder.span(thread, {.issue = 0, .start = 0, .end = 900, .complete = 900});
        recorder.event(
            {{"kind", "launch"}, {"start", 40}, {"first_core", 40}, {"cores_end", 60}, {"end", 60}});
        recorder.finish({{"cycles", 60}, {"executions", {{{"start", 0}, {"end", 60}, {"warm_up", false}}}}});
    }
    Recording recording{file.path()};
    EXPECT_EQ(recording.lane(0).start[0], 10U);  // decoded before it is put elsewhere
    recording.put_cores_on(AxisMap{std::vector<AxisShift>{{0, 100}, {40, 500}}}, 1000);
    const Lane& core = recording.lane(0);
    EXPECT_EQ(core.start[0], 110U);
    EXPECT_EQ(core.end[0], 140U);
    EXPECT_EQ(core.complete[0], 545U);  // beyond the second kernel's start, with which it goes
    EXPECT_EQ(core.start[1], 540U);
    EXPECT_EQ(core.end[1], 560U);
    EXPECT_EQ(recording.lane(1).end[0], 900U);
    EXPECT_EQ(recording.launch_end(0), 110U);
    EXPECT_EQ(recording.cycles(), 1000U);
    EXPECT_EQ(recording.events()[0]["start"], 540);
    EXPECT_EQ(recording.totals()["executions"][0]["start"], 100);
    EXPECT_EQ(recording.totals()["executions"][0]["end"], 560);
}

}  // namespace
}  // namespace ascendsim::record
