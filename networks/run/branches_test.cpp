// SPDX-License-Identifier: Apache-2.0
#include "networks/run/branches.hpp"

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
        return with_known_branches(graph_, {{"x", {4}}, {"rate", {}}}, lowering);
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

}  // namespace
}  // namespace ascendsim::networks
