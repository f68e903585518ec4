// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/graph_fusion.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "networks/fusion/testing/graph_fusion_fixture.hpp"
#include "networks/run/wide_ranges.hpp"

namespace ascendsim::networks {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(GraphFusionTest, WhatComputesNothingDisappears) {
    input("x", {8, 32});
    add("Identity", {"x"}, "same");
    add("Mul", {"same", number("one", 1)}, "times_one");
    add("Add", {number("zero", 0), "times_one"}, "plus_none");
    add("Relu", {"plus_none"}, "y");
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion), ElementsAre("Relu"));
    EXPECT_THAT(fusion.plan.nodes[0].inputs, ElementsAre("x"));
}

TEST_F(GraphFusionTest, AnOperandThatSpreadsTheResultStays) {
    input("x", {1, 32});
    graph_.constants["ones"] = constant(isa::DataType::float32, {8, 1}, std::vector<double>(8, 1));
    add("Mul", {"x", "ones"}, "y");
    EXPECT_THAT(kinds(fused({"y"})), ElementsAre("Mul"));
}

TEST_F(GraphFusionTest, WhatIsComputedTwiceIsComputedOnce) {
    input("x", {8, 32});
    add("Exp", {"x"}, "a");
    add("Exp", {"x"}, "b");
    add("LeakyRelu", {"a"}, "c", {{"alpha", 0.1}});
    add("LeakyRelu", {"b"}, "d", {{"alpha", 0.2}});
    add("Add", {"c", "d"}, "y");
    EXPECT_THAT(kinds(fused({"y"})), ElementsAre("Exp", "LeakyRelu", "LeakyRelu", "Add"));
}

TEST_F(GraphFusionTest, WhatNobodyReadsIsNotComputed) {
    input("x", {8, 32});
    add("Exp", {add("Abs", {"x"}, "a")}, "unread");
    add("Relu", {"x"}, "y");
    EXPECT_THAT(kinds(fused({"y"})), ElementsAre("Relu"));
}

TEST_F(GraphFusionTest, WhatNobodyReadsMayBeComputedAgain) {
    input("x", {8, 32});
    add("Exp", {"x"}, "unread");
    add("Exp", {"x"}, "a");
    add("Relu", {"a"}, "y");
    EXPECT_THAT(kinds(fused({"y"})), ElementsAre("Exp", "Relu"));
}

TEST_F(GraphFusionTest, TransposesCancelOrBecomeOne) {
    using Indices = std::vector<std::int64_t>;
    input("x", {8, 16, 32});
    add("Transpose", {"x"}, "a", {{"perm", Indices{1, 2, 0}}});
    add("Transpose", {"a"}, "b", {{"perm", Indices{2, 0, 1}}});  // undoes it
    add("Relu", {"b"}, "y");
    add("Transpose", {"a"}, "c", {{"perm", Indices{1, 0, 2}}});
    add("Abs", {"c"}, "z");
    const GraphFusion fusion = fused({"y", "z"});
    EXPECT_THAT(kinds(fusion), ElementsAre("Relu", "Transpose", "Abs"));
    // Axis i of a is axis p[i] of x, p = (1, 2, 0); axis j of c is axis (1, 0, 2)[j] of a: p of that.
    EXPECT_THAT(fusion.graph.nodes[1].integers("perm", {}), ElementsAre(2, 1, 0));
}

TEST_F(GraphFusionTest, GeluIsRecognisedInEveryOrder) {
    for (const bool half_first : {false, true}) {
        graph_ = {};
        graph_.opset = 17;
        input("x", {8, 32});
        add("Erf", {add("Div", {"x", number("root", 1.4142135)}, "inside")}, "erf");
        add("Add", {number("one", 1), "erf"}, "both");
        if (half_first) {
            add("Mul", {add("Mul", {"x", number("half", 0.5)}, "halved"), "both"}, "y");
        } else {
            add("Mul", {add("Mul", {"x", "both"}, "product"), number("half", 0.5)}, "y");
        }
        const GraphFusion fusion = fused({"y"});
        EXPECT_THAT(kinds(fusion), ElementsAre("Gelu")) << half_first;
        EXPECT_EQ(kernel_name(fusion.plan.nodes[0].tasks[0]), "gelu");
    }
}

