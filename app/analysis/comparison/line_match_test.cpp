// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/comparison/line_match.hpp"

#include <gmock/gmock.h>

#include "app/analysis/comparison/compare.hpp"
#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using ::testing::ElementsAre;
using testing::SmallRun;

TEST(MatchedLines, FollowsALineThatMoved) {
    // Two lines in front of it, none of them in the other.
    EXPECT_THAT(matched_lines({"a", "b", "c"}, {"new", "more", "a", "b", "c"}),
                ElementsAre(3U, 3U, 0U, 1U, 2U));
}

TEST(MatchedLines, PairsALineThatWasEdited) {
    EXPECT_THAT(matched_lines({"a", "buffers = 2", "c"}, {"a", "buffers = 1", "c"}), ElementsAre(0U, 1U, 2U));
}

TEST(MatchedLines, LeavesOutWhatIsNewOrGone) {
    EXPECT_THAT(matched_lines({"a", "b", "c", "d"}, {"a", "d", "e"}), ElementsAre(0U, 3U, 4U));
}

// One copy at `line` of a source whose first lines are as many comments.
record::Recording copy_at(SmallRun& run, std::uint32_t line) {
    std::string text;
    for (std::uint32_t i = 1; i < line; ++i) {
        text += "// " + std::to_string(i) + "\n";
    }
    run.recorder().metadata(
        {{"kernel", "kernel"}, {"sources", {{"/somewhere/kernel.cpp", text + "DataCopy(x, y, 64);\n"}}}});
    const auto scalar = run.lane("aiv0", "scalar");
    const auto load = run.lane("aiv0", "mte2");
    run.busy(scalar, 0, 0, 5);
    run.add(load, {.issue = 5, .start = 5, .end = 105, .bytes = 128, .route = 1}, "copy", line);
    return run.finish(105);
}

TEST(Compare, TakesAMovedLineForTheSame) {
    SmallRun one;
    const record::Recording a = copy_at(one, 3);
    SmallRun two;
    const record::Recording b = copy_at(two, 7);
    const Comparison result = compare(a, b);
    EXPECT_EQ(result.verdict, "Both are the same, cycle by cycle");
    const auto copy = std::ranges::find(result.lines, "copy", &LineChange::instruction);
    ASSERT_NE(copy, result.lines.end());
    EXPECT_EQ(copy->source, "kernel.cpp:3");
    EXPECT_EQ(copy->source_in_b, "kernel.cpp:7");
    EXPECT_EQ(copy->busy.difference(), 0);
}

}  // namespace

}  // namespace ascendsim::analysis
