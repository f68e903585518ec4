// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/analysis/machine/machine_layout.hpp"
#include "app/analysis/machine/recorded_plots.hpp"
#include "app/analysis/machine/recorded_step.hpp"
#include "app/steps/step_recording.hpp"
#include "app/steps/step_report.hpp"
#include "sim/base/error.hpp"
#include "sim/process/temporary_folder.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::steps {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::filesystem::path root{ASCENDSIM_ROOT};
const MachineFolders machines{.nodes = root / "models" / "nodes", .hosts = root / "models" / "hosts"};

StepProgram program_of(const std::string& text) {
    const process::TemporaryFolder folder;  // tests run beside each other
    const std::filesystem::path file = folder.path() / "step_of_test.toml";
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

TEST(Step, BlamesTheLineOfTheTask) {
    const StepFigures figures =
        figures_of_program(tasks_on(1, "[[task]]\nname = \"tiny\"\nus = 5\ntimes = 100\n"));
    EXPECT_THAT(figures.ranks[0].free.front().place, HasSubstr("step_of_test.toml:4"));
}

/// The advice whose text holds `words`.
StepAdvice advice_with(const StepProgram& program, const std::string& words) {
    for (const StepAdvice& one : step_advice(program, figures_of_program(program).step_us)) {
        if (one.text.find(words) != std::string::npos) {
            return one;
        }
    }
    throw UserError{"no advice with '{}'", words};
}

TEST(StepAdvice, GainsWhatItStates) {
    const StepProgram program = tasks_on(1, "[[task]]\nname = \"tiny\"\nus = 5\ntimes = 100\n");
    const StepAdvice graph = advice_with(program, "capture the kernels in a graph");
    // 100 starts of 1 us each (graph_task_us) before 5 us of kernel.
    EXPECT_DOUBLE_EQ(graph.step_us, 600);
    EXPECT_DOUBLE_EQ(graph.gain, 1 - 600 / (100 * 48.7 + 13));
    const StepAdvice fused = advice_with(program, "fuse the 100 launches");
    EXPECT_DOUBLE_EQ(fused.step_us, 48.7 + 8 + 500);
    EXPECT_THAT(fused.place, HasSubstr(":4"));
}

TEST(StepAdvice, OverlapsCopiesWithTheStepBefore) {
    const StepProgram program = tasks_on(1,
                                         "[[task]]\nkind = \"copy\"\nname = \"input\"\nbytes = 25000000\n"
                                         "[[task]]\nname = \"kernel\"\nus = 2000\nmode = \"launch\"\n");
    // The copy of 1013 us (8.8 us, 24.9 GB/s) runs beside the kernel, whose call comes behind the copy's: 5
    // us each.
    EXPECT_DOUBLE_EQ(advice_with(program, "overlap the copy 'input'").step_us, 5 + 5 + 8 + 2000);
}

TEST(StepAdvice, HidesHalfOfACollectiveBehindTheKernelsBeforeIt) {
    const StepProgram program = tasks_on(8, R"(
[[task]]
name = "backward"
us = 2000
times = 4
[[task]]
kind = "collective"
name = "gradients"
stream = "communication"
bytes = 200000000
after = ["backward"]
)");
    const double before = figures_of_program(program).step_us;
    const StepAdvice buckets = advice_with(program, "in two buckets");
    // What is left behind the kernels is the second half alone.
    const double collective = figures_of_program(program).entries[1].device_us;
    EXPECT_NEAR(before - buckets.step_us, collective / 2, collective / 20);
}

TEST(StepAdvice, SaysNothingWhereNothingHelps) {
    const StepProgram program = tasks_on(1, "[[task]]\nname = \"one\"\nus = 100000\nmode = \"graph\"\n");
    EXPECT_THAT(step_advice(program, figures_of_program(program).step_us), testing::IsEmpty());
}

TEST(Step, ComputesNumbersFromParameters) {
    const StepProgram program = program_of(
        "[step]\nnode = \"atlas800t_a2\"\nranks = 1\n[parameters]\nbatch = 4\nbytes = \"= 2 * batch\"\n"
        "[[task]]\nkind = \"copy\"\nname = \"x\"\nbytes = \"= bytes * 1024\"\n"
        "[[task]]\nname = \"y\"\nkernel = \"matmul\"\nknobs = { m = \"= batch\", shape = [\"= batch\", 3] "
        "}\n");
    EXPECT_EQ(program.tasks[0].bytes, 8192U);
    EXPECT_EQ(program.tasks[1].knobs[0].second, host::KnobValue{std::int64_t{4}});
    EXPECT_EQ(program.tasks[1].knobs[1].second, (host::KnobValue{host::Shape{4, 3}}));
}

TEST(Step, RefusesAParameterThatNothingUses) {
    EXPECT_THAT(
        [] {
            (void)program_of(
                "[step]\nnode = \"atlas800t_a2\"\nranks = 1\n[parameters]\nbatch = 4\nbatchh = 8\n"
                "[[task]]\nkind = \"copy\"\nname = \"x\"\nbytes = \"= batch * 1024\"\n");
        },
        ThrowsMessage<UserError>(
            HasSubstr("parameters.batchh: nothing is computed from it, did you mean 'batch'?")));
}

TEST(Step, LetsSeveralHostThreadsCallAtTheSameTime) {
    const auto step_us = [](const std::string& thread) {
        const std::string stream = "stream = \"b\"\n" + thread;
        return figures_of_program(tasks_on(1,
                                           "[[task]]\nname = \"a\"\nus = 5\ntimes = 10\n"
                                           "[[task]]\nname = \"b\"\nus = 5\ntimes = 10\n" +
                                               stream))
            .step_us;
    };
    EXPECT_NEAR(step_us(""), 20 * 48.7 + 13, 1e-6);
    EXPECT_NEAR(step_us("thread = \"second\"\n"), 10 * 48.7 + 13, 1e-6);
}

TEST(Step, DrawsTimesOfCallsWhereItIsTold) {
    const StepProgram program = tasks_on(1, "[[task]]\nname = \"a\"\nus = 5\nmode = \"launch\"\n");
    const StepRun run = run_step(program, {.host_us = [](double us) { return 2 * us; }});
    EXPECT_EQ(run.schedule.length, node::picoseconds(2 * 5 + 8 + 5));  // the device's part stays
}

TEST(Step, AddsUpItsEnergy) {
    StepProgram program = tasks_on(2, "[[task]]\nname = \"a\"\nus = 987\nmode = \"launch\"\n");
    EXPECT_FALSE(figures_of_program(program).energy);
    program.power = {{"idle", {{"cost", 90.0}, {"spread", 0.1}}},
                     {"cube", {{"cost", 4.0}}},
                     {"link", {{"cost", 32.0}}},
                     {"limit_w", 300.0}};
    const StepEnergy unknown = figures_of_program(program).energy.value();
    EXPECT_DOUBLE_EQ(unknown.idle, 90 * 1000e-6 * 2);  // two chips for 5 + 8 + 987 us
    EXPECT_EQ(unknown.unknown, 2U);
    program.tasks[0].use = analysis::EnergyUse{.cube_cycles = 5e6};  // at 4 nJ each
    const StepEnergy known = figures_of_program(program).energy.value();
    EXPECT_NEAR(known.kernels, 0.04, 1e-12);
    EXPECT_NEAR(known.devices.part("cube").joules, 0.04, 1e-12);
    EXPECT_EQ(known.unknown, 0U);
    EXPECT_NEAR(known.average_w, 90 + 20, 1e-9);
    // A thread of each rank is busy for the 5 us of its call; two of eight devices have a quarter of a
    // server.
    const double host = 2 * 5e-6 * program.host.core_w + 1000e-6 * program.host.idle_w / 4;
    EXPECT_DOUBLE_EQ(known.host.busy_us, 10);
    EXPECT_NEAR(known.host.joules, host, 1e-12);
    EXPECT_NEAR(known.joules, known.idle + known.kernels + host, 1e-12);
    EXPECT_NEAR(known.spread, std::hypot(0.1 * known.idle, program.host.power_spread * host), 1e-12);
}

TEST(Step, CountsHbmAtTheEndsOfTransfers) {
    const auto energy_of = [](const std::string& task) {
        StepProgram program = tasks_on(2, task);
        program.power = {{"idle", {{"cost", 90.0}}}, {"hbm", {{"cost", 40.0}}}, {"limit_w", 300.0}};
        return figures_of_program(program).energy.value();
    };
    // Each of two ranks has its megabyte written, at 40 pJ a byte.
    const StepEnergy copied = energy_of("[[task]]\nkind = \"copy\"\nname = \"x\"\nbytes = 1000000\n");
    EXPECT_NEAR(copied.transfer_hbm, 2 * 1e6 * 40e-12, 1e-12);
    EXPECT_NEAR(copied.devices.part("hbm").joules, copied.transfer_hbm, 1e-12);
    EXPECT_EQ(copied.kernels, 0);
    // What one reads, the other writes: each sends a half twice.
    const StepEnergy reduced = energy_of("[[task]]\nkind = \"collective\"\nname = \"x\"\nbytes = 1000000\n");
    EXPECT_NEAR(reduced.transfer_hbm, 2 * 2 * 1e6 * 40e-12, 1e-9);
}

TEST(StepRecording, HasTracksOfHostsStreamsAndLinks) {
    const StepProgram program = tasks_on(4, reduced_step);
    const StepRun run = run_step(program);
    const record::testing::TemporaryFile file{".rec"};
    write_step_recording(file.path(), program, run, figures_of(program, run));
    const record::Recording recording{file.path()};
    EXPECT_EQ(recording.cycles(), (run.schedule.length + 500) / 1000);  // a cycle is a nanosecond
    const auto lane = [&](const char* path) -> const record::Lane& {
        return recording.lane(recording.find(record::TrackPath::parse(path)).value());
    };
    const record::Lane& main = lane("node0/device3/stream:main");
    // It waits for the host's call, is launched, runs 500 us, and the same again.
    EXPECT_EQ(main.reason[0], record::Reason::issue);
    EXPECT_EQ(recording.lane(main.culprit_lane[0]).path.text(), "node0/host/thread:rank 3 host");
    EXPECT_EQ(recording.name(main.op[2]), "backward");
    EXPECT_EQ(main.end[2] - main.start[2], 500'000U);
    EXPECT_THAT(recording.site(main.site[2]).file, HasSubstr("step_of_test.toml"));
    const record::Lane& reduce = lane("node0/device3/stream:communication");
    EXPECT_EQ(reduce.reason[0], record::Reason::flag_data);
    EXPECT_EQ(recording.name(recording.lane(reduce.culprit_lane[0]).op[reduce.culprit_index[0]]), "backward");
    std::size_t links = 0;
    for (const record::Lane& one : recording.lanes()) {
        const bool is_link = one.path.kind() == record::TrackKind::link;
        links += is_link ? 1U : 0U;
        if (is_link) {  // 8 MB in four parts, scattered and gathered
            EXPECT_THAT(recording.name(one.op[0]), testing::AnyOf("2 MB", "4 MB in 2 flows"));
        }
        for (std::size_t i = 1; i < one.size(); ++i) {
            ASSERT_GE(one.start[i], one.end[i - 1]) << one.path.text();
        }
    }
    EXPECT_EQ(links, 12U);  // of each of four devices to each other one
    EXPECT_EQ(recording.metadata()["step"]["step_us"], figures_of(program, run).step_us);
}

TEST(StepRecording, BringsItsMachineAndPlotsAlong) {
    const record::testing::TemporaryFile file;
    const StepProgram program = tasks_on(4, reduced_step);
    const StepRun run = run_step(program);
    write_step_recording(file.path(), program, run, figures_of(program, run));
    const record::Recording recording{file.path()};
    const std::optional<analysis::MachineLayout> machine = analysis::machine_of(recording);
    ASSERT_TRUE(machine.has_value());
    EXPECT_EQ(machine->per_server, 4U);
    EXPECT_EQ(machine->links.size(), 12U);
    for (const analysis::MachineLink& link : machine->links) {
        EXPECT_TRUE(recording.find(record::TrackPath::parse(link.track))) << link.track;
    }
    const std::vector<analysis::RecordedPlot> plots = analysis::plots_of(recording);
    ASSERT_FALSE(plots.empty());
    EXPECT_EQ(plots[0].title, "Links");
    // What flows adds up to the bytes of all flows.
    double bytes = 0;
    for (std::uint32_t i = 0; i < run.graph.size(); ++i) {
        const node::Flow* const flow = run.graph.flow(node::TaskId{i});
        bytes += flow == nullptr ? 0 : static_cast<double>(flow->bytes);
    }
    double drawn = 0;
    for (const analysis::PlotSeries& series : plots[0].series) {
        for (std::size_t i = 1; i < series.points.size(); ++i) {
            drawn += series.points[i - 1].second * (series.points[i].first - series.points[i - 1].first);
        }
    }
    constexpr double gb_a_s_us = 1e3;  // B
    EXPECT_NEAR(drawn * gb_a_s_us, bytes, 1e-6 * bytes);
    const std::optional<analysis::RecordedStep> step = analysis::step_of(recording);
    ASSERT_TRUE(step.has_value());
    EXPECT_EQ(step->ranks.size(), 4U);
    EXPECT_NE(analysis::times_of(*step, "launch of backward"), nullptr);
}

TEST(StepRecording, OfATaskThatIsCalledLikeAKeyCanBeRead) {
    const record::testing::TemporaryFile file;
    const StepProgram program =
        tasks_on(1, "[[task]]\nname = \"text\"\nus = 5\n[[task]]\nname = \"start\"\nus = 5\n");
    const StepRun run = run_step(program);
    write_step_recording(file.path(), program, run, figures_of(program, run));
    EXPECT_EQ(analysis::step_of(record::Recording{file.path()})->tasks[0].name, "text");
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
    EXPECT_THAT(reading(1, "[[task]]\nname = \"a\"\nus = \"= n + 1\"\n"),
                ThrowsMessage<UserError>(HasSubstr("n")));
    EXPECT_THAT(reading(1, "[[task]]\nkind = \"copy\"\nname = \"a\"\nbytes = \"= 1 / 2\"\n"),
                ThrowsMessage<UserError>(HasSubstr("outside [1")));
    EXPECT_THAT(reading(1, "[[task]]\nname = \"a\"\nus = 1\nbyte = 4\n"),
                ThrowsMessage<UserError>(HasSubstr("byte")));
}

TEST(Step, RunsTheShippedOnes) {
    for (const auto& file : std::filesystem::recursive_directory_iterator{root / "scenarios" / "steps"}) {
        if (!file.is_regular_file()) {
            continue;
        }
        const StepProgram program = read_step(file.path(), machines);
        EXPECT_THAT(step_text(program, figures_of_program(program)), HasSubstr("Where the step went"));
    }
}

}  // namespace
}  // namespace ascendsim::steps
