// SPDX-License-Identifier: Apache-2.0
// Patterns that join products, images and rotations, and their reasons not to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "networks/fusion/testing/graph_fusion_fixture.hpp"

namespace ascendsim::networks {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

using Indices = std::vector<std::int64_t>;

class JoiningTest : public GraphFusionTest {
protected:
    std::string whole(const std::string& name, std::vector<double> values) {
        const host::Shape shape{values.size()};
        graph_.constants[name] = constant(isa::DataType::int64, shape, std::move(values));
        return name;
    }

    std::string slice(const std::string& x,
                      const std::string& y,
                      std::vector<double> starts,
                      std::vector<double> ends,
                      std::vector<double> axes,
                      std::vector<double> steps) {
        return add("Slice",
                   {x,
                    whole(y + "_starts", std::move(starts)),
                    whole(y + "_ends", std::move(ends)),
                    whole(y + "_axes", std::move(axes)),
                    whole(y + "_steps", std::move(steps))},
                   y);
    }

    /// Every second row and column of x, four times, beside each other.
    void focus(const std::string& x) {
        std::vector<std::string> parts;
        for (const double column : {0.0, 1.0}) {
            for (const double row : {0.0, 1.0}) {
                parts.push_back(slice(
                    x, fmt::format("part{}{}", row, column), {row, column}, {1000, 1000}, {2, 3}, {2, 2}));
            }
        }
        add("Concat", parts, "focus", {{"axis", std::int64_t{1}}});
    }

    void rotated(const std::string& x, const std::string& y, double width) {
        slice(x, y + "_low", {0}, {width / 2}, {-1}, {1});
        slice(x, y + "_high", {width / 2}, {width}, {-1}, {1});
        add("Concat",
            {add("Neg", {y + "_high"}, y + "_negative"), y + "_low"},
            y + "_turned",
            {{"axis", std::int64_t{-1}}});
        add("Add", {add("Mul", {x, "cos"}, y + "_cos"), add("Mul", {y + "_turned", "sin"}, y + "_sin")}, y);
    }
};

TEST_F(JoiningTest, FocusBecomesPartOfTheConvolution) {
    precision_ = Precision::as_stated;
    input("x", {1, 1, 8, 8});
    focus("x");
    graph_.constants["w"] = constant(isa::DataType::float32, {1, 4, 1, 1}, {1, 2, 3, 4});
    add("Conv", {"focus", "w"}, "y");
    // By time alone: one channel fills a block as four do, of four times the positions.
    const GraphFusion fusion = fused({"y"}, {.weights = {.latency = 1, .throughput = 0, .memory = 0}});
    ASSERT_THAT(kinds(fusion), ElementsAre("Conv")) << fusion.decisions.back().text;
    const Node& conv = fusion.graph.nodes[0];
    EXPECT_THAT(conv.inputs[0], "x");
    EXPECT_THAT(conv.integers("strides", {}), ElementsAre(2, 2));
    // Parts begin at (row, column) (0, 0), (1, 0), (0, 1), (1, 1): their weights 1, 2, 3, 4 go there.
    EXPECT_THAT(*fusion.graph.constants.at(conv.inputs[1]).values, ElementsAre(1, 3, 2, 4));
    EXPECT_EQ(fusion.plan.nodes[0].results[0].text(), "float32 [1, 1, 4, 4]");
}

TEST_F(JoiningTest, FocusBeforeAConvolutionInGroupsStays) {
    input("x", {1, 1, 8, 8});
    focus("x");
    add("Conv", {"focus", weight("w", {4, 1, 3, 3})}, "y", {{"group", std::int64_t{4}}});
    const GraphFusion fusion = fused({"y"});
    EXPECT_EQ(reason(fusion, "Focus + Conv").code, "other_form");
    EXPECT_THAT(kinds(fusion), Contains("Concat"));
}

TEST_F(JoiningTest, ConvolutionsOfOneImageBecomeOne) {
    precision_ = Precision::as_stated;
    input("x", {1, 2, 8, 8});
    graph_.constants["a"] = constant(isa::DataType::float32, {1, 2, 1, 1}, {1, 2});
    graph_.constants["b"] = constant(isa::DataType::float32, {2, 2, 1, 1}, {3, 4, 5, 6});
    add("Conv", {"x", "a"}, "y");
    add("Conv", {"x", "b"}, "z");
    times_["index_elements"] = 0.5;  // of the split, one for each part
    const GraphFusion fusion = fused({"y", "z"});
    ASSERT_THAT(kinds(fusion), ElementsAre("Conv", "Split"));
    EXPECT_THAT(*fusion.graph.constants.at(fusion.graph.nodes[0].inputs[1]).values,
                ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(fusion.graph.nodes[1].outputs, ElementsAre("y", "z"));
    EXPECT_EQ(fusion.plan.nodes[1].results[1].text(), "float32 [1, 2, 8, 8]");
}

TEST_F(JoiningTest, ProductsOfOneOperandBecomeOne) {
    input("x", {4, 2});
    graph_.constants["a"] = constant(isa::DataType::float32, {2, 1}, {1, 2});
    graph_.constants["b"] = constant(isa::DataType::float32, {2, 2}, {3, 4, 5, 6});
    add("MatMul", {"x", "a"}, "y");
    add("MatMul", {"x", "b"}, "z");
    times_["index_elements"] = 0.5;
    const GraphFusion fusion = fused({"y", "z"});
    ASSERT_THAT(kinds(fusion), ElementsAre("MatMul", "Split"));
    // Rows of [a | b].
    EXPECT_THAT(*fusion.graph.constants.at(fusion.graph.nodes[0].inputs[1]).values,
                ElementsAre(1, 3, 4, 2, 5, 6));
}

TEST_F(JoiningTest, ProductsWhoseSplitTakesLongerStayApart) {
    input("x", {4, 2});
    add("MatMul", {"x", weight("a", {2, 1})}, "y");
    add("MatMul", {"x", weight("b", {2, 2})}, "z");
    times_["index_elements"] = 20;
    const GraphFusion fusion = fused({"y", "z"});
    EXPECT_THAT(kinds(fusion), ElementsAre("MatMul", "MatMul"));
    EXPECT_EQ(fusion.decisions[0].code, "slower");
    EXPECT_EQ(fusion.decisions[0].apart_tasks.size(), 2U);  // what an explanation runs
    EXPECT_GE(fusion.decisions[0].fused_tasks.size(), 2U);
}

TEST_F(JoiningTest, ARowIsAddedWhereTheCubeAccumulates) {
    input("x", {2, 16, 64});
    add("Add", {add("MatMul", {"x", weight("w", {64, 32})}, "product"), weight("b", {32})}, "y");
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion), ElementsAre("Linear"));
    EXPECT_THAT(knobs(fusion, 0), Contains(flag("bias")));
    EXPECT_EQ(fusion.plan.nodes[0].results[0].text(), "float16 [2, 16, 32]");
}

