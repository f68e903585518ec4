// SPDX-License-Identifier: Apache-2.0
#include "sim/base/nesting.hpp"

#include <string>

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

TEST(Nesting, CountsBracketsButThoseInStrings) {
    EXPECT_FALSE(nested_deeper("[{}, {\"a\": []}]", 3));
    EXPECT_TRUE(nested_deeper("[{}, {\"a\": []}]", 2));
    EXPECT_FALSE(nested_deeper(R"(["[[[", "\"[[[", "\\"])", 1));
    EXPECT_FALSE(nested_deeper("]]]]", 0));
    EXPECT_FALSE(nested_deeper("", 0));
    EXPECT_FALSE(nested_deeper("\"\\", 0));
}

TEST(Nesting, TakesAnyDepth) {
    EXPECT_TRUE(nested_deeper(std::string(1'000'000, '[')));
    std::string flat = "[";
    for (int i = 0; i < 100'000; ++i) {
        flat += "[],";
    }
    EXPECT_FALSE(nested_deeper(flat + "1]"));
}

}  // namespace
}  // namespace ascendsim
