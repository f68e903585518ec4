// SPDX-License-Identifier: Apache-2.0
// The graph of a network: golden pictures of an empty, a small and a large one, and a user's ways through
// them.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gui/document/testing/networks.hpp"
#include "gui/panels/graph/graph_picture.hpp"
#include "gui/panels/testing/view_bench.hpp"

namespace ascendsim::gui {
namespace {

ViewBench graph_bench(int width = 1280, int height = 720) {
    return ViewBench{panels_of_a_run({"parameters", "runs", "lessons"}), width, height};
}

void expect_graph(std::size_t layers, std::string_view name, std::string_view script, int width, int height) {
    const record::testing::TemporaryFile file;
    record_network(file.path(), layered_network(layers));
    ViewBench bench = graph_bench(width, height);
    bench.open(file.path());
    bench.play(script);
    expect_golden(bench.host, std::filesystem::path{ASCENDSIM_GOLDEN} / fmt::format("graph_{}.png", name));
}

constexpr std::string_view show_graph = "command panel.show_graph\nframes 3\n";

TEST(GraphGolden, OfAnEmptyNetwork) {
    expect_graph(0, "empty", show_graph, 1280, 720);
}

TEST(GraphGolden, OfASmallNetworkBeforeFusionWithASelection) {
    expect_graph(2,
                 "small",
                 "command panel.show_graph\nframes 3\nclick @graph/operator/3\nframes 3\n"
                 "click @graph/before\nframes 3\nmove @dock/lower:0.5,0.5\nframes 3\n",
                 1280,
                 720);
}

TEST(GraphGolden, OfALargeNetworkByLimitInTheLightTheme) {
    expect_graph(150,
                 "large",
                 "set view.theme light\ncommand panel.show_graph\nframes 3\nclick @graph/limit\nframes "
                 "3\nmove @dock/lower:0.5,0.5\n"
                 "frames 3\n",
                 1920,
                 1080);
}

TEST(GraphGolden, TimelineHasOperatorsAboveThePipes) {
    expect_graph(4, "timeline", "frames 3\n", 1280, 720);
}

TEST(GraphView, HasATabForNetworksAlone) {
    const record::testing::TemporaryFile file;
    const record::testing::TemporaryFile kernel{".kernel"};
    record_network(file.path(), layered_network(2));
    TiledRun{kernel.path(), 1, 4, 2}.finish();
    ViewBench bench = graph_bench();
    bench.open(kernel.path());
    bench.play("frames 2\n");
    EXPECT_TRUE(bench.host.anchor("tab/timeline").has_value());
    EXPECT_FALSE(bench.host.anchor("tab/graph").has_value());
    bench.open(file.path());
    bench.play("frames 2\n");
    EXPECT_TRUE(bench.host.anchor("tab/graph").has_value());
}

TEST(GraphView, AClickSelectsTheOperatorAndShowsItsSource) {
    const record::testing::TemporaryFile file;
    record_network(file.path(), layered_network(2));
    ViewBench bench = graph_bench();
    bench.open(file.path());
    bench.play(
        "command panel.show_graph\nframes 3\nclick @graph/operator/1\nframes 4\n"
        "expect graph.operators == 4\n"
        "expect inspector.cycles == 2000\n"
        "expect text contains \"void fused();\"\n");
    const std::string name = "encoder.layer.0.attention.output";
    EXPECT_EQ(bench.host.value("graph.selected"), fmt::format("{0}.bias + {0}.scale", name));
    // Of the file's operators, one that the same kernel stands for.
    bench.play("click @graph/before\nframes 3\nexpect graph.operators == 8\nexpect graph.frames == 2\n");
    EXPECT_EQ(bench.host.value("graph.selected"), name + ".Add");
    bench.play("click @graph/operator/3\nframes 4\nexpect inspector.cycles == 2000\n");
}

TEST(GraphView, FindsOperatorsByNameKindAndKernel) {
    const record::testing::TemporaryFile file;
    record_network(file.path(), layered_network(3));
    ViewBench bench = graph_bench();
    bench.open(file.path());
    bench.play("command panel.show_graph\nset view.find \"MATMUL\"\nframes 3\nexpect graph.found == 3\n");
    bench.play("set view.find \"layer.2\"\nframes 3\nexpect graph.found == 2\n");
    bench.play("set view.find \"\"\nframes 3\nexpect graph.found == 0\n");
}

TEST(GraphView, TheWheelZoomsAboutThePointerAndFitShowsAll) {
    const record::testing::TemporaryFile file;
    record_network(file.path(), layered_network(60));
    ViewBench bench = graph_bench();
    bench.open(file.path());
    bench.play("command panel.show_graph\nframes 3\n");
    const double before = bench.host.value("graph.zoom").get<double>();
    const Rect node = bench.host.anchor("graph/operator/1").value();
    bench.play("wheel @graph/operator/1 0 2 Ctrl\nframes 3\n");
    EXPECT_NEAR(bench.host.value("graph.zoom").get<double>(), before * 1.15 * 1.15, 1e-6);
    const Rect larger = bench.host.anchor("graph/operator/1").value();
    EXPECT_NEAR(larger.centre().x, node.centre().x, 1);
    EXPECT_NEAR(larger.centre().y, node.centre().y, 1);
    EXPECT_FALSE(bench.host.anchor("graph/operator/119").has_value());
    bench.play("click @graph/fit\nframes 3\n");
    EXPECT_TRUE(bench.host.anchor("graph/operator/119").has_value());
    EXPECT_TRUE(bench.host.anchor("graph/operator/0").has_value());
}

TEST(GraphView, ASelectionElsewhereIsBroughtIntoView) {
    const record::testing::TemporaryFile file;
    record_network(file.path(), layered_network(60));
    ViewBench bench = graph_bench();
    bench.open(file.path());
    const std::uint64_t span = 118;  // the last MatMul
    bench.play("command panel.show_graph\nframes 3\n");
    EXPECT_FALSE(bench.host.anchor("graph/operator/118").has_value());
    bench.host.shell().view().selected = {record::SpanId{0, span}};
    bench.play("frames 3\n");
    EXPECT_TRUE(bench.host.anchor("graph/operator/118").has_value());
}

TEST(GraphView, StandsFiguresOfAnyone) {
    const record::testing::TemporaryFile file;
    analysis::NetworkFigures figures = layered_network(2);
    figures.graph.nodes[0].centre = {1e6, -1e6};
    figures.graph.nodes[1].width = 0;
    figures.graph.nodes[2].span = 1'000'000;
    figures.graph.edges[0].points.resize(2);
    figures.graph.edges[1].points = std::vector<analysis::GraphPoint>(900, {-1e6, 1e6});
    figures.before->nodes[0].part_of.reset();
    figures.graph.time_us = 0;
    record_network(file.path(), figures);
    ViewBench bench = graph_bench();
    bench.open(file.path());
    bench.play(
        "command panel.show_graph\nframes 3\nclick @graph/operator/2\nframes 3\nclick @graph/before\nframes "
        "3\n"
        "click @graph/operator/0\nframes 3\nclick @graph/fit\nframes 3\n");
    EXPECT_TRUE(bench.host.anchor("panel/graph").has_value());
}

TEST(GraphView, ATableHasTheOperatorsOfBothGraphs) {
    const record::testing::TemporaryFile file;
    record_network(file.path(), layered_network(1));
    ViewBench bench = graph_bench();
    bench.open(file.path());
    const std::filesystem::path csv = bench.output.path() / "graph.csv";
    bench.host.save_table(csv, "graph");
    std::ifstream stream{csv};
    const std::string text{std::istreambuf_iterator<char>{stream}, {}};
    EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 2 + 4);
    EXPECT_NE(text.find("before fusion,Relu"), std::string::npos);
}

TEST(GraphView, ALimitIsThatOfAPipe) {
    EXPECT_EQ(limit_word("aic_mte2 85.5 %"), "mte2");
    EXPECT_EQ(limit_word("vector 12 %"), "vector");
    EXPECT_EQ(limit_word("launch"), "launch");
    EXPECT_EQ(limit_word(""), "");
}

}  // namespace
}  // namespace ascendsim::gui
