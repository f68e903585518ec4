// SPDX-License-Identifier: Apache-2.0
// Activations and biases that become part of products and convolutions, and the reasons not to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "networks/fusion/testing/graph_fusion_fixture.hpp"

namespace ascendsim::networks {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using EpilogueJoiningTest = GraphFusionTest;

TEST_F(EpilogueJoiningTest, AProductItsRowAndItsActivationAreOneKernel) {
    input("x", {16, 64});
    add("Relu",
        {add("Add", {add("MatMul", {"x", weight("w", {64, 32})}, "product"), weight("b", {32})}, "sum")},
        "y");
    const GraphFusion fusion = fused({"y"});
    ASSERT_THAT(kinds(fusion), ElementsAre("Linear"));
    EXPECT_THAT(knobs(fusion, 0), testing::IsSupersetOf({flag("bias"), word("activation", "relu")}));
    EXPECT_EQ(fusion.decisions[0].kinds, "MatMul + Add + Relu");
}

TEST_F(EpilogueJoiningTest, AProductWithoutARowTakesItsActivation) {
    input("x", {16, 64});
    add("LeakyRelu", {add("MatMul", {"x", weight("w", {64, 32})}, "product")}, "y", {{"alpha", 0.25}});
    const GraphFusion fusion = fused({"y"});
    ASSERT_THAT(kinds(fusion), ElementsAre("Linear"));
    EXPECT_THAT(knobs(fusion, 0),
                testing::IsSupersetOf({word("activation", "leaky_relu"), real("low", 0.25)}));
    EXPECT_THAT(knobs(fusion, 0), Not(Contains(flag("bias"))));
}

TEST_F(EpilogueJoiningTest, ALinearLayerItsNormAndItsActivationAreOneKernel) {
    input("x", {4, 2});
    add("Gemm", {"x", weight("w", {2, 2}), weight("b", {2})}, "c");
    add("BatchNormalization",
        {"c", weight("g", {2}), weight("beta", {2}), weight("m", {2}), weight("v", {2})},
        "n");
    add("Relu", {"n"}, "y");
    const GraphFusion fusion = fused({"y"});
    ASSERT_THAT(kinds(fusion), ElementsAre("Linear"));
    EXPECT_THAT(knobs(fusion, 0), testing::IsSupersetOf({flag("bias"), word("activation", "relu")}));
}

TEST_F(EpilogueJoiningTest, ASlowerActivatedProductKeepsItsRow) {
    // The kernel with both takes 30 us and the row alone joined 10: three kernels of 10 us each are two.
    input("x", {16, 64});
    times_by_knob_["activation"] = 40;
    add("Relu",
        {add("Add", {add("MatMul", {"x", weight("w", {64, 32})}, "product"), weight("b", {32})}, "sum")},
        "y");
    const GraphFusion fusion = fused({"y"});
    EXPECT_THAT(kinds(fusion), ElementsAre("Linear", "Relu"));
    EXPECT_EQ(fusion.decisions[0].code, "slower");
    EXPECT_THAT(fusion.decisions[0].text, HasSubstr("33.3 % more"));  // 40 us instead of three times 10
}

TEST_F(EpilogueJoiningTest, AnActivationThatTheKernelDoesNotHaveStays) {
    input("x", {16, 64});
    add("Softplus", {add("MatMul", {"x", weight("w", {64, 32})}, "product")}, "y");
    const NotJoined why = reason(fused({"y"}), "MatMul + activation");
    EXPECT_EQ(why.code, "other_form");
    EXPECT_EQ(why.text, "the kernel matmul has no Softplus");
}

TEST_F(EpilogueJoiningTest, AScaledProductKeepsItsActivation) {
    input("x", {16, 64});
    add("Relu", {add("Gemm", {"x", weight("w", {64, 32})}, "c", {{"alpha", 0.5}})}, "y");
    const NotJoined why = reason(fused({"y"}), "MatMul + activation");
    EXPECT_EQ(why.code, "other_scale");
    EXPECT_THAT(why.text, HasSubstr("by 0.5 and 1"));
}

TEST_F(EpilogueJoiningTest, AConvolutionItsNormAndReluAreOneKernel) {
    input("x", {1, 3, 8, 8});
    add("Conv", {"x", weight("w", {16, 3, 3, 3})}, "c");
    add("BatchNormalization",
        {"c", weight("g", {16}), weight("beta", {16}), weight("m", {16}), weight("v", {16})},
        "n");
    add("Relu", {"n"}, "y");
    const GraphFusion fusion = fused({"y"});
    ASSERT_THAT(kinds(fusion), ElementsAre("Conv"));
    ASSERT_EQ(fusion.plan.nodes[0].tasks.size(), 1U);
    EXPECT_THAT(knobs(fusion, 0), testing::IsSupersetOf({flag("bias"), word("activation", "relu")}));
}

TEST_F(EpilogueJoiningTest, AConvolutionTakesSiluInParts) {
    input("x", {1, 3, 8, 8});
    add("Conv", {"x", weight("w", {16, 3, 3, 3}), weight("b", {16})}, "c");
    add("Mul", {add("Sigmoid", {"c"}, "s"), "c"}, "y");
    const GraphFusion fusion = fused({"y"});
    ASSERT_THAT(kinds(fusion), ElementsAre("Conv"));
    EXPECT_THAT(knobs(fusion, 0), Contains(word("activation", "silu")));
}

TEST_F(EpilogueJoiningTest, AConvolutionTakesTheBoundsOfClip) {
    input("x", {1, 3, 8, 8});
    add("Conv", {"x", weight("w", {16, 3, 3, 3})}, "c");
    add("Clip", {"c", number("low", -1), number("high", 6)}, "y");
    EXPECT_THAT(knobs(fused({"y"}), 0),
                testing::IsSupersetOf({word("activation", "clip"), real("low", -1), real("high", 6)}));
}

TEST_F(EpilogueJoiningTest, BoundsThatAreComputedStayOutside) {
    input("x", {1, 3, 8, 8});
    input("u", {});
    add("Conv", {"x", weight("w", {16, 3, 3, 3})}, "c");
    add("Clip", {"c", number("low", -1), add("Abs", {"u"}, "high")}, "y");
    const NotJoined why = reason(fused({"y"}), "Conv + activation");
    EXPECT_EQ(why.code, "not_constant");
    EXPECT_THAT(why.text, HasSubstr("'high'"));
}

TEST_F(EpilogueJoiningTest, AConvolutionWhoseSumsAreReadTwiceKeepsItsActivation) {
    input("x", {1, 3, 8, 8});
    add("Conv", {"x", weight("w", {16, 3, 3, 3})}, "c");
    add("Mul", {add("Relu", {"c"}, "r"), "c"}, "y");
    const NotJoined why = reason(fused({"y"}), "Conv + activation");
    EXPECT_EQ(why.code, "another_reader");
    EXPECT_THAT(why.text, HasSubstr("Mul"));
}

TEST_F(EpilogueJoiningTest, AConvolutionThatIsGatheredKeepsItsActivation) {
    input("x", {1, 16, 8, 8});
    // Above the image a window sees padding alone, which conv2d does not take.
    add("Conv", {"x", weight("w", {16, 16, 3, 3})}, "c", {{"pads", std::vector<std::int64_t>{3, 0, 0, 0}}});
    add("Relu", {"c"}, "y");
    const NotJoined why = reason(fused({"y"}), "Conv + activation");
    EXPECT_EQ(why.code, "other_form");
    EXPECT_THAT(why.text, HasSubstr("no single kernel conv2d"));
}

}  // namespace
}  // namespace ascendsim::networks
