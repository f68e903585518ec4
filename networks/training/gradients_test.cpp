// SPDX-License-Identifier: Apache-2.0
// Gradients against differences of the loss, both in float64.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "networks/training/testing/exact_network.hpp"
#include "networks/training/training.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {
namespace {

using Axes = std::vector<std::int64_t>;
using Attributes64 = std::map<std::string, Attribute, std::less<>>;

/// A network whose last node's result has a loss.
class GradientsOf : public testing::Test {
protected:
    void SetUp() override { graph_.opset = 17; }

    /// A weight of numbers between the bounds, none of which is another.
    std::string weight(const std::string& name, const host::Shape& shape, double low = -1, double high = 1) {
        const std::string whole = "weights_" + name;
        graph_.inputs.push_back({.name = whole, .type = isa::DataType::float32, .shape = {}});
        shapes_[whole] = shape;
        std::vector<double> numbers(host::elements(shape));
        for (double& number : numbers) {  // steps of the golden ratio fill an interval evenly
            next_ = std::fmod(next_ + 0.6180339887498949, 1.0);
            number = low + (high - low) * next_;
        }
        values_[whole] = ExactNetwork::exact(shape, std::move(numbers));
        return whole;
    }

    std::string integers(const std::string& name, const host::Shape& shape, std::vector<double> numbers) {
        graph_.constants[name] = constant(isa::DataType::int64, shape, std::move(numbers));
        return name;
    }

    std::string add(std::string op, std::vector<std::string> inputs, Attributes64 attributes = {}) {
        return add_many(std::move(op), std::move(inputs), 1, std::move(attributes))[0];
    }

    std::vector<std::string> add_many(std::string op,
                                      std::vector<std::string> inputs,
                                      std::size_t results,
                                      Attributes64 attributes = {}) {
        std::vector<std::string> outputs;
        for (std::size_t i = 0; i < results; ++i) {
            outputs.push_back(fmt::format("t{}_{}", graph_.nodes.size(), i));
        }
        graph_.nodes.push_back({.name = outputs[0],
                                .op = std::move(op),
                                .inputs = std::move(inputs),
                                .outputs = outputs,
                                .attributes = std::move(attributes)});
        return outputs;
    }

    [[nodiscard]] TrainingGraph trained() {
        graph_.outputs = {graph_.nodes.back().outputs[0]};
        return training_graph(graph_, shapes_, {.precision = Precision::as_stated, .chip = chip_}, options_);
    }

    /// Of each weight, the derivative of the loss by differences of 2 h, whose error is of the order of h^2.
    void expect_right() {
        const TrainingGraph step = trained();
        fill(step);
        const ExactNetwork network{chip_};
        const auto all = [](const std::string& tensor) { return phase_of(tensor) != StepPhase::optimiser; };
        ExactNetwork::Values exact = values_;
        network.compute(step.graph, exact, all);
        for (std::size_t i = 0; i < step.parameters.size(); ++i) {
            ASSERT_NE(step.gradients[i], "") << step.parameters[i];
            const Tensor& gradient = exact.at(step.gradients[i]);
            EXPECT_EQ(gradient.shape, step.shapes.at(step.parameters[i]));
            for (std::uint64_t at = 0; at < gradient.count(); ++at) {
                const double slope = difference(step, network, step.parameters[i], at);
                EXPECT_NEAR((*gradient.values)[at], slope, 1e-6 * std::max(1.0, std::abs(slope)))
                    << step.parameters[i] << " " << at;
            }
        }
    }

