// SPDX-License-Identifier: Apache-2.0
// How far programs run ahead of their timing.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/core/testing_programs.hpp"

namespace ascendsim {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

namespace {

constexpr std::uint32_t tiles = 200;
constexpr std::uint32_t tile_steps = 300;  // operations of a tile

// A tile waits for a copy, so that its timing needs the memory system and the program is ahead of it.
void compute_tile() {
    copy(Pipe::mte2, isa::Route::gm_to_l1, 0, 4096);
    set(Pipe::mte2, Pipe::cube);
    await(Pipe::mte2, Pipe::cube);
    for (std::uint32_t step = 0; step < tile_steps; ++step) {
        work(Pipe::cube, 10);
    }
}

struct Outcome {
    std::uint32_t lead = 0;  // most tiles the cube program was ahead of the vector program
    std::uint64_t cycles = 0;
};

// A cube core hands tiles to its vector cores; the first of them takes `vector_steps` operations for one.
Outcome hand_over(std::uint32_t vector_steps) {
    record::Recorder recorder{""};
    const ChipSpec chip = plain_chip();
    Machine machine{chip, recorder, {.launch_overhead = false}};
    std::uint32_t issued = 0;
    Outcome outcome;
    machine.run([&](Machine& m) {
        outcome.cycles = m.launch({.name = "test",
                                   .kind = CoreUse::mix_1_2,
                                   .blocks = 1,
                                   .vector_program =
                                       [&] {
                                           for (std::uint32_t taken = 0; taken < tiles; ++taken) {
                                               cross_await(Pipe::vector, 0);
                                               if (isa::CorePort::current().identity().sub_block == 0) {
                                                   outcome.lead = std::max(outcome.lead, issued - taken);
                                                   for (std::uint32_t i = 0; i < vector_steps; ++i) {
                                                       work(Pipe::vector, 1);
                                                   }
                                               }
                                           }
                                       },
                                   .cube_program =
                                       [&] {
                                           for (; issued < tiles; ++issued) {
                                               compute_tile();
                                               cross_set(Pipe::cube, 2, 0);
                                           }
                                       }})
                             .cores_end;
    });
    return outcome;
}

}  // namespace

TEST(Backlog, AProgramThatWaitsDoesNotLetTheOtherRunToItsEnd) {
    const Outcome outcome = hand_over(4);
    // The limit is 2048 operations, 7 tiles; what one look hands over, 1024, adds 4.
    EXPECT_LE(outcome.lead, 12U);
    EXPECT_GE(outcome.lead, 2U);
    EXPECT_GE(outcome.cycles, std::uint64_t{tiles} * tile_steps * 10);
}

TEST(Backlog, ProgramsOfAnyLengthMeet) {
    // With more operations on the vector side the cube program waits for nobody and the vector programs are
    // held back.
    const Outcome outcome = hand_over(3000);
    EXPECT_GE(outcome.cycles, std::uint64_t{tiles} * tile_steps * 10 + 3000);
}

}  // namespace ascendsim