TEST_F(JoiningTest, AMatrixThatIsAddedIsNoRow) {
    input("x", {16, 64});
    input("r", {16, 32});
    add("Add", {add("MatMul", {"x", weight("w", {64, 32})}, "product"), "r"}, "y");
    EXPECT_EQ(reason(fused({"y"}), "MatMul + Add").code, "other_shape");
}

TEST_F(JoiningTest, AProductOfFloatsTakesItsRow) {
    precision_ = Precision::as_stated;
    input("x", {16, 64});
    add("Add", {add("MatMul", {"x", weight("w", {64, 32})}, "product"), weight("b", {32})}, "y");
    const GraphFusion fusion = fused({"y"});
    ASSERT_THAT(kinds(fusion), ElementsAre("Linear"));
    EXPECT_EQ(fusion.plan.nodes[0].results[0].text(), "float32 [16, 32]");
}

TEST_F(JoiningTest, ABatchNormBehindAProductAndItsRowIsFolded) {
    input("x", {4, 2});
    times_by_knob_["bias"] = 100;
    times_["elementwise"] = 1;
    graph_.constants["w"] = constant(isa::DataType::float32, {2, 2}, {1, 2, 3, 4});
    add("Add", {add("MatMul", {"x", "w"}, "product"), row("r", {1, 2})}, "sum");
    add("BatchNormalization",
        {"sum", row("g", {2, 4}), row("beta", {10, 20}), row("m", {1, 3}), row("v", {4, 16})},
        "y",
        {{"epsilon", 0.0}});
    const GraphFusion fusion = fused({"y"});
    ASSERT_THAT(kinds(fusion), ElementsAre("Gemm"));
    // f = g / sqrt(v) = 1 and 1; W' = W f; b' = (r - m) f + beta.
    EXPECT_THAT(*fusion.graph.constants.at(fusion.graph.nodes[0].inputs[1]).values, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(*fusion.graph.constants.at(fusion.graph.nodes[0].inputs[2]).values, ElementsAre(10, 19));
}

TEST_F(JoiningTest, RotaryEmbeddingIsRecognised) {
    input("x", {1, 4, 16, 64});
    input("cos", {16, 64});
    input("sin", {16, 64});
    rotated("x", "y", 64);
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion), ElementsAre("RotaryEmbedding"));
    EXPECT_EQ(kernel_name(fusion.plan.nodes[0].tasks[0]), "rotary");
    EXPECT_EQ(fusion.plan.nodes[0].results[0].text(), "float16 [1, 4, 16, 64]");
}

TEST_F(JoiningTest, HeadsThatTheRotationDoesNotTakeStay) {
    input("x", {1, 4, 16, 48});
    input("cos", {16, 48});
    input("sin", {16, 48});
    rotated("x", "y", 48);
    EXPECT_EQ(reason(fused({"y"}), "rotary embedding").code, "other_shape");
}