    TrainingOptions options_{.loss = Loss::mean_square};
    Graph graph_;
    std::map<std::string, host::Shape, std::less<>> shapes_;
    ExactNetwork::Values values_;
    toolchain::Installation installation_ = toolchain::Installation::find();
    ChipSpec chip_ = load_chip("910b3", installation_.chips());

private:
    /// Inputs that the step has beside the network's: labels 0, 1, 0, … and a target between them.
    void fill(const TrainingGraph& step) {
        for (const Input& input : step.graph.inputs) {
            const host::Shape& shape = step.shapes.at(input.name);
            if (values_.contains(input.name) || input.name.find('/') != std::string::npos) {
                continue;
            }
            std::vector<double> numbers(host::elements(shape), 1);
            for (std::size_t i = 0; i < numbers.size() && !step.scalars.contains(input.name); ++i) {
                numbers[i] = input.type == isa::DataType::int64 ? static_cast<double>(i % 2)
                                                                : std::sin(static_cast<double>(i));
            }
            values_[input.name] = input.type == isa::DataType::int64
                                      ? constant(input.type, shape, std::move(numbers))
                                      : ExactNetwork::exact(shape, std::move(numbers));
        }
    }

    double difference(const TrainingGraph& step,
                      const ExactNetwork& network,
                      const std::string& weight,
                      std::uint64_t at) {
        constexpr double h = 1e-5;
        double difference = 0;
        for (const double sign : {1.0, -1.0}) {
            ExactNetwork::Values moved = values_;
            std::vector<double> numbers = *moved.at(weight).values;
            numbers[at] += sign * h;
            moved[weight] = ExactNetwork::exact(moved[weight].shape, std::move(numbers));
            network.compute(step.graph, moved, [](const std::string& tensor) {
                return phase_of(tensor) == StepPhase::forward;
            });
            difference += sign * moved.at(step.losses.at(0)).values->at(0) / (2 * h);
        }
        return difference;
    }

    double next_ = 0.1;
};

TEST_F(GradientsOf, ProductsOfMatrices) {
    const std::string rows = add("MatMul", {weight("a", {2, 3, 4}), weight("b", {4, 2})});
    const std::string turned = add("Transpose", {rows}, {{"perm", Axes{0, 2, 1}}});
    add("MatMul", {rows, turned});
    expect_right();
}

TEST_F(GradientsOf, GeneralProducts) {
    const std::string a = weight("a", {3, 2});
    const std::string first = add("Gemm",
                                  {a, weight("b", {4, 3}), weight("c", {4})},
                                  {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}, {"alpha", 0.5}});
    add("Gemm", {first, weight("d", {4, 3}), weight("e", {2, 3})}, {{"beta", 2.0}});
    expect_right();
}

TEST_F(GradientsOf, ElementsThatAreSpread) {
    const std::string x = weight("x", {2, 1, 3});
    const std::string sum = add("Add", {x, weight("a", {4, 1})});
    const std::string less = add("Sub", {weight("b", {3}), sum});
    const std::string product = add("Mul", {less, weight("c", {1, 4, 3})});
    add("Div", {product, weight("d", {2, 1, 1}, 1, 2)});
    expect_right();
}

/// One operator of one operand, of numbers between bounds.
struct Unary {
    const char* op;
    double low = -2;
    double high = 2;
};

class GradientsOfUnary : public GradientsOf, public testing::WithParamInterface<Unary> {};

TEST_P(GradientsOfUnary, AreDerivatives) {
    add(GetParam().op, {weight("x", {3, 5}, GetParam().low, GetParam().high)});
    expect_right();
}

INSTANTIATE_TEST_SUITE_P(All,
                         GradientsOfUnary,
                         testing::Values(Unary{"Relu"},
                                         Unary{"LeakyRelu"},
                                         Unary{"Sigmoid"},
                                         Unary{"Tanh"},
                                         Unary{"Erf"},
                                         Unary{"Silu"},
                                         Unary{"Softplus"},
                                         Unary{"Exp"},
                                         Unary{"Neg"},
                                         Unary{"Abs"},
                                         Unary{"Identity"},
                                         Unary{"Log", 0.5, 2},
                                         Unary{"Sqrt", 0.5, 2},
                                         Unary{"Reciprocal", 0.5, 2},
                                         Unary{"Softmax"},
                                         Unary{"LogSoftmax"},
                                         Unary{"ReduceSum"},
                                         Unary{"ReduceMean"}),
                         [](const auto& unary) { return std::string{unary.param.op}; });

