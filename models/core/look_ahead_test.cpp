// SPDX-License-Identifier: Apache-2.0
// Endless loops are found before their limit has been timed; loops that end are not taken for endless.
#include <functional>
#include <string>

#include <gmock/gmock.h>

#include "models/core/testing_programs.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

constexpr std::uint64_t instructions = 1'000'000;  // the limit

struct Ended {
    std::uint64_t timed = 0;
    std::string failure;
    std::int32_t word = 0;  // the first of global memory
};

/// Runs `program` on two vector cores; returns the instructions timed and how it failed, empty if it did not.
Ended run(const std::function<void(std::int32_t& word)>& program) {
    record::Recorder recorder{""};
    const ChipSpec chip = plain_chip();
    Machine machine{chip,
                    recorder,
                    {.limits = {.instructions = instructions}, .cold_code = false, .launch_overhead = false}};
    auto& word = *reinterpret_cast<std::int32_t*>(machine.memory().allocate("x", 64));
    Ended result;
    try {
        machine.run([&](Machine& m) {
            m.launch({.name = "test", .blocks = 2, .vector_program = [&] { program(word); }});
        });
    } catch (const ProgramError& error) {
        result.failure = error.what();
    }
    result.timed = machine.totals().instructions;
    result.word = word;
    return result;
}

TEST(LookAhead, AnEndlessLoopIsFoundAfterAFractionOfItsLimit) {
    const Ended endless = run([](std::int32_t&) {
        for (;;) {
            copy(Pipe::mte2, isa::Route::gm_to_ub, 0, 4096);
            barrier(Pipe::mte2);
        }
    });
    EXPECT_THAT(
        endless.failure,
        ::testing::MatchesRegex(
            "aiv[01] .block [01].: flag on mte2 at test.cpp:1, cycle [0-9]+: the kernel has gone on for "
            "more than 1000000 instructions; is this loop endless\\? "
            "\\(limits.instructions sets the limit\\)"));
    // Each of two cores has issued a 64th, and is at most a few buffers of 1024 ahead.
    EXPECT_LT(endless.timed, 2 * (instructions / 64 + 8 * 1024));
}

TEST(LookAhead, ALoopThatEndsBeforeItsLimitEnds) {
    const Ended long_loop = run([](std::int32_t&) {
        for (std::uint64_t i = 0; i < instructions; ++i) {
            work(Pipe::vector, 1);
        }
    });
    EXPECT_EQ(long_loop.failure, "");
    EXPECT_EQ(long_loop.timed, 2 * instructions);
}

// What the other core stores comes too late for a copy of the first alone.
TEST(LookAhead, ALoopThatReadsAnothersDataIsNotFollowedAlone) {
    constexpr int steps = 30'000;
    const auto step = [] { copy(Pipe::mte2, isa::Route::gm_to_ub, 4096, 512); };
    const Ended polling = run([&](std::int32_t& word) {
        volatile std::int32_t& flag = word;
        if (isa::CorePort::current().identity().block == 1) {
            for (int i = 0; i < steps; ++i) {
                step();
            }
            flag = 1;
            return;
        }
        while (flag == 0) {
            step();
        }
    });
    EXPECT_EQ(polling.failure, "");
    EXPECT_EQ(polling.word, 1);
    EXPECT_GT(polling.timed, steps + instructions / 64);
}

TEST(LookAhead, ALoopThatWaitsForAnotherIsNotFollowedAlone) {
    const Ended meeting = run([](std::int32_t&) {
        for (int i = 0; i < 40'000; ++i) {
            work(Pipe::vector, 1);
        }
        isa::CorePort::current().await_all(false, here);
    });
    EXPECT_EQ(meeting.failure, "");
}

}  // namespace
}  // namespace ascendsim
