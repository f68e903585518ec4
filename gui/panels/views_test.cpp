// SPDX-License-Identifier: Apache-2.0
// The views of a run: golden pictures of an empty, a small and a large recording, and a user's ways through
// them.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "gui/panels/testing/view_bench.hpp"

namespace ascendsim::gui {
namespace {

std::vector<std::unique_ptr<Panel>> views() {
    return panels_of_a_run({"parameters", "runs", "lessons"});
}

/// The recordings every view must stand: nothing in it, a few tiles, a great many.
struct Case {
    std::string_view name;
    std::uint32_t cores;
    std::uint64_t tiles;
};

constexpr std::array cases{Case{"empty", 0, 0}, Case{"small", 3, 12}, Case{"large", 8, 12'000}};

std::filesystem::path golden(std::string_view view, const Case& one) {
    return std::filesystem::path{ASCENDSIM_GOLDEN} / fmt::format("{}_{}.png", view, one.name);
}

struct Screen {
    std::string_view name;
    std::string_view script;
};

constexpr std::array screens{
    Screen{"overview", "frames 2\n"},
    Screen{"chip", "command panel.show_chip_view\ncommand chip.step\nframes 3\n"},
    Screen{"source", "command panel.show_source\ncommand panel.show_buffers\nframes 3\n"},
    Screen{"instructions",
           "command panel.show_statistics\ncommand panel.show_inspector\ncommand instance.next\nframes 5\n"},
    Screen{"roofline",
           "set view.theme light\ncommand panel.show_roofline\ncommand panel.show_legend\nframes 3\n"}};

void expect_accepted(const Case& one) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), one.cores, one.tiles, 2, true}.finish();
    for (const Screen& screen : screens) {
        ViewBench bench{views()};
        bench.open(file.path());
        bench.play(screen.script);
        expect_golden(bench.host, golden(screen.name, one));
    }
}

TEST(Golden, ViewsOfAnEmptyRecording) {
    expect_accepted(cases[0]);
}

TEST(Golden, ViewsOfASmallRecording) {
    expect_accepted(cases[1]);
}

TEST(Golden, ViewsOfALargeRecording) {
    expect_accepted(cases[2]);
}

TEST(Golden, SelectedBubbleWithItsArrowsInALargeWindow) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 3, 12, 2}.finish();
    ViewBench bench{views(), 2560, 1440};
    bench.open(file.path());
    bench.play("set view.text_scale 1.5\nclick @bubbles/row/mte2/flag_buffer\nframes 3\n");
    expect_golden(bench.host, std::filesystem::path{ASCENDSIM_GOLDEN} / "bubble_selected.png");
}

TEST(Interaction, TheLargestBubbleTellsItsCause) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 12, 1}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    // One buffer: every load after the first waits until the tile before is stored: it starts at load + 100 +
    // 30 (there) + 60 + 10 (added) + 80 + 20 (stored), 200 cycles after the load's end.
    bench.play(
        "click @bubbles/row/mte2/flag_buffer\n"
        "frames 3\n"
        "expect view.cause == flag_buffer\n"
        "expect inspector.reason == flag_buffer\n"
        "expect inspector.cycles == 200\n"
        "expect inspector.lane == \"aiv0 MTE2\"\n"
        "expect anchor.inspector/chain/0 == true\n");
    // The vector unit waits longest: it adds for 60 of the 300 cycles that a tile takes.
    bench.play(
        "key Esc\nframes 2\nclick @timeline/largest_bubble\nframes 3\nexpect inspector.reason == flag_data\n"
        "expect inspector.cycles == 240\nexpect inspector.lane == \"aiv0 Vector\"\n");
}

TEST(Interaction, AClickOnABarSelectsItAndBracketsFollowDependencies) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 4, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    // Spans of MTE2: two loads, then a wait and a load in turn; the wait is for the store of the first tile.
    bench.play(
        "click @timeline/aiv0/mte2/2\n"
        "frames 3\n"
        "expect inspector.reason == flag_buffer\n"
        "key [\n"
        "frames 3\n"
        "expect inspector.reason == none\n"
        "expect inspector.label == \"copy_ubuf_to_gm at tiled.cpp:17\"\n"
        "key ]\n"
        "frames 3\n"
        "expect inspector.reason == flag_buffer\n"
        "expect inspector.lane == \"aiv0 MTE2\"\n");
}