TEST_F(GradientsOf, PowersAndChoices) {
    graph_.constants["two"] = constant(isa::DataType::float32, {}, {2});
    graph_.constants["p"] = constant(isa::DataType::float32, {}, {1.7});
    const std::string x = weight("x", {3, 4}, 0.5, 2);
    const std::string y = weight("y", {4}, 0.5, 2);
    const std::string power = add("Pow", {x, "two"});
    const std::string most = add("Max", {power, add("Pow", {y, "p"})});
    const std::string least = add("Min", {most, weight("z", {3, 1}, 0.5, 3)});
    const std::string first = add("Less", {x, y});
    add("Where", {first, least, power});
    expect_right();
}

TEST_F(GradientsOf, SumsOverSomeAxes) {
    const std::string x = weight("x", {2, 3, 4});
    const std::string mean = add("ReduceMean", {x}, {{"axes", Axes{1}}, {"keepdims", std::int64_t{0}}});
    add("ReduceSum", {mean, integers("axes", {1}, {-1})});
    expect_right();
}

TEST_F(GradientsOf, Norms) {
    const std::string x = weight("x", {2, 3, 6});
    const std::string normal = add("LayerNormalization", {x, weight("scale", {6}), weight("bias", {6})});
    add("LayerNormalization", {normal, weight("other", {6})}, {{"epsilon", 1e-3}});
    expect_right();
}

TEST_F(GradientsOf, NormsOverTheBatch) {
    for (const char* name : {"mean", "variance"}) {
        graph_.constants[name] = constant(isa::DataType::float32, {3}, {1, 1, 1});
    }
    add("BatchNormalization",
        {weight("x", {2, 3, 2, 2}), weight("scale", {3}), weight("bias", {3}), "mean", "variance"});
    expect_right();
}

TEST_F(GradientsOf, Convolutions) {
    const Attributes64 windows{{"strides", Axes{2, 1}},
                               {"dilations", Axes{1, 2}},
                               {"pads", Axes{1, 0, 2, 1}},
                               {"group", std::int64_t{2}}};
    add("Conv", {weight("x", {2, 4, 6, 5}), weight("w", {2, 2, 3, 2}), weight("b", {2})}, windows);
    expect_right();
}

TEST_F(GradientsOf, TransposedConvolutions) {
    const Attributes64 windows{{"strides", Axes{2, 1}},
                               {"pads", Axes{1, 0, 0, 1}},
                               {"output_padding", Axes{1, 0}},
                               {"group", std::int64_t{2}}};
    add("ConvTranspose", {weight("x", {2, 4, 3, 3}), weight("w", {4, 1, 3, 2}), weight("b", {2})}, windows);
    expect_right();
}

TEST_F(GradientsOf, Pools) {
    const Attributes64 windows{{"kernel_shape", Axes{3, 2}},
                               {"strides", Axes{2, 1}},
                               {"pads", Axes{1, 0, 1, 1}},
                               {"count_include_pad", std::int64_t{1}}};
    Attributes64 most = windows;
    most.erase("count_include_pad");
    const std::string pooled = add("MaxPool", {weight("x", {1, 2, 5, 5})}, most);
    add("GlobalAveragePool", {add("AveragePool", {pooled}, windows)});
    expect_right();
}

TEST_F(GradientsOf, MovedElements) {
    const std::string x = weight("x", {2, 6});
    const std::vector<std::string> parts = add_many("Split", {x}, 3, {{"axis", std::int64_t{1}}});
    const std::string both = add("Concat", {parts[2], parts[0]}, {{"axis", std::int64_t{0}}});
    const std::string wide = add("Expand", {both, integers("wide", {3}, {3, 4, 2})});
    const std::string cut =
        add("Slice",
            {wide, integers("from", {2}, {1, -3}), integers("to", {2}, {9, 4}), integers("of", {2}, {0, 1})});
    const std::string tiled = add("Tile", {cut, integers("often", {3}, {1, 2, 1})});
    const std::string padded = add("Pad", {tiled, integers("pads", {6}, {0, 1, 0, 0, 0, 2})});
    add("Flatten", {padded});
    expect_right();
}