TEST_F(GraphFusionTest, GeluWithAnotherFactorIsNone) {
    input("x", {8, 32});
    add("Erf", {add("Div", {"x", number("root", 1.5)}, "inside")}, "erf");
    add("Add", {number("one", 1), "erf"}, "both");
    add("Mul", {add("Mul", {"x", "both"}, "product"), number("half", 0.5)}, "y");
    EXPECT_THAT(kinds(fused({"y"})), Contains("Erf"));
}

TEST_F(GraphFusionTest, NormsAndSoftmaxAreRecognised) {
    using Indices = std::vector<std::int64_t>;
    const Attributes last{{"axes", Indices{-1}}};
    input("x", {8, 32});
    add("Sub", {"x", add("ReduceMean", {"x"}, "mean", last)}, "centred");
    add("Pow", {"centred", number("two", 2)}, "square");
    add("Add", {add("ReduceMean", {"square"}, "variance", last), number("epsilon", 1e-5)}, "safe");
    add("Div", {"centred", add("Sqrt", {"safe"}, "root")}, "normal");
    add("Mul", {"normal", weight("scale", {32})}, "scaled");
    add("Add", {"scaled", weight("bias", {32})}, "norm");
    add("Exp", {add("Sub", {"norm", add("ReduceMax", {"norm"}, "most", last)}, "lower")}, "powers");
    graph_.constants["axes"] = constant(isa::DataType::int64, {1}, {-1});
    add("Div", {"powers", add("ReduceSum", {"powers", "axes"}, "sum")}, "y");
    EXPECT_THAT(kinds(fused({"y"})), ElementsAre("LayerNormalization", "Softmax"));
}

TEST_F(GraphFusionTest, RootMeanSquareNormIsRecognised) {
    using Indices = std::vector<std::int64_t>;
    input("x", {8, 32});
    add("Pow", {"x", number("two", 2)}, "square");
    add("ReduceMean", {"square"}, "mean", {{"axes", Indices{-1}}});
    add("Sqrt", {add("Add", {"mean", number("epsilon", 1e-6)}, "safe")}, "root");
    add("Mul", {"x", add("Reciprocal", {"root"}, "inverse")}, "normal");
    add("Mul", {weight("scale", {32}), "normal"}, "y");
    EXPECT_THAT(kinds(fused({"y"})), ElementsAre("RMSNormalization"));
}

TEST_F(GraphFusionTest, ABatchNormBecomesPartOfTheWeights) {
    precision_ = Precision::as_stated;
    input("x", {1, 1, 4, 4});
    graph_.constants["w"] = constant(isa::DataType::float32, {2, 1, 1, 1}, {3, 5});
    add("Conv", {"x", "w", row("b", {1, 2})}, "c");
    add("BatchNormalization",
        {"c", row("g", {2, 4}), row("beta", {10, 20}), row("m", {1, 3}), row("v", {4, 16})},
        "y",
        {{"epsilon", 0.0}});
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion), ElementsAre("Conv"));
    const Node& conv = fusion.graph.nodes[0];
    // f = g / sqrt(v) = 2 / 2 and 4 / 4; W' = W f; b' = (b - m) f + beta.
    EXPECT_THAT(*fusion.graph.constants.at(conv.inputs[1]).values, ElementsAre(3, 5));
    EXPECT_THAT(*fusion.graph.constants.at(conv.inputs[2]).values, ElementsAre(10, 19));
    EXPECT_FALSE(fusion.graph.constants.contains("w"));
}

TEST_F(GraphFusionTest, WhatIsFoldedForOperatorsInFloat32IsFloat32) {
    input("x", {1, 1, 4, 4});
    graph_.constants["w"] = constant(isa::DataType::float32, {2, 1, 1, 1}, {3, 5});
    add("Mul", {"x", number("large", 0x1p20)}, "a");  // beyond float16
    add("Conv", {"a", "w", row("b", {1, 2})}, "c");
    add("BatchNormalization",
        {"c", row("g", {2, 4}), row("beta", {10, 20}), row("m", {1, 3}), row("v", {4, 16})},
        "y",
        {{"epsilon", 0.0}});
    graph_ = with_wide_ranges(graph_, shapes_, {.precision = precision_, .chip = chip_});
    const GraphFusion fusion = fused({"y"});
    ASSERT_THAT(kinds(fusion), ElementsAre("Cast", "Mul", "Conv", "Cast"));
    const PlannedNode& conv = fusion.plan.nodes[2];
    EXPECT_EQ(conv.refusal, "");
    EXPECT_EQ(fusion.plan.tensors.at(conv.inputs[1]).text(), "float32 [2, 1, 1, 1]");
    EXPECT_EQ(conv.results[0].text(), "float32 [1, 2, 4, 4]");
    EXPECT_EQ(fusion.plan.nodes[3].results[0].text(), "float16 [1, 2, 4, 4]");
}

