// SPDX-License-Identifier: Apache-2.0
// Steps of many devices, served loads and their plots: golden pictures and a user's ways through them.
#include "gui/document/testing/machines.hpp"

#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gui/panels/testing/view_bench.hpp"

namespace ascendsim::gui {
namespace {

ViewBench machine_bench(int width = 1280, int height = 720) {
    return ViewBench{panels_of_a_run({"parameters", "runs", "lessons"}), width, height};
}

struct MachineCase {
    std::uint32_t servers;
    std::uint32_t per_server;
    std::uint64_t tasks;
};

void expect_machine(const MachineCase& one,
                    std::string_view name,
                    std::string_view script,
                    int width = 1280,
                    int height = 720) {
    const record::testing::TemporaryFile file;
    RecordedMachine{file.path(), one.servers, one.per_server, one.tasks}.finish();
    ViewBench bench = machine_bench(width, height);
    bench.open(file.path());
    bench.play(script);
    expect_golden(bench.host, std::filesystem::path{ASCENDSIM_GOLDEN} / fmt::format("step_{}.png", name));
}

constexpr std::string_view show_over_time = "command panel.show_over_time\nframes 3\n";

TEST(MachineGolden, OfAnEmptyStep) {
    expect_machine({1, 2, 0}, "empty", "frames 3\n");
}

TEST(MachineGolden, OfASmallStepWithASelectedTask) {
    expect_machine(
        {1, 4, 6},
        "small",
        "command panel.show_over_time\nframes 3\nclick @timeline/node0/device0/stream:main/2\nframes 3\n"
        "move @over_time/0:0.5,0.5\nframes 3\n");
}

TEST(MachineGolden, OfALargeStepOfTwoServersInTheLightTheme) {
    expect_machine(
        {2, 8, 3000}, "large", "set view.theme light\ncommand panel.show_over_time\nframes 3\n", 1920, 1080);
}

TEST(MachineGolden, NodeViewAtTheReduction) {
    // Six tasks take 66 us; the reduction is half over at 76 us.
    expect_machine(
        {1, 8, 6}, "node", "set view.cursor 76000\ncommand panel.show_chip_view\nframes 3\n", 1600, 900);
}

TEST(MachineGolden, NodeViewOfTwoServersOfSixteen) {
    expect_machine({2, 16, 6}, "servers", "command panel.show_chip_view\nframes 3\n");
}

TEST(MachineGolden, PlotsOfAStep) {
    expect_machine(
        {1, 4, 6}, "plots", "command panel.show_plots\nframes 3\nmove @plots/1:0.5,0.5\nframes 3\n");
}

TEST(MachineGolden, OfAServedLoad) {
    const record::testing::TemporaryFile file;
    record_served(file.path());
    ViewBench bench = machine_bench(1280, 720);
    bench.open(file.path());
    bench.play(show_over_time);
    expect_golden(bench.host, std::filesystem::path{ASCENDSIM_GOLDEN} / "served.png");
}

TEST(Machines, SeveralServersFoldAsOne) {
    const record::testing::TemporaryFile file;
    RecordedMachine{file.path(), 2, 2, 4}.finish();
    ViewBench bench = machine_bench(1600, 1200);
    bench.open(file.path());
    bench.play("command timeline.unfold_all\nframes 3\n");
    EXPECT_TRUE(bench.host.anchor("timeline/head/node1").has_value());
    EXPECT_TRUE(bench.host.anchor("timeline/node1/device3/stream:main").has_value());
    EXPECT_TRUE(bench.host.anchor("timeline/links/link:pair 0 1").has_value());
    bench.play("click @timeline/head/node1\nframes 3\n");
    EXPECT_FALSE(bench.host.anchor("timeline/node1/device3/stream:main").has_value());
    EXPECT_FALSE(bench.host.anchor("timeline/head/node1/device3").has_value());
    EXPECT_TRUE(bench.host.anchor("timeline/node0/device0/stream:main").has_value());
}

TEST(Machines, OneServerNeedsNoHead) {
    const record::testing::TemporaryFile file;
    RecordedMachine{file.path(), 1, 2, 4}.finish();
    ViewBench bench = machine_bench();
    bench.open(file.path());
    bench.play("frames 3\n");
    EXPECT_FALSE(bench.host.anchor("timeline/head/node0").has_value());
    EXPECT_TRUE(bench.host.anchor("timeline/head/node0/device1").has_value());
}

TEST(Machines, ATaskTellsItsFourTimes) {
    const record::testing::TemporaryFile file;
    RecordedMachine{file.path(), 1, 2, 4}.finish();
    ViewBench bench = machine_bench();
    bench.open(file.path());
    bench.play(
        "frames 3\nclick @timeline/node0/device0/stream:main/2\nframes 3\n"
        "expect inspector.lane == \"node0/device0/main\"\n"
        "expect inspector.device_us == 7.5\n"
        "expect inspector.critical_us == 32\n"
        "expect text contains \"with launch\"\n");
}

TEST(Machines, AWaitOfAStreamSaysForWhom) {
    const record::testing::TemporaryFile file;
    RecordedMachine{file.path(), 1, 2, 4}.finish();
    ViewBench bench = machine_bench();
    bench.open(file.path());
    // Each of four tasks waits 2 us for its call; the reduction waits 44 us for the last task.
    bench.play(
        "frames 3\nclick @bubbles/row/main/issue\nframes 3\n"
        "expect inspector.label == \"waits for the host\"\n"
        "expect inspector.cycles == 2000\n"
        "key [\nframes 3\nexpect inspector.lane == \"node0/host/rank 0\"\n"
        "click @bubbles/row/communication/flag_data\nframes 3\n"
        "expect inspector.cycles == 44000\n");
}

TEST(Machines, ASummaryHasTheStepsParts) {
    const record::testing::TemporaryFile file;
    RecordedMachine{file.path(), 1, 2, 4}.finish();
    ViewBench bench = machine_bench();
    bench.open(file.path());
    // Four tasks of 11 us and 20 us of reduction.
    bench.play(
        "frames 3\nexpect summary.step_us == 64\nexpect summary.tried == 1\n"
        "expect text contains \"the host calls for forward\"\n"
        "click @summary/critical/0\nframes 3\nexpect inspector.cycles == 8000\n");
}

TEST(Machines, TimesAreNoCyclesOfAChip) {
    const record::testing::TemporaryFile file;
    RecordedMachine{file.path(), 1, 2, 4}.finish();
    ViewBench bench = machine_bench();
    bench.open(file.path());
    bench.play("frames 3\nexpect text contains \"64.00 \u00b5s\"\n");
    EXPECT_EQ(bench.host.screen_text().find("cycles"), std::string::npos);
}

TEST(Machines, OverTimeTellsValuesAtTheCursor) {
    const record::testing::TemporaryFile file;
    RecordedMachine{file.path(), 1, 2, 4}.finish();
    ViewBench bench = machine_bench();
    bench.open(file.path());
    bench.play(
        "command panel.show_over_time\nframes 3\nexpect over_time.rows == 2\nexpect over_time.1.top == 400\n"
        "move @over_time/0:0.95,0.5\nframes 3\nexpect text contains \"between devices: 16\"\n");
    const std::filesystem::path csv = bench.output.path() / "over_time.csv";
    bench.host.save_table(csv, "over_time");
    EXPECT_GT(std::filesystem::file_size(csv), 100U);
}

TEST(Machines, ADragOverTheStripsOfANodeMovesTime) {
    const record::testing::TemporaryFile file;
    RecordedMachine{file.path(), 2, 4, 4}.finish();
    ViewBench bench = machine_bench();
    bench.open(file.path());
    bench.play(
        "command panel.show_chip_view\nframes 3\nexpect node.server == 0\n"
        "click @node/strip:0.25,0.5\nframes 3\n");
    EXPECT_NEAR(bench.host.shell().view().cursor.value_or(-1), 16'000, 200);
    bench.play("click @node/server/1\nframes 3\nexpect node.server == 1\n");
    EXPECT_TRUE(bench.host.anchor("node/device/5").has_value());
    EXPECT_FALSE(bench.host.anchor("node/device/1").has_value());
    bench.play("command chip.step\nframes 3\nexpect chip.playing == false\n");
}

TEST(Machines, ATabIsThereForThoseWhoHaveSomethingToSay) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 4, 2}.finish();
    ViewBench bench = machine_bench();
    bench.open(file.path());
    bench.play("frames 2\n");
    EXPECT_FALSE(bench.host.anchor("tab/over_time").has_value());
    EXPECT_FALSE(bench.host.anchor("tab/plots").has_value());
}

TEST(Machines, NoNumberIsCutFromSmallToLargeWindows) {
    const record::testing::TemporaryFile file;
    RecordedMachine{file.path(), 1, 8, 6}.finish();
    for (const auto& [width, height, scale] :
         {std::tuple{1280, 720, 1.0}, std::tuple{1920, 1080, 1.0}, std::tuple{3840, 2160, 2.0}}) {
        ViewBench bench = machine_bench(width, height);
        bench.open(file.path());
        bench.play(fmt::format("set view.text_scale {}\ncommand panel.show_over_time\nframes 3\n", scale));
        EXPECT_NE(bench.host.screen_text().find("limit 400 W"), std::string::npos) << width;
        bench.play("command panel.show_plots\nframes 3\n");
        for (const std::string_view number : {"12 us, 20 %", "30 us, 50 %", "1,024"}) {
            EXPECT_NE(bench.host.screen_text().find(number), std::string::npos) << number << " at " << width;
        }
        bench.play("command panel.show_chip_view\nframes 3\n");
        for (int device = 0; device < 8; ++device) {
            const auto box = bench.host.anchor(fmt::format("node/device/{}", device));
            ASSERT_TRUE(box.has_value()) << width;
            EXPECT_NE(bench.host.screen_text().find(fmt::format("device {}", device)), std::string::npos)
                << width;
        }
    }
}

TEST(Machines, WhatDoesNotFitIsLeftOut) {
    const record::testing::TemporaryFile file;
    {
        record::Recorder recorder{file.path()};
        recorder.metadata({{"title", "odd"},
                           {"machine",
                            {{"servers", 3},
                             {"per_server", 2},
                             {"links", {{{"track", "//"}, {"from", "device 0"}, {"to", "network"}}, 5}}}},
                           {"step", {{"ranks", {{{"parts", 7}}, 4}}, {"tasks", "none"}, {"step_us", -5}}},
                           {"plots",
                            {1,
                             {{"kind", "stack"},
                              {"over_time", true},
                              {"series", {{{"x", {5, 5, 5}}, {"y", {-1, 1e308, 0}}}}}},
                             {{"series", {{{"x", {0}}, {"y", {0}}}}}, {"log_x", true}},
                             {{"kind", "bars"}, {"bars", {{{"value", "many"}}, {{"name", 7}}}}}}},
                           {"report", {{"figures", {3, {{"value", 4}}}}}}});
        const std::uint32_t lane = recorder.lane(record::TrackPath::parse("node900/device77/stream3"));
        recorder.span(lane, {.start = 10, .end = 50, .complete = 50, .op = recorder.op("far away")});
        recorder.finish({{"cycles", 100}});
    }
    ViewBench bench = machine_bench();
    bench.open(file.path());
    for (const std::unique_ptr<Panel>& panel : panels_of_a_run({"parameters", "runs", "lessons"})) {
        bench.play(fmt::format("command panel.show_{}\nframes 3\nmove @dock/centre:0.5,0.5\nframes 3\n",
                               panel->info().name));
    }
    EXPECT_TRUE(bench.host.anchor("panel/summary").has_value());
}

}  // namespace
}  // namespace ascendsim::gui
