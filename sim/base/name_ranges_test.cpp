// SPDX-License-Identifier: Apache-2.0
#include "sim/base/name_ranges.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

std::string ranges(const std::vector<std::string>& names) {
    return name_ranges(names);
}

TEST(NameRanges, ConsecutiveNumbersAreARange) {
    EXPECT_EQ(ranges({"aiv0", "aiv1", "aiv2", "aiv3"}), "aiv0 to aiv3");
    EXPECT_EQ(ranges({"aiv9", "aiv10", "aiv11", "aic0"}), "aiv9 to aiv11, aic0");
}

TEST(NameRanges, EvenStepsAreASeries) {
    EXPECT_EQ(ranges({"aiv1", "aiv3", "aiv5", "aiv7"}), "aiv1, aiv3, … aiv7");
}

TEST(NameRanges, FewOrUnevenNamesStandAsTheyAre) {
    EXPECT_EQ(ranges({}), "");
    EXPECT_EQ(ranges({"aiv0", "aiv1"}), "aiv0, aiv1");
    EXPECT_EQ(ranges({"aiv0", "aiv2", "aiv7"}), "aiv0, aiv2, aiv7");
    EXPECT_EQ(ranges({"aic1", "aiv2", "aiv3", "host"}), "aic1, aiv2, aiv3, host");
}

}  // namespace
}  // namespace ascendsim
