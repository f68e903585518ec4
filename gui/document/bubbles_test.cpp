// SPDX-License-Identifier: Apache-2.0
#include "gui/document/bubbles.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "app/analysis/testing/small_run.hpp"
#include "gui/document/run_documents.hpp"

namespace ascendsim::gui {
namespace {

using analysis::testing::SmallRun;
using record::Reason;

/// The scalar unit issues a copy at 20 and what waits for it by 30; the copy occupies mte2 for [20, 50) and
/// arrives at 60. The cube waits for it from 28 on, until the flag is there at `flag`, and computes for 30.
BubbleReport copy_and_product(std::uint64_t flag) {
    SmallRun made;
    made.recorder().metadata({{"title", "chain"}, {"mode", "timing"}, {"chip", SmallRun::chip()}});
    const std::uint32_t scalar = made.lane("aic0", "scalar");
    const std::uint32_t load = made.lane("aic0", "mte2");
    const std::uint32_t cube = made.lane("aic0", "cube");
    for (const std::uint32_t lane : {scalar, load, cube}) {
        made.add(lane, {.start = 0, .end = 10, .reason = Reason::launch});
    }
    made.busy(scalar, 10, 10, 30, "scalar");
    const record::SpanId copy =
        made.add(load, {.issue = 20, .start = 20, .end = 50, .complete = 60, .bytes = 4096, .route = 1});
    made.wait(cube, 28, flag, Reason::flag_data, copy);
    made.add(cube, {.issue = 30, .start = flag, .end = flag + 30, .complete = flag + 30, .work = 4096});
    static_cast<void>(made.finish(flag + 30));
    RunDocuments documents{Loading::at_once};
    documents.open(made.file().string());
    return bubbles_of(*as_run(documents.run_a().get()), {0, static_cast<double>(flag + 30)});
}

CauseTotal cause_of(const BubbleReport& report, const std::string& pipe, Reason reason) {
    const auto found = std::ranges::find_if(
        report.causes, [&](const CauseTotal& cause) { return cause.pipe == pipe && cause.reason == reason; });
    return found == report.causes.end() ? CauseTotal{} : *found;
}

TEST(Bubbles, AWaitBeforeTheCriticalPathsInstructionIsOfThePath) {
    const CauseTotal cause = cause_of(copy_and_product(60), "cube", Reason::flag_data);
    EXPECT_EQ(cause.cycles, 60U - 28);
    EXPECT_EQ(cause.path, 60U - 28);  // all the while the path was at the copy
}

/// The path comes back to the cube in the wait itself, when the copy has arrived and its flag has not: what
/// follows it did there, and only what lies before was spent elsewhere.
TEST(Bubbles, AWaitThatThePathEndsInCountsUpToThere) {
    const BubbleReport report = copy_and_product(65);
    const CauseTotal cause = cause_of(report, "cube", Reason::flag_data);
    EXPECT_EQ(cause.cycles, 65U - 28);
    EXPECT_EQ(cause.path, 60U - 28);
    EXPECT_EQ(cause_of(report, "cube", Reason::issue).path, 28U - 10);  // nothing was handed over before
}

}  // namespace
}  // namespace ascendsim::gui
