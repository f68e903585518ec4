// SPDX-License-Identifier: Apache-2.0
// Every lesson is run as a learner would: the start misses the goal, the solution reaches it.
#include "app/lessons/lesson.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::lessons {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const toolchain::Installation& installation() {
    static const toolchain::Installation found = toolchain::Installation::find();
    return found;
}

nlohmann::json run(const Lesson& lesson, const std::vector<Setting>& settings) {
    const fs::path base = fs::path{testing::TempDir()} / fmt::format("lesson_{}.{}", lesson.name, getpid());
    const std::string figures = base.string() + ".json";
    const std::string recording = base.string() + ".rec";
    std::vector<std::string> command{
        (installation().libraries.parent_path() / "bin" / "ascendsim").string(), "run", lesson.file.string()};
    command.insert(command.end(), {"--timing-only", "--quiet", "--json", figures, "--record", recording});
    for (const auto& [path, value] : settings) {
        command.insert(command.end(), {"--set", path + "=" + value});
    }
    process::Subprocess process{command};
    const int exit = process.wait();
    EXPECT_EQ(exit, 0) << lesson.name << ": " << process.output();
    nlohmann::json json = nlohmann::json::parse(std::ifstream{figures}, nullptr, false);
    fs::remove(figures);
    fs::remove(recording);
    return json;
}

std::vector<Lesson> all() {
    return read_lessons(installation().lessons());
}

class EveryLesson : public testing::TestWithParam<Lesson> {};

TEST_P(EveryLesson, StartMissesTheGoalAndTheSolutionReachesIt) {
    const Lesson& lesson = GetParam();
    const nlohmann::json start = run(lesson, {});
    EXPECT_FALSE(solved(lesson, start));
    const nlohmann::json end = run(lesson, lesson.solution);
    for (const Goal& goal : lesson.goals) {
        const GoalState before = state_of(goal, start);
        EXPECT_TRUE(before.value.has_value()) << goal.path << " is no figure of the run";
        EXPECT_FALSE(before.met) << goal.path << " is met from the start, at " << before.value.value_or(-1);
        const GoalState state = state_of(goal, end);
        EXPECT_TRUE(state.met) << goal.path << " is " << state.value.value_or(-1);
    }
    EXPECT_LT(end["cycles"], start["cycles"]) << "what a lesson teaches must pay";
}

TEST_P(EveryLesson, IsToldInFull) {
    const Lesson& lesson = GetParam();
    constexpr std::size_t a_paragraph = 200;
    EXPECT_GT(lesson.text.size(), a_paragraph);
    EXPECT_GE(lesson.hints.size(), 2U);
    EXPECT_FALSE(lesson.solution.empty());
    EXPECT_FALSE(lesson.after.empty());
    EXPECT_LE(lesson.knobs.size(), 4U) << "knobs are limited to the point";
}

INSTANTIATE_TEST_SUITE_P(Lessons, EveryLesson, testing::ValuesIn(all()), [](const auto& test) {
    return "lesson_" + test.param.name;
});

TEST(Lessons, ThereAreSixOrMore) {
    EXPECT_GE(all().size(), 6U);
}

std::string mistake_in(const std::string& text) {
    const fs::path file = fs::path{testing::TempDir()} / fmt::format("mistake.{}.toml", getpid());
    std::ofstream{file} << text;
    try {
        static_cast<void>(read_lesson(file));
    } catch (const UserError& error) {
        return error.what();
    }
    return "no mistake";
}

constexpr std::string_view head =
    "[lesson]\ntitle='t'\nsummary='s'\ntext='x'\ntask='k'\nafter='a'\nknobs=['kernel.tile']\n";

/// Their place in the list numbers them: a number of their own would stand there twice.
TEST_P(EveryLesson, HasATitleWithoutANumber) {
    ASSERT_FALSE(GetParam().title.empty());
    EXPECT_EQ(std::string{"0123456789"}.find(GetParam().title.front()), std::string::npos)
        << GetParam().title;
}

TEST(Lessons, MistakesNameTheLine) {
    EXPECT_THAT(mistake_in(std::string{head} + "[lesson.solution]\n"), HasSubstr("at least one goal"));
    EXPECT_THAT(mistake_in(std::string{head} + "[[lesson.goals]]\npath='cycles'\nwords='w'\n"),
                HasSubstr(":9"));
    EXPECT_THAT(mistake_in(std::string{head} + "[[lesson.goals]]\npath='cycles'\nwords='w'\nmax=1\n"
                                               "[lesson.solution]\n'kernel.buffers'=2\n"),
                HasSubstr("does not offer"));
}

TEST(Lessons, GoalsAreLimitsOnFiguresThatExist) {
    const nlohmann::json figures{{"pipes", {{"mte2", {{"utilization", 0.5}}}}}, {"chip", "910b1"}};
    const Goal at_least{.path = "pipes.mte2.utilization", .min = 0.5, .max = {}, .words = {}};
    const Goal at_most{.path = "pipes.mte2.utilization", .min = {}, .max = 0.49, .words = {}};
    const Goal missing{.path = "pipes.mte3.utilization", .min = {}, .max = 1, .words = {}};
    const Goal a_word{.path = "chip", .min = 0, .max = {}, .words = {}};
    EXPECT_TRUE(state_of(at_least, figures).met);
    EXPECT_FALSE(state_of(at_most, figures).met);
    EXPECT_FALSE(state_of(missing, figures).met);
    EXPECT_FALSE(state_of(missing, figures).value.has_value());
    EXPECT_FALSE(state_of(a_word, figures).met);
}

}  // namespace
}  // namespace ascendsim::lessons
