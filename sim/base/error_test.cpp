// SPDX-License-Identifier: Apache-2.0
#include "sim/base/error.hpp"

#include <gtest/gtest.h>

namespace ascendsim {

TEST(NearestHint, NamesTheClosestKnownName) {
    EXPECT_EQ(nearest_hint("910b", {"310", "910b1", "910a"}), ", did you mean '910b1'?");
}

TEST(NearestHint, KnowsABeginningAndAnAbbreviation) {
    EXPECT_EQ(nearest_hint("910b", {"910a", "910b1", "910b2"}), ", did you mean '910b1'?");
    EXPECT_EQ(nearest_hint("swiglo", {"add_8192_910b1", "swiglu_910b"}), ", did you mean 'swiglu_910b'?");
    EXPECT_EQ(nearest_hint("gbps", {"bytes", "gb_per_s", "turn_cycles"}), ", did you mean 'gb_per_s'?");
    EXPECT_EQ(nearest_hint("my_ad", {"my_add~1", "my_add"}), ", did you mean 'my_add'?");
    EXPECT_EQ(nearest_hint("my_ad", {"my_add", "my_add~1"}), ", did you mean 'my_add'?");
}

TEST(NearestHint, CountsTwoSwappedLettersAsOneChange) {
    EXPECT_EQ(nearest_hint("hieght", {"high", "height"}), ", did you mean 'height'?");
    EXPECT_EQ(nearest_hint("dtpye", {"depth", "dtype"}), ", did you mean 'dtype'?");
}

TEST(NearestHint, StaysSilentWhenNothingIsNear) {
    EXPECT_EQ(nearest_hint("swiglu", {"chip", "kernel"}), "");
}

TEST(Check, ThrowsInternalErrorWithItsText) {
    EXPECT_NO_THROW(check(true, "never {}", 1));
    EXPECT_THROW(check(false, "flag {}", 9), InternalError);
}

}  // namespace ascendsim
