// SPDX-License-Identifier: Apache-2.0
#include "app/report/power_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ascendsim::report {
namespace {

using testing::HasSubstr;
using testing::Not;

const analysis::PowerCurve curve_of_tests{.stretch_us = 10,
                                          .watts = {100, 200, 400, 100},
                                          .idle_w = 100,
                                          .limit_w = 300,
                                          .spread = 0.2,
                                          .peak_w = 400,
                                          .above_us = 10,
                                          .run_us = 40,
                                          .limited_us = 45};

TEST(PowerReport, DrawsTheCurveAndStatesWhatTheLimitCosts) {
    const std::string text = power_text(curve_of_tests, {});
    EXPECT_THAT(text, HasSubstr("▃▅█▃"));  // 1.75, 3.5, 7 and 1.75 eighths, rounded
    EXPECT_THAT(text, HasSubstr("at most 400.0 W over 10.00 us, ±20.0 %; limit 300 W"));
    EXPECT_THAT(text, HasSubstr("takes 45.00 us instead of 40.00 us"));
}

TEST(PowerReport, LeavesOutALimitThatIsFarAway) {
    analysis::PowerCurve curve = curve_of_tests;
    EXPECT_THAT(power_plot(curve), HasSubstr("limit 300 W"));
    curve.limit_w = 1000;
    EXPECT_THAT(power_plot(curve), Not(HasSubstr("limit 1000 W")));
    curve.watts.clear();
    EXPECT_EQ(power_plot(curve), "");
}

}  // namespace
}  // namespace ascendsim::report
