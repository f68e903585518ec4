// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/blame/balance.hpp"

#include <gtest/gtest.h>

#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using record::Reason;
using testing::SmallRun;

// One launch after the other: [0, 100) of two cube cores, [100, 200) of four vector cores.
struct TwoLaunches {
    SmallRun run;
    std::uint32_t cube[2];
    std::uint32_t vector[4];

    TwoLaunches() {
        for (std::uint32_t i = 0; i < 2; ++i) {
            cube[i] = run.lane("aic" + std::to_string(i), "scalar", i);
        }
        for (std::uint32_t i = 0; i < 4; ++i) {
            vector[i] = run.lane("aiv" + std::to_string(i), "scalar", 2 + i);
            run.add(vector[i], {.start = 0, .end = 100, .reason = Reason::unused});
        }
    }

    void works(std::uint32_t lane, std::uint64_t from, std::uint64_t until, std::uint64_t end) {
        run.busy(lane, from, from, until);
        if (until < end) {
            run.add(lane, {.start = until, .end = end, .reason = Reason::tail});
        }
    }

    record::Recording finish() {
        for (const std::uint32_t lane : cube) {
            run.add(lane, {.start = 100, .end = 200, .reason = Reason::unused});
        }
        return run.finish(200,
                          {{"launches", {{{"start", 0}, {"end", 100}}, {{"start", 100}, {"end", 200}}}}});
    }
};

TEST(Balance, CountsNoKindOfCoreThatALaunchDoesNotTake) {
    TwoLaunches two;
    two.works(two.cube[0], 0, 100, 100);
    two.works(two.cube[1], 0, 100, 100);
    for (const std::uint32_t lane : two.vector) {
        two.works(lane, 100, 200, 200);
    }
    const record::Recording recording = two.finish();
    EXPECT_EQ(balance_of(recording, 0, 200).idle_cycles, 0U);
    EXPECT_FALSE(balance_of(recording, 0, 200).spare_cores);
}

TEST(Balance, TakesTheMeanOfWhatCoresStandIdle) {
    TwoLaunches two;
    two.works(two.cube[0], 0, 100, 100);
    two.works(two.cube[1], 0, 40, 100);  // 60 of 2 x 100
    two.works(two.vector[0], 100, 200, 200);
    two.works(two.vector[1], 100, 180, 200);
    two.works(two.vector[2], 100, 180, 200);
    two.run.add(two.vector[3], {.start = 100, .end = 200, .reason = Reason::unused});
    const record::Recording recording = two.finish();
    const Balance balance = balance_of(recording, 0, 200);
    EXPECT_EQ(balance.idle_cycles, 60U / 2 + (20 + 20) / 4 + 100 / 4);
    EXPECT_EQ(balance.done_cycles, 60U / 2 + (20 + 20) / 3);  // the fourth vector core had nothing to finish
    EXPECT_TRUE(balance.spare_cores);
}

// Half of the work in one of two shares on four cores: dealt to the two evenly it takes as long as their
// mean, however many others stand by.
TEST(Balance, TakesTheMeanOfWhoFinishesEarlyOverThoseThatTakePart) {
    TwoLaunches two;
    two.works(two.cube[0], 0, 100, 100);
    two.works(two.cube[1], 0, 100, 100);
    two.works(two.vector[0], 100, 200, 200);
    two.works(two.vector[1], 100, 120, 200);
    for (const std::uint32_t lane : {two.vector[2], two.vector[3]}) {
        two.run.add(lane, {.start = 100, .end = 200, .reason = Reason::unused});
    }
    const record::Recording recording = two.finish();
    const Balance balance = balance_of(recording, 0, 200);
    EXPECT_EQ(balance.done_cycles, 80U / 2);
    EXPECT_EQ(balance.idle_cycles, (80U + 100 + 100) / 4);
}

}  // namespace

}  // namespace ascendsim::analysis
