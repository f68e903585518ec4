// SPDX-License-Identifier: Apache-2.0
#include "app/networks/graph_layout.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/networks/figures_of.hpp"

namespace ascendsim::report {
namespace {

using analysis::NetworkGraph;
using testing::HasSubstr;

NetworkGraph two_nodes() {
    NetworkGraph graph;
    graph.nodes = {{.name = "a", .kind = "Add", .part_of = 0}, {.name = "b", .kind = "Relu", .part_of = 0}};
    graph.edges = {{.from = 0, .to = 1, .points = {}}};
    graph.frames = {{.stands = 0, .low = {}, .high = {}}};
    return graph;
}

TEST(GraphLayout, TakesPlacesInPoints) {
    NetworkGraph graph = two_nodes();
    ASSERT_TRUE(take_layout(graph,
                            "graph 1 3 4\n"
                            "node n0 1 0.5 2 0.5 \"\" solid box black lightgrey\n"
                            "node n1 1 1.5 2 0.5 \"\" solid box black lightgrey\n"
                            "edge n0 n1 4 1 0.75 1 0.9 1 1 1 1.25 solid black\n"
                            "stop\n"));
    EXPECT_EQ(graph.width, 216 + 2 * 12);  // 3 inches of 72 points, and a margin
    EXPECT_EQ(graph.nodes[1].centre.y, 108 + 12);
    ASSERT_EQ(graph.edges[0].points.size(), 4U);
    EXPECT_EQ(graph.edges[0].points[3].y, 90 + 12);
    EXPECT_EQ(graph.frames[0].low.x, 12 + 72 - 72 - 8);  // the node's left side, less the margin
    EXPECT_EQ(graph.frames[0].high.y, 12 + 108 + 18 + 8);
}

TEST(GraphLayout, RefusesAnAnswerThatIsCut) {
    NetworkGraph graph = two_nodes();
    EXPECT_FALSE(take_layout(graph, ""));
    EXPECT_FALSE(take_layout(graph, "graph 1 3 4\nnode n0 1 0.5 2 0.5 x\n"));
    EXPECT_FALSE(take_layout(graph, "graph 1 3 4\nnode n7 1 0.5 2 0.5 x\nstop\n"));
    EXPECT_FALSE(take_layout(graph, "graph 1 3 4\nedge n0 n1 4 1 0.75 1\nstop\n"));
}

TEST(GraphLayout, SaysWhyThereIsNone) {
    NetworkGraph none;
    EXPECT_EQ(lay_out(none), "the network has no operator");
    NetworkGraph large;
    large.nodes.resize(3001);
    EXPECT_EQ(lay_out(large), "3001 operators are too many for a picture, which has 3000 at most");
    const std::string path = std::getenv("PATH");
    const std::string timeout_alone = testing::TempDir() + "only_timeout";
    ASSERT_EQ(std::system(("mkdir -p '" + timeout_alone + "' && ln -sf \"$(command -v timeout)\" '" +
                           timeout_alone + "/timeout'")
                              .c_str()),
              0);
    setenv("PATH", timeout_alone.c_str(), 1);
    NetworkGraph graph = two_nodes();
    const std::string why = lay_out(graph);
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(why, "Graphviz's program 'dot' lays graphs out and is not installed (Debian: graphviz)");
    EXPECT_EQ(graph.width, 0);
}

TEST(GraphLayout, PutsWhatIsReadBelowWhatMakesIt) {
    NetworkGraph graph = two_nodes();
    if (const std::string why = lay_out(graph); why.starts_with("Graphviz's program")) {
        GTEST_SKIP() << why;
    }
    EXPECT_GT(graph.nodes[1].centre.y, graph.nodes[0].centre.y + graph.nodes[0].height);
    EXPECT_LE(graph.frames[0].high.y, graph.height);
    EXPECT_GE(graph.frames[0].low.x, 0);
}

/// A chain of nodes, each of which reads what the one before makes.
std::vector<networks::PlannedNode> chain(const std::vector<std::string>& tensors) {
    std::vector<networks::PlannedNode> nodes;
    for (std::size_t i = 1; i < tensors.size(); ++i) {
        nodes.push_back({.name = "n" + tensors[i],
                         .op = "Relu",
                         .inputs = {tensors[i - 1]},
                         .outputs = {tensors[i]},
                         .results = {{.type = isa::DataType::half, .shape = {4}, .values = {}}}});
    }
    return nodes;
}

TEST(NetworkPicture, FindsWhatStandsForEachOperatorOfTheFile) {
    const auto before = chain({"x", "a", "b", "c", "d"});
    const auto after = chain({"x", "b", "d"});
    NetworkGraph graph;
    graph.nodes.resize(before.size());
    std::vector<const networks::PlannedNode*> nodes;
    std::vector<const networks::PlannedNode*> stands;
    for (const networks::PlannedNode& node : before) {
        nodes.push_back(&node);
    }
    for (const networks::PlannedNode& node : after) {
        stands.push_back(&node);
    }
    find_parts(graph, nodes, stands);
    EXPECT_EQ(graph.nodes[0].part_of, 0U);
    EXPECT_EQ(graph.nodes[1].part_of, 0U);
    EXPECT_EQ(graph.nodes[2].part_of, 1U);
    EXPECT_EQ(graph.nodes[3].part_of, 1U);
}

TEST(NetworkPicture, HasTimesPlacesAndFramesAndNothingThatWasFolded) {
    NetworkRun run{.name = "net", .chip = "910b3", .plan = {}, .results = {}, .memory = {}};
    run.plan.nodes = chain({"x", "b", "d"});
    run.plan.nodes[0].tasks = {{"elementwise", {}}};
    run.plan.nodes.push_back({.name = "shape", .op = "Shape", .inputs = {"x"}, .outputs = {"s"}});
    run.plan.nodes.back().results = {networks::constant(isa::DataType::int64, {1}, {4})};
    run.results = {{.time_us = 4, .core_us = 3}};
    run.memory.alive_bytes = {64, 32, 0};
    run.before = Unfused{.plan = {}, .results = {}};
    run.before->plan.nodes = chain({"x", "a", "b", "d"});
    const NetworkPicture picture = picture_of(run, {});
    const NetworkGraph& graph = picture.figures.graph;
    ASSERT_EQ(graph.nodes.size(), 2U);
    EXPECT_EQ(graph.nodes[0].span, 0U);
    EXPECT_EQ(graph.nodes[0].alive_bytes, 64);
    EXPECT_FALSE(graph.nodes[1].span.has_value()) << "a view takes no time";
    EXPECT_EQ(graph.edges.size(), 1U);
    ASSERT_EQ(picture.figures.before->frames.size(), 1U);
    EXPECT_EQ(picture.figures.before->frames[0].stands, 0U);
}

}  // namespace
}  // namespace ascendsim::report
