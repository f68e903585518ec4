// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/format.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace ascendsim::gui {
namespace {

TEST(Format, ThousandsAreSeparated) {
    EXPECT_EQ(format_count(0), "0");
    EXPECT_EQ(format_count(999), "999");
    EXPECT_EQ(format_count(1000), "1,000");
    EXPECT_EQ(format_count(12345678), "12,345,678");
    EXPECT_EQ(format_count(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(Format, ChangesCarryTheirSign) {
    EXPECT_EQ(format_change(1234), "+1,234");
    EXPECT_EQ(format_change(-123), "-123");
    EXPECT_EQ(format_change(-1234), "-1,234");
    EXPECT_EQ(format_change(0), "0");
}

TEST(Format, CyclesBecomeTimeByTheClock) {
    // 12,345 cycles at 1.8 GHz: 12,345 / 1.8 = 6,858.33 ns.
    const double cycles = 12345;
    EXPECT_EQ(format_time(cycles, {TimeUnit::cycles, 1.8}), "12,345 cycles");
    EXPECT_EQ(format_time(cycles, {TimeUnit::nanoseconds, 1.8}), "6,858 ns");
    EXPECT_EQ(format_time(cycles, {TimeUnit::microseconds, 1.8}), "6.858 \u00b5s");
    EXPECT_EQ(format_time(cycles, {TimeUnit::milliseconds, 1.8}), "0.006858 ms");
    EXPECT_EQ(format_time(1, {TimeUnit::cycles, 1.8}), "1 cycle");
    EXPECT_EQ(format_time(0, {TimeUnit::nanoseconds, 1.8}), "0 ns");
}

TEST(Format, BytesUseTheLargestBinaryUnit) {
    EXPECT_EQ(format_bytes(0), "0 B");
    EXPECT_EQ(format_bytes(1023), "1,023 B");
    EXPECT_EQ(format_bytes(192 * 1024), "192 KiB");
    EXPECT_EQ(format_bytes(1536), "1.50 KiB");
    EXPECT_EQ(format_bytes(25 * 1024 * 1024 + 512 * 1024), "25.5 MiB");
}

TEST(Format, SmallShareIsNotCalledZero) {
    EXPECT_EQ(format_percent(0), "0.0 %");
    EXPECT_EQ(format_percent(0.0001), "<0.1 %");
    EXPECT_EQ(format_percent(0.1234), "12.3 %");
    EXPECT_EQ(format_percent(1), "100.0 %");
}

TEST(Format, RateNamesBothUnits) {
    EXPECT_EQ(format_rate(64, 1.8), "64.0 B/cycle (115 GB/s)");
}

TEST(Format, UnitNamesGoBothWays) {
    TimeUnit unit = TimeUnit::cycles;
    for (int n = 0; n < 4; ++n) {
        EXPECT_EQ(unit_from_name(unit_name(unit)), unit);
        unit = next_unit(unit);
    }
    EXPECT_EQ(unit, TimeUnit::cycles);
    EXPECT_FALSE(unit_from_name("hours").has_value());
}

TEST(TickStep, CutsTheRangeIntoAtMostTheGivenParts) {
    for (double range = 1e-3; range < 1e9; range *= 1.37) {
        for (const int most : {2, 5, 9, 20}) {
            const double step = tick_step(range, most);
            EXPECT_LE(range / step, most * (1 + 1e-9)) << range;
            // The next finer step of 1, 2, 5 is at least 2 / 5 of this one and would give too many parts.
            EXPECT_GT(range / (step * 0.4), most) << range;
        }
    }
}

TEST(TickStep, TicksShowThePlacesTheyNeed) {
    EXPECT_EQ(format_tick(2500, 500, {TimeUnit::cycles, 1.0}), "2,500");
    EXPECT_EQ(format_tick(900, 0.1, {TimeUnit::microseconds, 1.8}), "0.5");
    EXPECT_EQ(format_tick(900, 0.05, {TimeUnit::microseconds, 1.8}), "0.50");
}

}  // namespace
}  // namespace ascendsim::gui
