// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/advice_trials.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "gui/runs/testing/fake_simulator.hpp"
#include "gui/runs/workbench.hpp"
#include "gui/shell/view_state.hpp"

namespace ascendsim::gui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string two_buffers = "kernel.buffers=2";
const std::string three_buffers = "kernel.buffers=3";

class Trials : public ::testing::Test {
protected:
    fake::FakeSimulator simulator;
    Workbench bench{simulator.options()};

    void settle() {
        ASSERT_TRUE(
            fake::turn_until([&] { static_cast<void>(bench.run_a()); }, [&] { return !bench.busy(); }));
    }

    void open(const std::string& scenario) {
        bench.open(simulator.scenario_file(scenario));
        settle();
    }

    /// What advises a second buffer for run A.
    analysis::Advice advice_of_buffers() {
        const std::vector<analysis::Advice> advice = as_run(bench.run_a().get())->analysis()->advice;
        const auto one = std::ranges::find_if(advice, [](const analysis::Advice& each) {
            return std::ranges::find(each.tries, two_buffers) != each.tries.end();
        });
        return one == advice.end() ? analysis::Advice{} : *one;
    }

    /// The trial of a second buffer once it is done.
    const Trial& tried() {
        bench.try_advice({two_buffers});
        settle();
        return *bench.trials()->find(two_buffers);
    }
};

TEST_F(Trials, ATrialRunsBesideTheRunAndMeasuresWhatItGains) {
    open("add");
    const double before = bench.entry_a()->figure("time_us");
    bench.try_advice({two_buffers});
    EXPECT_TRUE(bench.trying());
    EXPECT_EQ(bench.trials()->progress().all, 2U) << "the run itself is repeated";
    settle();
    const Trial* trial = bench.trials()->find(two_buffers);
    ASSERT_NE(trial, nullptr);
    EXPECT_EQ(trial->result.problem, "");
    const double after = trial->run.figure("time_us");
    EXPECT_LT(after, before);
    EXPECT_DOUBLE_EQ(trial->result.gain, 1 - after / before);
    EXPECT_EQ(bench.entry_a()->number, 1) << "what is open stays open";
    EXPECT_EQ(bench.entry_b(), nullptr);
}

TEST_F(Trials, WhatATrialRecordedJoinsTheHistoryAndTheRepeatedRunDoesNot) {
    open("add");
    const Trial& trial = tried();
    ASSERT_EQ(bench.runs().size(), 2U);
    EXPECT_EQ(bench.runs()[1].number, trial.number);
    EXPECT_EQ(bench.runs()[1].name, "buffers=2");
    bench.select_b(trial.number);
    EXPECT_LT(bench.run_b()->cycles(), bench.run_a()->cycles());
    const auto left = std::filesystem::directory_iterator{simulator.options().run_folder};
    const auto recordings = std::count_if(
        begin(left), end(left), [](const auto& file) { return file.path().extension() == ".rec"; });
    EXPECT_EQ(recordings, 2);
}

TEST_F(Trials, GoOnBehindWhatGainedAsLongAsItGains) {
    simulator.add_roomy();
    open("roomy");
    const analysis::Advice one = advice_of_buffers();
    static_cast<void>(tried());
    EXPECT_THAT(bench.trials()->steps_behind(one), ElementsAre(three_buffers));
    bench.try_advice({three_buffers});
    EXPECT_THAT(bench.trials()->steps_behind(one), ElementsAre()) << "it is under way";
    settle();
    ASSERT_NE(bench.trials()->find(three_buffers), nullptr);
    EXPECT_THAT(bench.trials()->steps_behind(one), ElementsAre()) << "three gain less than two";
}

TEST_F(Trials, AStepThatCrashedIsOfferedAgainAndSaysWhatWentWrong) {
    simulator.add_roomy("brittle");
    open("brittle");
    const analysis::Advice one = advice_of_buffers();
    static_cast<void>(tried());
    bench.try_advice({three_buffers});
    settle();
    ASSERT_NE(bench.trials()->find(three_buffers), nullptr);
    EXPECT_EQ(bench.trials()->find(three_buffers)->result.problem,
              "cannot run: the simulator was ended by signal 11");
    EXPECT_THAT(bench.trials()->steps_behind(one), ElementsAre(three_buffers));
    bench.try_advice({three_buffers});
    EXPECT_THAT(bench.trials()->steps_behind(one), ElementsAre()) << "it is under way";
    settle();
    EXPECT_EQ(bench.trials()->find(three_buffers)->result.problem, "");
    EXPECT_THAT(bench.trials()->steps_behind(one), ElementsAre()) << "three gain less than two";
}

TEST_F(Trials, ACrashOfTheChildIsTheTrialsProblem) {
    open("fickle");
    const Trial& trial = tried();
    EXPECT_EQ(trial.result.problem, "cannot run: the simulator was ended by signal 11");
    EXPECT_EQ(trial.number, 0) << "nothing was recorded";
    EXPECT_EQ(trial.run.status, RunStatus::failed);
}

TEST_F(Trials, AProblemMayBeTriedAgainAndAMeasuredGainIsKept) {
    open("fickle");
    static_cast<void>(tried());
    bench.try_advice({two_buffers});
    EXPECT_TRUE(bench.trying());
    settle();
    open("add");
    static_cast<void>(tried());
    bench.try_advice({two_buffers});
    EXPECT_FALSE(bench.trying());
}

TEST_F(Trials, TimesAreNotComparedWhenTheRunItselfHasChanged) {
    open("edited");
    EXPECT_THAT(tried().result.problem, HasSubstr("what it is made of has changed"));
}

TEST_F(Trials, ARunWhoseScenarioIsGoneSaysSo) {
    open("add");
    std::filesystem::remove(simulator.scenario_file("add"));
    bench.try_advice({two_buffers});
    EXPECT_FALSE(bench.trying());
    EXPECT_THAT(bench.take_messages(),
                ElementsAre(HasSubstr("add.toml: the scenario of this run is not there any more")));
}

TEST_F(Trials, ASimulatorThatCannotBeStartedIsTheTrialsProblem) {
    open("add");
    std::filesystem::remove(simulator.folder() / "ascendsim");
    EXPECT_THAT(tried().result.problem, HasSubstr("cannot be started"));
}

TEST_F(Trials, StoppedTrialsCountAsNeverTried) {
    open("add");
    bench.try_advice({two_buffers});
    bench.cancel_trials();
    EXPECT_FALSE(bench.trying());
    EXPECT_EQ(bench.trials()->find(two_buffers), nullptr);
    settle();
    EXPECT_EQ(bench.runs().size(), 1U);
}

}  // namespace
}  // namespace ascendsim::gui
