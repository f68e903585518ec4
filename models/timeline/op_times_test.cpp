// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/op_times.hpp"

#include <gtest/gtest.h>

namespace ascendsim {

TEST(OpTimes, PipesStartInTheirOwnOrder) {
    OpTimes times;
    times.reached(5);  // number 0, of the scalar unit
    times.reached(7);  // still the same, waiting
    times.done(9);
    times.queued(Pipe::mte2, 10);    // 1
    times.queued(Pipe::vector, 12);  // 2
    times.queued(Pipe::mte2, 13);    // 3
    times.started(Pipe::vector, 20, 30);
    times.started(Pipe::mte2, 15, 40);
    times.started(Pipe::mte3, 1, 2);  // of nobody
    EXPECT_EQ(times.find(0)->start, 5U);
    EXPECT_EQ(times.find(0)->end, 9U);
    EXPECT_EQ(times.find(1)->start, 15U);
    EXPECT_EQ(times.find(1)->end, 40U);
    EXPECT_EQ(times.find(2)->start, 20U);
    EXPECT_EQ(times.find(3)->start, 13U);  // handed over then, and not begun
    EXPECT_FALSE(times.find(3)->end);
    EXPECT_FALSE(times.find(4));
    EXPECT_EQ(times.next(), 4U);
}

TEST(OpTimes, NumbersGoOnBehindALaunch) {
    OpTimes times;
    times.reached(5);
    times.done(6);
    times.forget();
    times.reached(8);
    times.done(9);
    EXPECT_FALSE(times.find(0));
    EXPECT_EQ(times.find(1)->start, 8U);
}

}  // namespace ascendsim