TEST(Interaction, TheSelectionAndTablesCanBeCopied) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 4, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    bench.play("click @timeline/aiv0/mte2/3\nframes 3\nkey Ctrl+C\nframes 3\n");
    ImGui::SetCurrentContext(bench.host.shell().imgui());
    EXPECT_THAT(ImGui::GetClipboardText(),
                ::testing::StartsWith("aiv0 MTE2: copy_gm_to_ubuf at tiled.cpp:12"));
    bench.host.run_command("save.statistics_copy");
    bench.play("frames 8\n");
    ImGui::SetCurrentContext(bench.host.shell().imgui());
    EXPECT_EQ(ImGui::GetClipboardText(), bench.host.shell().table_of("statistics"));
}

TEST(Interaction, NStepsThroughBubblesBySize) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 2, 30, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    bench.play("click @bubbles/row/vector/flag_data\nframes 3\n");
    double last = bench.host.value("inspector.cycles").get<double>();
    for (int n = 0; n < 5; ++n) {
        bench.play("key N\nframes 3\n");
        const double cycles = bench.host.value("inspector.cycles").get<double>();
        EXPECT_EQ(bench.host.value("inspector.reason"), "flag_data");
        EXPECT_LE(cycles, last);
        last = cycles;
    }
}

TEST(Interaction, NAloneBeginsWithTheLargestBubbleNotWithTheScalarUnit) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 12, 1}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    // The scalar unit waits for the end of all; of the pipes, the vector unit waits longest.
    bench.play("key N\nframes 3\nexpect view.cause == flag_data\nexpect inspector.lane == \"aiv0 Vector\"\n");
}

TEST(Interaction, FindLightsUpAndEnterGoesThere) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 6, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    bench.play(
        "key Ctrl+F\nframes 2\ntext \"vadd\"\nframes 2\nkey Enter\nframes 4\n"
        "expect view.find == vadd\n"
        "expect inspector.label == \"vadd at tiled.cpp:14\"\n");
}

TEST(Interaction, TheWheelZoomsAboutThePointerAndBackspaceGoesBack) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 60, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    bench.play("move @timeline/tracks:0.25,0.5\nframes 2\n");
    const double before = bench.host.shell().view().cursor.value_or(-1);
    bench.play("wheel @timeline/tracks:0.25,0.5 0 4 Ctrl\nframes 3\n");
    const ViewState& view = bench.host.shell().view();
    ASSERT_TRUE(view.window.has_value());
    const double share = (before - view.window->begin) / view.window->length();
    EXPECT_NEAR(share, 0.25, 0.01);
    // The wheel's turns are one step of the history.
    bench.play("wheel @timeline/tracks:0.25,0.5 0 2 Ctrl\nframes 3\nkey Backspace\nframes 2\n");
    EXPECT_FALSE(bench.host.shell().view().window.has_value());
}

TEST(Interaction, DraggingMeasuresAndSnapsToEdges) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 4, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    bench.play("drag @timeline/aiv0/mte2/0:0,0.5+1,0 60 0\nframes 3\n");
    const std::optional<TimeRange> range = bench.host.shell().view().range;
    ASSERT_TRUE(range.has_value());
    EXPECT_EQ(range->begin, 220) << "the first load starts there";
}

TEST(Interaction, SpaceAndADragPan) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 60, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    bench.play(
        "set view.window [1000,2000]\nframes 3\ndrag @timeline/tracks:0.5,0.5 -200 0 Space\nframes 3\n");
    const ViewState& view = bench.host.shell().view();
    const double width = bench.host.anchor("timeline/tracks")->width();
    ASSERT_TRUE(view.window.has_value());
    EXPECT_NEAR(view.window->begin, 1000 + 200 / width * 1000, 1);
    EXPECT_DOUBLE_EQ(view.window->length(), 1000);
    EXPECT_FALSE(view.range.has_value()) << "it pans, it does not select";
}

