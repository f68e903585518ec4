// SPDX-License-Identifier: Apache-2.0
#include "app/validation/ladders.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {
namespace {

JudgedRow row(const std::string& id, double measured, double simulated) {
    JudgedRow judged;
    judged.measurement.id = id;
    judged.measured_us = measured;
    judged.simulated_us = simulated;
    return judged;
}

TEST(Ladders, AStepIsHowManyTimesShorterItBecame) {
    const Step step = step_between({200, 180}, {50, 60});
    EXPECT_DOUBLE_EQ(step.measured, 4);
    EXPECT_DOUBLE_EQ(step.simulated, 3);
    EXPECT_DOUBLE_EQ(step.error(), -0.25);
    EXPECT_TRUE(step.keeps_direction());
    EXPECT_FALSE(step_between({200, 180}, {50, 190}).keeps_direction());
    EXPECT_TRUE(step_between({200, 180}, {199.5, 190}).keeps_direction());  // 0.25 %: no direction measured
}

TEST(Ladders, TablesHoldWhatRanAndCountGoodSteps) {
    const Validation validation{.data = {},
                                .rows = {row("A-1", 100, 100), row("A-2", 50, 55), row("A-4", 10, 20)}};
    const std::string text = ladders_markdown(
        validation,
        {{"Title", {{"A-1", "first"}, {"A-2", "second"}, {"A-3", "did not run"}, {"A-4", "last"}}},
         {"None", {{"B-1", ""}}}});
    EXPECT_NE(text.find("### Title\n\nOrder kept; 1 of 2 steps within 15 %."), std::string::npos) << text;
    EXPECT_NE(text.find("| second | A-2 | 50.00 | 55.00 | +10 | 2.00 | 1.82 | -9 |"), std::string::npos)
        << text;
    EXPECT_NE(text.find("| last | A-4 | 10.00 | 20.00 | +100 | 5.00 | 2.75 | -45 |"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("did not run"), std::string::npos);
    EXPECT_EQ(text.find("### None"), std::string::npos);
}

TEST(Ladders, EveryRungIsARowOfTheMeasurements) {
    const std::filesystem::path folder = toolchain::Installation::find().measurements();
    const std::vector<Measurement> rows = read_measurements(folder / "measurements.csv");
    for (const Ladder& ladder : read_ladders(folder / "ladders.toml")) {
        EXPECT_GE(ladder.rungs.size(), 2U) << ladder.title;
        for (const Rung& rung : ladder.rungs) {
            EXPECT_NE(std::ranges::find(rows, rung.id, &Measurement::id), rows.end()) << rung.id;
        }
    }
}

}  // namespace
}  // namespace ascendsim::validation
