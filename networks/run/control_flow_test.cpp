// SPDX-License-Identifier: Apache-2.0
#include "networks/run/control_flow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Node node_of(std::string op, std::vector<std::string> inputs, std::string output) {
    return {.name = output, .op = std::move(op), .inputs = std::move(inputs), .outputs = {std::move(output)}};
}

/// y = rate == 16000 ? relu(x) : tanh(x), each by a tensor "t" of its own.
class Branches : public testing::Test {
protected:
    Branches() {
        graph_.opset = 17;
        graph_.inputs = {{.name = "x", .type = isa::DataType::float32, .shape = {}},
                         {.name = "rate", .type = isa::DataType::int64, .shape = {}}};
        graph_.outputs = {"y"};
        graph_.constants["wanted"] = constant(isa::DataType::int64, {}, {16000});
        graph_.nodes.push_back(node_of("Equal", {"rate", "wanted"}, "same"));
        Node decision = node_of("If", {"same"}, "y");
        decision.branches["then_branch"] = branch("Relu");
        decision.branches["else_branch"] = branch("Tanh");
        graph_.nodes.push_back(decision);
        graph_.nodes.push_back(node_of("Neg", {"y"}, "z"));
    }

    static std::shared_ptr<const Graph> branch(const std::string& op) {
        Graph inner;
        inner.nodes = {node_of(op, {"x"}, "t"), node_of("Identity", {"t"}, "out")};
        inner.outputs = {"out"};
        return std::make_shared<const Graph>(inner);
    }

    [[nodiscard]] Graph with_rate(const std::vector<double>& rate) const {
        Lowering lowering{.chip = chip_};
        if (!rate.empty()) {
            lowering.given["rate"] = rate;
        }
        return with_known_control_flow(graph_, {{"x", {4}}, {"rate", {}}}, lowering);
    }

    static std::vector<std::string> operators(const Graph& graph) {
        std::vector<std::string> all;
        for (const Node& node : graph.nodes) {
            all.push_back(node.op);
        }
        return all;
    }

    Graph graph_;
    ChipSpec chip_ = load_chip("910b3", toolchain::Installation::find().chips());
};

TEST_F(Branches, AKnownConditionTakesOneBranch) {
    EXPECT_THAT(operators(with_rate({16000})), ElementsAre("Equal", "Relu", "Identity", "Identity", "Neg"));
    EXPECT_THAT(operators(with_rate({8000})), ElementsAre("Equal", "Tanh", "Identity", "Identity", "Neg"));
}

TEST_F(Branches, TensorsOfABranchGetNamesOfTheirOwn) {
    const Graph graph = with_rate({16000});
    EXPECT_THAT(graph.nodes[1].outputs, ElementsAre("y/t"));
    EXPECT_THAT(graph.nodes[2].inputs, ElementsAre("y/t"));
    EXPECT_THAT(graph.nodes[3].outputs, ElementsAre("y"));
}

TEST_F(Branches, ABranchWithinABranchIsTaken) {
    Graph inner;
    inner.nodes = {graph_.nodes[1]};
    inner.nodes[0].outputs = {"deep"};
    inner.outputs = {"deep"};
    Node outer = node_of("If", {"same"}, "y");
    outer.branches["then_branch"] = std::make_shared<const Graph>(inner);
    outer.branches["else_branch"] = branch("Tanh");
    graph_.nodes[1] = outer;
    EXPECT_THAT(operators(with_rate({16000})),
                ElementsAre("Equal", "Relu", "Identity", "Identity", "Identity", "Neg"));
}

TEST_F(Branches, AnUnknownConditionIsRefusedWithItsReason) {
    const Graph graph = with_rate({});
    EXPECT_THAT(operators(graph), ElementsAre("Equal", "If", "Neg"));
    const NetworkPlan plan = plan_network(graph, {{"x", {4}}, {"rate", {}}}, {.chip = chip_});
    EXPECT_THAT(plan.nodes[1].refusal, HasSubstr("computed while the network runs"));
}

