// SPDX-License-Identifier: Apache-2.0
#include "sim/base/lower_case.hpp"

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

TEST(LowerCase, ChangesCapitalLettersAndNothingElse) {
    EXPECT_EQ(lower("SwiGLU_910B [8, 16] \xC3\x84"), "swiglu_910b [8, 16] \xC3\x84");
}

TEST(LowerCase, ComparesTextsWithoutRegardToCase) {
    EXPECT_TRUE(same_letters("Timeline", "timeLINE"));
    EXPECT_FALSE(same_letters("Timeline", "Timelines"));
    EXPECT_FALSE(same_letters("[", "{")) << "these differ as letters of other case do, and are none";
}

}  // namespace
}  // namespace ascendsim
