// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/compare/compare_layout.hpp"

#include <set>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "gui/shell/testing.hpp"

namespace ascendsim::gui {
namespace {

ComparisonTable wait_rows(const std::vector<std::string>& names) {
    ComparisonTable table{"waits", "Waits", "", {}};
    for (const std::string& name : names) {
        table.rows.push_back({.name = name,
                              .before = "59,423,532",
                              .after = "0",
                              .change = "gone",
                              .verdict = Verdict::neutral,
                              .noise = false,
                              .hint = {},
                              .cause = {},
                              .find = {},
                              .command = {}});
    }
    return table;
}

/// Two cut names beside a third were told apart from the third alone, and so looked the same.
TEST(ComparisonLayout, NamesThatDifferLookDifferentHoweverNarrowTheColumn) {
    TestBench bench;
    bench.host.settle();
    const FontSet& fonts = bench.host.shell().fonts();
    const ComparisonTable table = wait_rows({"MTE2 of aic unused",
                                             "MTE2 of aiv unused",
                                             "MTE3 of aic unused",
                                             "MTE3 of aiv unused",
                                             "Scalar of aic unused",
                                             "Scalar of aiv unused"});
    ComparisonLayouts layouts;
    for (float width = 250; width <= 400; width += 10) {
        const ComparisonLayout& layout = layouts.get(table, 1, width, fonts);
        ASSERT_EQ(layout.names.size(), table.rows.size());
        EXPECT_EQ(std::set(layout.names.begin(), layout.names.end()).size(), table.rows.size())
            << width << ": " << fmt::format("{}", fmt::join(layout.names, " | "));
    }
}

TEST(ComparisonLayout, IsMeasuredAnewOnlyWhereSomethingHasChanged) {
    TestBench bench;
    bench.host.settle();
    const FontSet& fonts = bench.host.shell().fonts();
    ComparisonTable table = wait_rows({"of a short name"});
    ComparisonLayouts layouts;
    for (int frame = 0; frame < 10; ++frame) {
        EXPECT_EQ(layouts.get(table, 1, 400, fonts).names.front(), "of a short name");
    }
    EXPECT_EQ(layouts.made(), 1U);
    EXPECT_NE(layouts.get(table, 1, 200, fonts).names.front(), "of a short name") << "it has no room";
    EXPECT_EQ(layouts.made(), 2U);
    table.rows.front().name = "another";
    EXPECT_EQ(layouts.get(table, 2, 400, fonts).names.front(), "another");
    EXPECT_EQ(layouts.made(), 3U);
}

}  // namespace
}  // namespace ascendsim::gui