TEST_F(Branches, WithoutDataTheLargerBranchStandsForBoth) {
    Graph longer;
    longer.nodes = {node_of("Abs", {"x"}, "a"), node_of("Exp", {"a"}, "b"), node_of("Neg", {"b"}, "out")};
    longer.outputs = {"out"};
    graph_.nodes[1].branches["else_branch"] = std::make_shared<const Graph>(longer);
    const Lowering lowering{.chip = chip_, .given = {}, .timing_only = true};
    const Graph graph = with_known_control_flow(graph_, {{"x", {4}}, {"rate", {}}}, lowering);
    EXPECT_THAT(operators(graph), ElementsAre("Equal", "Abs", "Exp", "Neg", "Identity", "Neg"));
    const NetworkPlan plan = plan_network(graph, {{"x", {4}}, {"rate", {}}}, lowering);
    EXPECT_THAT(plan.nodes[4].note, HasSubstr("data decides: the else branch"));
}

/// y = x doubled `count` times as long as `more`; `all` are what it was after each.
class Loops : public testing::Test {
protected:
    Loops() {
        graph_.opset = 17;
        graph_.inputs = {{.name = "x", .type = isa::DataType::float32, .shape = {}},
                         {.name = "count", .type = isa::DataType::int64, .shape = {}}};
        graph_.outputs = {"y", "all"};
        graph_.constants["more"] = constant(isa::DataType::boolean, {}, {1});
        Graph body;
        body.inputs = {{.name = "i"}, {.name = "on"}, {.name = "v"}};
        body.nodes = {node_of("Add", {"v", "v"}, "twice"), node_of("Identity", {"on"}, "goes")};
        body.outputs = {"goes", "twice", "twice"};
        Node loop{.name = "loop", .op = "Loop", .inputs = {"count", "more", "x"}, .outputs = {"y", "all"}};
        loop.branches["body"] = std::make_shared<const Graph>(body);
        graph_.nodes = {loop};
    }

    [[nodiscard]] Graph with_count(const std::vector<double>& count) const {
        Lowering lowering{.chip = chip_};
        if (!count.empty()) {
            lowering.given["count"] = count;
        }
        return with_known_control_flow(graph_, shapes_, lowering);
    }

    Graph graph_;
    std::map<std::string, host::Shape, std::less<>> shapes_{{"x", {4}}, {"count", {}}};
    ChipSpec chip_ = load_chip("910b3", toolchain::Installation::find().chips());
};

TEST_F(Loops, AKnownCountBecomesItsIterations) {
    const Graph graph = with_count({2});
    std::vector<std::string> sums;
    for (const Node& node : graph.nodes) {
        if (node.op == "Add") {
            sums.push_back(node.inputs[0]);
        }
    }
    EXPECT_THAT(sums, ElementsAre("x", "y/0/twice"));
    Lowering lowering{.chip = chip_};
    const NetworkPlan plan = plan_network(graph, shapes_, lowering);
    EXPECT_EQ(plan.tensors.at("y").shape, (host::Shape{4}));
    EXPECT_EQ(plan.tensors.at("all").shape, (host::Shape{2, 4}));
}

TEST_F(Loops, AFalseConditionEndsALoop) {
    graph_.constants["more"] = constant(isa::DataType::boolean, {}, {0});
    graph_.nodes[0].outputs = {"y"};
    graph_.outputs = {"y"};
    const Graph graph = with_count({5});
    ASSERT_EQ(graph.nodes.size(), 1U);
    EXPECT_EQ(graph.nodes[0].op, "Identity");
    EXPECT_THAT(graph.nodes[0].inputs, ElementsAre("x"));
}

TEST_F(Loops, ACountThatIsNotKnownIsWaitedFor) {
    const NetworkPlan plan = plan_network(with_count({}), shapes_, {.chip = chip_});
    ASSERT_EQ(plan.nodes.size(), 1U);
    EXPECT_THAT(plan.nodes[0].refusal, HasSubstr("how often it runs"));
    EXPECT_THAT(plan.nodes[0].steered_by, ElementsAre("count"));
}

