// SPDX-License-Identifier: Apache-2.0
// Pictures of the panels around runs, with a simulator that says the same in every build.
#include <cmath>

#include <gtest/gtest.h>

#include "gui/panels/testing/run_bench.hpp"

namespace ascendsim::gui {
namespace {

void expect(RunBench& bench, const char* golden) {
    bench.host().settle();
    expect_golden(bench.host(), std::filesystem::path{ASCENDSIM_GOLDEN} / golden);
}

const std::vector<std::string_view> run_panels{"parameters", "runs", "lessons", "compare", "chip_view"};

TEST(RunGolden, LessonSolvedByAnEditComparedWithItsStart) {
    RunBench bench{run_panels, 1280, 720};
    bench.open(bench.simulator.scenario_file("lesson"));
    bench.play(
        "expect lesson.solved == false\nclick @knob/kernel.buffers\nclick @knob/kernel.buffers/2\n"
        "click @lesson/run\nwait runs.count == 2 10\nwait runs.running == false 10\n"
        "expect lesson.solved == true\nexpect compare.time_change < -0.1\n"
        "click @chip/step\nmove @dock/right:0.5,0.9\nframes 3\n");
    expect(bench, "runs_lesson.png");
}

TEST(RunGolden, ParametersAndHistoryInTheLight) {
    RunBench bench{{"parameters", "runs", "chip_view"}, 1280, 720};
    bench.open(bench.simulator.scenario_file("add"));
    bench.play(
        "set view.theme light\nclick \"@knob_group/chip hbm\"\nclick @knob/kernel.tile double\n"
        "text \"9999999\"\nkey Enter\nframes 2\nexpect draft.changes == 1\n"
        "click @run/button\nframes 3\nexpect runs.count == 1\nclick @toast/0\n"
        "move @dock/right:0.5,0.95\nframes 3\n");
    expect(bench, "runs_parameters_light.png");
}

TEST(RunGolden, NothingOpenSaysWhatToDo) {
    RunBench bench{run_panels, 1280, 720};
    bench.open((bench.simulator.folder() / "run1.rec").string());
    bench.play("click @tab/lessons\nmove @dock/right:0.5,0.9\nframes 3\n");
    expect(bench, "runs_recording_only.png");
}

TEST(RunGolden, ManyCoresAndTilesOnALargeScreen) {
    RunBench bench{{"chip_view", "runs"}, 2560, 1440};
    const std::filesystem::path file = bench.simulator.folder() / "huge.rec";
    fake::write_recording(file, {.tiles = 20'000, .buffers = 2, .cores = 48});
    bench.open(file.string());
    bench.play("click @chip/core/aiv17\nmove @dock/left:0.5,0.9\nframes 3\nexpect chip.core == aiv17\n");
    expect(bench, "runs_chip_huge.png");
}

/// Where the summary tells of a trial that left a recording.
std::string tried_row(RunBench& bench) {
    for (const std::string& name : bench.host().anchor_names()) {
        if (name.starts_with("summary/tried/") && name.ends_with("/open")) {
            return name.substr(0, name.rfind('/'));
        }
    }
    return {};
}

/// The panels around runs with what the simulator recorded: nothing, a little, a great deal.
void expect_panels_of_runs(std::string_view name, const fake::SyntheticRun& recorded, int runs) {
    RunBench bench{{"parameters", "runs", "lessons", "summary"}, 1280, 720};
    fake::write_recording(bench.simulator.folder() / "run1.rec", recorded);
    bench.open(bench.simulator.scenario_file("lesson"));
    bench.play("click @tab/parameters\nclick @tab/lessons\nmove @dock/right:0.5,0.95\nframes 3\n");
    expect(bench, fmt::format("made_lesson_{}.png", name).c_str());
    bench.open(bench.simulator.scenario_file("add"));
    for (int n = 2; n < runs; ++n) {
        bench.play("click @run/button\nwait runs.running == false 10\n");
    }
    bench.play("click @tab/runs\nmove @dock/right:0.5,0.95\nframes 3\n");
    expect(bench, fmt::format("made_runs_{}.png", name).c_str());
}

TEST(RunGolden, RunsThatRecordedNothing) {
    expect_panels_of_runs("empty", {.tiles = 0, .buffers = 1, .cores = 0}, 2);
}

TEST(RunGolden, RunsThatRecordedALittle) {
    expect_panels_of_runs("small", {}, 3);
}

TEST(RunGolden, ManyRunsThatRecordedAGreatDeal) {
    expect_panels_of_runs("large", {.tiles = 1000, .buffers = 1, .cores = 48}, 14);
}

TEST(RunPanels, FailureShowsItsTextAndTheDashboardGoesOn) {
    RunBench bench{run_panels, 1280, 720};
    bench.open(bench.simulator.scenario_file("crash"));
    bench.play(
        "expect runs.status == failed\nexpect text contains \"signal 11\"\nexpect welcome == false\n"
        "click @tab/runs\nframes 2\nexpect anchor.runs/1 == true\n");
    bench.open(bench.simulator.scenario_file("wrong"));
    bench.play("expect text contains \"must be even\"\n");
}

TEST(RunPanels, PlayerStepsPlaysAndGoesBack) {
    RunBench bench{{"chip_view"}, 1280, 720};
    bench.open((bench.simulator.folder() / "run1.rec").string());
    bench.play("drag @chip/strip:0.1,0.5 3 0\nframes 2\n");
    const double dragged = bench.host().shell().value("chip.cycle").get<double>();
    EXPECT_EQ(dragged, std::floor(dragged)) << "a cycle as it is written, not a part of one";
    bench.play("click @chip/step\n");
    const double first = bench.host().shell().value("chip.cycle").get<double>();
    bench.play("click @chip/step\n");
    const double second = bench.host().shell().value("chip.cycle").get<double>();
    EXPECT_GT(second, first);
    bench.play("click @chip/step_back\n");
    EXPECT_EQ(bench.host().shell().value("chip.cycle").get<double>(), first);
    bench.play("click @chip/play\nexpect chip.playing == true\nframes 20\n");
    EXPECT_GT(bench.host().shell().value("chip.cycle").get<double>(), first);
    bench.play("click @chip/play\nexpect chip.playing == false\n");
}

TEST(RunPanels, HistorySelectsRenamesAndSwaps) {
    RunBench bench{run_panels, 1280, 720};
    bench.open(bench.simulator.scenario_file("add"));
    bench.play(
        "click @run/button\nwait runs.count == 2 10\nwait runs.running == false 10\n"
        "expect runs.a == 2\nexpect runs.b == 1\nkey X\nexpect runs.a == 1\n"
        "click @runs/2\nexpect runs.a == 2\nkey Shift+X\nexpect runs.b == 0\n"
        "click @runs/1 Shift\nexpect runs.b == 1\n"
        "click @runs/1 double\nframes 2\nkey Ctrl+A\ntext \"first try\"\nkey Enter\nframes 2\n"
        "expect text contains \"first try\"\nkey Ctrl+W\nexpect welcome == true\n");
}

TEST(RunPanels, AdviceIsTriedBesideTheDashboardAndSaysWhatItGains) {
    RunBench bench{{"summary", "runs", "parameters", "compare"}, 1280, 720};
    bench.open(bench.simulator.scenario_file("add"));
    bench.play(
        "command panel.show_summary\nframes 3\nclick @summary/try_all\nframes 2\n"
        "expect text contains \"Trying: \"\nexpect anchor.summary/stop_trying == true\n"
        "wait trials.busy == false 10\nframes 3\n"
        "expect trials.done == 1\nexpect runs.count == 2\nexpect runs.a == 1\nexpect runs.b == 0\n"
        "expect text contains \"tried kernel.buffers=2:\"\n");
    bench.play(fmt::format("click @{}/compare\nframes 3\nexpect runs.a == 1\nexpect runs.b == 2\n",
                           tried_row(bench)));
    bench.play(
        fmt::format("click @{}/open\nframes 3\nexpect runs.a == 2\nexpect runs.b == 1\n", tried_row(bench)));
}

TEST(RunPanels, AdviceThatGainedGoesOnAStepAtATime) {
    RunBench bench{{"summary", "runs", "parameters", "compare"}, 1280, 720};
    bench.simulator.add_roomy();
    bench.open(bench.simulator.scenario_file("roomy"));
    bench.play(
        "command panel.show_summary\nframes 3\nclick @summary/try_all\n"
        "wait trials.busy == false 10\nframes 3\n"
        "expect trials.done == 1\nexpect text contains \"Go on\"\n"
        "click @summary/try_all\nwait trials.busy == false 10\nframes 3\n"
        "expect trials.done == 2\nexpect anchor.summary/try_all == false\n");
}

TEST(RunPanels, ACrashOfATrialIsShownBesideItsAdvice) {
    RunBench bench{{"summary", "runs", "parameters"}, 1280, 720};
    bench.open(bench.simulator.scenario_file("fickle"));
    bench.play(
        "command panel.show_summary\nframes 3\nclick @summary/try_all\nwait trials.busy == false 10\nframes "
        "3\n"
        "expect text contains \"tried kernel.buffers=2: cannot run: \"\nexpect text contains \"ended by "
        "signal 11\"\n"
        "expect anchor.summary/try_all == true\n");
}

TEST(RunGolden, SummaryWithAdviceThatWasTried) {
    RunBench bench{{"summary", "runs", "parameters"}, 1280, 720};
    bench.open(bench.simulator.scenario_file("add"));
    bench.play(
        "command panel.show_summary\nframes 3\nclick @summary/try_all\nwait trials.busy == false 10\n"
        "move @dock/left:0.5,0.9\nframes 3\n");
    expect(bench, "summary_tried.png");
}

}  // namespace
}  // namespace ascendsim::gui
