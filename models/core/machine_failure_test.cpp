// SPDX-License-Identifier: Apache-2.0
// A program that fails runs ahead of its timing: what it had issued is in the recording all the same.
#include <algorithm>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "models/core/testing_programs.hpp"
#include "sim/base/error.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

/// Runs `program` on two vector cores, which is to end in "wrong", and returns the run's totals.
MachineTotals failed_run(Program program) {
    record::Recorder recorder{""};
    const ChipSpec chip = plain_chip();
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    try {
        machine.run([&](Machine& m) {
            m.launch({.name = "test", .blocks = 2, .vector_program = std::move(program)});
        });
        ADD_FAILURE() << "the run ended well";
    } catch (const ProgramError& error) {
        EXPECT_STREQ(error.what(), "wrong");
    }
    return machine.totals();
}

bool is_first() {
    return isa::CorePort::current().identity().block == 0;
}

TEST(MachineFailure, WhatWasIssuedIsTimed) {
    const MachineTotals totals = failed_run([] {
        work(Pipe::vector, 100);
        if (is_first()) {
            work(Pipe::vector, 50);
            throw ProgramError{"wrong"};
        }
    });
    EXPECT_EQ(totals.cycles, 150U);
    EXPECT_EQ(totals.instructions, 3U);
    ASSERT_EQ(totals.launches.size(), 1U);
    EXPECT_EQ(totals.launches[0].end, 150U);
    EXPECT_EQ(totals.launches[0].cores, 2U);
}

TEST(MachineFailure, CopiesUnderWayArrive) {
    record::Recorder recorder{""};
    const ChipSpec chip = plain_chip();
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    const auto copies = [](std::uint64_t offset, bool fails) {
        return [offset, fails] {
            copy(Pipe::mte2, isa::Route::gm_to_ub, offset, 4096);
            set(Pipe::mte2, Pipe::vector);
            await(Pipe::mte2, Pipe::vector);
            work(Pipe::vector, 10);
            if (fails) {
                throw ProgramError{"wrong"};
            }
        };
    };
    EXPECT_THROW(machine.run([&](Machine& m) {
        m.launch({.name = "good", .vector_program = copies(0, false)});
        m.launch({.name = "bad", .vector_program = copies(1 << 20, true)});
    }),
                 ProgramError);
    const std::vector<LaunchOutcome> launches = machine.totals().launches;
    ASSERT_EQ(launches.size(), 2U);
    EXPECT_EQ(launches[1].end - launches[1].start, launches[0].end - launches[0].start);
}

TEST(MachineFailure, AWaitThatNeverEndsIsASpanToTheEndOfTheRun) {
    const record::testing::TemporaryFile file;
    record::Recorder recorder{file.path()};
    const ChipSpec chip = plain_chip();
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    const Program program = [] {
        work(Pipe::vector, 100);
        await(Pipe::mte2, Pipe::vector);
        work(Pipe::mte3, 120);
    };
    EXPECT_THROW(machine.run([&](Machine& m) { m.launch({.name = "test", .vector_program = program}); }),
                 Deadlock);
    EXPECT_EQ(machine.totals().cycles, 120U);
    recorder.finish(nlohmann::json::object());
    const record::Recording recording{file.path()};
    const auto lane = std::ranges::find_if(recording.lanes(), [](const record::Lane& one) {
        return one.path.pipe() == "vector" && !one.empty();
    });
    ASSERT_NE(lane, recording.lanes().end());
    const auto number = static_cast<std::uint32_t>(lane - recording.lanes().begin());
    const record::Span wait = recording.span({number, static_cast<std::uint32_t>(lane->size() - 1)});
    EXPECT_EQ(wait.start, 100U);
    EXPECT_EQ(wait.end, 120U);
    EXPECT_EQ(wait.reason, record::Reason::flag_data);
    const auto event = std::ranges::find_if(
        recording.events(), [](const nlohmann::json& one) { return one.at("kind") == "never_set"; });
    ASSERT_NE(event, recording.events().end());
    EXPECT_EQ(event->at("lane"), number);
    EXPECT_EQ(event->at("cycle"), 100);
    EXPECT_EQ(event->at("text"), "flag at test.cpp:1 waits for flag 0 from mte2, which nothing sets");
}

TEST(MachineFailure, AFaultNamesItsPipeAndTheCycleTheScalarUnitCameToIt) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.scalar.issue_cycles = 7;
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    const Program program = [] {
        copy(Pipe::mte2, isa::Route::gm_to_ub, 0, 4096);  // timed by the memory system, behind the program
        work(Pipe::vector, 100);
        isa::CorePort::current().fail(work_info, {"k.cpp", 12}, "is odd", Pipe::vector);
    };
    try {
        machine.run([&](Machine& m) { m.launch({.name = "test", .vector_program = program}); });
        FAIL();
    } catch (const ProgramError& error) {
        // Two instructions were handed over before it, in 7 cycles each.
        EXPECT_STREQ(error.what(), "aiv0 (block 0): work on vector at k.cpp:12, cycle 14: is odd");
    }
}

TEST(MachineFailure, APollingProgramDoesNotKeepTheRunAlive) {
    const MachineTotals totals = failed_run([] {
        if (is_first()) {
            work(Pipe::vector, 1000);
            await(Pipe::mte2, Pipe::vector);  // never set: this core is never timed to its end
            throw ProgramError{"wrong"};
        }
        for (;;) {
            work(Pipe::vector, 1);
            isa::CorePort::current().yield();
        }
    });
    EXPECT_GE(totals.cycles, 1000U);
}

}  // namespace
}  // namespace ascendsim
