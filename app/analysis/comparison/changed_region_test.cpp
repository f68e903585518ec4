// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/comparison/changed_region.hpp"

#include <gtest/gtest.h>

#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using testing::SmallRun;

// 48 instructions of 10 cycles; those from `slow` to `slow` + 4 take 60.
record::Recording run_with(SmallRun& run, int slow) {
    const std::uint32_t lane = run.lane("aiv0", "vector");
    std::uint64_t now = 0;
    for (int i = 0; i < 48; ++i) {
        const std::uint64_t cycles = i >= slow && i < slow + 4 ? 60 : 10;
        run.busy(lane, now, now, now + cycles);
        now += cycles;
    }
    return run.finish(now);
}

TEST(ChangedRegion, OfEqualRunsIsNone) {
    SmallRun first;
    SmallRun second;
    EXPECT_FALSE(changed_region(run_with(first, 100), run_with(second, 100)).has_value());
}

TEST(ChangedRegion, HoldsTheInstructionsThatBecameSlower) {
    SmallRun first;
    SmallRun second;
    const std::optional<ChangedRegion> region = changed_region(run_with(first, 100), run_with(second, 30));
    ASSERT_TRUE(region.has_value());
    // Four instructions lose 50 cycles each; they start at cycle 300 in both runs and end at 540 in the
    // second.
    EXPECT_EQ(region->slip, 200);
    EXPECT_LE(region->from_b, 300U);
    EXPECT_GE(region->from_b + region->length, 540U);
    EXPECT_EQ(region->from_a, region->from_b);
    EXPECT_LT(region->length, 480U);
}

TEST(ChangedRegion, OfAGainIsNegative) {
    SmallRun first;
    SmallRun second;
    const std::optional<ChangedRegion> region = changed_region(run_with(first, 30), run_with(second, 100));
    ASSERT_TRUE(region.has_value());
    EXPECT_EQ(region->slip, -200);
}

}  // namespace

}  // namespace ascendsim::analysis
