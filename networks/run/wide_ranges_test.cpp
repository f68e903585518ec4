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

    void cast_to_float(const std::string& input, const std::string& output) {
        add("Cast", {input}, output);
        graph_.nodes.back().attributes.emplace("to", std::int64_t{1});
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

    const std::vector<double>& values(const std::string& tensor) { return *plan_.tensors.at(tensor).values; }

    static constexpr auto half = isa::DataType::half;
    static constexpr auto float32 = isa::DataType::float32;

    Graph graph_;
    NetworkPlan plan_;
    std::map<std::string, host::Shape, std::less<>> shapes_{{"x", {2, 4}}};
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
    EXPECT_THAT(values("low/within_float16"), ElementsAre(-65504));
    EXPECT_THAT(values("high/within_float16"), ElementsAre(65504));
    EXPECT_EQ(plan_.nodes.at(0).inputs.at(1), "low/within_float16");
    EXPECT_EQ(plan_.nodes.at(3).inputs.at(1), "high");  // 65504 is less
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
    const Graph stated = graph_;
    EXPECT_THAT(widened(), ElementsAre("Where", "Softmax"));
    EXPECT_THAT(values("masked/within_float16"), ElementsAre(-65504));
    graph_ = stated;
    add("Relu", {"a"}, "z");  // of -65504 it would make 0 as well, but not every operator does
    EXPECT_THAT(widened(), ElementsAre("Cast", "Where", "Softmax", "Cast", "Relu", "Cast"));
}

