// SPDX-License-Identifier: Apache-2.0
#include "app/report/compare_report.hpp"

#include <sstream>

#include <gmock/gmock.h>

#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::report {

namespace {

using analysis::testing::SmallRun;
using ::testing::HasSubstr;

record::Recording copy_of(SmallRun& run, std::uint64_t cycles) {
    run.recorder().metadata({{"title", "copy"}, {"chip", SmallRun::chip()}, {"knobs", {{"tile", cycles}}}});
    run.add(run.lane("aiv0", "mte2"), {.end = cycles, .bytes = 4096, .route = 0}, "copy", 2);
    return run.finish(cycles);
}

TEST(CompareReport, TellsWhatMoved) {
    SmallRun one;
    SmallRun two;
    const record::Recording a = copy_of(one, 100);
    const record::Recording b = copy_of(two, 150);
    std::ostringstream text;
    std::ostringstream page;

    print_comparison(text, analysis::compare(a, b), {.colour = false, .width = 80});
    write_comparison_html(page, analysis::compare(a, b), a, b);

    EXPECT_THAT(text.str(),
                HasSubstr("B is 50.00 % slower than A, by 50 cycles: mte2 is busy 50 cycles longer"));
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

TEST(CompareReport, ExplainsTheColoursOfBothPictures) {
    SmallRun one;
    SmallRun two;
    const record::Recording a = copy_of(one, 100);
    two.recorder().metadata({{"title", "copy"}, {"chip", SmallRun::chip()}});
    const std::uint32_t lane = two.lane("aiv0", "mte2");
    const record::SpanId other = two.busy(two.lane("aiv1", "mte2", 1), 0, 0, 40);
    two.wait(lane, 0, 40, record::Reason::cross_core, other);
    two.add(lane, {.start = 40, .end = 140, .bytes = 4096, .route = 0}, "copy", 2);
    const record::Recording b = two.finish(140);
    std::ostringstream page;
    write_comparison_html(page, analysis::compare(a, b), a, b);
    EXPECT_THAT(page.str(), HasSubstr("</span>other core</li>"));
}

// 300,000 cycles at 1 GHz: a mark each 50 us, at most ten of them.
TEST(CompareReport, MarksTheAxisAtRoundTimes) {
    SmallRun one;
    const record::Recording a = copy_of(one, 300'000);
    std::ostringstream page;
    write_comparison_html(page, analysis::compare(a, a), a, a);
    EXPECT_THAT(page.str(), HasSubstr(">50.00 us</text>"));
    EXPECT_THAT(page.str(), HasSubstr("text-anchor=\"end\">300.00 us</text>"));
}

}  // namespace

}  // namespace ascendsim::report