TEST_F(GraphFusionTest, ABatchNormScalesTheColumnsOfALinearLayer) {
    input("x", {4, 2});
    times_["elementwise"] = 1;  // the bias, which the folded layer adds
    graph_.constants["w"] = constant(isa::DataType::float32, {2, 3}, {1, 2, 3, 4, 5, 6});
    add("Gemm", {"x", "w"}, "c");
    add("BatchNormalization",
        {"c", row("g", {1, 2, 3}), row("beta", {0, 0, 1}), row("m", {0, 1, 1}), row("v", {1, 1, 1})},
        "y",
        {{"epsilon", 0.0}});
    const GraphFusion fusion = fused({"y"});
    ASSERT_THAT(kinds(fusion), ElementsAre("Linear"));
    const Node& gemm = fusion.graph.nodes[0];
    EXPECT_THAT(*fusion.graph.constants.at(gemm.inputs[1]).values, ElementsAre(1, 4, 9, 4, 10, 18));
    EXPECT_THAT(*fusion.graph.constants.at(gemm.inputs[2]).values, ElementsAre(0, -2, -2));
}

TEST_F(GraphFusionTest, WeightsThatAreComputedAreNotFolded) {
    input("x", {1, 1, 4, 4});
    input("u", {2, 1, 1, 1});
    add("Conv", {"x", add("Abs", {"u"}, "w")}, "c");
    add("BatchNormalization",
        {"c", row("g", {2, 4}), row("beta", {1, 2}), row("m", {1, 3}), row("v", {4, 16})},
        "y");
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(codes(fusion), ElementsAre("not_constant"));
    EXPECT_THAT(fusion.not_joined[0].text, HasSubstr("'w' is computed while the network runs"));
}

TEST_F(GraphFusionTest, AttentionTakesTokensAsTheyLie) {
    attention(8, true);
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion), ElementsAre("AttentionMask", "Attention"));
    EXPECT_THAT(fusion.plan.nodes[1].inputs, ElementsAre("q", "k", "v", "y_mask"));
    EXPECT_EQ(fusion.plan.nodes[0].results[0].text(), "float32 [2, 16, 16]");
    EXPECT_EQ(fusion.plan.nodes[1].results[0].text(), "float16 [2, 16, 4, 64]");
}

TEST_F(GraphFusionTest, AttentionWithAnotherScaleSaysSo) {
    attention(4, false);
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(codes(fusion), Contains("other_scale"));
    EXPECT_THAT(fusion.not_joined[0].text, HasSubstr("scaled by 0.25"));
    EXPECT_THAT(kinds(fusion), Contains("Softmax"));
}

TEST_F(GraphFusionTest, AttentionNeedsSeparateCores) {
    chip_ = load_chip("310p", toolchain::Installation::find().chips());
    attention(8, false);
    EXPECT_THAT(codes(fused({"y"})), Contains("not_on_this_chip"));
}

TEST_F(GraphFusionTest, AttentionTakesHalvesAlone) {
    precision_ = Precision::as_stated;
    attention(8, false);
    EXPECT_THAT(codes(fused({"y"})), Contains("other_type"));
}

TEST_F(GraphFusionTest, AMaskThatDiffersByHeadIsRefused) {
    for (const host::Shape& mask : {host::Shape{1, 4, 16, 16}, host::Shape{4, 16, 16}}) {
        graph_ = {.opset = 17};
        shapes_.clear();
        attention(8, true, mask);
        EXPECT_THAT(codes(fused({"y"})), Contains("other_shape"));
    }
}

