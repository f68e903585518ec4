// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/workbench.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "gui/runs/testing/fake_simulator.hpp"
#include "gui/shell/view_state.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorkbenchRuns : public ::testing::Test {
protected:
    fake::FakeSimulator simulator;
    Workbench bench{simulator.options()};

    void settle() {
        ASSERT_TRUE(
            fake::turn_until([&] { static_cast<void>(bench.run_a()); }, [&] { return !bench.busy(); }));
    }
};

TEST_F(WorkbenchRuns, OpeningAScenarioRunsIt) {
    bench.open(simulator.scenario_file("add"));
    EXPECT_TRUE(bench.running());
    EXPECT_EQ(bench.run_a()->title(), "Vector add");
    settle();
    ASSERT_EQ(bench.runs().size(), 1U);
    EXPECT_EQ(bench.runs()[0].status, RunStatus::complete);
    // The fourth core begins at 121; 8 tiles of 280 cycles, the last store, and 100 behind it.
    EXPECT_EQ(bench.runs()[0].figure("cycles"), 121 + 8 * 280 + 100 + 100);
    ASSERT_NE(as_run(bench.run_a().get()), nullptr);
    EXPECT_EQ(bench.run_b(), nullptr);
    EXPECT_EQ(bench.draft()->find("kernel.buffers")->base, "1") << "the scenario's value, not the default";
    EXPECT_EQ(bench.draft()->find("scenario.chip")->allowed.size(), 2U);
}

TEST_F(WorkbenchRuns, AFolderOpensItsOnlyRecording) {
    namespace fs = std::filesystem;
    bench.open(simulator.scenario_file("add"));
    settle();
    const fs::path recording = bench.runs()[0].recording;
    const fs::path folder = recording.parent_path() / "one";
    const auto message = [&] {
        try {
            bench.open(folder.string());
        } catch (const UserError& error) {
            return std::string{error.what()};
        }
        return std::string{"no error"};
    };
    fs::create_directory(folder);
    EXPECT_THAT(message(), HasSubstr("one: a folder without a recording (a .rec file"));
    fs::copy_file(recording, folder / "b.rec");
    EXPECT_EQ(message(), "no error");
    settle();
    ASSERT_NE(as_run(bench.run_a().get()), nullptr);
    EXPECT_EQ(bench.entry_a()->name, "b");
    fs::copy_file(recording, folder / "a.rec");
    EXPECT_THAT(message(), HasSubstr("one: a folder; name a recording in it (a.rec, b.rec)"));
    EXPECT_THROW(bench.open_b(folder.string()), UserError);
}

TEST_F(WorkbenchRuns, RunAfterAnEditKeepsTheOldOneAsB) {
    bench.open(simulator.scenario_file("add"));
    settle();
    bench.set_knob("kernel.buffers", "2");
    EXPECT_TRUE(bench.draft()->changed("kernel.buffers"));
    bench.run();
    settle();
    EXPECT_EQ(bench.entry_a()->number, 2);
    EXPECT_EQ(bench.entry_b()->number, 1);
    EXPECT_EQ(bench.entry_a()->name, "buffers=2");
    EXPECT_LT(bench.run_a()->cycles(), bench.run_b()->cycles());
    bench.swap_runs();
    EXPECT_EQ(bench.entry_a()->number, 1);
    EXPECT_GT(bench.run_a()->cycles(), bench.run_b()->cycles());
    bench.set_knob("kernel.buffers", "1");
    EXPECT_FALSE(bench.draft()->changed("kernel.buffers")) << "back at the base value";
}

TEST_F(WorkbenchRuns, AStepIsRunByTheCommandForSteps) {
    std::ofstream{simulator.scenario_file("machine")}
        << "[step]\ntitle = \"Two tasks\"\n[[task]]\nname = \"first\"\nstream = \"copies\"\n"
           "[[task]]\nname = \"second\"\n"
           "[lesson]\ntitle = \"Streams\"\nsummary = \"s\"\ntext = \"t\"\ntask = \"t\"\nhints = [\"h\"]\n"
           "knobs = [\"task.first.stream\", \"task.second.stream\"]\nafter = \"a\"\n"
           "[[lesson.goals]]\npath = \"cycles\"\nmax = 1\nwords = \"w\"\n"
           "[lesson.solution]\n\"task.second.stream\" = \"copies\"\n";
    bench.open(simulator.scenario_file("machine"));
    settle();
    ASSERT_EQ(bench.runs().size(), 1U);
    EXPECT_EQ(bench.runs()[0].error, "");
    EXPECT_EQ(bench.runs()[0].status, RunStatus::complete) << "the simulator here runs no such scenario";
    EXPECT_TRUE(bench.runs()[0].step);
    EXPECT_EQ(bench.draft()->title(), "Two tasks");
    ASSERT_EQ(bench.draft()->knobs().size(), 2U) << "a machine has no knobs of one chip";
    EXPECT_EQ(bench.draft()->knobs()[0].base, "copies");
    EXPECT_EQ(bench.draft()->knobs()[1].base, "") << "the file does not give it";
}

