// SPDX-License-Identifier: Apache-2.0
// A kernel that sets a cross-core flag more often than its counter holds.
#include <string>

#include <gmock/gmock.h>

#include "models/core/testing_programs.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

/// How a launch of a cube core and its vector cores fails; empty if it does not.
std::string failure(const Program& cube, const Program& vector) {
    record::Recorder recorder{""};
    const ChipSpec chip = plain_chip();
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    try {
        machine.run([&](Machine& m) {
            m.launch({.name = "test",
                      .kind = CoreUse::mix_1_2,
                      .blocks = 1,
                      .vector_program = vector,
                      .cube_program = cube});
        });
    } catch (const ProgramError& error) {
        return error.what();
    }
    return {};
}

void set_times(std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) {
        cross_set(Pipe::fixpipe, CrossFlags::mode_group, 3);
    }
}

void wait_times(std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) {
        cross_await(Pipe::mte2, 3);
    }
}

const std::string too_often =
    "aic0 .block 0.: cross_core_set_flag at test.cpp:1, cycle [0-9]+: cross-core flag 3 of aiv0 is set 16 "
    "times without a wait; its counter holds 15";

TEST(CrossOverflow, SixteenSetsBeforeTheFirstWaitFail) {
    const std::string text = failure([] { set_times(16); },
                                     [] {
                                         work(Pipe::mte2, 1000);
                                         wait_times(16);
                                     });
    EXPECT_THAT(text, ::testing::MatchesRegex(too_often));
}

TEST(CrossOverflow, FifteenSetsBeforeTheFirstWaitAreFine) {
    EXPECT_EQ(failure([] { set_times(15); },
                      [] {
                          work(Pipe::mte2, 1000);
                          wait_times(15);
                      }),
              "");
}

TEST(CrossOverflow, AnyNumberOfSetsIsFineForAWaiterThatKeepsUp) {
    EXPECT_EQ(failure(
                  [] {
                      for (int i = 0; i < 40; ++i) {
                          work(Pipe::fixpipe, 50);
                          set_times(1);
                      }
                  },
                  [] { wait_times(40); }),
              "");
}

TEST(CrossOverflow, SetsThatNobodyWaitsForFailAtTheEnd) {
    EXPECT_THAT(failure([] { set_times(16); }, [] {}), ::testing::MatchesRegex(too_often));
}

}  // namespace
}  // namespace ascendsim
