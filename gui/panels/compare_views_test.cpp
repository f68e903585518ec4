// SPDX-License-Identifier: Apache-2.0
// Two runs beside each other, and views saved to files.
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gui/panels/testing/view_bench.hpp"
#include "gui/render/png.hpp"

namespace ascendsim::gui {
namespace {

std::filesystem::path golden(const std::string& name) {
    return std::filesystem::path{ASCENDSIM_GOLDEN} / (name + ".png");
}

/// A dashboard that compares a kernel with `buffers_a` buffers with the same with one.
struct Pair {
    Pair(std::uint32_t cores,
         std::uint64_t tiles,
         std::uint64_t buffers_a = 2,
         int width = 1280,
         int height = 720)
        : bench{panels_of_a_run({"parameters", "runs", "lessons"}), width, height} {
        TiledRun{file_a.path(), cores, tiles, buffers_a, true, "tiled add, now"}.finish();
        TiledRun{file_b.path(), cores, tiles, 1, true, "tiled add, before"}.finish();
        bench.open(file_a.path());
        bench.open_b(file_b.path());
    }

    record::testing::TemporaryFile file_a{"now.rec"};
    record::testing::TemporaryFile file_b{"before.rec"};
    ViewBench bench;
};

TEST(Golden, TwoEmptyRuns) {
    Pair pair{0, 0};
    pair.bench.play("command panel.show_compare\nframes 3\n");
    expect_golden(pair.bench.host, golden("compare_empty"));
}

TEST(Golden, TwoSmallRunsBelowEachOther) {
    Pair pair{2, 12};
    pair.bench.play(
        "command panel.show_compare\ncommand panel.show_inspector\nclick @timeline/aiv0/mte2/3\nframes "
        "2\nkey L\n"
        "move @dock/right:0.5,0.95\nframes 3\n");
    expect_golden(pair.bench.host, golden("compare_small"));
}

TEST(Golden, TwoLargeRunsStretchedInALargeWindow) {
    Pair pair{8, 6'000, 2, 2560, 1440};
    pair.bench.play(
        "set view.theme light\nset view.text_scale 1.5\ncommand panel.show_roofline\nkey Shift+R\nframes "
        "3\n");
    expect_golden(pair.bench.host, golden("compare_large"));
}

TEST(Compare, TheTimelineAlignsBAtTheSelectedInstruction) {
    Pair pair{1, 12};
    // A's MTE2 loads twice, waits, and loads twice again: its fifth span is the fourth load. With one buffer
    // the fourth load starts at 220 + 3 * 300.
    pair.bench.play(
        "expect timeline.compares == true\nexpect timeline.offset == 0\nclick @timeline/aiv0/mte2/4\nframes "
        "3\n"
        "expect inspector.reason == none\nexpect timeline.start_in_b == 1120\nkey L\nframes 3\n");
    const double offset = pair.bench.host.value("timeline.offset").get<double>();
    const auto selected = pair.bench.host.shell().view().selected.back();
    const gui::Run& run = *as_run(pair.bench.documents.run_a().get());
    EXPECT_DOUBLE_EQ(offset,
                     1120 - static_cast<double>(run.recording().lane(selected.lane).start[selected.index]));
    pair.bench.play(
        "key Shift+R\nframes 3\nexpect timeline.scale > 1.2\nkey Shift+L\nframes 3\nexpect timeline.offset "
        "== 0\n"
        "key C\nframes 3\nexpect timeline.compares == false\n");
}

TEST(Compare, AClickOnRunBSelectsTheSameOfRunA) {
    Pair pair{1, 4};
    pair.bench.play("click @timeline/aiv0/vector/b:0.3,0.5\nframes 3\n");
    ASSERT_EQ(pair.bench.host.shell().view().selected.size(), 1U);
    EXPECT_FALSE(pair.bench.host.value("timeline.cycles_in_b").is_null());
}

TEST(Compare, ACoreThatOnlyBRunsHasRowsOfItsOwn) {
    const record::testing::TemporaryFile file_a{"now.rec"};
    const record::testing::TemporaryFile file_b{"before.rec"};
    TiledRun{file_a.path(), 1, 6, 2}.finish();
    TiledRun{file_b.path(), 2, 6, 2}.finish();
    ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"}), 1280, 1000};
    bench.open(file_a.path());
    bench.open_b(file_b.path());
    // Two cores with a head and four pipes each.
    bench.play(
        "frames 3\nexpect timeline.rows == 10\nexpect anchor.timeline/head/aiv1 == true\n"
        "expect anchor.timeline/aiv0/vector == true\nexpect anchor.timeline/aiv1/vector/b == true\n"
        "expect anchor.timeline/aiv1/vector == false\n"
        "click @timeline/aiv1/vector/b:0.5,0.5\nframes 2\nexpect text contains \"Run A has nothing\"\n"
        "click @timeline/head/aiv1\nframes 2\nexpect timeline.rows == 6\n");
}

/// A hint would be in the way of a click and of a picture: it comes after a rest, and not behind a click.
TEST(Hints, OfABarAndATabComeAfterARest) {
    const record::testing::TemporaryFile file{"now.rec"};
    TiledRun{file.path(), 1, 4, 2}.finish();
    ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"}), 1280, 720};
    bench.open(file.path());
    const auto words = [&](std::string_view script) {
        bench.play(script);
        return bench.host.screen_text();
    };
    const auto count = [](const std::string& text, std::string_view part) {
        std::size_t found = 0;
        for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
            ++found;
        }
        return found;
    };
    // The status line has the words of the bar at once; the hint has them once more, after half a second of
    // frames, of which there are some sixty a second.
    const std::string bar = "aiv0 MTE2: ";
    const std::size_t told = count(words("move @timeline/aiv0/mte2/3\nframes 3\n"), bar);
    EXPECT_EQ(count(words("frames 120\n"), bar), told + 1);
    const std::size_t clicked = count(words("click @timeline/aiv0/mte2/3\nframes 3\n"), bar);
    EXPECT_EQ(count(words("frames 120\n"), bar), clicked);
    const std::string hint = "Every pipe of every core over time";
    EXPECT_EQ(count(words("move @tab/timeline\nframes 3\n"), hint), 0U);
    EXPECT_EQ(count(words("frames 120\n"), hint), 1U);
    EXPECT_EQ(count(words("click @tab/timeline\nframes 120\n"), hint), 0U);
}

/// Buttons stand in rows: a hint below one covers what lies there, and one of the line above all the tabs.
TEST(Hints, OfButtonsComeAfterARest) {
    Pair pair{1, 4};
    pair.bench.play("command panel.show_compare\nframes 3\n");
    const auto shows = [&](std::string_view script, std::string_view hint) {
        pair.bench.play(script);
        return pair.bench.host.screen_text().find(hint) != std::string::npos;
    };
    const std::string unit = "(T)";  // the key of the command
    EXPECT_FALSE(shows("move @toolbar/view.unit\nframes 3\n", unit));
    EXPECT_TRUE(shows("frames 120\n", unit));
    EXPECT_FALSE(shows("move @toolbar/find\nframes 3\n", "Finds by name"));
    EXPECT_TRUE(shows("frames 120\n", "Finds by name"));
    const std::string noise = "Changes below this are dimmed";
    EXPECT_FALSE(shows("move @compare/threshold\nframes 3\n", noise));
    EXPECT_TRUE(shows("frames 120\n", noise));
    // The label becomes another one, and the button stays the same.
    EXPECT_FALSE(shows("click @compare/threshold\nframes 120\n", noise));
}

/// The moment that the chip shows is that of all views before any pointer has moved.
TEST(Cursor, OfTheChipIsThatOfAllViews) {
    const record::testing::TemporaryFile file{"now.rec"};
    TiledRun{file.path(), 1, 4, 2}.finish();
    ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"}), 1280, 720};
    bench.open(file.path());
    EXPECT_FALSE(bench.host.shell().view().cursor.has_value());
    bench.play("command panel.show_chip_view\nframes 3\n");
    ASSERT_TRUE(bench.host.shell().view().cursor.has_value());
    EXPECT_EQ(*bench.host.shell().view().cursor, bench.host.shell().view().extent / 2) << "of what is seen";
}

TEST(Compare, RunsOfOneTitleAreNamedByTheirRecordings) {
    const record::testing::TemporaryFile file_a{"now.rec"};
    const record::testing::TemporaryFile file_b{"before.rec"};
    TiledRun{file_a.path(), 1, 4, 2}.finish();
    TiledRun{file_b.path(), 1, 4, 1}.finish();
    ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"}), 3840, 1000};
    bench.open(file_a.path());
    bench.play("frames 3\n");
    EXPECT_EQ(bench.host.screen_text().find(file_a.path().stem().string()), std::string::npos) << "alone";
    bench.open_b(file_b.path());
    bench.play("frames 3\n");
    const std::string words = bench.host.screen_text();
    EXPECT_NE(words.find(file_a.path().stem().string() + " \u00b7 tiled add"), std::string::npos) << words;
    EXPECT_NE(words.find(file_b.path().stem().string() + " \u00b7 tiled add"), std::string::npos) << words;
}

/// Two runs of a scenario with a long title, called as `name_a` and `name_b`, in a window of little width.
struct NarrowPair {
    NarrowPair(const std::string& name_a,
               const std::string& name_b,
               const std::string& title_a,
               const std::string& title_b)
        : bench{panels_of_a_run({"parameters", "runs", "lessons"}), 1280, 720} {
        const std::filesystem::path a = folder.path() / (name_a + ".rec");
        const std::filesystem::path b = folder.path() / (name_b + ".rec");
        TiledRun{a, 2, 4'000, 2, false, title_a}.finish();
        TiledRun{b, 2, 4'000, 1, false, title_b}.finish();
        bench.open(a);
        bench.open_b(b);
    }

    TemporaryFolder folder;
    ViewBench bench;
};

/// The line's middle was left out of "name, title", and with it what tells the names apart: B, which is
/// native, read as optimised.
TEST(Toolbar, LeavesTheNamesOfRunsWholeBeforeTheirTitle) {
    const std::string title = "SwiGLU [32, 512, 4096] x 16384, float16, native, fused and optimised";
    NarrowPair pair{"swiglu_schedule_native", "swiglu_schedule_fused", title, title};
    pair.bench.play("frames 3\n");
    const std::string words = pair.bench.host.screen_text();
    EXPECT_NE(words.find("swiglu_schedule_native"), std::string::npos) << words;
    EXPECT_NE(words.find("swiglu_schedule_fused"), std::string::npos) << words;
}

TEST(Toolbar, ShowsWhereLongTitlesDiffer) {
    const std::string before = "Matmul of a long row of experts, ";
    const std::string behind = ", two buffers in L1, float16, on one chip";
    NarrowPair pair{"a", "b", before + "tile 4096" + behind, before + "tile 8192" + behind};
    pair.bench.play("frames 3\n");
    const std::string words = pair.bench.host.screen_text();
    EXPECT_NE(words.find("\u20264096\u2026"), std::string::npos) << words;
    EXPECT_NE(words.find("\u20268192\u2026"), std::string::npos) << words;
}

/// Parts of the line gave no room to times: with large text they lay over each other, and buttons beyond the
/// window's edge.
TEST(Toolbar, NeverCutsATimeHoweverLargeTheText) {
    const std::string title = "SwiGLU [32, 512, 4096] x 16384, float16, native, fused and optimised";
    NarrowPair pair{"native", "fused", title, title};
    for (const char* scale : {"1", "1.5", "2"}) {
        pair.bench.play(fmt::format("set view.text_scale {}\nframes 4\n", scale));
        const std::string words = pair.bench.host.screen_text();
        float left = 0;
        for (const char* anchor : {"toolbar/title/A",
                                   "toolbar/time/A",
                                   "toolbar/title/B",
                                   "toolbar/time/B",
                                   "toolbar/find",
                                   "toolbar/palette.open"}) {
            const std::optional<Rect> box = pair.bench.host.anchor(anchor);
            ASSERT_TRUE(box.has_value()) << anchor << " at " << scale;
            EXPECT_GE(box->left, left) << anchor << " at " << scale;
            EXPECT_GT(box->width(), 10) << anchor << " at " << scale;
            left = box->right;
        }
        EXPECT_LE(left, 1280);
        for (const auto& run : {pair.bench.documents.run_a(), pair.bench.documents.run_b()}) {
            const std::string time = format_time(run->cycles(), {TimeUnit::cycles, 1});
            EXPECT_NE(words.find(time), std::string::npos) << time << " at " << scale << ": " << words;
        }
    }
}

TEST(Compare, TablesAreMeasuredOnceAndNotInEachFrame) {
    Pair pair{2, 12};
    pair.bench.play("command panel.show_compare\nframes 5\n");
    const auto measured = [&] { return pair.bench.host.value("compare.layouts").get<int>(); };
    const int first = measured();
    EXPECT_GE(first, 3) << "tables beside each other";
    pair.bench.play("frames 20\n");
    EXPECT_EQ(measured(), first);
    pair.bench.play("size 1500x720\nframes 5\n");
    EXPECT_GT(measured(), first) << "they are wider now";
}

/// A number that does not fit was cut at the panel's edge, and so was every button behind it.
TEST(Compare, NothingOfItsHeadIsCutByLargeText) {
    Pair pair{2, 4'000, 2, 1280, 1400};
    pair.bench.play("command panel.show_compare\nset view.text_scale 2\nframes 4\n");
    constexpr float margin = 2 * 8;  // pixels, of the panel
    const float edge = pair.bench.host.anchor("panel/compare").value().right - margin;
    for (const char* anchor :
         {"compare/lines", "compare/threshold", "compare/timeline", "compare/alignment", "compare/swap"}) {
        const std::optional<Rect> box = pair.bench.host.anchor(anchor);
        ASSERT_TRUE(box.has_value()) << anchor;
        EXPECT_LE(box->right, edge) << anchor << " is cut there";
    }
}

TEST(Tables, LeaveNothingEmptyAtTheRightOfTheirColumns) {
    std::set<int> gaps;  // behind the last column, where the one that takes what is left is not shown
    for (int width = 1000; width <= 1280; width += 20) {
        Pair pair{2, 12, 2, width, 720};
        pair.bench.play("command panel.show_bubbles\nframes 3\n");
        if (pair.bench.host.anchor("column/causes/Waits most for")) {
            continue;
        }
        float right = 0;
        for (const std::string& name : pair.bench.host.anchor_names()) {
            if (name.starts_with("column/causes/")) {
                right = std::max(right, pair.bench.host.anchor(name)->right);
            }
        }
        gaps.insert(static_cast<int>(std::round(pair.bench.host.anchor("panel/bubbles")->right - right)));
    }
    ASSERT_FALSE(gaps.empty());
    EXPECT_LE(*gaps.rbegin() - *gaps.begin(), 1) << "heads begin at whole pixels";
}

/// Of a number that is cut at its lower edge, a comma looks like a point.
TEST(Tables, AreAsHighAsTheirRows) {
    const record::testing::TemporaryFile file{"now.rec"};
    TiledRun{file.path(), 2, 12, 2}.finish();
    for (int height = 700; height <= 720; height += 4) {
        ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"}), 1280, height};
        bench.open(file.path());
        bench.play("command panel.show_bubbles\nframes 3\n");
        std::set<int> heights;  // of rows of which something is seen
        for (const std::string& name : bench.host.anchor_names()) {
            if (name.starts_with("bubbles/row/") && bench.host.anchor(name)->height() > 0) {
                heights.insert(static_cast<int>(std::round(bench.host.anchor(name)->height())));
            }
        }
        ASSERT_FALSE(heights.empty());
        // ImGui leaves a pixel below the head.
        EXPECT_LE(*heights.rbegin() - *heights.begin(), 1) << "a row is cut in a window of " << height;
    }
}

TEST(Tables, ShowTheHeadOfTheLastColumnWholeOrNotAtAll) {
    std::set<float> widths;  // of what is seen of it; 0 where it is left out
    for (int width = 1000; width <= 1280; width += 20) {
        Pair pair{2, 12, 2, width, 720};
        pair.bench.play("command panel.show_bubbles\nframes 3\n");
        const std::optional<Rect> head = pair.bench.host.anchor("column/causes/Waits most for");
        widths.insert(head ? head->width() : 0);
    }
    EXPECT_TRUE(widths.contains(0));
    EXPECT_EQ(widths.size(), 2U);
}

TEST(Compare, RecordingsOfOneNameAreNamedByTheirFolders) {
    const record::testing::TemporaryFile folder{"two_places"};
    const std::filesystem::path place{folder.path()};
    const std::filesystem::path now = place / "now" / "here" / "add.rec";
    const std::filesystem::path before = place / "before" / "here" / "add.rec";
    for (const std::filesystem::path& file : {now, before}) {
        std::filesystem::create_directories(file.parent_path());
        TiledRun{file, 1, 4, 2}.finish();
    }
    ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"}), 3840, 1000};
    bench.open(now);
    bench.open_b(before);
    bench.play("frames 3\n");
    const std::string words = bench.host.screen_text();
    EXPECT_NE(words.find("now/here/add \u00b7 tiled add"), std::string::npos) << words;
    EXPECT_NE(words.find("before/here/add \u00b7 tiled add"), std::string::npos) << words;
    std::filesystem::remove_all(place);
}

TEST(Compare, TheFirstDivergenceIsALinkToItsPlace) {
    Pair pair{1, 12};
    pair.bench.play(
        "command panel.show_compare\nframes 3\nexpect timeline.diverges == true\nexpect compare.diverges == "
        "true\n"
        "click @compare/divergence\nframes 3\n");
    // The scalar unit has issued everything at 200 in both, and from then on waits for the end, which comes
    // later with one buffer.
    ASSERT_TRUE(pair.bench.host.shell().view().window.has_value());
    EXPECT_EQ(pair.bench.host.shell().view().cursor, 200);
}

TEST(Compare, EveryRowOfTheTablesLeadsSomewhere) {
    Pair pair{1, 12};
    pair.bench.play(
        "command panel.show_compare\nframes 3\nclick @compare/waits\nframes 3\nclick "
        "@compare/waits/0\nframes 4\n");
    EXPECT_FALSE(pair.bench.host.value("view.cause").is_null());
    EXPECT_EQ(pair.bench.host.value("view.cause"), pair.bench.host.value("inspector.reason"));
    pair.bench.play(
        "click @compare/figures\nframes 3\nclick @compare/figures/0\nframes 3\n"
        "expect view.tabs.right == summary\n");
}

TEST(Compare, TheRooflineHasAnArrowForEveryWayOfBytes) {
    Pair pair{1, 12};
    pair.bench.play("command panel.show_roofline\nframes 3\nexpect roofline.arrows == 5\n");
}

std::string content(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(Saving, EveryViewBecomesAPictureADrawingAndItsTableText) {
    Pair pair{1, 12};
    std::size_t tables = 0;
    // The graph is a network's, and plots are those of machines.
    for (const std::unique_ptr<Panel>& panel :
         panels_of_a_run({"parameters", "runs", "lessons", "graph", "over_time", "plots"})) {
        const PanelInfo info = panel->info();
        const std::string name{info.name};
        std::string script =
            fmt::format("command save.{0}_png\nframes 8\ncommand save.{0}_svg\nframes 8\n", name);
        if (info.table) {
            script += fmt::format("command save.{}_csv\nframes 8\n", name);
        }
        pair.bench.play(script);
        const std::filesystem::path base = pair.bench.output.path() / ("ascendsim_" + name);
        const std::optional<Rect> box = pair.bench.host.shell().panel_box(name);
        ASSERT_TRUE(box.has_value()) << name;
        const Image picture = read_png(base.string() + ".png");
        EXPECT_EQ(picture.width, static_cast<int>(std::round(box->right) - std::round(box->left))) << name;
        EXPECT_TRUE(content(base.string() + ".svg").starts_with("<?xml") ||
                    content(base.string() + ".svg").starts_with("<svg"))
            << name;
        if (info.table) {
            ++tables;
            const std::string text = content(base.string() + ".csv");
            EXPECT_GT(std::ranges::count(text, '\n'), 1)
                << name << " has a head and at least a row: " << text;
        }
    }
    EXPECT_GE(tables, 8U);
}

TEST(Saving, ThePictureOfAViewIsItsPartOfTheWindow) {
    Pair pair{1, 12};
    pair.bench.play("frames 3\nshot whole.png\nshot part.png traffic\n");
    const Image whole = read_png(pair.bench.output.path() / "whole.png");
    const Image part = read_png(pair.bench.output.path() / "part.png");
    const Rect box = whole_pixels(*pair.bench.host.shell().panel_box("traffic"));
    for (const int x : {0, part.width / 2, part.width - 1}) {
        for (const int y : {0, part.height / 2, part.height - 1}) {
            EXPECT_EQ(part.at(x, y), whole.at(static_cast<int>(box.left) + x, static_cast<int>(box.top) + y));
        }
    }
}

TEST(Saving, TheMenuOfATabSavesAndOpensViewsWithoutATab) {
    Pair pair{1, 12};
    pair.bench.play(
        "click @tabs/right\nframes 3\nclick @tabs/right/legend\nframes 3\nexpect view.tabs.right == legend\n"
        "click @tabs/bottom\nframes 3\nclick @save/csv\nframes 8\n");
    EXPECT_TRUE(content(pair.bench.output.path() / "ascendsim_bubbles.csv").starts_with("pipe,cores,cause,"));
}

}  // namespace
}  // namespace ascendsim::gui