TEST_F(GradientsOf, RowsOfATable) {
    const std::string rows =
        add("Gather", {weight("table", {5, 3}), integers("index", {2, 2}, {4, 0, 4, 1})});
    add("Gather", {rows, integers("last", {}, {-1})}, {{"axis", std::int64_t{1}}});
    expect_right();
}

TEST_F(GradientsOf, LossesOfClasses) {
    options_.loss = Loss::cross_entropy;
    add("Add", {weight("x", {3, 4}), weight("y", {4})});
    expect_right();
}

TEST_F(GradientsOf, SumsAsALoss) {
    options_.loss = Loss::sum;
    add("Tanh", {weight("x", {3, 4})});
    expect_right();
}

TEST_F(GradientsOf, Recurrences) {
    const std::string y = add("LSTM",
                              {weight("x", {3, 2, 2}),
                               weight("w", {1, 12, 2}),
                               weight("r", {1, 12, 3}),
                               weight("b", {1, 24}),
                               "",
                               weight("h", {1, 2, 3}),
                               weight("c", {1, 2, 3})},
                              {{"hidden_size", std::int64_t{3}}});
    add("Squeeze", {y, integers("one", {1}, {1})});
    expect_right();
}

TEST_F(GradientsOf, AttentionAndGates) {
    const std::string x = weight("x", {1, 3, 4});
    const std::string q = add("MatMul", {x, weight("q", {4, 4})});
    const std::string k =
        add("Transpose", {add("MatMul", {x, weight("k", {4, 4})})}, {{"perm", Axes{0, 2, 1}}});
    const std::string v = add("MatMul", {x, weight("v", {4, 4})});
    const std::string attended = add("MatMul", {add("Softmax", {add("MatMul", {q, k})}), v});
    const std::string gate = add("MatMul", {attended, weight("gate", {4, 5})});
    const std::string silu = add("Mul", {gate, add("Sigmoid", {gate})});
    add("Add",
        {x,
         add("MatMul",
             {add("Mul", {silu, add("MatMul", {attended, weight("up", {4, 5})})}), weight("down", {5, 4})})});
    expect_right();
}

TEST_F(GradientsOf, AnIfWhoseBranchIsKnownAreThoseOfTheBranch) {
    const std::string x = weight("x", {2, 8});
    const auto branch = [&](const std::string& op) {
        Graph inner;
        inner.nodes.push_back({.name = "in", .op = op, .inputs = {x}, .outputs = {"in"}, .attributes = {}});
        inner.outputs = {"in"};
        return std::make_shared<const Graph>(inner);
    };
    graph_.constants["trains"] = constant(isa::DataType::boolean, {}, {1});
    add("If", {"trains"});
    graph_.nodes.back().branches = {{"then_branch", branch("Relu")}, {"else_branch", branch("Floor")}};
    const TrainingGraph step = trained();
    EXPECT_NE(step.gradients.at(0), "");
    EXPECT_EQ(std::ranges::count(step.graph.nodes, "If", &Node::op), 0);
}

TEST_F(GradientsOf, OperatorsWithoutOneAreNamed) {
    const std::string x = weight("x", {1, 1, 4, 4});
    graph_.constants["sizes"] = constant(isa::DataType::float32, {4}, {1, 1, 2, 2});
    const std::string larger = add("Resize", {x, "", "sizes"});
    add("Slice",
        {add("Floor", {larger}),
         integers("from", {1}, {0}),
         integers("to", {1}, {9}),
         integers("of", {1}, {2}),
         integers("by", {1}, {2})});
    try {
        static_cast<void>(trained());
        FAIL() << "nothing was thrown";
    } catch (const UserError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("Resize: no gradient is known"), std::string::npos) << text;
        EXPECT_NE(text.find("Floor: no gradient is known"), std::string::npos) << text;
        EXPECT_NE(text.find("a slice with steps"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace ascendsim::networks
