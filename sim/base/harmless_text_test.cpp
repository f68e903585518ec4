// SPDX-License-Identifier: Apache-2.0
#include "sim/base/harmless_text.hpp"

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

TEST(HarmlessText, LeavesWhatReportsSay) {
    const std::string report =
        "add_8192  910B1\n  \x1b[1;31mFAIL\x1b[0m  max_abs_error\t1e-3 # note\n## Heading\nstd::min\n";
    EXPECT_EQ(harmless(report), report);
}

// https://docs.github.com/actions/reference/workflow-commands-for-github-actions: a line that starts with
// "::".
TEST(HarmlessText, NoLineIsACommandOfGitHub) {
    EXPECT_EQ(harmless("::error file=a.cpp::wrong"), ": :error file=a.cpp::wrong");
    EXPECT_EQ(harmless("ok\n \t::set-output name=x::1\n"), "ok\n \t: :set-output name=x::1\n");
    EXPECT_EQ(harmless("\x1b[1m::stop-commands::x"), "\x1b[1m: :stop-commands::x");
    // Runners trim what Unicode counts as blank: no-break space, next line, ideographic space.
    EXPECT_EQ(harmless("\u00a0::error::x"), "\u00a0: :error::x");
    EXPECT_EQ(harmless("\u0085\u3000 ::error::x"), "\u0085\u3000 : :error::x");
}

// https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands: anywhere in a line.
TEST(HarmlessText, NoLineHoldsACommandOfAzureOrTeamCity) {
    EXPECT_EQ(harmless("kernel '##vso[task.setvariable variable=a]b'"),
              "kernel '# #vso[task.setvariable variable=a]b'");
    EXPECT_EQ(harmless("##[error]x"), "# #[error]x");
    EXPECT_EQ(harmless("###teamcity[x]"), "## #teamcity[x]");
}

TEST(HarmlessText, ACarriageReturnHidesNoLine) {
    EXPECT_EQ(harmless("passed\r::error::x"), "passed\n: :error::x");
    EXPECT_EQ(harmless("a\r\nb\r\n"), "a\nb\n");
}

TEST(HarmlessText, OfControlCharactersOnlyColoursAreLeft) {
    EXPECT_EQ(harmless("a\x1b]0;title\x07z\x1b[2J"), "a?]0;title?z?[2J");
    EXPECT_EQ(harmless(std::string{"a\0b\x7f", 4}), "a?b?");
}

}  // namespace
}  // namespace ascendsim
