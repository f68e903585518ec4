// SPDX-License-Identifier: Apache-2.0
#include "networks/run/network_plan.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "networks/run/stages.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {
namespace {

using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

constexpr auto float32 = isa::DataType::float32;

/// A network of one input, x, whose nodes the tests add.
class NetworkPlanTest : public testing::Test {
protected:
    explicit NetworkPlanTest() { graph_.opset = 17; }

    void add(std::string op,
             std::vector<std::string> inputs,
             std::string output,
             std::map<std::string, Attribute, std::less<>> attributes = {}) {
        graph_.nodes.push_back({.name = output,
                                .op = std::move(op),
                                .inputs = std::move(inputs),
                                .outputs = {output},
                                .attributes = std::move(attributes)});
    }

    void weight(const std::string& name, host::Shape shape) {
        graph_.constants[name] = {.type = float32, .shape = std::move(shape), .values = {}};
    }

    void integers(const std::string& name, const Ints& values) {
        graph_.constants[name] =
            constant(isa::DataType::int64, {values.size()}, {values.begin(), values.end()});
    }

    NetworkPlan plan(const host::Shape& x, Precision precision = Precision::half) {
        graph_.inputs = {{.name = "x", .type = float32, .shape = {}}};
        return plan_network(graph_, {{"x", x}}, {.precision = precision, .chip = chip_});
    }

    /// The shape of the last node's result.
    host::Shape last(const host::Shape& x) {
        const NetworkPlan planned = plan(x);
        EXPECT_EQ(planned.nodes.back().refusal, "");
        return planned.nodes.back().results.empty() ? host::Shape{} : planned.nodes.back().results[0].shape;
    }

