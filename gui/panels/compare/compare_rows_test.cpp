// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/compare/compare_rows.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace ascendsim::gui {
namespace {

/// What the problem needs is written at the end of a run: of one that was cut off it is not known.
TEST(CompareRows, FiguresThatNobodyKnowsAreADash) {
    analysis::Comparison comparison;
    comparison.a.complete = true;
    comparison.b.complete = false;
    comparison.wrong_b = "its recording ends before the run does";
    comparison.figures = {
        {.name = "efficiency", .a = 0.187, .b = 0, .significant = false, .known_b = false},
        {.name = "memory.achieved_gbps", .a = 20, .b = 10, .significant = true},
    };
    const std::vector<ComparisonTable> tables = comparison_tables(comparison);
    const auto found = std::ranges::find(tables, std::string_view{"figures"}, &ComparisonTable::name);
    ASSERT_NE(found, tables.end());
    const auto row = [&](std::string_view name) {
        return *std::ranges::find(found->rows, name, &ComparisonRow::name);
    };
    EXPECT_EQ(row("of speed of light").before, "18.7 %");
    EXPECT_EQ(row("of speed of light").after, "\u2014");
    EXPECT_EQ(row("of speed of light").verdict, Verdict::neutral);
    EXPECT_EQ(row("global memory, GB/s").after, "10");
}

}  // namespace
}  // namespace ascendsim::gui
