// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/formula.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "sim/base/error.hpp"

namespace ascendsim::host {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double value_of(std::string_view text, const std::vector<double>& values = {}) {
    return Formula{text, "here"}.value(values);
}

std::string refusal_of(std::string_view text) {
    try {
        static_cast<void>(Formula{text, "s.toml:3"});
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

TEST(Formula, KeepsTheOrderOfArithmetic) {
    EXPECT_DOUBLE_EQ(value_of("1 + 2 * 3"), 7);
    EXPECT_DOUBLE_EQ(value_of("(1 + 2) * -3"), -9);
    EXPECT_DOUBLE_EQ(value_of("8 / 2 / 2 - 1"), 1);
    EXPECT_DOUBLE_EQ(value_of("1e3 + .5"), 1000.5);
}

TEST(Formula, NamesStandForValuesInTheOrderOfTheirFirstUse) {
    const Formula formula{"max(y, x) * x + tile_n", "here"};
    EXPECT_THAT(formula.names(), ElementsAre("y", "x", "tile_n"));
    EXPECT_DOUBLE_EQ(formula.value(std::vector<double>{2, 3, 10}), 19);  // 3 * 3 + 10
}

TEST(Formula, KnowsTheFunctionsOfActivations) {
    EXPECT_DOUBLE_EQ(value_of("relu(-1) + relu(2)"), 2);
    EXPECT_DOUBLE_EQ(value_of("sigmoid(0)"), 0.5);
    EXPECT_DOUBLE_EQ(value_of("x / 2 * (1 + erf(x / sqrt(2)))", {1}),
                     0.5 * (1 + std::erf(1 / std::sqrt(2.0))));
    EXPECT_DOUBLE_EQ(value_of("pow(2, 10)"), 1024);
}

TEST(Formula, OfWhatIsNoneNamesPlaceAndWord) {
    EXPECT_THAT(refusal_of("1 +"), HasSubstr("s.toml:3: '1 +'"));
    EXPECT_THAT(refusal_of("x y"), HasSubstr("'y' is not expected"));
    EXPECT_THAT(refusal_of("rleu(x)"), HasSubstr("no function rleu, did you mean 'relu'?"));
    EXPECT_THAT(refusal_of("exp(x @ y)"), HasSubstr("operators: + - * /; functions: abs, ceil, erf,"));
    EXPECT_THAT(refusal_of("max(1)"), HasSubstr("where a comma is expected"));
    EXPECT_THAT(refusal_of(std::string(1000, '(')), HasSubstr("is too deep"));
}

}  // namespace

}  // namespace ascendsim::host
