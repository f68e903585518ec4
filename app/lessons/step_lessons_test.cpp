// SPDX-License-Identifier: Apache-2.0
// Lessons about machines: steps with a task, which 'ascendsim step' runs.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/lessons/lesson_text.hpp"
#include "app/scenario/overrides.hpp"
#include "app/steps/kernel_times.hpp"
#include "app/steps/step_report.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::lessons {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const toolchain::Installation& found() {
    static const toolchain::Installation installation = toolchain::Installation::find();
    return installation;
}

std::vector<Lesson> step_lessons() {
    return read_lessons(found().scenarios() / "steps" / "lessons");
}

/// The figures of a lesson's step with these settings.
nlohmann::json figures_with(const Lesson& lesson, const std::vector<Setting>& settings) {
    setenv("XDG_CACHE_HOME", (found().libraries.parent_path() / "test_cache").c_str(), 1);
    std::vector<scenario::Override> overrides;
    for (const auto& [path, value] : settings) {
        overrides.push_back(scenario::parse_override(path + "=" + value));
    }
    const fs::path models = found().root / "models";
    std::vector<steps::StepProgram> programs{
        steps::read_step(scenario::with_overrides(TomlFile::open(lesson.file), overrides),
                         {.nodes = models / "nodes", .hosts = models / "hosts"})};
    steps::time_kernels(programs, found(), {.jobs = 2, .progress = {}});
    const steps::StepRun run = steps::run_step(programs[0]);
    return steps::step_json(programs[0], steps::figures_of(programs[0], run));
}

class StepLessons : public testing::TestWithParam<Lesson> {};

TEST_P(StepLessons, StartMissesTheGoalAndTheSolutionReachesIt) {
    const Lesson& lesson = GetParam();
    const nlohmann::json start = figures_with(lesson, {});
    const nlohmann::json end = figures_with(lesson, lesson.solution);
    for (const Goal& goal : lesson.goals) {
        const GoalState before = state_of(goal, start);
        EXPECT_TRUE(before.value.has_value()) << goal.path << " is no figure of the step";
        EXPECT_FALSE(before.met) << goal.path << " is met from the start, at " << before.value.value_or(-1);
        const GoalState state = state_of(goal, end);
        EXPECT_TRUE(state.met) << goal.path << " is " << state.value.value_or(-1);
    }
    EXPECT_LT(end["step_us"], start["step_us"]) << "what a lesson teaches must pay";
    EXPECT_THAT(lesson_text(lesson, start), HasSubstr("missed"));
    EXPECT_THAT(lesson_text(lesson, start), HasSubstr("Hint: " + lesson.hints.front()));
    EXPECT_THAT(lesson_text(lesson, end), HasSubstr(lesson.after));
}

INSTANTIATE_TEST_SUITE_P(Lessons, StepLessons, testing::ValuesIn(step_lessons()), [](const auto& test) {
    return "step_" + test.param.name;
});

TEST(LessonsOfSteps, ThereAreFive) {
    EXPECT_EQ(step_lessons().size(), 5U);
}

}  // namespace
}  // namespace ascendsim::lessons