TEST_F(WorkbenchRuns, ARunUnderWaySaysSo) {
    EXPECT_EQ(bench.activity(), "");
    bench.open(simulator.scenario_file("hang"));
    ASSERT_NE(bench.run_a(), nullptr);
    EXPECT_TRUE(bench.run_a()->pending());
    EXPECT_THAT(bench.activity(), HasSubstr("Running hang: "));
    EXPECT_THAT(bench.activity(), HasSubstr("nothing recorded yet"));
    bench.cancel();
    settle();
    EXPECT_EQ(bench.activity(), "");
}

TEST_F(WorkbenchRuns, RecordingsOfOneNameHaveTheirFolders) {
    namespace fs = std::filesystem;
    bench.open(simulator.scenario_file("add"));
    settle();
    const fs::path recording = bench.runs()[0].recording;
    for (const char* folder : {"a", "b"}) {
        fs::create_directories(simulator.folder() / folder);
        fs::copy_file(recording, simulator.folder() / folder / "same.rec");
    }
    bench.open((simulator.folder() / "a" / "same.rec").string());
    EXPECT_EQ(bench.entry_a()->name, "same") << "alone";
    bench.open_b((simulator.folder() / "b" / "same.rec").string());
    EXPECT_EQ(bench.entry_a()->name, "a/same");
    EXPECT_EQ(bench.entry_b()->name, "b/same");
}

TEST_F(WorkbenchRuns, CrashLeavesWhatWasRecordedOpen) {
    bench.open(simulator.scenario_file("crash"));
    settle();
    EXPECT_EQ(bench.runs()[0].status, RunStatus::failed);
    EXPECT_THAT(bench.runs()[0].error, HasSubstr("signal 11"));
    EXPECT_THAT(bench.take_messages(), ElementsAre(HasSubstr("signal 11")));
    ASSERT_NE(as_run(bench.run_a().get()), nullptr);
    EXPECT_GT(bench.run_a()->cycles(), 0);
}

TEST_F(WorkbenchRuns, ComplaintIsShownAndTheOldRunStays) {
    bench.open(simulator.scenario_file("add"));
    settle();
    bench.open(simulator.scenario_file("wrong"));
    settle();
    EXPECT_EQ(bench.runs()[1].status, RunStatus::failed);
    EXPECT_EQ(bench.runs()[1].error, "wrong.toml:3: kernel.tile: must be even");
    EXPECT_NE(as_run(bench.run_a().get()), nullptr);
}

TEST_F(WorkbenchRuns, HangingRunCanBeCancelled) {
    bench.open(simulator.scenario_file("hang"));
    static_cast<void>(bench.run_a());
    EXPECT_TRUE(bench.running());
    EXPECT_TRUE(bench.obstacle().has_value());
    bench.cancel();
    settle();
    EXPECT_EQ(bench.runs()[0].status, RunStatus::cancelled);
    EXPECT_EQ(bench.run_a(), nullptr) << "nothing was recorded: back to the welcome page";
}

TEST_F(WorkbenchRuns, WrongValueDoesNotRun) {
    bench.open(simulator.scenario_file("add"));
    settle();
    bench.set_knob("kernel.buffers", "7");
    bench.run();
    EXPECT_FALSE(bench.running());
    EXPECT_THAT(bench.take_messages(), ElementsAre(HasSubstr("1 to 2")));
}

TEST_F(WorkbenchRuns, AutoRunWaitsForAPauseAndIsOffByDefault) {
    bench.open(simulator.scenario_file("add"));
    settle();
    EXPECT_FALSE(bench.auto_run());
    bench.set_auto_run(true);
    bench.set_knob("kernel.buffers", "2");
    static_cast<void>(bench.run_a());
    EXPECT_EQ(bench.runs().size(), 1U);
    EXPECT_TRUE(fake::turn_until([&] { static_cast<void>(bench.run_a()); },
                                 [&] { return bench.runs().size() == 2; }));
}

TEST_F(WorkbenchRuns, LessonOpensItsPanelAndKnowsItsGoal) {
    bench.open(simulator.scenario_file("lesson"));
    settle();
    ViewState view;
    for (const ViewEdit& edit : bench.take_edits()) {
        edit(view);
    }
    EXPECT_EQ(view.active_tabs["left"], "lessons");
    ASSERT_TRUE(bench.draft()->lesson().has_value());
    EXPECT_FALSE(lessons::solved(*bench.draft()->lesson(), bench.entry_a()->figures));
}

