// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/roofline/roofline_marks.hpp"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gui/panels/testing/view_bench.hpp"

namespace ascendsim::gui {
namespace {

// 100 pixels for each decade of operations per byte.
constexpr LogPlot plot{.box = {0, 0, 300, 300}, .x_low = 0, .x_high = 3, .y_low = 0, .y_high = 3};

Roof roof(std::string name, double intensity) {
    return {
        .name = std::move(name), .pipe = "mte2", .gb_per_s = 1, .used_gb_per_s = 1, .intensity = intensity};
}

TEST(RooflineMarks, WaysOfLikeIntensityShareAMarkAndOthersDoNot) {
    const Roofline line{
        .peak_name = "vector",
        .peak_gops = 100,
        .gops = 10,
        .roofs = {roof("far", 100), roof("a", 10), roof("b", 10), roof("c", 11), roof("unused", 0)}};
    const std::vector<RooflineMark> marks = marks_of(plot, line, 1);
    ASSERT_EQ(marks.size(), 2U);
    // 11 lies 4 pixels right of 10, at 100 and 104.
    ASSERT_EQ(marks[0].roofs.size(), 3U);
    EXPECT_EQ(marks[0].at, (Point{102, 200}));
    EXPECT_GT(marks[0].reach, marks[1].reach) << "there is room for three stripes";
    EXPECT_EQ(marks[1].roofs.front()->name, "far");
    EXPECT_EQ(marks[1].at.x, 200);
}

TEST(RooflineMarks, OfARunThatComputesNothingThereAreNone) {
    const Roofline line{.peak_name = "vector", .peak_gops = 100, .gops = 0, .roofs = {roof("a", 0)}};
    EXPECT_TRUE(marks_of(plot, line, 1).empty());
}

TEST(RooflineTicks, FewDecadesHaveTwosAndFivesBetween) {
    EXPECT_EQ(log_ticks(0.5, 2), (std::vector<double>{5, 10, 20, 50, 100}));
    EXPECT_EQ(log_ticks(-1, 3), (std::vector<double>{0.1, 1, 10, 100, 1000}));
}

/// A vector kernel loads, adds and stores as many bytes: both ways and L2 stand at one intensity.
TEST(RooflinePanel, EveryWayHasAMarkAndTheLabelLiesOnNothing) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 3, 12, 2}.finish();
    for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1024, 600}, std::pair{2560, 1440}}) {
        ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"}), width, height};
        bench.open(file.path());
        bench.play("command panel.show_roofline\nframes 3\n");
        const std::optional<Rect> label = bench.host.anchor("roofline/peak_label");
        const std::optional<Rect> peak = bench.host.anchor("roofline/peak");
        ASSERT_TRUE(label && peak) << width;
        EXPECT_LE(label->bottom, peak->top) << "roofs end at the highest one";
        EXPECT_GE(label->top, bench.host.anchor("panel/roofline")->top) << width;
        for (const char* way : {"HBM", "L2 reads", "L2 writes", "GM to UB", "UB to GM"}) {
            const std::optional<Rect> mark = bench.host.anchor(fmt::format("roofline/mark/{}", way));
            ASSERT_TRUE(mark.has_value()) << way;
            EXPECT_TRUE(intersect(*mark, *label).empty()) << way << " at " << width;
        }
    }
}

TEST(RooflinePanel, PointingAtAMarkNamesAllOfItsWays) {
    const record::testing::TemporaryFile file;
    TiledRun{file.path(), 3, 12, 2}.finish();
    ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"})};
    bench.open(file.path());
    bench.play(
        "command panel.show_roofline\nframes 3\nmove \"@roofline/mark/GM to UB\"\nframes 3\n"
        "expect text contains \"GM to UB: \"\nexpect text contains \"UB to GM: \"\n");
}

}  // namespace
}  // namespace ascendsim::gui
