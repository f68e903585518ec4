// SPDX-License-Identifier: Apache-2.0
#include "networks/run/wide_ranges.hpp"

#include <limits>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "networks/run/magnitudes.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A network of an input x [2, 4], most of whose constants are scalars, held as float16.
class WideRanges : public testing::Test {
protected:
    WideRanges() {
        graph_.opset = 17;
        graph_.inputs = {{.name = "x", .type = isa::DataType::float32, .shape = {}}};
        number("large", 1048576);  // 2^20; float16 ends at 65504
    }

    void number(const std::string& name, double value) {
        graph_.constants[name] = constant(isa::DataType::float32, {}, {value});
    }

    void add(std::string op, std::vector<std::string> inputs, std::string output) {
        graph_.nodes.push_back({.name = output,
                                .op = std::move(op),
                                .inputs = std::move(inputs),
                                .outputs = {output},
                                .attributes = {}});
    }

    /// The operators of the network with float32 where it must be, all of which can run.
    std::vector<std::string> widened(Precision precision = Precision::half) {
        const Lowering lowering{.precision = precision, .chip = chip_};
        graph_ = with_wide_ranges(graph_, shapes_, lowering);
        plan_ = plan_network(graph_, shapes_, lowering);
        std::vector<std::string> ops;
        for (const PlannedNode& node : plan_.nodes) {
            EXPECT_EQ(node.refusal, "") << node.op;
            ops.push_back(node.op);
        }
        return ops;
    }

    isa::DataType type(const std::string& tensor) { return plan_.tensors.at(tensor).type; }

    static constexpr auto half = isa::DataType::half;
    static constexpr auto float32 = isa::DataType::float32;

    Graph graph_;
    NetworkPlan plan_;
    const std::map<std::string, host::Shape, std::less<>> shapes_{{"x", {2, 4}}};
    ChipSpec chip_ = load_chip("910b3", toolchain::Installation::find().chips());
};

