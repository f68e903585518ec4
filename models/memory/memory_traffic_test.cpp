// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_traffic.hpp"

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

TEST(MemoryTraffic, AnIdleMemoryLetsNobodyWait) {
    EXPECT_EQ(MemoryTraffic{}.wait(40), 0);
}

TEST(MemoryTraffic, WaitsGrowWithTheLoadAsInAQueue) {
    MemoryTraffic half;
    half.pass(1e6, 0.5);
    EXPECT_NEAR(half.wait(40), 40, 1e-9);  // 40 * 0.5 / 0.5
    MemoryTraffic busy;
    busy.pass(1e6, 0.9);
    EXPECT_NEAR(busy.wait(40), 360, 1e-9);  // 40 * 0.9 / 0.1
}

TEST(MemoryTraffic, AFullMemoryMakesWaitsLongButFinite) {
    MemoryTraffic full;
    full.pass(1e6, 1.3);
    EXPECT_NEAR(full.wait(40), 760, 1e-9);  // 40 * 0.95 / 0.05
}

TEST(MemoryTraffic, LoadIsThatOfTheLast2000Cycles) {
    MemoryTraffic traffic;
    traffic.pass(1e6, 0.5);
    traffic.pass(2000, 0);
    const double load = 0.5 * 0.36787944117144233;  // e^-1
    EXPECT_NEAR(traffic.wait(40), 40 * load / (1 - load), 1e-9);
    traffic.pass(1e5, 0);
    EXPECT_NEAR(traffic.wait(40), 0, 1e-9);
}

TEST(MemoryTraffic, TurnsOnceALineWhereItReadsAsMuchAsItWrites) {
    MemoryTraffic writing;
    writing.move(0, 0, 0, 1000);
    EXPECT_EQ(writing.turnarounds(8), 0);
    MemoryTraffic both;
    both.move(1000, 2, 0, 1000);
    EXPECT_DOUBLE_EQ(both.turnarounds(8), 8);
    MemoryTraffic quarter;
    quarter.move(250, 1, 0, 1000);
    EXPECT_DOUBLE_EQ(quarter.turnarounds(8), 2);
}

TEST(MemoryTraffic, KnowsHowMuchARequestReads) {
    MemoryTraffic traffic;
    EXPECT_EQ(traffic.read_bytes(), 0);
    traffic.move(3000, 6, 0, 0);
    EXPECT_DOUBLE_EQ(traffic.read_bytes(), 500);
}

TEST(MemoryTraffic, KnowsWhichReadsWentPastL2) {
    MemoryTraffic traffic;
    EXPECT_EQ(traffic.past_l2(), 0);
    traffic.move(3000, 6, 1000, 0);
    EXPECT_NEAR(traffic.past_l2(), 1.0 / 3, 1e-9);
}

}  // namespace
}  // namespace ascendsim
