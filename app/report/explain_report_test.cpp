// SPDX-License-Identifier: Apache-2.0
#include "app/report/explain_report.hpp"

#include <sstream>

#include <gmock/gmock.h>

#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::report {

namespace {

using analysis::testing::SmallRun;
using record::Reason;
using ::testing::HasSubstr;

// A copy of 4096 B at a quarter of the port's rate, then an mmad at its peak rate.
record::Recording slow_copy(SmallRun& run) {
    run.recorder().metadata(
        {{"title", "slow copy"},
         {"chip", SmallRun::chip()},
         {"knobs", {{"tile", 64}}},
         {"knob_ranges", {{"tile", {{"meaning", "elements of a tile"}, {"min", 16}, {"max", 4096}}}}}});
    const auto scalar = run.lane("aic0", "scalar");
    const auto load = run.lane("aic0", "mte2");
    const auto cube = run.lane("aic0", "cube");
    run.busy(scalar, 0, 0, 10, "scalar", 1);
    const auto copy = run.add(load,
                              {.issue = 10,
                               .start = 10,
                               .end = 266,
                               .bytes = 4096,
                               .route = 1,
                               .limiter = record::Limiter::start_up},
                              "copy",
                              2);
    run.wait(cube, 10, 266, Reason::flag_data, copy);
    run.add(cube, {.issue = 10, .start = 266, .end = 300, .work = 34 * 4096}, "mmad", 3);
    return run.finish(300);
}

TEST(ExplainReport, TellsPathBlameAndAdvice) {
    SmallRun run;
    const record::Recording recording = slow_copy(run);
    std::ostringstream out;

    print_explanation(out, analysis::explain(recording), recording, {});

    EXPECT_THAT(out.str(),
                HasSubstr("Bound by transfer: 85 % of the critical path, mostly on mte2 (start-up)"));
    EXPECT_THAT(out.str(), HasSubstr("85.3 %  copy at kernel.cpp:2 on mte2, limited by start-up"));
    EXPECT_THAT(out.str(), HasSubstr("waits 88.7 % of its time"));  // the cube: 266 of 300
    // Another tile may change all of 300 cycles but the 34 in which the cube computes at its rate.
    EXPECT_THAT(out.str(), HasSubstr("1. up to    88.7 %  Copies are so short that starting them dominates"));
    EXPECT_THAT(out.str(), HasSubstr("try kernel.tile 64 -> 128 or 32: elements of a tile (16 to 4096)"));
}

TEST(ExplainReport, KeepsToTheWidth) {
    SmallRun run;
    const record::Recording recording = slow_copy(run);
    const analysis::Explanation explanation = analysis::explain(recording);
    for (const std::size_t width : {80U, 120U}) {
        std::ostringstream out;
        print_explanation(out, explanation, recording, {.colour = true, .width = width});
        std::istringstream lines{out.str()};
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(columns(line), width) << line;
        }
    }
}

}  // namespace

}  // namespace ascendsim::report