TEST_F(WideRanges, AreNoneForAMaskThatFlagsMake) {
    number("masked", -3.4e38);
    number("one", 1);
    graph_.inputs.push_back({.name = "keep", .type = isa::DataType::boolean, .shape = {}});
    shapes_["keep"] = {4};
    cast_to_float("keep", "f");
    add("Sub", {"one", "f"}, "d");     // 0 or 1
    add("Mul", {"d", "masked"}, "a");  // 0 x infinity would be no number
    add("Add", {"x", "a"}, "b");
    add("Softmax", {"b"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Cast", "Sub", "Mul", "Add", "Softmax"));
    EXPECT_THAT(values("masked/within_float16"), ElementsAre(-65504));
}

TEST_F(WideRanges, LastUpToTheSoftmaxWhereAMaskIsMadeOfAnything) {
    number("masked", -3.4e38);
    add("Mul", {"x", "masked"}, "a");  // above all of float16 where x is negative
    add("Add", {"x", "a"}, "b");
    add("Softmax", {"b"}, "c");
    add("Neg", {"c"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Cast", "Mul", "Add", "Softmax", "Cast", "Neg"));
    EXPECT_EQ(type("b"), float32);
}

TEST_F(WideRanges, LastUpToTheSoftmaxWhereNoElementOfARowMayBe0) {
    add("Sigmoid", {"x"}, "s");
    number("masked", -1e9);
    add("Mul", {"s", "masked"}, "a");  // the least of a row wins; in float16 all are minus infinity
    add("Softmax", {"a"}, "y");
    EXPECT_THAT(widened(), ElementsAre("Sigmoid", "Cast", "Mul", "Softmax", "Cast"));
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

constexpr double unbounded = std::numeric_limits<double>::infinity();

Node node_of(std::string op, std::map<std::string, Attribute, std::less<>> attributes = {}) {
    return {
        .name = {}, .op = std::move(op), .inputs = {}, .outputs = {}, .attributes = std::move(attributes)};
}

TEST(Ranges, ComeOfThoseOfTheOperands) {
    const Tensor any{.type = isa::DataType::float32, .shape = {4}, .values = {}};
    const auto made = [&](const char* op, Range a, Range b = {0, 0}) {
        return range_made(node_of(op), {{&any, a}, {&any, b}});
    };
    EXPECT_EQ(made("Add", {-3, 2}, {-4, 1}), (Range{-7, 3}));
    EXPECT_EQ(made("Sub", {-3, 2}, {-4, 1}), (Range{-4, 6}));
    EXPECT_EQ(made("Mul", {-3, 2}, {-4, 1}), (Range{-8, 12}));
    EXPECT_EQ(made("Mul", {0, 1}, {-unbounded, -2}), (Range{-unbounded, 0}));
    EXPECT_EQ(made("Div", {-3, 2}, {-4, 1}), Range{});
    EXPECT_EQ(made("Max", {-3, 2}, {-4, 1}), (Range{-3, 2}));
    EXPECT_EQ(made("Min", {-3, 2}, {-4, 1}), (Range{-4, 1}));
    EXPECT_EQ(made("Concat", {-3, 2}, {-4, 1}), (Range{-4, 2}));
    EXPECT_EQ(made("Sqrt", {-1, 9}), (Range{0, 3}));
    EXPECT_EQ(made("Relu", {-9, 4}), (Range{0, 4}));
    EXPECT_EQ(made("Abs", {-9, 4}), (Range{0, 9}));
    EXPECT_EQ(made("Neg", {-9, 4}), (Range{-4, 9}));
    EXPECT_EQ(made("Tanh", {-9, 4}), (Range{-1, 1}));
    EXPECT_EQ(made("Sigmoid", {-9, 4}), (Range{0, 1}));
    EXPECT_EQ(made("Exp", {-unbounded, 0}), (Range{0, 1}));
    EXPECT_EQ(made("Gelu", {-9, 4}), Range{});
    EXPECT_EQ(made("Slice", {2, 4}), (Range{0, 4}));                          // or 0, as a pool's border is
    EXPECT_EQ(range_made(node_of("MaxPool"), {{&any, {2, 4}}}, 1), Range{});  // places, not elements
}

TEST(Ranges, OfQuotientsComeOfKnownDivisors) {
    const Tensor any{.type = isa::DataType::float32, .shape = {4}, .values = {}};
    const Tensor divisors = constant(isa::DataType::float32, {2}, {-0.25, 8});
    const Tensor zero = constant(isa::DataType::float32, {2}, {0, 8});
    const auto made = [&](const Tensor& by) {
        return range_made(node_of("Div"), {{&any, {-3, 2}}, {&by, range_of(by)}});
    };
    EXPECT_EQ(made(divisors), (Range{-8, 12}));  // by -1/4
    EXPECT_EQ(made(zero), Range{});
}

TEST(Ranges, OfClipsEndAtTheirLimits) {
    const Tensor any{.type = isa::DataType::float32, .shape = {4}, .values = {}};
    const auto made = [&](Range x, Range low, Range high) {
        return range_made(node_of("Clip"), {{&any, x}, {&any, low}, {&any, high}});
    };
    EXPECT_EQ(made({-9, 9}, {-2, -2}, {1, 1}), (Range{-2, 1}));
    EXPECT_EQ(range_made(node_of("Clip"), {{&any, {-9, 9}}, {}, {&any, {1, 1}}}), (Range{-9, 1}));
    EXPECT_EQ(range_made(node_of("Clip"), {{&any, {-9, 9}}, {&any, {20, 20}}}), (Range{20, 20}));
    EXPECT_EQ(made({-9, 9}, {20, 20}, {30, 30}), (Range{20, 20}));  // 9 and less become 20
    EXPECT_EQ(made({-9, 25}, {20, 20}, {30, 30}), (Range{20, 25}));
    EXPECT_EQ(made({-9, 9}, {-2, 70}, {80, 90}), (Range{-2, 70}));  // limits that data gives
    EXPECT_EQ(range_made(node_of("Clip", {{"min", -2.0}, {"max", 6.0}}), {{&any, {-9, 9}}}), (Range{-2, 6}));
}

TEST(Ranges, AreThoseOfTheOperandInTheMeanOfANormalisation) {
    const Tensor any{.type = isa::DataType::float32, .shape = {4}, .values = {}};
    const std::vector<Ranged> operands{{&any, {-0x1p20, 0x1p10}}};
    const Node norm = node_of("LayerNormalization", {{"epsilon", 0.0625}});
    EXPECT_EQ(range_made(norm, operands, 0).most(), largest_float16);
    EXPECT_EQ(range_made(norm, operands, 1), (Range{-0x1p20, 0x1p10}));
    EXPECT_EQ(range_made(norm, operands, 2), (Range{0, 4}));  // 1 / sqrt(epsilon)
}

TEST(Ranges, OfRecurrencesBeginAtTheStatesThatAreGiven) {
    const Tensor x{.type = isa::DataType::float32, .shape = {7, 3, 32}, .values = {}};
    const Tensor any{.type = isa::DataType::float32, .shape = {}, .values = {}};
    const auto made = [&](const Node& node, std::size_t result) {
        const std::vector<Ranged> operands{
            {&x, {}}, {&any, {}}, {&any, {}}, {}, {}, {&any, {-5, 2}}, {&any, {-100, 300}}};
        return range_made(node, operands, result);
    };
    const Node lstm = node_of("LSTM");
    EXPECT_EQ(made(lstm, 0), (Range{-5, 2}));
    EXPECT_EQ(made(lstm, 2), (Range{-307, 307}));  // 1 more at each of 7 steps
    EXPECT_EQ(made(node_of("LSTM", {{"layout", std::int64_t{1}}}), 2), (Range{-303, 303}));
    EXPECT_EQ(range_made(lstm, {{&x, {}}, {&any, {}}, {&any, {}}}, 2), (Range{-7, 7}));
    EXPECT_EQ(made(node_of("GRU"), 0), (Range{-5, 2}));
    const auto with = [](std::vector<std::string> functions) {
        return node_of("RNN", {{"activations", std::move(functions)}});
    };
    EXPECT_EQ(made(with({"Tanh", "Tanh"}), 0), (Range{-5, 2}));
    EXPECT_EQ(made(with({"Tanh", "Relu"}), 0), Range{});
}

TEST(Ranges, OfDropoutInTrainingGrowWithWhatIsDropped) {
    const Tensor any{.type = isa::DataType::float32, .shape = {4}, .values = {}};
    const Tensor ratio = constant(isa::DataType::float32, {}, {0.75});
    const Tensor yes = constant(isa::DataType::boolean, {}, {1});
    const Tensor no = constant(isa::DataType::boolean, {}, {0});
    const Ranged x{&any, {-3, 2}};
    const auto made = [&](std::vector<Ranged> operands) { return range_made(node_of("Dropout"), operands); };
    EXPECT_EQ(made({x}), (Range{-3, 2}));
    EXPECT_EQ(made({x, {&ratio}, {&no}}), (Range{-3, 2}));
    EXPECT_EQ(made({x, {&ratio}, {&yes}}), (Range{-12, 8}));  // 1 / (1 - 3/4)
    EXPECT_EQ(made({x, {}, {&yes}}), (Range{-6, 4}));         // half of it, if nothing is stated
    EXPECT_EQ(made({x, {&any}, {&yes}}), Range{});
}

TEST(Ranges, AreThoseOfTypesAndOfKnownElements) {
    EXPECT_EQ(range_of({.type = isa::DataType::boolean, .shape = {4}, .values = {}}), (Range{0, 1}));
    EXPECT_EQ(range_of({.type = isa::DataType::uint8, .shape = {4}, .values = {}}), (Range{0, 255}));
    EXPECT_EQ(range_of({.type = isa::DataType::half, .shape = {4}, .values = {}}).most(), largest_float16);
    EXPECT_EQ(range_of({.type = isa::DataType::float32, .shape = {4}, .values = {}}), Range{});
    EXPECT_EQ(range_of(constant(isa::DataType::float32, {3}, {-2, unbounded, 5})), (Range{-2, 5}));
}

TEST(Flags, AreMadeOfFlagsAlone) {
    const Tensor any{.type = isa::DataType::float32, .shape = {4}, .values = {}};
    const Ranged flag{&any, {0, 1}, true};
    const Ranged other{&any, {0, 1}, false};
    const Ranged one{&any, {1, 1}, true};
    const auto made = [&](const char* op, std::vector<Ranged> operands) {
        return makes_flags(node_of(op), operands);
    };
    EXPECT_TRUE(made("Sub", {one, flag}));
    EXPECT_FALSE(made("Sub", {flag, one}));  // 0 - 1
    EXPECT_TRUE(made("Mul", {flag, flag}));
    EXPECT_FALSE(made("Mul", {flag, other}));
    EXPECT_FALSE(made("Add", {flag, flag}));
    EXPECT_TRUE(made("Where", {other, flag, one}));
    EXPECT_TRUE(made("Unsqueeze", {flag, other}));
    EXPECT_FALSE(made("Unsqueeze", {other}));
    EXPECT_FALSE(made("ReduceMean", {flag}));
    EXPECT_TRUE(holds_flags(constant(isa::DataType::float32, {2}, {0, 1})));
    EXPECT_FALSE(holds_flags(constant(isa::DataType::float32, {2}, {0, 2})));
    EXPECT_FALSE(holds_flags(any));
}

}  // namespace
}  // namespace ascendsim::networks
