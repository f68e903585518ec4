// SPDX-License-Identifier: Apache-2.0
// A program that fails runs ahead of its timing: what it had issued is in the recording all the same.
#include <gtest/gtest.h>

#include "models/core/testing_programs.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

/// Runs `program` on two vector cores, which is to end in "wrong", and returns the run's totals.
MachineTotals failed_run(Program program) {
    record::Recorder recorder{""};
    const ChipSpec chip = plain_chip();
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    try {
        machine.run([&](Machine& m) { m.launch({.name = "test", .blocks = 2, .vector_program = std::move(program)}); });
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
