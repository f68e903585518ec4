// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/report/power_report.hpp"
#include "app/report/svg_plot.hpp"

namespace ascendsim::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SvgPlot, StepsBetweenTicksAreRound) {
    EXPECT_DOUBLE_EQ(tick_step(10, 6), 2);
    EXPECT_DOUBLE_EQ(tick_step(61, 6), 20);
    EXPECT_DOUBLE_EQ(tick_step(0.9, 10), 0.1);
    EXPECT_DOUBLE_EQ(tick_step(0, 10), 1);
}

TEST(SvgPlot, DrawsPointsWhereTheyBelong) {
    LinePlot plot{.title = "t", .x_label = "batch", .y_label = "rate", .log_x = true, .series = {}};
    plot.series.push_back({.name = "r", .points = {{1, 100}, {4, 300}, {16, 400}}, .markers = true});
    const std::string svg = svg_plot(plot);
    // 900 pixels from 1 to 16: 4 is in the middle; 260 pixels up to 420, 5 % above the most.
    EXPECT_THAT(svg, HasSubstr(R"(<circle cx="520.00" cy="100.29")"));
    EXPECT_THAT(svg, HasSubstr("batch 4: r 300"));
}

TEST(SvgPlot, LeavesOutWhatALogarithmHasNoPlaceFor) {
    LinePlot plot{.title = "t", .x_label = "x", .y_label = "y", .log_x = true, .series = {}};
    plot.series.push_back({.name = "r", .points = {{0, 1}}});
    EXPECT_EQ(svg_plot(plot), "");
    plot.series.front().points.emplace_back(2, 1);
    EXPECT_THAT(svg_plot(plot), Not(HasSubstr("nan")));
}

TEST(SvgPlot, MarksALimitAboveTheValues) {
    LinePlot plot{
        .title = "t", .x_label = "x", .y_label = "W", .series = {}, .limit = 200, .limit_name = "limit"};
    plot.series.push_back({.name = "r", .points = {{0, 100}, {1, 50}}, .steps = true});
    const std::string svg = svg_plot(plot);
    // 260 pixels for 210: the limit is 26 + 260 * (1 - 200 / 210) below the top.
    EXPECT_THAT(svg, HasSubstr(R"(y1="38.4")"));
    EXPECT_THAT(svg, HasSubstr("limit</text>"));
}

TEST(SvgPlot, NamesOfOthersAreNoMarkup) {
    EXPECT_THAT(svg_ranges("t", "us", {{.name = "<b>", .high = 1, .marks = {{"<i>", 1}}}}),
                Not(testing::AnyOf(HasSubstr("<b>"), HasSubstr("<i>"))));
    EXPECT_EQ(svg_ranges("t", "us", {}), "");
}

const analysis::PowerCurve curve_of_tests{.stretch_us = 10,
                                          .watts = {100, 200, 400, 100},
                                          .idle_w = 100,
                                          .limit_w = 300,
                                          .spread = 0.2,
                                          .peak_w = 400,
                                          .above_us = 10,
                                          .run_us = 40,
                                          .limited_us = 45};

TEST(PowerReport, DrawsTheCurveAndStatesWhatTheLimitCosts) {
    const std::string text = power_text(curve_of_tests, {});
    EXPECT_THAT(text, HasSubstr("▃▅█▃"));  // 1.75, 3.5, 7 and 1.75 eighths, rounded
    EXPECT_THAT(text, HasSubstr("at most 400.0 W over 10.00 us, ±20.0 %; limit 300 W"));
    EXPECT_THAT(text, HasSubstr("takes 45.00 us instead of 40.00 us"));
}

TEST(PowerReport, LeavesOutALimitThatIsFarAway) {
    analysis::PowerCurve curve = curve_of_tests;
    EXPECT_THAT(power_plot(curve), HasSubstr("limit 300 W"));
    curve.limit_w = 1000;
    EXPECT_THAT(power_plot(curve), Not(HasSubstr("limit 1000 W")));
    curve.watts.clear();
    EXPECT_EQ(power_plot(curve), "");
}

}  // namespace
}  // namespace ascendsim::report
