// SPDX-License-Identifier: Apache-2.0
#include "scenarios/report/compare_report.hpp"

#include <sstream>

#include <gmock/gmock.h>

#include "scenarios/analysis/testing/small_run.hpp"

namespace ascendsim::report {

namespace {

using analysis::testing::SmallRun;
using ::testing::HasSubstr;

record::Recording copy_of(SmallRun& run, std::uint64_t cycles) {
    run.recorder().metadata({{"title", "copy"}, {"chip", SmallRun::chip()}, {"knobs", {{"tile", cycles}}}});
    run.add(run.lane("aiv0", "mte2"), {.end = cycles, .bytes = 4096, .route = 0}, "copy", 2);
    return run.finish(cycles);
}

TEST(compare_report, tells_what_moved) {
    SmallRun one;
    SmallRun two;
    const record::Recording a = copy_of(one, 100);
    const record::Recording b = copy_of(two, 150);
    std::ostringstream text;
    std::ostringstream page;

    print_comparison(text, analysis::compare(a, b), {.colour = false, .width = 80});
    write_comparison_html(page, analysis::compare(a, b), a, b);

    EXPECT_THAT(text.str(), HasSubstr("B is 50.00 % slower than A, by 50 cycles: mte2 is busy 50 cycles longer"));
    EXPECT_THAT(text.str(), HasSubstr("knobs.tile"));
    EXPECT_THAT(text.str(), HasSubstr("+50.0 %"));
    EXPECT_THAT(text.str(), HasSubstr("A does copy at kernel.cpp:2 for 100 cycles from cycle 0"));
    std::istringstream lines{text.str()};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("The schedules part")) {
            EXPECT_LE(columns(line), 80U) << line;
        }
    }
    // One scale for both: the shorter run ends at two thirds.
    EXPECT_THAT(page.str(), HasSubstr("width=\"984.00\""));
    EXPECT_THAT(page.str(), HasSubstr("width=\"656.00\""));
}

}  // namespace

}  // namespace ascendsim::report
