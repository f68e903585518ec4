// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_output.hpp"

#include <gtest/gtest.h>

#include "app/report/style.hpp"

namespace ascendsim::cli {
namespace {

TEST(Progress, IsCutBetweenItsParts) {
    const std::string line = " 12 of 345 runs, 67.8 s, 9.01 runs/s";
    EXPECT_EQ(whole_parts(line, 80), line);
    EXPECT_EQ(whole_parts(line, 35), " 12 of 345 runs, 67.8 s");  // the line has 36 columns, this part 23
    EXPECT_EQ(whole_parts(line, 22), " 12 of 345 runs");
    EXPECT_EQ(whole_parts("add  simulating  3 of 64 blocks  1.5 s", 34), "add  simulating  3 of 64 blocks");
    EXPECT_EQ(report::columns(whole_parts("a_kernel_of_a_long_name", 8)), 8U);  // one part, cut in itself
}

}  // namespace
}  // namespace ascendsim::cli
