// SPDX-License-Identifier: Apache-2.0
// Parts of the shell by themselves.
#include <gtest/gtest.h>

#include "gui/shell/open_documents.hpp"
#include "gui/shell/script_values.hpp"
#include "gui/shell/testing.hpp"

namespace ascendsim::gui {
namespace {

TEST(OpenDocuments, WithoutASourceNothingCanBeOpened) {
    OpenDocuments documents{nullptr};
    ViewState view;
    Toasts toasts;
    documents.poll(view, toasts);
    EXPECT_FALSE(documents.any());
    EXPECT_THROW(documents.open("a.rec", view), UserError);
    EXPECT_THROW(documents.open_b("a.rec", view), UserError);
    EXPECT_FALSE(view.compare);
}

TEST(OpenDocuments, AnOpenRunGivesTheViewItsLength) {
    FixedDocuments source;
    OpenDocuments documents{&source};
    ViewState view;
    Toasts toasts;
    documents.open("a.rec", view);
    EXPECT_FALSE(documents.any()) << "not before the next frame";
    documents.poll(view, toasts);
    EXPECT_TRUE(documents.any());
    EXPECT_EQ(documents.run_a()->title(), "a.rec");
    EXPECT_EQ(documents.run_b(), nullptr);
    EXPECT_DOUBLE_EQ(view.extent, 100'000);
    documents.open_b("b.rec", view);
    EXPECT_TRUE(view.compare);
}

// A large recording took seconds in which the welcome page stood there as if nothing had been asked for.
TEST(OpenDocuments, WhatIsBeingOpenedIsSaidAtOnce) {
    TestBench bench;
    bench.documents.being_opened = {"Opening a.rec, 26 MiB: reading for 0.0 s"};
    bench.host.frame();
    const std::string words = bench.host.screen_text();
    const std::size_t first = words.find("Opening a.rec");
    ASSERT_NE(first, std::string::npos) << words;
    EXPECT_NE(words.find("Opening a.rec", first + 1), std::string::npos)
        << "on the page, and in the last line";
    EXPECT_TRUE(bench.host.shell().has_news()) << "the seconds go on";
    bench.documents.being_opened.clear();
    bench.documents.open("a.rec");
    bench.host.frame();
    EXPECT_EQ(bench.host.screen_text().find("Opening"), std::string::npos);
    EXPECT_FALSE(bench.host.shell().has_news());
}

TEST(OpenDocuments, ASessionBringsItsViewAndItsRun) {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "session.json").string();
    ViewState saved;
    saved.run_a = "kept.rec";
    saved.theme = ThemeName::light;
    save_session(file, saved);
    FixedDocuments source;
    OpenDocuments documents{&source};
    ViewState view;
    documents.open(file, view);
    EXPECT_EQ(view.theme, ThemeName::light);
    ASSERT_NE(source.run, nullptr);
    EXPECT_EQ(source.run->title(), "kept.rec");
}

TEST(ScriptValues, AreTheViewAnchorsAndWhatTheShellSays) {
    ViewState view;
    Anchors anchors;
    anchors.enable(true);
    anchors.add("tab/timeline", Rect{0, 0, 1, 1});
    ScriptValues values{view, anchors, [] { return nlohmann::json{{"toasts", {"one", "two"}}}; }};
    EXPECT_EQ(values.get("view.theme"), "dark");
    EXPECT_EQ(values.get("toasts.1"), "two");
    EXPECT_EQ(values.get("anchor.tab/timeline"), true);
    EXPECT_TRUE(values.get("nothing.at_all").is_null());
    view.extent = 7;
    values.set("view.theme", "light");
    EXPECT_EQ(view.theme, ThemeName::light);
    EXPECT_DOUBLE_EQ(view.extent, 7) << "kept: it is the run's, not the user's";
    EXPECT_THROW(values.set("view.thme", "light"), UserError);
}

}  // namespace
}  // namespace ascendsim::gui