TEST_F(WideRanges, LastUpToWhatBoundsTheNumbers) {
    number("one", 1);
    add("Mul", {"x", "large"}, "a");
    add("Add", {"a", "one"}, "b");
    add("Sigmoid", {"b"}, "c");
    add("Neg", {"c"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Cast", "Mul", "Add", "Sigmoid", "Cast", "Neg"));
    for (const char* const wide : {"x/float32", "a", "b", "c/float32"}) {
        EXPECT_EQ(type(wide), float32) << wide;
    }
    for (const char* const narrow : {"x", "c", "y"}) {
        EXPECT_EQ(type(narrow), half) << narrow;
    }
}

TEST_F(WideRanges, SayOfWhichConstantTheyAre) {
    add("Mul", {"x", "large"}, "a");
    add("Sigmoid", {"a"}, "c");
    add("Neg", {"c"}, "y");
    (void)widened();
    for (const std::size_t wide : {0U, 1U, 2U}) {  // Cast, Mul, Sigmoid
        EXPECT_EQ(plan_.nodes.at(wide).note,
                  "in float32: its numbers come of 1.04858e+06 in 'large', which float16 cannot hold");
    }
    EXPECT_EQ(plan_.nodes.at(3).note, "");
    EXPECT_EQ(plan_.nodes.at(4).note, "");
}

TEST_F(WideRanges, EndWhereFloat16HoldsTheNumbersAgain) {
    add("Mul", {"x", "large"}, "a");  // 65504 x 2^20 at the most
    add("Div", {"a", "large"}, "b");  // 65504
    add("Neg", {"b"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Cast", "Mul", "Div", "Cast", "Neg"));
    EXPECT_EQ(type("b"), half);
}

TEST_F(WideRanges, LastToTheEndWhereNothingBoundsThem) {
    add("Mul", {"x", "large"}, "a");
    add("Exp", {"a"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Cast", "Mul", "Exp"));
    EXPECT_EQ(type("y"), float32);
}

TEST_F(WideRanges, TakeWeightsInFloat32) {
    graph_.constants["w"] = {.type = float32, .shape = {4, 8}, .values = {}};
    graph_.constants["v"] = {.type = float32, .shape = {2, 4}, .values = {}};
    add("Mul", {"x", "large"}, "a");
    add("MatMul", {"a", "w"}, "b");
    add("Tanh", {"b"}, "c");
    add("Add", {"x", "v"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Cast", "Mul", "MatMul", "Tanh", "Cast", "Add"));
    EXPECT_EQ(type("w/float32"), float32);
    EXPECT_FALSE(graph_.constants.contains("w"));  // nobody reads it any more
    EXPECT_EQ(type("v"), half);
    // w 4 x 8 x 4 B, v 2 x 4 x 2 B, and 2^20.
    EXPECT_EQ(plan_.weight_bytes, 128U + 16 + 4);
}

TEST_F(WideRanges, AreMadeOnceForAllThatReadThem) {
    add("Mul", {"x", "large"}, "a");
    add("Sub", {"x", "large"}, "b");
    EXPECT_THAT(widened(), ElementsAre("Cast", "Mul", "Sub"));
}

TEST_F(WideRanges, AreNoneForLimitsThatNoFloat16Reaches) {
    number("low", -3.4e38);
    number("high", 3.4e38);
    add("Clip", {"x", "low", "high"}, "a");
    add("Max", {"a", "low"}, "b");
    add("Min", {"b", "high"}, "c");
    add("Less", {"c", "high"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Clip", "Max", "Min", "Less"));
}

TEST_F(WideRanges, AreThereForLimitsThatEveryFloat16IsBeyond) {
    add("Max", {"x", "large"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Cast", "Max"));
}

TEST_F(WideRanges, LastWhereAClipMakesNumbersThatFloat16CannotHold) {
    number("low", 1e5);  // what is below becomes it, and float16 ends at 65504
    number("high", 2e5);
    add("Clip", {"x", "low", "high"}, "a");
    add("Neg", {"a"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Cast", "Clip", "Neg"));
    EXPECT_EQ(type("y"), float32);
}

TEST_F(WideRanges, AreNoneForAMaskOfASoftmax) {
    number("masked", -1e9);
    graph_.constants["keep"] = constant(isa::DataType::boolean, {4}, {1, 1, 0, 1});
    add("Where", {"keep", "x", "masked"}, "a");
    add("Softmax", {"a"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Where", "Softmax"));
    add("Relu", {"a"}, "z");  // of minus infinity it would make 0 as well, but not every operator does
    EXPECT_THAT(widened(), ElementsAre("Cast", "Where", "Softmax", "Cast", "Relu"));
}

TEST_F(WideRanges, EndAtOnceForAMaskThatAProductMakes) {
    number("masked", -3.4e38);
    add("Mul", {"x", "masked"}, "a");  // 0 x infinity would be no number
    add("Add", {"x", "a"}, "b");
    add("Softmax", {"b"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Cast", "Mul", "Cast", "Add", "Softmax"));
    EXPECT_EQ(type("b"), half);
}

TEST_F(WideRanges, AreKeptByAnotherPass) {
    add("Mul", {"x", "large"}, "a");
    add("Sigmoid", {"a"}, "y");
    const std::vector<std::string> once = widened();
    EXPECT_EQ(widened(), once);
}

TEST_F(WideRanges, AreThoseOfNetworksHeldAsFloat16Alone) {
    add("Mul", {"x", "large"}, "y");
    EXPECT_THAT(widened(Precision::as_stated), ElementsAre("Mul"));
}

TEST_F(WideRanges, AreNoneWhereFloat16HoldsTheConstants) {
    number("largest", 65504);
    graph_.constants.erase("large");
    add("Mul", {"x", "largest"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Mul"));
}

TEST(Magnitudes, AreBoundedByThoseOfTheOperands) {
    const Tensor any{.type = isa::DataType::float32, .shape = {4}, .values = {}};
    const Tensor quarters = constant(isa::DataType::float32, {2}, {-0.25, 8});
    const auto most = [&](const char* op, std::vector<Bounded> operands) {
        return most_made({.name = {}, .op = op, .inputs = {}, .outputs = {}, .attributes = {}}, operands);
    };
    EXPECT_EQ(most("Add", {{&any, 3}, {&any, 4}}), 7);
    EXPECT_EQ(most("Mul", {{&any, 3}, {&any, 4}}), 12);
    EXPECT_EQ(most("Div", {{&any, 3}, {&quarters, 8}}), 12);  // by 1/4
    EXPECT_EQ(most("Div", {{&any, 3}, {&any, 4}}), std::numeric_limits<double>::infinity());
    EXPECT_EQ(most("Sqrt", {{&any, 9}}), 3);
    EXPECT_EQ(most("Relu", {{&any, 9}}), 9);
    EXPECT_EQ(most("Tanh", {{&any, 9}}), 1);
    EXPECT_EQ(most("Exp", {{&any, 9}}), std::numeric_limits<double>::infinity());
    const Tensor low = constant(isa::DataType::float32, {}, {-2});
    const Tensor high = constant(isa::DataType::float32, {}, {1});
    EXPECT_EQ(most("Clip", {{&any, 9}, {&low, 2}, {&high, 1}}), 2);
    EXPECT_EQ(most("Clip", {{&any, 9}, {}, {&high, 1}}), 9);
    const Tensor twenty = constant(isa::DataType::float32, {}, {20});
    const Tensor thirty = constant(isa::DataType::float32, {}, {30});
    EXPECT_EQ(most("Clip", {{&any, 9}, {&twenty, 20}}), 20);  // 9 and less become 20
    EXPECT_EQ(most("Clip", {{&any, 9}, {&twenty, 20}, {&thirty, 30}}), 20);
    EXPECT_EQ(most("Clip", {{&any, 25}, {&twenty, 20}, {&thirty, 30}}), 25);
}

TEST(Magnitudes, AreThoseOfTheOperandInTheMeanOfANormalisation) {
    const Tensor any{.type = isa::DataType::float32, .shape = {4}, .values = {}};
    const auto most = [&](std::vector<std::string> outputs) {
        const Node norm{.name = {},
                        .op = "LayerNormalization",
                        .inputs = {},
                        .outputs = std::move(outputs),
                        .attributes = {}};
        return most_made(norm, {{&any, 0x1p20}});
    };
    EXPECT_EQ(most({"y"}), largest_float16);
    EXPECT_EQ(most({"y", "mean"}), std::numeric_limits<double>::infinity());
    EXPECT_EQ(most({"y", "", ""}), largest_float16);
}

}  // namespace
}  // namespace ascendsim::networks
