// SPDX-License-Identifier: Apache-2.0
#include "sim/base/csv_cell.hpp"

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

TEST(CsvCell, IsQuotedOnlyWhereATableWouldBreak) {
    EXPECT_EQ(csv_cell("256"), "256");
    EXPECT_EQ(csv_cell(""), "");
    EXPECT_EQ(csv_cell("1,024"), "\"1,024\"");
    EXPECT_EQ(csv_cell("says \"no\""), "\"says \"\"no\"\"\"");
    EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
    EXPECT_EQ(csv_cell("a file's name\r"), "\"a file's name\r\"")
        << "readers take a lone CR as an end of line";
}

}  // namespace
}  // namespace ascendsim
