// SPDX-License-Identifier: Apache-2.0
#include "gui/document/alignment.hpp"

#include <gtest/gtest.h>

#include "gui/document/run_documents.hpp"
#include "gui/document/testing/runs.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::gui {
namespace {

/// The same kernel with two buffers as A and with one as B.
class TwoRuns : public ::testing::Test {
protected:
    TwoRuns() {
        TiledRun{file_a.path(), 2, 6, 2}.finish();
        TiledRun{file_b.path(), 1, 6, 1}.finish();
        documents.open(file_a.path().string());
        documents.open_b(file_b.path().string());
    }

    [[nodiscard]] const gui::Run& a() { return *as_run(documents.run_a().get()); }

    [[nodiscard]] const gui::Run& b() { return *as_run(documents.run_b().get()); }

    /// The n-th load of the first core: lane 2 is its MTE2.
    static Pick load(const gui::Run& run, std::size_t n) {
        const record::Lane& lane = run.recording().lane(2);
        for (std::size_t i = 0;; ++i) {
            if (lane.reason[i] == record::Reason::none && n-- == 0) {
                return *pick_span(run, {2, i});
            }
        }
    }

    record::testing::TemporaryFile file_a{"a.rec"};
    record::testing::TemporaryFile file_b{"b.rec"};
    RunDocuments documents{Loading::at_once};
};

TEST_F(TwoRuns, TheSameInstructionIsFoundByItsOrder) {
    const std::optional<Pick> same = matching(a(), b(), load(a(), 3));
    ASSERT_TRUE(same.has_value());
    // With one buffer a tile takes from its load's start 100 + 30 to be there, 60 + 10 to be added and 80 +
    // 20 to be stored, 300 in all, and the first load starts at 220.
    EXPECT_EQ(same->stretch.start, 220U + 3 * 300);
    EXPECT_EQ(same->lane, 2U);
    const std::optional<Pick> back = matching(b(), a(), *same);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->stretch.index, load(a(), 3).stretch.index);
}

TEST_F(TwoRuns, WhatTheOtherRunDoesNotHaveHasNoMatch) {
    // Core 1 ran in A only.
    const std::optional<Pick> second_core = pick_span(a(), {6, 0});
    ASSERT_TRUE(second_core.has_value());
    EXPECT_FALSE(matching(a(), b(), *second_core).has_value());
    // With one buffer every load but the first waits, five times; with two, only every second one does.
    const record::Lane& lane = b().recording().lane(2);
    std::size_t last_wait = 0;
    for (std::size_t i = 0; i < lane.size(); ++i) {
        last_wait = lane.reason[i] == record::Reason::flag_buffer ? i : last_wait;
    }
    EXPECT_FALSE(matching(b(), a(), *pick_span(b(), {2, last_wait})).has_value());
}

TEST_F(TwoRuns, MappingFollowsTheChoice) {
    ViewState view;
    EXPECT_TRUE(mapping_of(a(), b(), view).identity());
    view.alignment = Alignment::length;
    EXPECT_DOUBLE_EQ(mapping_of(a(), b(), view).to_b(a().cycles()), b().cycles());
    const Pick chosen = load(a(), 4);
    const Pick same = *matching(a(), b(), chosen);
    view.aligned_at = chosen.span();
    view.alignment = Alignment::start;
    EXPECT_DOUBLE_EQ(mapping_of(a(), b(), view).to_b(chosen.range().begin), same.range().begin);
    view.alignment = Alignment::end;
    const Mapping ends = mapping_of(a(), b(), view);
    EXPECT_DOUBLE_EQ(ends.to_b(chosen.range().end), same.range().end);
    EXPECT_DOUBLE_EQ(ends.to_a(ends.to_b(1234)), 1234);
}

}  // namespace
}  // namespace ascendsim::gui