TEST_F(GraphFusionTest, AResultThatOthersReadIsNotHidden) {
    input("x", {8, 32});
    add("Sigmoid", {"x"}, "s");
    add("Mul", {"x", "s"}, "y");
    add("Relu", {"s"}, "z");
    const GraphFusion read = fused({"y", "z"});
    EXPECT_THAT(codes(read), ElementsAre("another_reader"));
    EXPECT_THAT(read.not_joined[0].text, HasSubstr("Sigmoid is also read by Relu"));
    graph_.nodes.pop_back();
    EXPECT_THAT(codes(fused({"y", "s"})), ElementsAre("network_output"));
}

TEST_F(GraphFusionTest, AnActivationBesideItsNormIsOneKernel) {
    input("x", {8, 32});
    input("r", {8, 32});
    add("LayerNormalization", {add("Add", {"x", "r"}, "sum"), weight("g", {32}), weight("b", {32})}, "norm");
    add("Relu", {"norm"}, "y");
    add("Abs", {"sum"}, "z");
    const GraphFusion fusion = fused({"y", "z"});
    EXPECT_THAT(kinds(fusion), ElementsAre("AddLayerNormalization", "Relu", "Abs"));
    EXPECT_THAT(fusion.plan.nodes[0].outputs, ElementsAre("norm", "sum"));
}

TEST_F(GraphFusionTest, SwiGluIsOneKernel) {
    input("x", {2, 16, 64});
    add("MatMul", {"x", weight("wg", {64, 128})}, "g");
    add("MatMul", {"x", weight("wu", {64, 128})}, "u");
    add("Mul", {add("Mul", {"g", add("Sigmoid", {"g"}, "s")}, "silu"), "u"}, "y");
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion), ElementsAre("SwiGLU"));
    EXPECT_EQ(fusion.plan.nodes[0].results[0].text(), "float16 [2, 16, 128]");
}

TEST_F(GraphFusionTest, PoolsOfOneImageBecomeAChain) {
    using Indices = std::vector<std::int64_t>;
    input("x", {1, 16, 20, 20});
    const auto pool = [&](std::int64_t taps, const std::string& name) {
        return add(
            "MaxPool", {"x"}, name, {{"kernel_shape", Indices{taps, taps}}, {"pads", Indices(4, taps / 2)}});
    };
    add("Concat", {pool(5, "a"), pool(9, "b"), pool(13, "c")}, "y", {{"axis", std::int64_t{1}}});
    times_["pool"] = 10;
    const GraphFusion same = fused({"y"});
    EXPECT_THAT(same.decisions, SizeIs(2));  // equally long: nothing is gained
    EXPECT_EQ(same.decisions[0].code, "slower");
}

TEST_F(GraphFusionTest, WhatIsSlowerIsNotTakenUnlessTheScoreIsStated) {
    input("x", {8, 32});
    input("r", {8, 32});
    add("LayerNormalization", {add("Add", {"x", "r"}, "sum"), weight("g", {32}), weight("b", {32})}, "norm");
    times_ = {{"row_norm", 1}};  // both: the norm apart is this kernel, too
    times_["elementwise"] = 0.5;
    const GraphFusion faster = fused({"norm"});
    EXPECT_THAT(kinds(faster), ElementsAre("AddLayerNormalization"));
    // 1 us and 2 tensors instead of 1.5 us and 2: 0.5 * 2 / 3 + 0.3 + 0.2, as the cores' time is not known.
    EXPECT_NEAR(faster.decisions.back().score, 0.5 * 2 / 3 + 0.5, 1e-12);
    const GraphFusion refused =
        fused({"norm"}, {.weights = {.latency = 0, .throughput = 0, .memory = 1, .stated = true}});
    EXPECT_EQ(refused.decisions.back().code, "score");
}

TEST_F(GraphFusionTest, NumbersThatAreTooFarOffAreRefused) {
    input("x", {8, 32});
    add("Mul", {"x", add("Sigmoid", {"x"}, "s")}, "y");
    const GraphFusion fusion = fused({"y"}, {.wrong = {{"y", "Mul loses it"}}});
    EXPECT_THAT(kinds(fusion), ElementsAre("Sigmoid", "Mul"));
    EXPECT_EQ(fusion.decisions[0].code, "numbers");
    EXPECT_EQ(fusion.decisions[0].text, "Mul loses it");
}

}  // namespace
}  // namespace ascendsim::networks
