// SPDX-License-Identifier: Apache-2.0
// Waits that never ended, as panels ask for them.
#include <gtest/gtest.h>

#include "gui/canvas/theme.hpp"
#include "gui/document/run_documents.hpp"
#include "gui/document/selection.hpp"
#include "gui/document/testing/runs.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::gui {
namespace {

TEST(NeverSet, AWaitThatNeverEndedSaysSoAndWhatItWaitedFor) {
    constexpr std::uint32_t vector = 1;  // lane of the first core
    record::testing::TemporaryFile file;
    TiledRun run{file.path(), 1, 4, 2};
    const std::uint64_t from = 1'000'000;  // behind everything else
    record::Span wait{.issue = from, .start = from, .end = from + 500, .complete = from + 500};
    wait.op = run.recorder().op("wait_flag");
    wait.reason = record::Reason::flag_data;
    run.recorder().span(vector, wait);
    run.recorder().event(
        {{"kind", "never_set"}, {"lane", vector}, {"cycle", from}, {"text", "nothing sets it"}});
    run.finish();
    RunDocuments documents{Loading::at_once};
    documents.open(file.path().string());
    const gui::Run& opened = *as_run(documents.run_a().get());

    ASSERT_NE(opened.never_set(vector, from), nullptr);
    EXPECT_EQ(*opened.never_set(vector, from), "nothing sets it");
    EXPECT_EQ(opened.never_set(vector, from + 1), nullptr);
    const std::optional<Pick> pick =
        pick_span(opened, {vector, static_cast<std::uint32_t>(opened.recording().lane(vector).size() - 1)});
    ASSERT_TRUE(pick.has_value());
    EXPECT_EQ(pick_label(opened, *pick, theme(ThemeName::dark)), "waiting for data, never set");
}

}  // namespace
}  // namespace ascendsim::gui
