// SPDX-License-Identifier: Apache-2.0
#include "app/studies/expression.hpp"

#include <gmock/gmock.h>

#include "sim/base/error.hpp"

namespace ascendsim::study {

namespace {

using testing::HasSubstr;

std::optional<double> known(const std::string& name) {
    if (name == "tokens") {
        return 16384;
    }
    if (name == "chip.peak_tflops") {
        return 364;
    }
    return std::nullopt;
}

double value(std::string_view text) {
    return compute(text, known, "here").value;
}

std::string why_not(std::string_view text) {
    try {
        static_cast<void>(compute(text, known, "file.toml:3"));
    } catch (const UserError& error) {
        return error.what();
    }
    return "works";
}

TEST(Expression, FollowsTheRulesOfArithmetic) {
    EXPECT_EQ(value("1 + 2 * 3"), 7);
    EXPECT_EQ(value("(1 + 2) * 3"), 9);
    EXPECT_EQ(value("10 - 4 - 3"), 3);
    EXPECT_EQ(value("12 / 3 / 2"), 2);
    EXPECT_EQ(value("2 ^ 3 ^ 2"), 512);
    EXPECT_EQ(value("-2 + 5"), 3);
    EXPECT_EQ(value("max(1, 7, 3) - min(4, 2) + sqrt(81) + ceil(1.2)"), 16);
    EXPECT_DOUBLE_EQ(value("5.1e-3 * 1e3"), 5.1);
}

TEST(Expression, ShowsItsArithmeticWithValuesForNames) {
    const Computed result = compute("tokens / (chip.peak_tflops * 2)", known, "here");
    EXPECT_DOUBLE_EQ(result.value, 16384.0 / 728);
    EXPECT_EQ(result.arithmetic, "16384 / (364 × 2)");
}

TEST(Expression, ThatIsNoneSaysWhy) {
    EXPECT_THAT(why_not("token / 2"), HasSubstr("file.toml:3: 'token / 2': 'token' is not a fact"));
    EXPECT_THAT(why_not("1 +"), HasSubstr("is expected"));
    EXPECT_THAT(why_not("(1"), HasSubstr("a ')' is missing"));
    EXPECT_THAT(why_not("1 2"), HasSubstr("'2' is not expected"));
    EXPECT_THAT(why_not("1 / (3 - 3)"), HasSubstr("divides by zero"));
    EXPECT_THAT(why_not("sin(1)"), HasSubstr("'sin' of 1 values"));
    EXPECT_THAT(why_not(std::string(1000, '(')), HasSubstr("nested too deeply"));
    std::string tower = "2";
    for (int i = 0; i < 100'000; ++i) {
        tower += "^2";
    }
    EXPECT_THAT(why_not(tower), HasSubstr("nested too deeply"));
    EXPECT_THAT(why_not("sqrt(0 - 1)"), HasSubstr("no finite value"));
}

}  // namespace

}  // namespace ascendsim::study
