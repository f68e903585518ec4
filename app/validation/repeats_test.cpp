// SPDX-License-Identifier: Apache-2.0
#include "app/validation/repeats.hpp"

#include <gtest/gtest.h>

namespace ascendsim::validation {
namespace {

JudgedRow row(const std::string& shape, double measured, SourceClass which = SourceClass::black_box) {
    JudgedRow judged;
    judged.measurement.kernel = "Cast";
    judged.measurement.shape = shape;
    judged.measurement.dtype = "fp32->int32";
    judged.family = "LAUNCH";
    judged.chip = "910b1";
    judged.which = which;
    judged.measured_us = measured;
    judged.simulated_us = 1;
    return judged;
}

TEST(Repeats, RowsOfAsManyElementsAreTheSameWork) {
    const Validation validation{.data = {}, .rows = {row("1024x4", 1), row("4096", 3), row("12288", 2.5)}};
    const std::vector<Repeats> found = repeats_of(validation);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rows, 3U);
    EXPECT_EQ(found[0].repeating, 2U);
    EXPECT_DOUBLE_EQ(found[0].spread, 0.5);  // 1 and 3 about their mean of 2
    // Means 2, 2 and 2.5: of the pairs (1, 3), (1, 2.5) and (3, 2.5) one is tied, one right, one wrong.
    EXPECT_DOUBLE_EQ(found[0].kendall, 0);
    EXPECT_NE(repeats_markdown(validation).find("| LAUNCH | 3 | 2 | 50.0 | 0.00 |"), std::string::npos)
        << repeats_markdown(validation);
}

TEST(Repeats, OtherWorkOtherTypesAndKnownSourcesAreApart) {
    Validation validation{
        .data = {},
        .rows = {row("4096", 1), row("4096; 4096", 3), row("4096", 2, SourceClass::known_source)}};
    EXPECT_TRUE(repeats_of(validation).empty());
    validation.rows.push_back(row("4096", 5));
    validation.rows.back().measurement.dtype = "fp16->fp32";
    EXPECT_TRUE(repeats_of(validation).empty());
    EXPECT_EQ(repeats_markdown(validation), "");
}

TEST(Repeats, ARowsStandardErrorIsThatOfItsWork) {
    Validation validation{
        .data = {},
        .rows = {
            row("1024x4", 1), row("4096", 3), row("8192", 2), row("4096", 2, SourceClass::known_source)}};
    add_standard_errors(validation);
    // 1 and 3 about 2: variance (1 + 1) / (2 - 1), deviation 1.414, over the mean 0.707.
    ASSERT_TRUE(validation.rows[0].standard_error);
    EXPECT_NEAR(*validation.rows[0].standard_error, 0.7071, 1e-4);
    EXPECT_EQ(validation.rows[1].standard_error, validation.rows[0].standard_error);
    EXPECT_FALSE(validation.rows[2].standard_error);
    EXPECT_FALSE(validation.rows[3].standard_error);
}

}  // namespace
}  // namespace ascendsim::validation
