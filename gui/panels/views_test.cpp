// SPDX-License-Identifier: Apache-2.0
// The views of a run: golden pictures of an empty, a small and a large recording, and a user's ways through
// them.
#include <algorithm>
#include <array>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gui/document/run_documents.hpp"
#include "gui/document/testing/runs.hpp"
#include "gui/panels/panel_list.hpp"
#include "gui/shell/testing.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::array<std::string_view, 10> own_panels{"timeline",
                                                      "traffic",
                                                      "buffers",
                                                      "bubbles",
                                                      "source",
                                                      "statistics",
                                                      "roofline",
                                                      "inspector",
                                                      "summary",
                                                      "legend"};

std::vector<std::unique_ptr<Panel>> views() {
    std::vector<std::unique_ptr<Panel>> kept;
    for (std::unique_ptr<Panel>& panel : make_all_panels()) {
        if (std::ranges::find(own_panels, panel->info().name) != own_panels.end()) {
            kept.push_back(std::move(panel));
        }
    }
    return kept;
}

/// A dashboard that opens recordings before the next frame.
struct ViewBench {
    explicit ViewBench(int width = 1280, int height = 720)
        : host{{.library = library, .documents = &documents, .panels = views()}, width, height} {}

    void play(std::string_view text) {
        ScriptDriver script{text, "test", testing::TempDir()};
        host.play(script);
    }

    void open(const std::filesystem::path& file) {
        host.open(file.string());
        host.settle();
    }

    FixedLibrary library;
    RunDocuments documents{Loading::at_once};
    Headless host;
};

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
    Screen{"source", "command panel.show_source\ncommand panel.show_buffers\nframes 3\n"},
    Screen{"instructions", "command panel.show_statistics\ncommand panel.show_inspector\nframes 3\n"},
    Screen{"roofline",
           "set view.theme light\ncommand panel.show_roofline\ncommand panel.show_legend\nframes 3\n"}};

void expect_accepted(const Case& one) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), one.cores, one.tiles, 2}.finish();
    for (const Screen& screen : screens) {
        ViewBench bench;
        bench.open(file.path());
        bench.play(screen.script);
        expect_golden(bench.host.picture(), golden(screen.name, one));
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
    ViewBench bench{2560, 1440};
    bench.open(file.path());
    bench.play("set view.text_scale 1.5\nclick @bubbles/row/mte2/flag_buffer\nframes 3\n");
    expect_golden(bench.host.picture(), std::filesystem::path{ASCENDSIM_GOLDEN} / "bubble_selected.png");
}

TEST(Interaction, TheLargestBubbleTellsItsCause) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 12, 1}.finish();
    ViewBench bench;
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
}

TEST(Interaction, AClickOnABarSelectsItAndBracketsFollowDependencies) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 4, 2}.finish();
    ViewBench bench;
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

TEST(Interaction, NStepsThroughBubblesBySize) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 2, 30, 2}.finish();
    ViewBench bench;
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

TEST(Interaction, FindLightsUpAndEnterGoesThere) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 6, 2}.finish();
    ViewBench bench;
    bench.open(file.path());
    bench.play(
        "key Ctrl+F\nframes 2\ntext \"vadd\"\nframes 2\nkey Enter\nframes 4\n"
        "expect view.find == vadd\n"
        "expect inspector.label == \"vadd at tiled.cpp:14\"\n");
}

TEST(Interaction, TheWheelZoomsAboutThePointerAndBackspaceGoesBack) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 60, 2}.finish();
    ViewBench bench;
    bench.open(file.path());
    bench.play("move @timeline/tracks:0.25,0.5\nframes 2\n");
    const double before = bench.host.shell().view().cursor.value_or(-1);
    bench.play("wheel @timeline/tracks:0.25,0.5 0 4 Ctrl\nframes 3\n");
    const ViewState& view = bench.host.shell().view();
    ASSERT_TRUE(view.window.has_value());
    const double share = (before - view.window->begin) / view.window->length();
    EXPECT_NEAR(share, 0.25, 0.01);
    bench.play("key F\nframes 2\nkey Home\nframes 2\n");
    EXPECT_FALSE(bench.host.shell().view().window.has_value());
}

TEST(Interaction, DraggingMeasuresAndSnapsToEdges) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 4, 2}.finish();
    ViewBench bench;
    bench.open(file.path());
    bench.play("drag @timeline/aiv0/mte2/0:0,0.5+1,0 60 0\nframes 3\n");
    const std::optional<TimeRange> range = bench.host.shell().view().range;
    ASSERT_TRUE(range.has_value());
    EXPECT_EQ(range->begin, 220) << "the first load starts there";
}

TEST(Interaction, ASourceLineSelectsItsLongestInstruction) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 1, 6, 2}.finish();
    ViewBench bench;
    bench.open(file.path());
    bench.play(
        "command panel.show_source\nframes 3\nwheel @source/line/3 0 -2\nframes 3\nclick "
        "@source/line/14\nframes 3\n"
        "expect inspector.label == \"vadd at tiled.cpp:14\"\n");
}

TEST(Fuzz, RandomEventsLeaveTheViewsSane) {
    constexpr unsigned seed = 20261122;
    std::mt19937 random{seed};
    const auto number = [&](int low, int high) {
        return std::uniform_int_distribution<int>{low, high}(random);
    };
    std::vector<std::unique_ptr<record::testing::TemporaryFile>> files;
    for (const Case& one : cases) {
        files.push_back(std::make_unique<record::testing::TemporaryFile>(std::string{one.name} + ".rec"));
        TiledRun{files.back()->path(), one.cores, std::min<std::uint64_t>(one.tiles, 3000), 2}.finish();
    }
    ViewBench bench;
    bench.host.shell().commands().rebind("session.save", {});  // writes files
    bench.open(files[1]->path());
    for (int frame = 0; frame < 1500; ++frame) {
        for (int n = number(0, 4); n > 0; --n) {
            switch (number(0, 5)) {
                case 0:
                case 1:
                    bench.host.push(MouseMove{
                        {static_cast<float>(number(-50, 1400)), static_cast<float>(number(-50, 800))}});
                    break;
                case 2:
                    bench.host.push(MouseButton{static_cast<unsigned>(number(0, 2)), number(0, 1) == 1});
                    break;
                case 3:
                    bench.host.push(
                        MouseWheel{static_cast<float>(number(-3, 3)), static_cast<float>(number(-30, 30))});
                    break;
                case 4:
                    bench.host.push(
                        KeyChange{key_of(static_cast<char>(number(' ', '~'))), number(0, 1) == 1});
                    break;
                default:
                    bench.host.push(KeyChange{static_cast<Key>(number(256, static_cast<int>(Key::count) - 1)),
                                              number(0, 1) == 1});
            }
        }
        if (number(0, 99) == 0) {
            bench.host.resize(number(0, 1) == 0 ? number(1, 60) : number(200, 2600), number(1, 1500));
        }
        if (number(0, 199) == 0) {
            bench.host.open(files[static_cast<std::size_t>(number(0, 2))]->path().string());
        }
        bench.host.frame();
        const TimeRange seen = bench.host.shell().view().visible();
        ASSERT_TRUE(seen.begin >= 0 && seen.length() >= shortest_window * 0.999)
            << "seed " << seed << ", frame " << frame;
    }
}

}  // namespace
}  // namespace ascendsim::gui
