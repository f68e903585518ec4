// SPDX-License-Identifier: Apache-2.0
#include "app/validation/metric.hpp"

#include <gtest/gtest.h>

namespace ascendsim::validation {
namespace {

TEST(Metric, TimesAndRatiosNameTheirPipe) {
    EXPECT_EQ(pipe_of("aic_mac_time"), "aic_cube");
    EXPECT_EQ(pipe_of("aiv_mte3_ratio"), "aiv_mte3");
    EXPECT_EQ(pipe_of("fixpipe_ratio"), "fixpipe");
    EXPECT_EQ(pipe_of("task_duration"), std::nullopt);
}

TEST(Metric, FiguresBecomeTimes) {
    Measurement row;
    row.value = 2390;
    row.unit = "ticks(50 MHz)";
    EXPECT_DOUBLE_EQ(in_us(row, 0, 1.85).value_or(0), 47.8);  // 20 ns a tick
    row.value = 2;
    row.unit = "TB/s";
    EXPECT_DOUBLE_EQ(in_us(row, 400e6, 1.85).value_or(0), 200);  // 400 MB
    row.unit = "%";
    EXPECT_EQ(in_us(row, 400e6, 1.85), std::nullopt);
}

}  // namespace
}  // namespace ascendsim::validation