TEST(Interaction, ABookmarkBringsBackWindowSelectionAndFolds) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 5, 30, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    bench.play(
        "key Shift+E\nframes 2\nclick @timeline/head/aiv3\nframes 2\nset view.window [200,3000]\nframes 2\n"
        "click @timeline/aiv3/vector/2\nframes 2\nkey Ctrl+4\nframes 2\n");
    const std::vector<record::SpanId> chosen = bench.host.shell().view().selected;
    ASSERT_EQ(chosen.size(), 1U);
    bench.play("key Esc\nkey E\nframes 2\nkey Home\nframes 2\nkey 4\nframes 3\n");
    const ViewState& view = bench.host.shell().view();
    EXPECT_EQ(view.visible(), (TimeRange{200, 3000}));
    ASSERT_EQ(view.selected.size(), 1U);
    EXPECT_EQ(view.selected[0].index, chosen[0].index);
    EXPECT_EQ(view.open_cores, (std::set<std::uint32_t>{3}));
    EXPECT_FALSE(bench.host.anchor("timeline/aiv0/vector").has_value()) << "folded again";
}

/// The words on the screen while the pointer is somewhere.
std::size_t words_at(ViewBench& bench, std::string_view place) {
    bench.play(fmt::format("move \"@{}\"\nframes 3\n", place));
    return bench.host.screen_text().size();
}

TEST(Hover, EveryColumnOfEveryTableSaysWhatItMeans) {
    const record::testing::TemporaryFile file_a{"a.rec"};
    const record::testing::TemporaryFile file_b{"b.rec"};
    TiledRun{file_a.path(), 2, 12, 2}.finish();
    TiledRun{file_b.path(), 2, 12, 1}.finish();
    ViewBench bench{views(), 2560, 1440};
    bench.open(file_a.path());
    bench.open_b(file_b.path());
    std::set<std::string> columns;
    for (const std::unique_ptr<Panel>& panel : views()) {
        bench.play(fmt::format("command panel.show_{}\nframes 3\n", panel->info().name));
        const std::size_t without = words_at(bench, "toolbar/find:0.5,-0.4");
        for (const std::string& name : bench.host.anchor_names()) {
            if (name.starts_with("column/") && columns.insert(name).second) {
                constexpr std::size_t least = 10;  // letters of the shortest sentence
                EXPECT_GE(words_at(bench, name), without + least) << name;
            }
        }
    }
    // Causes 8, instructions 11, source lines 7, and the six tables of the comparison.
    EXPECT_EQ(columns.size(), 32U);
}

TEST(Hover, ANumberOfATableSaysWhatItMeansAndItsUnit) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 2, 12, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    bench.play(
        "move \"@column/causes/Per core+0,20\"\nframes 3\n"
        "expect text contains \"Time waited by one core, on average, cycles\"\n"
        "key T\nframes 3\nexpect text contains \"Time waited by one core, on average, ns\"\n");
}

/// What of the picture lies in an anchor.
Image picture_of(const ViewBench& bench, std::string_view anchor) {
    const Rect box = bench.host.anchor(anchor).value();
    return cut_out(bench.host.picture(),
                   static_cast<int>(box.left),
                   static_cast<int>(box.top),
                   static_cast<int>(box.right),
                   static_cast<int>(box.bottom));
}

TEST(Hover, ATooltipDoesNotCoverWhatItExplains) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 2, 12, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    constexpr std::string_view column = "column/causes/Per core";
    const std::size_t without = words_at(bench, "toolbar/find:0.5,-0.4");
    const Image before = picture_of(bench, column);
    ASSERT_GT(words_at(bench, fmt::format("{}:0.1,0.2", column)), without) << "no tooltip";
    EXPECT_TRUE(compare_images(before, picture_of(bench, column)).none());
}

TEST(Hover, TheFiguresBesideTheTimelineSayWhatTheyMean) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 2, 12, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    bench.play(
        "move @timeline/aiv0/vector:-0.02,0.5\nframes 3\nexpect text contains \"of the visible time busy\"\n"
        "move @timeline/head/aiv1\nframes 3\nexpect text contains \"Click to fold its rows\"\n");
}

TEST(Interaction, ASourceLineSelectsItsLongestInstruction) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 6, 2}.finish();
    ViewBench bench{views()};
    bench.open(file.path());
    bench.play(
        "command panel.show_source\nframes 3\nclick "
        "@source/line/14\nframes 3\n"
        "expect inspector.label == \"vadd at tiled.cpp:14\"\n");
}

}  // namespace
}  // namespace ascendsim::gui