TEST_F(WorkbenchRuns, ARecordingsScenarioIsTakenUpWithTheValuesOfItsRun) {
    bench.open((simulator.folder() / "run1.rec").string());
    static_cast<void>(bench.run_a());
    ASSERT_NE(bench.origin(), nullptr);
    EXPECT_EQ(bench.origin()->scenario, simulator.scenario_file("add"));
    EXPECT_FALSE(bench.origin()->missing.has_value());
    bench.edit_run();
    settle();
    ASSERT_NE(bench.draft(), nullptr);
    EXPECT_TRUE(bench.draft()->changes().empty());
    bench.set_knob("kernel.buffers", "2");
    bench.run();
    settle();
    EXPECT_EQ(bench.entry_a()->name, "buffers=2");
    EXPECT_EQ(bench.entry_b()->name, "run1");
}

TEST_F(WorkbenchRuns, ARecordingWhoseScenarioIsGoneIsNotTakenUp) {
    bench.open((simulator.folder() / "run1.rec").string());
    std::filesystem::remove(simulator.scenario_file("add"));
    static_cast<void>(bench.run_a());
    bench.edit_run();
    EXPECT_EQ(bench.draft(), nullptr);
    EXPECT_THAT(bench.take_messages(), ElementsAre(HasSubstr("not there any more")));
}

TEST_F(WorkbenchRuns, WhatARunWasGivenIsTheBaseOfEdits) {
    Draft draft{simulator.options().program,
                simulator.scenario_file("add"),
                simulator.folder(),
                {{"kernel.buffers", "2"}, {"scenario.chip", "\"310p3\""}, {"command.arguments", "[\"4\"]"}}};
    ASSERT_TRUE(fake::turn_until([&] { draft.poll(); }, [&] { return !draft.loading(); }));
    EXPECT_EQ(draft.find("kernel.buffers")->base, "2") << "the scenario says 1";
    EXPECT_EQ(draft.find("scenario.chip")->base, "310p3");
    draft.set("kernel.buffers", "1");
    EXPECT_THAT(draft.settings(),
                ElementsAre(lessons::Setting{"command.arguments", "[\"4\"]"},
                            lessons::Setting{"kernel.buffers", "1"},
                            lessons::Setting{"scenario.chip", "\"310p3\""}));
}

TEST_F(WorkbenchRuns, RecordingsFromElsewhereJoinTheHistory) {
    bench.open((simulator.folder() / "run1.rec").string());
    bench.open_b((simulator.folder() / "run2.rec").string());
    ASSERT_EQ(bench.runs().size(), 2U);
    EXPECT_EQ(bench.entry_a()->name, "run1");
    EXPECT_EQ(bench.entry_b()->name, "run2");
    EXPECT_EQ(bench.draft(), nullptr);
    EXPECT_TRUE(bench.obstacle().has_value());
    bench.close();
    EXPECT_EQ(bench.run_a(), nullptr);
    EXPECT_THROW(bench.open("missing.rec"), UserError);
    EXPECT_THROW(bench.open("missing.toml"), UserError);
}

/// Cut before its totals, it has not ended; the figures beside it would be those of all of it.
TEST_F(WorkbenchRuns, ACutRecordingIsIncompleteUntilItsEndIsThere) {
    namespace fs = std::filesystem;
    const fs::path whole = simulator.folder() / "run1.rec";
    const fs::path cut = simulator.folder() / "cut.rec";
    fs::copy_file(whole, cut);
    fs::resize_file(cut, fs::file_size(whole) - 1);
    fs::copy_file(simulator.folder() / "run1.json", simulator.folder() / "cut.json");
    bench.open(whole.string());
    bench.open_b(cut.string());
    ASSERT_EQ(bench.runs().size(), 2U);
    EXPECT_EQ(bench.runs()[0].status, RunStatus::complete);
    EXPECT_EQ(bench.runs()[1].status, RunStatus::incomplete);
    EXPECT_EQ(name(bench.runs()[1].status), "incomplete");
    EXPECT_THAT(bench.runs()[1].error, HasSubstr("ends before its run did"));
    EXPECT_EQ(bench.runs()[1].figure("cycles"), 0);
    static_cast<void>(bench.run_b());
    EXPECT_EQ(bench.runs()[1].status, RunStatus::incomplete);
    fs::copy_file(whole, cut, fs::copy_options::overwrite_existing);
    ASSERT_TRUE(fake::turn_until([&] { static_cast<void>(bench.run_b()); },
                                 [&] { return bench.runs()[1].status == RunStatus::complete; }));
    EXPECT_EQ(bench.runs()[1].error, "");
    EXPECT_GT(bench.runs()[1].figure("cycles"), 0);
}

class OtherMaker final : public RunMaker {};

/// Panels get it back from the shell, which knows it only as what makes runs.
TEST_F(WorkbenchRuns, PanelsAskForItByWhatItIs) {
    OtherMaker other;
    Requests requests;
    ask_workbench(requests, [](Workbench& w) { w.set_auto_run(true); });
    const Requests::Taken taken = requests.take();
    ASSERT_EQ(taken.works.size(), 1U);
    taken.works.front()(other);
    EXPECT_FALSE(bench.auto_run());
    taken.works.front()(bench);
    EXPECT_TRUE(bench.auto_run());
}

}  // namespace
}  // namespace ascendsim::gui
