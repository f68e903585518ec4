// SPDX-License-Identifier: Apache-2.0
#include "networks/graph/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Node node(std::string name, std::vector<std::string> inputs, std::vector<std::string> outputs) {
    return {.name = std::move(name),
            .op = "Add",
            .inputs = std::move(inputs),
            .outputs = std::move(outputs),
            .attributes = {}};
}

Graph graph_of(std::vector<Node> nodes) {
    Graph graph;
    graph.inputs = {
        {.name = "x", .type = isa::DataType::half, .shape = {std::string{"N"}, std::uint64_t{3}}}};
    graph.nodes = std::move(nodes);
    return graph;
}

TEST(Graph, SortsNodesBehindThoseWhoseResultsTheyTake) {
    Graph graph = graph_of({node("second", {"a"}, {"b"}), node("first", {"x"}, {"a"})});
    sort_nodes(graph);
    EXPECT_EQ(graph.nodes[0].name, "first");
    EXPECT_EQ(graph.nodes[1].name, "second");
}

TEST(Graph, RefusesACycle) {
    Graph graph = graph_of({node("one", {"b"}, {"a"}), node("two", {"a"}, {"b"})});
    EXPECT_THAT([&] { sort_nodes(graph); }, ThrowsMessage<UserError>(HasSubstr("cycle")));
}

TEST(Graph, RefusesATensorThatNobodyMakes) {
    Graph graph = graph_of({node("one", {"z"}, {"a"})});
    EXPECT_THAT([&] { sort_nodes(graph); }, ThrowsMessage<UserError>(HasSubstr("takes 'z'")));
}

TEST(Graph, RefusesATensorMadeTwice) {
    Graph graph = graph_of({node("one", {"x"}, {"a"}), node("two", {"x"}, {"a"})});
    EXPECT_THAT([&] { sort_nodes(graph); }, ThrowsMessage<UserError>(HasSubstr("'a' is made twice")));
}

TEST(Graph, BindsOpenExtentsToTheBatchOrToWhatIsGiven) {
    const Graph graph = graph_of({});
    EXPECT_EQ(bind_inputs(graph, {}, 8).at("x"), (host::Shape{8, 3}));
    EXPECT_EQ(bind_inputs(graph, {"x=2x3"}, 8).at("x"), (host::Shape{2, 3}));
    EXPECT_EQ(bind_inputs(graph, {"N=5"}, 8).at("x"), (host::Shape{5, 3}));
}

TEST(Graph, OpensAFixedBatch) {
    Graph graph;
    graph.inputs = {
        {.name = "x", .type = isa::DataType::half, .shape = {std::uint64_t{1}, std::uint64_t{3}}}};
    EXPECT_EQ(bind_inputs(with_open_batch(graph), {}, 8).at("x"), (host::Shape{8, 3}));
    graph.inputs.push_back({.name = "sizes", .type = isa::DataType::int64, .shape = {std::uint64_t{2}}});
    EXPECT_THAT([&] { (void)with_open_batch(graph); },
                ThrowsMessage<UserError>(HasSubstr("'x' and 'sizes' are fixed and differ, 1 and 2")));
}

TEST(Graph, RefusesInputsThatDoNotFit) {
    const Graph graph = graph_of({});
    EXPECT_THAT([&] { (void)bind_inputs(graph, {"x=2x4"}, 1); },
                ThrowsMessage<UserError>(HasSubstr("extent 1 is 3 in the network, not 4")));
    EXPECT_THAT([&] { (void)bind_inputs(graph, {"y=2x3"}, 1); },
                ThrowsMessage<UserError>(HasSubstr("inputs: x; open extents: N")));
    EXPECT_THAT([&] { (void)bind_inputs(graph, {"x=2,3"}, 1); },
                ThrowsMessage<UserError>(HasSubstr("write NAME=")));
    EXPECT_THAT([&] { (void)bind_inputs(graph, {"x=2x99999999999999999999"}, 1); },
                ThrowsMessage<UserError>(HasSubstr("an extent is 4294967296 at most")));
}

TEST(Tensor, BroadcastsAsNumPyDoes) {
    EXPECT_EQ(broadcast({8, 1, 6}, {7, 1}), (host::Shape{8, 7, 6}));
    EXPECT_THAT([] { (void)broadcast({3}, {4}); }, ThrowsMessage<UserError>(HasSubstr("do not broadcast")));
}

}  // namespace
}  // namespace ascendsim::networks
