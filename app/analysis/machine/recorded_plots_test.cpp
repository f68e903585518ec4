// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/machine/recorded_plots.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/analysis/machine/machine_layout.hpp"
#include "app/analysis/machine/recorded_step.hpp"

namespace ascendsim::analysis {
namespace {

TEST(RecordedPlots, AreReadAsTheyWereWritten) {
    const std::vector<RecordedPlot> plots{
        {.title = "Power",
         .note = "of a device",
         .y = "W",
         .over_time = true,
         .steps = true,
         .limit = 400,
         .series = {{"idle", {{0, 60}, {10, 80}}}}},
        {.title = "Ladder",
         .kind = PlotKind::bars,
         .x = "ms",
         .bars = {{"as it is", 3.5, "3.5 ms"}, {"graphs", 2, "2 ms"}}},
        {.title = "Scaling", .x = "devices", .log_x = true, .series = {{"efficiency", {{1, 100}, {8, 90}}}}}};
    const std::vector<RecordedPlot> again = plots_from_json(to_json(plots));
    ASSERT_EQ(again.size(), 3U);
    EXPECT_EQ(to_json(again), to_json(plots));
    EXPECT_EQ(again[0].limit, 400);
    EXPECT_EQ(again[0].series[0].points[1], (std::pair<double, double>{10, 80}));
    EXPECT_EQ(again[1].bars[1].name, "graphs");
    EXPECT_TRUE(again[2].log_x);
}

TEST(RecordedPlots, LeaveOutWhatDoesNotFit) {
    const auto read = [](const char* text) { return plots_from_json(nlohmann::json::parse(text)); };
    EXPECT_TRUE(read("7").empty());
    EXPECT_TRUE(read(R"({"title": "x"})").empty());
    EXPECT_TRUE(read(R"([1, null, {}, {"title": "no series"}, {"kind": "bars", "bars": 3}])").empty());
    const std::vector<RecordedPlot> plots =
        read(R"([{"series": [{"x": [1, 5, 3, "a"], "y": [2, 1e300, 4, 5]}, 7]}])");
    ASSERT_EQ(plots.size(), 1U);
    // 3 and "a", which counts as 0, go back in x.
    EXPECT_THAT(plots[0].series[0].points,
                ::testing::ElementsAre(std::pair<double, double>{1, 2}, std::pair<double, double>{5, 1e18}));
}

TEST(RecordedPlots, LayersOfAStackHaveTheSameMoments) {
    const std::vector<RecordedPlot> plots{
        {.title = "Memory",
         .kind = PlotKind::stack,
         .series = {
             {"weights", {{0, 1}, {2, 1}}}, {"odd", {{0, 1}, {3, 1}}}, {"gradients", {{0, 0}, {2, 5}}}}}};
    const std::vector<RecordedPlot> again = plots_from_json(to_json(plots));
    ASSERT_EQ(again[0].series.size(), 2U);
    EXPECT_EQ(again[0].series[1].name, "gradients");
}

TEST(RecordedPlots, ThinningKeepsTheLargest) {
    PlotSeries series{.name = "s", .points = {}};
    for (int i = 0; i < 100; ++i) {
        series.points.emplace_back(i, i == 37 ? 9 : i % 3);
    }
    const PlotSeries few = thinned(series, 10);
    ASSERT_EQ(few.points.size(), 10U);
    EXPECT_EQ(few.points[3], (std::pair<double, double>{30, 9}));
    EXPECT_EQ(thinned(series, 200).points.size(), 100U);
}

TEST(RecordedStep, IsReadFromWhatAStepWrites) {
    const nlohmann::json values = {
        {"node", "server"},
        {"step_us", 100.0},
        {"ranks",
         {{{"parts", {{"computing", 70.0}, {"free", 30.0}, {"copies", 0.0}}},
           {"bubbles",
            {{{"cause", "launch"}, {"us", 10.0}}, {{"cause", "host"}, {"us", 20.0}, {"place", "s:3"}}}}}}},
        {"tasks", {{{"name", "forward"}, {"calls", 4}, {"device_us", 5.0}, {"with_launch_us", 9.0}}}},
        {"critical_path", {{"forward", 60.0}, {"name", 40.0}}},
        {"energy", {{"average_w", 90.0}, {"limit_w", 400.0}}}};
    const RecordedStep step = step_from_json(values);
    ASSERT_EQ(step.ranks.size(), 1U);
    ASSERT_EQ(step.ranks[0].parts.size(), 2U) << "what takes no time is left out";
    EXPECT_EQ(step.ranks[0].parts[0].what, "computing");
    EXPECT_EQ(step.ranks[0].bubbles[0].what, "host");
    EXPECT_EQ(step.ranks[0].bubbles[0].place, "s:3");
    EXPECT_EQ(step.critical[1].what, "name") << "a task may be called as a key is";
    EXPECT_EQ(step.limit_w, 400);
    EXPECT_EQ(verdict(step),
              "Computing takes 70.0 % of the step; the device is free longest for 20.0 %: host");
    ASSERT_NE(times_of(step, "launch of forward"), nullptr);
    EXPECT_EQ(times_of(step, "forward")->with_launch_us, 9);
    EXPECT_EQ(times_of(step, "backward"), nullptr);
}

TEST(RecordedStep, StandsWhatIsNone) {
    EXPECT_EQ(verdict(step_from_json(nlohmann::json::parse("[1, 2]"))), "Nothing of this step takes time");
    const RecordedStep step = step_from_json(
        nlohmann::json::parse(R"({"ranks": [3, {"parts": 4}], "tasks": {"a": 1}, "critical_path": []})"));
    EXPECT_EQ(step.ranks.size(), 2U);
    EXPECT_TRUE(step.tasks.empty());
}

TEST(MachineLayout, IsReadAsItWasWritten) {
    const MachineLayout machine{
        .title = "two servers",
        .servers = 2,
        .per_server = 4,
        .links = {{"link:pair 0 1", {LinkEnd::device, 0}, {LinkEnd::device, 1}, 28},
                  {"link:host in 4 4", {LinkEnd::host, 4}, {LinkEnd::device, 4}, 25},
                  {"link:nic out 7 7", {LinkEnd::device, 7}, {LinkEnd::network, 0}, 25}}};
    const nlohmann::json values = to_json(machine);
    EXPECT_EQ(to_json(machine_from_json(values)), values);
    EXPECT_EQ(machine_from_json(values).links[1].from.number, 4U);
}

TEST(MachineLayout, HasNoLinksOfDevicesThatAreNone) {
    const MachineLayout machine = machine_from_json(nlohmann::json::parse(
        R"({"servers": 1e9, "per_server": -3, "links": [{"from": "device 0", "to": "device 9999"},
            {"from": "device x", "to": "network"}, {"from": "device 0", "to": "network"}, 5]})"));
    EXPECT_EQ(machine.servers, 4096U);
    EXPECT_EQ(machine.per_server, 1U);
    EXPECT_EQ(machine.links.size(), 1U);
}

}  // namespace
}  // namespace ascendsim::analysis
