// SPDX-License-Identifier: Apache-2.0
// Launches that are under way at the same time.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/core/machine.hpp"
#include "models/core/testing_programs.hpp"

namespace ascendsim {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

Launch vector_launch(std::uint32_t blocks, Program program, std::uint32_t priority = 0) {
    return {.name = "vector",
            .kind = CoreUse::aiv,
            .blocks = blocks,
            .vector_program = std::move(program),
            .priority = priority};
}

Program busy_for(std::uint32_t cycles) {
    return [cycles] { work(Pipe::vector, cycles); };
}

/// 24 cube cores and 48 vector cores; the next block begins at once.
ChipSpec prompt_chip() {
    ChipSpec chip = plain_chip();
    chip.launch.block_cycles = 0;
    return chip;
}

/// Submits all launches at once.
std::vector<LaunchOutcome> run_beside(const std::vector<Launch>& launches,
                                      const ChipSpec& chip = prompt_chip()) {
    record::Recorder recorder{""};
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    machine.memory().allocate("x", 1 << 24);
    std::vector<LaunchOutcome> outcomes;
    machine.run([&](Machine& m) {
        std::vector<Machine::Ticket> tickets;
        for (const Launch& launch : launches) {
            tickets.push_back(m.submit_beside(launch));
        }
        for (const Machine::Ticket ticket : tickets) {
            outcomes.push_back(m.wait(ticket));
        }
    });
    return outcomes;
}

TEST(MachineBeside, TwoKernelsOnCoresOfTheirOwnTakeTheTimeOfOne) {
    const auto outcomes = run_beside({vector_launch(24, busy_for(100)), vector_launch(24, busy_for(100))});
    EXPECT_EQ(outcomes[0].start, 0U);
    EXPECT_EQ(outcomes[0].end, 100U);
    EXPECT_EQ(outcomes[1].start, 0U);
    EXPECT_EQ(outcomes[1].end, 100U);
}

TEST(MachineBeside, BlocksBeyondTheCoresWaitForThoseOfOthers) {
    ChipSpec chip = plain_chip();
    chip.launch.block_cycles = 7;
    const auto outcomes =
        run_beside({vector_launch(48, busy_for(100)), vector_launch(48, busy_for(50))}, chip);
    EXPECT_EQ(outcomes[0].end, 100U);
    EXPECT_EQ(outcomes[1].end, 100U + 7 + 50);
}

TEST(MachineBeside, ALaunchBeginsOnTheCoresThatAreFree) {
    ChipSpec chip = plain_chip();
    chip.launch.block_cycles = 7;
    std::vector<std::uint32_t> cores;
    const auto outcomes =
        run_beside({vector_launch(40, busy_for(100)),
                    vector_launch(16,
                                  [&cores] {
                                      cores.push_back(isa::CorePort::current().identity().core);
                                      work(Pipe::vector, 30);
                                  })},
                   chip);
    // Eight blocks run on the eight cores that the first leaves, the others behind them.
    EXPECT_EQ(outcomes[1].end, 30U + 7 + 30);
    std::ranges::sort(cores);
    ASSERT_EQ(cores.size(), 16U);
    for (std::size_t i = 0; i < cores.size(); ++i) {
        EXPECT_EQ(cores[i], 40 + i / 2);
    }
}

TEST(MachineBeside, FreeCoresGoToTheLowestPriorityNumber) {
    const auto outcomes = run_beside({vector_launch(48, busy_for(100)),
                                      vector_launch(48, busy_for(10), 5),
                                      vector_launch(48, busy_for(20), 1)});
    EXPECT_EQ(outcomes[2].cores_end, 120U);
    EXPECT_EQ(outcomes[1].cores_end, 130U);
}

TEST(MachineBeside, ALaunchDoesNotOvertakeOneThatWaitsForTheSameCores) {
    // The second needs a cube core with two vector cores and finds none; the third could have a vector core.
    const Launch cube{
        .name = "cube", .kind = CoreUse::aic, .blocks = 24, .cube_program = [] { work(Pipe::cube, 100); }};
    const Launch mixed{.name = "mixed",
                       .kind = CoreUse::mix_1_2,
                       .blocks = 24,
                       .vector_program = busy_for(10),
                       .cube_program = [] { work(Pipe::cube, 10); }};
    const auto outcomes = run_beside({cube, mixed, vector_launch(1, busy_for(1))});
    EXPECT_EQ(outcomes[1].cores_end, 110U);
    EXPECT_EQ(outcomes[2].cores_end, 111U);
}

TEST(MachineBeside, CubeAndVectorKernelsDoNotMeet) {
    const Launch cube{
        .name = "cube", .kind = CoreUse::aic, .blocks = 24, .cube_program = [] { work(Pipe::cube, 100); }};
    const auto outcomes = run_beside({cube, vector_launch(48, busy_for(60))});
    EXPECT_EQ(outcomes[0].cores_end, 100U);
    EXPECT_EQ(outcomes[1].cores_end, 60U);
}

TEST(MachineBeside, CoresOfOneLaunchMeetWhereverTheySit) {
    // The second's first cores wait in SyncAll for those that sit behind the first's.
    const auto outcomes = run_beside(
        {vector_launch(40, busy_for(100)), vector_launch(16, [] {
             isa::CorePort& core = isa::CorePort::current();
             work(Pipe::vector, 5);
             core.push(
                 {.info = &flag_info, .site = here, .kind = isa::OpKind::sync_all, .pipe = Pipe::scalar});
             core.await_all(false, here);
             work(Pipe::vector, 5);
         })});
    EXPECT_EQ(outcomes[0].cores_end, 100U);
    EXPECT_GE(outcomes[1].cores_end, 110U);
}

TEST(MachineBeside, KernelsCompeteForMemory) {
    const auto copy_from = [](std::uint64_t base) {
        return [base] {
            copy(Pipe::mte2,
                 isa::Route::gm_to_ub,
                 base + isa::CorePort::current().identity().block * 131072ULL,
                 131072);
        };
    };
    record::Recorder recorder{""};
    const ChipSpec chip = prompt_chip();
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    machine.memory().allocate("x", 1 << 24);
    machine.run([&](Machine& m) {
        const LaunchOutcome alone = m.launch(vector_launch(24, copy_from(0)));
        const auto first = m.submit_beside(vector_launch(24, copy_from(4 << 20)));
        const auto second = m.submit_beside(vector_launch(24, copy_from(8 << 20)));
        for (const auto ticket : {first, second}) {
            const LaunchOutcome outcome = m.wait(ticket);
            EXPECT_GT(outcome.end - outcome.start, alone.end - alone.start);
            EXPECT_LE(outcome.end - outcome.start, 2 * (alone.end - alone.start));
        }
    });
}

TEST(MachineBeside, EveryCoreIsAccountedForFromTheFirstCycleToTheLast) {
    record::Recorder recorder{""};
    const ChipSpec chip = plain_chip();
    Machine machine{chip, recorder, {.cold_code = false}};
    machine.run([](Machine& m) {
        const auto first = m.submit_beside(vector_launch(40, busy_for(10000)));
        m.let_pass(3000);
        const auto second = m.submit_beside(vector_launch(16, busy_for(500)));
        m.wait(second);
        m.wait(first);
        m.launch(vector_launch(3, busy_for(10)));
    });
    const std::uint64_t end = machine.totals().cycles;
    recorder.finish({});
    for (std::uint32_t lane = 0; lane < recorder.lane_count(); ++lane) {
        EXPECT_EQ(recorder.totals(lane).first, 0U) << lane;  // and no span leaves a gap
        EXPECT_EQ(recorder.totals(lane).last, end) << lane;
    }
}

TEST(MachineBeside, EachChipHasItsOwnCoresAndL2) {
    record::Recorder recorder{""};
    const ChipSpec chip = prompt_chip();
    const MachineOptions options{.cold_code = false, .launch_overhead = false};
    Machine machine{chip, recorder, options};
    Machine other{machine, options};
    machine.memory().allocate("x", 1 << 24);
    EXPECT_EQ(&other.memory(), &machine.memory());
    const auto read = [] {
        copy(Pipe::mte2, isa::Route::gm_to_ub, isa::CorePort::current().identity().block * 4096ULL, 4096);
    };
    machine.run([&](Machine& m) {
        const auto first = m.submit_beside(vector_launch(48, busy_for(100)));
        const auto second = other.submit_beside(vector_launch(48, busy_for(100)));
        EXPECT_EQ(m.wait(first).end, 100U);
        EXPECT_EQ(m.wait(second).end, 100U);
        const auto us = [](const LaunchOutcome& outcome) { return outcome.end - outcome.start; };
        const std::uint64_t cold = us(m.wait(m.submit_beside(vector_launch(8, read))));
        const std::uint64_t warm = us(m.wait(m.submit_beside(vector_launch(8, read))));
        EXPECT_LT(warm, cold);
        EXPECT_EQ(us(m.wait(other.submit_beside(vector_launch(8, read)))), cold);
    });
    EXPECT_EQ(machine.totals().launches.size(), 5U);
    EXPECT_EQ(machine.totals().cores_used, 96U);
}

}  // namespace
}  // namespace ascendsim