TEST_F(JoiningTest, RotatedQueriesAndSharedKeysReachTheAttentionKernel) {
    input("cos", {16, 64});
    input("sin", {16, 64});
    input("q0", {2, 16, 4, 64});
    input("k0", {2, 16, 2, 64});
    input("v0", {2, 16, 2, 64});
    const auto to_heads = [this](const std::string& x, const std::string& y) {
        add("Transpose", {x}, y, {{"perm", Indices{0, 2, 1, 3}}});
    };
    const auto repeated = [this](const std::string& x) {
        add("Unsqueeze", {x, whole("two", {2})}, x + "_wide");
        add("Expand", {x + "_wide", whole("twice", {1, 1, 2, 1, 1})}, x + "_spread");
        return add("Reshape", {x + "_spread", whole("heads", {0, 4, -1, 64})}, x + "_repeated");
    };
    to_heads("q0", "q1");
    to_heads("k0", "k1");
    to_heads("v0", "v");
    rotated("q1", "q", 64);
    rotated("k1", "k", 64);
    add("Transpose", {repeated("k")}, "kt", {{"perm", Indices{0, 1, 3, 2}}});
    add("Mul", {add("MatMul", {"q", "kt"}, "products"), number("scale", 0.125)}, "scores");
    add("Softmax", {"scores"}, "p", {{"axis", std::int64_t{-1}}});
    add("MatMul", {"p", repeated("v")}, "o");
    to_heads("o", "y");
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion),
                testing::UnorderedElementsAre("RotaryEmbedding", "RotaryEmbedding", "Attention"));
    const PlannedNode& attention = fusion.plan.nodes.back();
    ASSERT_EQ(attention.op, "Attention");
    EXPECT_EQ(attention.results[0].text(), "float16 [2, 16, 4, 64]");
    const auto& knobs = attention.tasks[0].knobs;
    EXPECT_THAT(knobs, Contains(std::pair<std::string, host::KnobValue>{"kv_heads", std::int64_t{2}}));
    EXPECT_EQ(attention.inputs[2], "v0");
}

TEST_F(JoiningTest, DropoutWithinAttentionDisappears) {
    attention(8, false);
    for (Node& node : graph_.nodes) {
        if (node.outputs[0] == "o") {
            node.inputs[0] = "dropped";
        }
    }
    add("Dropout", {"p"}, "dropped");
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion), ElementsAre("Attention"));
}

TEST_F(JoiningTest, ALayerBehindABagBecomesPartOfTheTable) {
    precision_ = Precision::as_stated;
    graph_.inputs.push_back({.name = "words", .type = isa::DataType::int64, .shape = {}});
    shapes_["words"] = {3, 2};
    graph_.constants["table"] = constant(isa::DataType::float32, {2, 2}, {1, 2, 3, 4});
    graph_.constants["w"] = constant(isa::DataType::float32, {1, 2}, {10, 1});
    add("Gather", {"table", "words"}, "rows", {{"axis", std::int64_t{0}}});
    add("ReduceSum", {"rows", whole("one", {1})}, "bag", {{"keepdims", std::int64_t{0}}});
    add("Gemm", {"bag", "w", row("b", {5})}, "y", {{"transB", std::int64_t{1}}});
    times_["matmul"] = 50;
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion), ElementsAre("Gather", "ReduceSum", "Add"));
    // T W^T: 1 * 10 + 2 and 3 * 10 + 4.
    EXPECT_THAT(*fusion.graph.constants.at(fusion.graph.nodes[0].inputs[0]).values, ElementsAre(12, 34));
}

TEST_F(JoiningTest, ANormAndTheQuantisationOfItsRowsAreOneKernel) {
    const Attributes last{{"axes", Indices{-1}}};
    input("x", {8, 64});
    input("r", {8, 64});
    add("LayerNormalization", {add("Add", {"x", "r"}, "sum"), weight("g", {64}), weight("b", {64})}, "n");
    add("Div",
        {add("ReduceMax", {add("Abs", {"n"}, "size")}, "largest", last), number("most", 127)},
        "scale");
    add("Cast",
        {add("Round", {add("Div", {"n", "scale"}, "divided")}, "rounded")},
        "q",
        {{"to", std::int64_t{3}}});  // int8
    const GraphFusion fusion = fused({"q", "scale", "sum"});
    EXPECT_THAT(kinds(fusion), ElementsAre("QuantisedNorm"));
    EXPECT_THAT(fusion.plan.nodes[0].outputs, ElementsAre("q", "scale", "sum"));
    EXPECT_EQ(fusion.plan.nodes[0].results[0].text(), "int8 [8, 64]");
    chip_ = load_chip("310p3", toolchain::Installation::find().chips());
    EXPECT_EQ(reason(fused({"q", "scale", "sum"}), "norm + quantisation").code, "not_on_this_chip");
}

TEST_F(JoiningTest, ANormWithExactGeluIsNoShippedKernel) {
    input("x", {8, 64});
    add("LayerNormalization", {"x", weight("g", {64}), weight("b", {64})}, "n");
    add("Erf", {add("Div", {"n", number("root", 1.4142135)}, "inside")}, "erf");
    add("Mul",
        {add("Mul", {"n", add("Add", {"erf", number("one", 1)}, "both")}, "product"), number("half", 0.5)},
        "y");
    EXPECT_EQ(reason(fused({"y"}), "LayerNorm + GELU").code, "other_form");
}

}  // namespace
}  // namespace ascendsim::networks