    Graph graph_;
    ChipSpec chip_ = load_chip("910b3", toolchain::Installation::find().chips());
};

using Operators = NetworkPlanTest;
using Network = NetworkPlanTest;

TEST_F(Operators, ConvolutionHasTheExtentsOfItsDefinition) {
    weight("w", {64, 3, 7, 7});
    add("Conv", {"x", "w"}, "y", {{"strides", Ints{2, 2}}, {"pads", Ints{3, 3, 3, 3}}});
    EXPECT_EQ(last({1, 3, 224, 224}), (host::Shape{1, 64, 112, 112}));  // (224 + 6 - 7) / 2 + 1
}

TEST_F(Operators, PoolHasTheExtentsOfItsDefinition) {
    add("MaxPool",
        {"x"},
        "y",
        {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
    EXPECT_EQ(last({1, 64, 112, 112}), (host::Shape{1, 64, 56, 56}));  // (112 + 2 - 3) / 2 + 1
}

TEST_F(Operators, ShapesBeyondAllMemoryAreNoEmptyOnes) {
    integers("shape", {Ints::value_type{1} << 62, 4});
    add("Expand", {"x", "shape"}, "y");
    EXPECT_THAT(plan({1, 4}).nodes.back().refusal, HasSubstr("beyond all memory"));
    EXPECT_THROW((void)plan({std::uint64_t{1} << 32U, std::uint64_t{1} << 32U}), UserError);
}

TEST_F(Operators, AKnownIndexBeyondItsAxisIsRefused) {
    integers("index", {4});
    add("Gather", {"x", "index"}, "y");
    EXPECT_THAT(plan({4, 8}).nodes.back().refusal, HasSubstr("index 4 on an axis of 4"));
    EXPECT_EQ(plan({5, 8}).nodes.back().refusal, "");
}

TEST_F(Operators, GroupsOfChannelsAreOneAtLeast) {
    weight("w", {64, 3, 7, 7});
    add("Conv", {"x", "w"}, "y", {{"group", std::int64_t{0}}});
    EXPECT_THAT(plan({1, 3, 224, 224}).nodes.back().refusal, HasSubstr("0 groups of channels"));
}

TEST_F(Operators, PadsBeyondAllMemoryAreRefused) {
    constexpr auto far = std::numeric_limits<Ints::value_type>::max() / 4;
    integers("pads", {0, far, 0, -far});
    add("Pad", {"x", "pads"}, "y");
    EXPECT_THAT(plan({2, 4}).nodes.back().refusal, HasSubstr("pads of more than 2^40"));
}

TEST_F(Operators, APaddedAxisHasABound) {
    integers("pads", {0, 1 << 22, 0, -(1 << 22)});
    add("Pad", {"x", "pads"}, "y");
    EXPECT_THAT(plan({2, 4}).nodes.back().refusal, HasSubstr("than an index list has room for"));
}

TEST_F(Operators, ARangeTakesSteps) {
    integers("first", {1});
    integers("step", {0});
    add("Range", {"first", "first", "step"}, "y");
    EXPECT_THAT(plan({1}).nodes.back().refusal, HasSubstr("step is 0"));
}

TEST_F(Operators, ProductOfBatchesIsOneKernel) {
    add("Transpose", {"x"}, "t", {{"perm", Ints{0, 1, 3, 2}}});
    add("MatMul", {"x", "t"}, "y");
    EXPECT_EQ(last({8, 12, 128, 64}), (host::Shape{8, 12, 128, 128}));
    EXPECT_EQ(plan({8, 12, 128, 64}).nodes.back().tasks.size(), 1U);
}

TEST_F(Operators, GemmScalesByAlphaAndAddsItsBias) {
    weight("w", {10, 64});
    weight("b", {10});
    add("Gemm", {"x", "w", "b"}, "y", {{"transB", std::int64_t{1}}, {"alpha", 0.5}});
    const NetworkPlan planned = plan({4, 64});
    EXPECT_EQ(planned.nodes[0].results[0].shape, (host::Shape{4, 10}));
    EXPECT_EQ(planned.nodes[0].tasks.size(), 3U);  // product, scale, add
}

TEST_F(Operators, SliceClampsWhatReachesBeyondTheEnd) {
    integers("starts", {-3});
    integers("ends", {9'000'000'000});
    integers("axes", {1});
    add("Slice", {"x", "starts", "ends", "axes"}, "y");
    EXPECT_EQ(last({2, 10}), (host::Shape{2, 3}));
}

TEST_F(Operators, ShapeArithmeticIsFolded) {
    integers("one", {1});
    integers("all", {-1});
    add("Shape", {"x"}, "shape");
    add("Gather", {"shape", "one"}, "width");
    add("Mul", {"width", "width"}, "square");
    add("Concat", {"square", "all"}, "wanted", {{"axis", std::int64_t{0}}});
    add("Reshape", {"x", "wanted"}, "y");
    EXPECT_EQ(last({8, 4}), (host::Shape{16, 2}));
    for (const PlannedNode& node : plan({8, 4}).nodes) {
        EXPECT_TRUE(node.tasks.empty()) << node.name;
    }
}

TEST_F(Operators, AnOperandSpreadInTheMiddleIsReadByAGeneratedKernel) {
    weight("mask", {8, 1, 1, 128});
    weight("bias", {128});
    add("Add", {"x", "mask"}, "a");
    add("Add", {"a", "bias"}, "y");
    const NetworkPlan planned = plan({8, 12, 128, 128});
    ASSERT_EQ(planned.nodes[0].tasks.size(), 1U);
    EXPECT_NE(planned.nodes[0].tasks[0].loop, nullptr);
    ASSERT_EQ(planned.nodes[1].tasks.size(), 1U);
    EXPECT_EQ(planned.nodes[1].tasks[0].kernel, "elementwise");
}

TEST_F(Operators, AnEmbeddingMovesWholeRows) {
    weight("table", {30522, 768});
    integers("index", Ints(128, 7));
    add("Gather", {"table", "index"}, "y");
    const NetworkPlan planned = plan({1});
    EXPECT_EQ(planned.nodes[0].results[0].shape, (host::Shape{128, 768}));
    EXPECT_EQ(planned.nodes[0].tasks.at(0).kernel, "index_rows");
}

TEST_F(Operators, ALossNeedsAnAxisOfClasses) {
    integers("labels", {0, 1, 0, 1});
    add("NegativeLogLikelihoodLoss", {"x", "labels"}, "y");
    EXPECT_THAT(plan({4}).nodes[0].refusal, HasSubstr("no axis of classes"));
}

TEST_F(Operators, UnknownOperatorsAndWhatDependsOnThemAreRefused) {
    add("Relux", {"x"}, "a");
    add("Relu", {"a"}, "y");
    const NetworkPlan planned = plan({2, 2});
    EXPECT_THAT(planned.nodes[0].refusal, HasSubstr("no kernel does 'Relux', did you mean 'Relu'"));
    EXPECT_THAT(planned.nodes[1].refusal, HasSubstr("'a' is the result of a node that cannot run"));
}

TEST_F(Operators, AWindowThatConv2dDoesNotTakeIsGatheredAndMultiplied) {
    weight("w", {8, 3, 3, 5});
    add("Conv", {"x", "w"}, "y", {{"pads", Ints{3, 0, 0, 0}}});  // a window that sees padding alone
    EXPECT_EQ(last({1, 3, 16, 16}), (host::Shape{1, 8, 17, 12}));
    const NetworkPlan planned = plan({1, 3, 16, 16});
    EXPECT_THAT(planned.nodes[0].note, HasSubstr("gathered by an index"));
    EXPECT_THAT(plan({64, 3, 256, 256}).nodes[0].refusal, HasSubstr("conv2d does not take this window"));
}

TEST_F(Operators, ConvolutionsOfAnyRankAreConv2d) {
    weight("sound", {8, 4, 5});
    add("Conv", {"x", "sound"}, "y", {{"strides", Ints{2}}, {"pads", Ints{2, 1}}});
    EXPECT_EQ(last({2, 4, 9}), (host::Shape{2, 8, 4}));  // (9 + 3 - 5) / 2 + 1
    EXPECT_EQ(plan({2, 4, 9}).nodes[0].tasks.at(0).kernel, "conv2d");
    graph_.nodes.clear();
    weight("film", {8, 2, 3, 3, 3});
    add("Conv", {"x", "film"}, "y", {{"group", std::int64_t{2}}});
    EXPECT_EQ(last({1, 4, 5, 7, 8}), (host::Shape{1, 8, 3, 5, 6}));
    EXPECT_EQ(plan({1, 4, 5, 7, 8}).nodes[0].tasks.at(0).kernel, "conv2d");
}

TEST_F(Operators, LongWindowsBesideEachOtherAreChannels) {
    weight("w", {768, 3, 16, 16});
    add("Conv", {"x", "w"}, "y", {{"strides", Ints{16, 16}}});
    EXPECT_EQ(last({1, 3, 224, 224}), (host::Shape{1, 768, 14, 14}));
    EXPECT_EQ(plan({1, 3, 224, 224}).nodes[0].tasks.at(0).kernel, "conv2d");
}

TEST_F(Operators, WideImagesAreConvolvedInStrips) {
    weight("w", {16, 1, 1, 9});
    add("Conv", {"x", "w"}, "y", {{"pads", Ints{0, 4, 0, 4}}});
    EXPECT_EQ(last({1, 1, 1, 50'000}), (host::Shape{1, 16, 1, 50'000}));
    const NetworkPlan planned = plan({1, 1, 1, 50'000});
    for (const auto& [name, value] : planned.nodes[0].tasks.at(0).knobs) {
        if (name == "width") {
            EXPECT_LE(std::get<std::int64_t>(value), 4096);  // of the kernel
        }
    }
}

TEST_F(Operators, WholeNumbersOf64BitsAreTheAiCpus) {
    integers("n", {1, 2});
    graph_.inputs = {{.name = "x", .type = isa::DataType::int64, .shape = {}}};
    add("Add", {"x", "n"}, "y");
    const NetworkPlan open = plan_network(graph_, {{"x", {2}}}, {.chip = chip_});
    EXPECT_TRUE(open.nodes[0].on_host);
    EXPECT_TRUE(open.nodes[0].tasks.at(0).on_host);
    const NetworkPlan shape = plan_network(graph_, {{"x", {2}}}, {.chip = chip_, .given = {{"x", {3, 4}}}});
    EXPECT_EQ(shape.nodes[0].refusal, "");
    EXPECT_FALSE(shape.nodes[0].on_host);  // as small as a shape: folded
    EXPECT_EQ(*shape.nodes[0].results[0].values, (std::vector<double>{4, 6}));
    const NetworkPlan data = plan_network(
        graph_, {{"x", {99, 2}}}, {.chip = chip_, .given = {{"x", std::vector<double>(198, 1)}}});
    EXPECT_TRUE(data.nodes[0].on_host);
}

TEST_F(Operators, InputsOfThisRunSteerAndAreNotFolded) {
    graph_.inputs = {{.name = "x", .type = float32, .shape = {}},
                     {.name = "shape", .type = isa::DataType::int64, .shape = {}}};
    add("Reshape", {"x", "shape"}, "v");
    add("Relu", {"v"}, "y");
    const NetworkPlan planned =
        plan_network(graph_,
                     {{"x", {6}}, {"shape", {2}}},
                     {.chip = chip_, .given = {{"x", {1, 2, 3, 4, 5, 6}}, {"shape", {2, -1}}}});
    EXPECT_EQ(planned.nodes[1].results[0].shape, (host::Shape{2, 3}));
    EXPECT_EQ(planned.nodes[1].tasks.size(), 1U);
}

TEST_F(Network, HoldsFloatsAsThePrecisionSays) {
    add("Relu", {"x"}, "y");
    EXPECT_EQ(plan({2, 2}).nodes[0].results[0].type, isa::DataType::half);
    EXPECT_EQ(plan({2, 2}, Precision::as_stated).nodes[0].results[0].type, float32);
}

TEST_F(Network, TellsOfConstantsThatFloat16CannotHold) {
    graph_.constants["large"] = constant(float32, {}, {1048576});  // 2^20; float16 ends at 65504
    graph_.constants["largest"] = constant(float32, {}, {65504});
    add("Mul", {"x", "large"}, "y");
    add("Mul", {"x", "largest"}, "z");
    const NetworkPlan half = plan({2, 2});
    EXPECT_THAT(half.nodes[0].note, HasSubstr("1.04858e+06 is infinite in float16"));
    EXPECT_EQ(half.nodes[1].note, "");
    EXPECT_EQ(plan({2, 2}, Precision::as_stated).nodes[0].note, "");
}

TEST_F(Network, MemoryOfAChainHoldsTwoTensors) {
    for (const auto& [from, to] : {std::pair{"x", "a"}, std::pair{"a", "b"}, std::pair{"b", "c"}}) {
        add("Relu", {from}, to);
    }
    const MemoryPlan memory = plan_memory(plan({1024}), {"c"});
    EXPECT_EQ(memory.all_bytes, 3U * 2048);
    EXPECT_EQ(memory.peak_bytes, 2U * 2048);
    EXPECT_EQ(memory.plan_bytes, 2U * 2048);
}

TEST_F(Network, AViewKeepsItsOperandAlive) {
    integers("flat", {-1});
    add("Relu", {"x"}, "a");
    add("Reshape", {"a", "flat"}, "v");
    add("Relu", {"x"}, "b");
    add("Relu", {"b"}, "c");
    add("Add", {"v", "c"}, "y");
    // At the second but last Relu: a (seen as v) and b; at the last also c.
    EXPECT_EQ(plan_memory(plan({1024}), {"y"}).peak_bytes, 3U * 2048);
}

/// What the nodes behind constants come to.
class FoldedOperators : public NetworkPlanTest {
protected:
    void reals(const std::string& name, host::Shape shape, std::vector<double> values) {
        graph_.constants[name] = constant(float32, std::move(shape), std::move(values));
    }

    std::vector<double> folded(const std::string& name) {
        const NetworkPlan planned = plan({1}, Precision::as_stated);
        EXPECT_EQ(planned.nodes.back().refusal, "");
        return *planned.tensors.at(name).values;
    }
};

TEST_F(FoldedOperators, SuppressionKeepsTheBestOfBoxesThatOverlap) {
    // The second box covers 9 of 10 + 10 - 9 units with the first; the third lies apart.
    reals("boxes", {1, 3, 4}, {0, 0, 1, 10, 0, 1, 1, 11, 5, 5, 6, 6});
    reals("scores", {1, 1, 3}, {0.5, 0.75, 0.25});
    integers("most", {10});
    reals("overlap", {1}, {0.5});
    add("NonMaxSuppression", {"boxes", "scores", "most", "overlap"}, "y");
    EXPECT_EQ(folded("y"), (std::vector<double>{0, 0, 1, 0, 0, 2}));
    reals("least", {1}, {0.3});
    add("NonMaxSuppression", {"boxes", "scores", "most", "overlap", "least"}, "z");
    EXPECT_EQ(folded("z"), (std::vector<double>{0, 0, 1}));
}

TEST_F(FoldedOperators, PlacesOfWhatIsNotZeroAreListedByAxis) {
    reals("a", {2, 2}, {1, 0, 2, 3});
    add("NonZero", {"a"}, "y");
    EXPECT_EQ(folded("y"), (std::vector<double>{0, 1, 1, 0, 0, 1}));
}

TEST_F(FoldedOperators, UniqueElementsHaveTheirFirstPlaces) {
    reals("a", {5}, {3, 1, 3, 2, 1});
    graph_.nodes.push_back(
        {.name = "u", .op = "Unique", .inputs = {"a"}, .outputs = {"y", "first", "which", "often"}});
    const NetworkPlan planned = plan({1}, Precision::as_stated);
    const auto values = [&](const char* name) { return *planned.tensors.at(name).values; };
    EXPECT_EQ(values("y"), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(values("first"), (std::vector<double>{1, 3, 0}));
    EXPECT_EQ(values("which"), (std::vector<double>{2, 0, 2, 1, 0}));
    EXPECT_EQ(values("often"), (std::vector<double>{2, 1, 2}));
}

TEST_F(FoldedOperators, BitsThatLeaveTheirTypeAreLost) {
    graph_.constants["a"] = constant(isa::DataType::uint8, {2}, {129, 3});
    graph_.constants["b"] = constant(isa::DataType::uint8, {1}, {1});
    add("BitShift", {"a", "b"}, "y", {{"direction", std::string{"LEFT"}}});
    EXPECT_EQ(folded("y"), (std::vector<double>{2, 6}));  // 258 mod 256
}

TEST_F(FoldedOperators, DeterminantsTakePivots) {
    reals("a", {2, 2}, {0, 2, 3, 4});
    add("Det", {"a"}, "y");
    EXPECT_EQ(folded("y"), (std::vector<double>{-6}));
}

TEST_F(Operators, WhatDataDecidesIsWaitedForOrTakesTheMost) {
    add("NonZero", {"x"}, "y");
    const NetworkPlan waiting = plan({4, 5});
    EXPECT_THAT(waiting.nodes[0].refusal, HasSubstr("is decided by elements that are computed"));
    EXPECT_EQ(waiting.nodes[0].steered_by, (std::vector<std::string>{"x"}));
    const NetworkPlan bound =
        plan_network(graph_, {{"x", {4, 5}}}, {.chip = chip_, .given = {}, .timing_only = true});
    EXPECT_EQ(bound.nodes[0].results.at(0).shape, (host::Shape{2, 20}));
    EXPECT_THAT(bound.nodes[0].note, HasSubstr("the most that it can"));
    EXPECT_TRUE(bound.nodes[0].on_host);
}

TEST_F(Operators, WhatIsGivenForAResultSteersWhatFollows) {
    weight("w", {4, 1});
    add("MatMul", {"x", "w"}, "m");
    add("NonZero", {"m"}, "y");
    graph_.inputs = {{.name = "x", .type = float32, .shape = {}}};
    const NetworkPlan planned =
        plan_network(graph_, {{"x", {3, 4}}}, {.chip = chip_, .given = {{"m", {0, 7, 0}}}});
    EXPECT_EQ(planned.nodes.back().results.at(0).shape, (host::Shape{2, 1}));
    EXPECT_EQ(*planned.tensors.at("y").values, (std::vector<double>{1, 0}));
}

TEST_F(Operators, StageTakesWhatIsAwaitedAndNoMore) {
    weight("w", {4, 4});
    add("MatMul", {"x", "w"}, "m");
    add("Relu", {"m"}, "beside");
    add("NonZero", {"m"}, "y");
    const NetworkPlan planned = plan({3, 4});
    const TensorNames wanted = awaited(planned, {.chip = chip_});
    EXPECT_EQ(wanted, TensorNames{"m"});
    const NetworkPlan part = part_of(planned, wanted, {});
    ASSERT_EQ(part.nodes.size(), 1U);
    EXPECT_EQ(part.nodes[0].op, "MatMul");
    EXPECT_EQ(read_outside(graph_, part), TensorNames{"m"});
    EXPECT_TRUE(part_of(planned, {"beside"}, {"m"}).nodes.at(0).op == "Relu");
}

}  // namespace
}  // namespace ascendsim::networks
