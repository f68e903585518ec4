// SPDX-License-Identifier: Apache-2.0
// What a kernel computes by itself takes scalar time, and may not take for ever.
#include "models/port/scalar_steps.hpp"

#include <gmock/gmock.h>

#include "models/core/testing_programs.hpp"
#include "models/port/scalar_access.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

/// A chip whose scalar unit hands an operation over in a cycle.
ChipSpec counting_chip() {
    ChipSpec chip = plain_chip();
    chip.scalar.issue_cycles = 1;
    chip.scalar.divide_cycles = 21;
    return chip;
}

/// As a kernel that executes `steps` simple instructions and `divisions` does.
void count(std::uint64_t steps, std::uint64_t divisions) {
    ascendsim_scalar_steps += steps + divisions;
    ascendsim_scalar_divisions += divisions;
}

TEST(ScalarSteps, StepsThatTheKernelCountsAreScalarTime) {
    EXPECT_EQ(vector_cycles(counting_chip(),
                            1,
                            [] {
                                count(40, 0);
                                work(Pipe::vector, 100);
                            }),
              40U + 1U + 100U);
}

TEST(ScalarSteps, StepsBehindTheLastInstructionAreScalarTimeToo) {
    EXPECT_EQ(vector_cycles(counting_chip(),
                            1,
                            [] {
                                count(0, 2);  // 42 cycles
                                work(Pipe::vector, 100);
                                count(200, 0);  // outlasts it
                            }),
              42U + 1U + 200U);
}

// 40 instructions of a library and the one that hands the operation over, each at the unit's pace.
TEST(ScalarSteps, InstructionsOfALibraryTakeThePaceOfTheUnit) {
    ChipSpec chip = counting_chip();
    chip.scalar.issue_cycles = 3;
    EXPECT_EQ(vector_cycles(chip,
                            1,
                            [] {
                                isa::scalar_instructions(40, {"library", 1});
                                work(Pipe::vector, 100);
                            }),
              (40U + 1U) * 3U + 100U);
}

TEST(ScalarSteps, DivisionsAndStepsBeyond32BitsAreCountedApart) {
    ChipSpec chip = counting_chip();
    chip.scalar.divide_cycles = 0;  // what is left are the 7 others
    EXPECT_EQ(vector_cycles(chip,
                            1,
                            [] {
                                count(7, 6'000'000'000);
                                work(Pipe::vector, 100);
                            }),
              7U + 1U + 100U);
}

TEST(ScalarSteps, AProgramThatComputesBeyondItsLimitFails) {
    record::Recorder recorder{""};
    const ChipSpec chip = counting_chip();
    Machine machine{chip,
                    recorder,
                    {.limits = {.arithmetic_cycles = 1000}, .cold_code = false, .launch_overhead = false}};
    const auto launch = [](std::uint64_t steps) {
        return [steps](Machine& m) {
            m.launch({.name = "long", .vector_program = [steps] {
                          work(Pipe::scalar, 50);
                          count(steps, 1);  // 21 cycles
                          work(Pipe::vector, 100);
                      }});
        };
    };
    try {
        machine.run([&](Machine& m) {
            launch(979)(m);
            launch(980)(m);
        });
        FAIL();
    } catch (const ProgramError& error) {
        EXPECT_THAT(
            error.what(),
            ::testing::AllOf(::testing::StartsWith("aiv0 (block 0): work on vector at test.cpp:1, cycle "),
                             ::testing::HasSubstr("computed for more than 1000 cycles")));
    }
    EXPECT_EQ(machine.totals().launches.size(), 2U) << "1000 cycles are no fault";
}

TEST(ScalarSteps, StepsOfOneCoreAreNotAnothers) {
    // Block 0 has counted when block 1, which works for 5000 cycles, comes to run; it is done at 1101 itself.
    const std::uint64_t end = vector_cycles(counting_chip(), 2, [] {
        isa::CorePort& core = isa::CorePort::current();
        if (core.identity().block == 0) {
            ascendsim_scalar_steps += 1000;
            core.yield();
            work(Pipe::vector, 100);
        } else {
            work(Pipe::vector, 5000);
        }
    });
    EXPECT_EQ(end, 5001U);
}

}  // namespace
}  // namespace ascendsim
