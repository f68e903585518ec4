// SPDX-License-Identifier: Apache-2.0
#include "app/report/svg_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ascendsim::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SvgChart, DrawsLinesWhereTheirValuesAre) {
    const std::string svg = svg_lines({{"a < b", {{1, 0}, {2, 10}}}},
                                      {.title = "t", .x = "x", .y = "y", .width = 186, .height = 144});
    // From 70 to 170 across, and from 108 up to 8.
    EXPECT_THAT(svg, HasSubstr("d=\"M70.0 108.0L170.0 8.0\""));
    EXPECT_THAT(svg, HasSubstr("a &lt; b"));
}

TEST(SvgChart, HalvesOfALogarithmicAxisAreFactors) {
    const std::string svg =
        svg_lines({{"a", {{1, 0}, {4, 5}, {16, 10}}}},
                  {.title = "t", .x = "x", .y = "y", .log_x = true, .width = 186, .height = 144});
    EXPECT_THAT(svg, HasSubstr("L120.0 58.0"));
}

TEST(SvgChart, StepsHoldTheirValues) {
    const std::string svg =
        svg_lines({{"a", {{0, 5}, {1, 10}}}},
                  {.title = "t", .x = "x", .y = "y", .steps = true, .width = 186, .height = 144});
    EXPECT_THAT(svg, HasSubstr("M70.0 58.0L170.0 58.0L170.0 8.0"));
}

TEST(SvgChart, StacksLayers) {
    const std::string svg = svg_stack({{"low", {{0, 5}, {1, 5}}}, {"high", {{0, 5}, {1, 0}}}},
                                      {.title = "t", .x = "x", .y = "y", .width = 186, .height = 144});
    EXPECT_THAT(svg, HasSubstr("M70.0 58.0L170.0 58.0"));  // 5 of 10
    EXPECT_THAT(svg, HasSubstr("M70.0 8.0L170.0 8.0"));    // and 5 more
}

TEST(SvgChart, BarsAreAsLongAsTheirValues) {
    const std::string svg =
        svg_bars({{"one", 1, "1 s"}, {"two", 2, "2 s"}}, {.title = "t", .x = {}, .y = {}, .width = 660});
    EXPECT_THAT(svg, HasSubstr("width=\"100.0\" height=\"17\""));
    EXPECT_THAT(svg, HasSubstr("width=\"200.0\" height=\"17\""));
}

TEST(SvgChart, SpansOfANameShareAColour) {
    const std::string svg =
        svg_spans({{"a", "work", 0, 1}, {"b", "work", 1, 2}}, {.title = "t", .x = "ms", .y = {}});
    EXPECT_THAT(svg, Not(HasSubstr("#e08a1e")));
    EXPECT_THAT(svg, HasSubstr("work: 1 to 2"));
}

TEST(SvgChart, NothingIsNoPicture) {
    EXPECT_EQ(svg_lines({}, {}), "");
    EXPECT_EQ(svg_lines({{"a", {}}}, {}), "");
    EXPECT_EQ(svg_bars({}, {}), "");
    EXPECT_EQ(svg_spans({}, {}), "");
    EXPECT_EQ(svg_stack({}, {}), "");
}

}  // namespace
}  // namespace ascendsim::report
