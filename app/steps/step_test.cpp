// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/steps/step_report.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::steps {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::filesystem::path root{ASCENDSIM_ROOT};
const MachineFolders machines{.nodes = root / "models" / "nodes", .hosts = root / "models" / "hosts"};

StepProgram program_of(const std::string& text) {
    const char* folder = std::getenv("TEST_TMPDIR");
    const std::filesystem::path file =
        std::filesystem::path{folder != nullptr ? folder : "/tmp"} / "step_of_test.toml";
    std::ofstream{file} << text;
    return read_step(file, machines);
}

/// A program on `ranks` devices of Atlas 800T A2.
StepProgram tasks_on(int ranks, const std::string& tasks) {
    return program_of("[step]\nnode = \"atlas800t_a2\"\nranks = " + std::to_string(ranks) + "\n" + tasks);
}

StepFigures figures_of_program(const StepProgram& program) {
    return figures_of(program, run_step(program));
}

node::Picoseconds sum_of(const std::vector<Share>& shares) {
    node::Picoseconds sum = 0;
    for (const Share& share : shares) {
        sum += share.time;
    }
    return sum;
}

const Share& part(const RankTimes& rank, const std::string& what) {
    for (const std::vector<Share>* list : {&rank.parts, &rank.free}) {
        for (const Share& share : *list) {
            if (share.what == what) {
                return share;
            }
        }
    }
    throw UserError{"no part {}", what};
}

const std::string reduced_step = R"(
[[task]]
name = "backward"
us = 500
[[task]]
name = "lower"
us = 900
[[task]]
kind = "collective"
name = "reduce"
stream = "communication"
bytes = 8000000
after = ["backward"]
[[task]]
kind = "sync"
)";

TEST(Step, TakesTheTimeOfOneForTwoKernelsOfDifferentStreams) {
    const auto kernels = [](const std::string& second_stream) {
        return figures_of_program(
            tasks_on(1,
                     "[[task]]\nname = \"a\"\nus = 1000\nmode = \"graph\"\n"
                     "[[task]]\nname = \"b\"\nus = 1000\nmode = \"graph\"\nstream = \"" +
                         second_stream + "\"\n"));
    };
    // One start of a graph's task each: 1 us.
    EXPECT_DOUBLE_EQ(kernels("other").step_us, 1001);
    EXPECT_DOUBLE_EQ(kernels("main").step_us, 2002);
}

TEST(Step, AddsUpExactly) {
    const StepProgram program = tasks_on(4, reduced_step);
    const StepRun run = run_step(program);
    const StepFigures figures = figures_of(program, run);
    for (const RankTimes& rank : figures.ranks) {
        EXPECT_EQ(sum_of(rank.parts), run.schedule.length);
        EXPECT_EQ(sum_of(rank.free), part(rank, "free").time);
    }
    EXPECT_EQ(sum_of(figures.critical), run.schedule.length);
}

TEST(Step, HidesACollectiveBehindAKernel) {
    const StepFigures figures = figures_of_program(tasks_on(4, reduced_step));
    // It shows only where the stream of kernels starts the next: 8 us, task_gap_us.
    EXPECT_EQ(part(figures.ranks[0], "communication not overlapped").time, node::picoseconds(8));
    EXPECT_EQ(part(figures.ranks[0], "computing").time, node::picoseconds(1400));
}

TEST(Step, BlamesTheHostWhereKernelsAreShort) {
    const StepFigures figures =
        figures_of_program(tasks_on(1, "[[task]]\nname = \"tiny\"\nus = 5\ntimes = 100\n"));
    // 48.7 us a call (S27) against 5 us a kernel.
    EXPECT_NEAR(figures.step_us, 100 * 48.7 + 8 + 5, 1e-6);
    EXPECT_EQ(figures.ranks[0].free.front().what, "host: calls of tiny");
}

TEST(Step, NamesTheRankThatOthersWaitFor) {
    const StepFigures figures =
        figures_of_program(tasks_on(4,
                                    "[[task]]\nname = \"slow part\"\nus = 2000\nonly_rank = 2\n"
                                    "[[task]]\nkind = \"collective\"\nname = \"reduce\"\nbytes = 1000000\n"));
    EXPECT_GT(part(figures.ranks[0], "waits for rank 2").time, node::picoseconds(1900));
    EXPECT_EQ(part(figures.ranks[2], "computing").time, node::picoseconds(2000));
}

TEST(Step, TellsFourTimesApart) {
    const StepFigures figures = figures_of_program(
        tasks_on(1,
                 "[[task]]\nkind = \"copy\"\nname = \"one\"\nbytes = 25000000\nstream = \"a\"\n"
                 "[[task]]\nkind = \"copy\"\nname = \"two\"\nbytes = 25000000\nstream = \"b\"\n"
                 "[[task]]\nname = \"kernel\"\nus = 10\nstream = \"c\"\nafter = [\"two\"]\n"));
    const EntryTimes& two = figures.entries[1];
    EXPECT_NEAR(two.device_us, 8.8 + 25000000 / 24.9e3, 1e-3);  // latency and rate of the node's file
    EXPECT_NEAR(two.with_launch_us, 2 * two.device_us, 10);     // behind the first on the engine
    EXPECT_NEAR(two.critical_us, two.device_us, 10);
}

TEST(Step, GivesTheSameBytesTwice) {
    const StepProgram program = tasks_on(8, reduced_step);
    EXPECT_EQ(step_json(program, figures_of_program(program)).dump(),
              step_json(program, figures_of_program(program)).dump());
    EXPECT_EQ(step_trace(program, run_step(program)), step_trace(program, run_step(program)));
}

TEST(Step, RefusesWhatCannotRun) {
    const auto reading = [](int ranks, const std::string& tasks) {
        return [ranks, tasks] { (void)tasks_on(ranks, tasks); };
    };
    EXPECT_THAT(reading(1, "[[task]]\nname = \"a\"\nus = 1\nafter = [\"b\"]\n"),
                ThrowsMessage<UserError>(HasSubstr("'b' is no task above this one")));
    EXPECT_THAT(reading(4, "[[task]]\nkind = \"collective\"\nname = \"r\"\nbytes = 8\nonly_rank = 1\n"),
                ThrowsMessage<UserError>(HasSubstr("a collective that some ranks do not call never ends")));
    EXPECT_THAT(reading(9, "[[task]]\nname = \"a\"\nus = 1\n"), ThrowsMessage<UserError>(HasSubstr("ranks")));
    EXPECT_THAT(reading(1, ""), ThrowsMessage<UserError>(HasSubstr("[[task]] is missing")));
    EXPECT_THAT(reading(1, "[[task]]\nname = \"a\"\nus = 1\nbyte = 4\n"),
                ThrowsMessage<UserError>(HasSubstr("byte")));
}

TEST(Step, RunsTheShippedOnes) {
    for (const auto& file : std::filesystem::directory_iterator{root / "scenarios" / "steps"}) {
        const StepProgram program = read_step(file.path(), machines);
        EXPECT_THAT(step_text(program, figures_of_program(program)), HasSubstr("Where the step went"));
    }
}

}  // namespace
}  // namespace ascendsim::steps