TEST_F(Loops, AConditionThatDataMakesIsWaitedForIterationByIteration) {
    Graph body = *graph_.nodes[0].branches.at("body");
    body.nodes[1] = node_of("Less", {"twice", "limit"}, "goes");
    graph_.constants["limit"] = constant(isa::DataType::float32, {}, {10});
    graph_.nodes[0].branches["body"] = std::make_shared<const Graph>(body);
    Lowering lowering{.chip = chip_, .given = {{"count", {9}}}};
    Graph graph = with_known_control_flow(graph_, shapes_, lowering);
    EXPECT_EQ(graph.nodes.back().op, "Loop");
    EXPECT_THAT(plan_network(graph, shapes_, lowering).nodes.back().steered_by, ElementsAre("y/0/goes"));
    lowering.given["y/0/goes"] = {1};
    lowering.given["y/1/goes"] = {0};
    graph = with_known_control_flow(graph_, shapes_, lowering);
    EXPECT_EQ(plan_network(graph, shapes_, lowering).tensors.at("all").shape, (host::Shape{2, 4}));
}

/// Running sums along the rows of x.
TEST(Scans, BecomeTheirIterations) {
    Graph body;
    body.inputs = {{.name = "sum"}, {.name = "row"}};
    body.nodes = {node_of("Add", {"sum", "row"}, "next")};
    body.outputs = {"next", "next"};
    Node scan{.name = "scan",
              .op = "Scan",
              .inputs = {"start", "x"},
              .outputs = {"last", "all"},
              .attributes = {{"num_scan_inputs", std::int64_t{1}}}};
    scan.branches["body"] = std::make_shared<const Graph>(body);
    Graph graph;
    graph.opset = 17;
    graph.inputs = {{.name = "x", .type = isa::DataType::float32, .shape = {}}};
    graph.constants["start"] = constant(isa::DataType::float32, {2}, {0, 0});
    graph.nodes = {scan};
    const ChipSpec chip = load_chip("910b3", toolchain::Installation::find().chips());
    const Lowering lowering{.chip = chip};
    const Graph apart = with_known_control_flow(graph, {{"x", {3, 2}}}, lowering);
    const NetworkPlan plan = plan_network(apart, {{"x", {3, 2}}}, lowering);
    EXPECT_EQ(plan.tensors.at("last").shape, (host::Shape{2}));
    EXPECT_EQ(plan.tensors.at("all").shape, (host::Shape{3, 2}));
}

/// x in parts of two rows, the first one taken out, the others joined.
TEST(SequencesOfTensors, AreFollowedByName) {
    Graph graph;
    graph.opset = 17;
    graph.inputs = {{.name = "x", .type = isa::DataType::float32, .shape = {}}};
    graph.constants["two"] = constant(isa::DataType::int64, {}, {2});
    graph.constants["first"] = constant(isa::DataType::int64, {}, {0});
    graph.nodes = {node_of("SplitToSequence", {"x", "two"}, "parts"),
                   node_of("SequenceErase", {"parts", "first"}, "rest"),
                   node_of("SequenceLength", {"rest"}, "count"),
                   node_of("SequenceAt", {"rest", "first"}, "second"),
                   node_of("SequenceInsert", {"rest", "second"}, "longer"),
                   node_of("ConcatFromSequence", {"longer"}, "y")};
    graph.nodes.back().attributes["axis"] = std::int64_t{0};
    const ChipSpec chip = load_chip("910b3", toolchain::Installation::find().chips());
    const Lowering lowering{.chip = chip};
    const NetworkPlan plan =
        plan_network(with_known_control_flow(graph, {{"x", {5, 3}}}, lowering), {{"x", {5, 3}}}, lowering);
    EXPECT_THAT(*plan.tensors.at("count").values, ElementsAre(2));  // of rows 2 and 3, and of row 4
    EXPECT_EQ(plan.tensors.at("second").shape, (host::Shape{2, 3}));
    EXPECT_EQ(plan.tensors.at("y").shape, (host::Shape{5, 3}));  // rows 2, 3, 4, 2, 3
}

}  // namespace
}  // namespace ascendsim::networks
