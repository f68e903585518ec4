// SPDX-License-Identifier: Apache-2.0
// Networks on several devices against the same on one, both in float64: results, losses and gradients.
#include "networks/parallel/share_layers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "networks/training/testing/exact_network.hpp"
#include "networks/training/training.hpp"
#include "sim/base/error.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {
namespace {

using testing::HasSubstr;
using testing::Key;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;
using Values = ExactNetwork::Values;
using Attributes = std::map<std::string, Attribute, std::less<>>;

/// Part `rank` of `parts` of an axis.
Tensor strip_of(const Tensor& tensor, std::size_t axis, std::uint64_t rank, std::uint64_t parts) {
    host::Shape shape = tensor.shape;
    shape.at(axis) /= parts;
    const std::uint64_t row =
        host::elements({shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end()});
    std::vector<double> values;
    for (std::uint64_t i = 0; i < host::elements(shape); ++i) {
        values.push_back((*tensor.values)[i / row * row * parts + rank * row + i % row]);
    }
    return constant(tensor.type, shape, std::move(values));
}

/// Parts of an axis beside each other.
Tensor beside(const std::vector<Tensor>& parts, std::size_t axis) {
    host::Shape shape = parts[0].shape;
    shape.at(axis) = 0;
    for (const Tensor& part : parts) {
        shape[axis] += part.shape.at(axis);
    }
    const std::uint64_t rows =
        host::elements({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)});
    std::vector<double> values;
    for (std::uint64_t row = 0; row < rows; ++row) {
        for (const Tensor& part : parts) {
            const std::uint64_t size = part.count() / rows;
            const auto begin = part.values->begin() + static_cast<std::ptrdiff_t>(row * size);
            values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
        }
    }
    return constant(parts[0].type, shape, std::move(values));
}

class LayersOf : public testing::Test {
protected:
    void SetUp() override { graph_.opset = 17; }

    std::string number(const std::string& name, const host::Shape& shape) {
        graph_.inputs.push_back({.name = name, .type = isa::DataType::float32, .shape = {}});
        shapes_[name] = shape;
        std::vector<double> numbers(host::elements(shape));
        for (double& one : numbers) {  // steps of the golden ratio fill an interval evenly
            next_ = std::fmod(next_ + 0.6180339887498949, 1.0);
            one = 2 * next_ - 1;
        }
        values_[name] = ExactNetwork::exact(shape, std::move(numbers));
        return name;
    }

    std::string integers(const std::string& name, const host::Shape& shape, std::vector<double> numbers) {
        graph_.constants[name] = constant(isa::DataType::int64, shape, std::move(numbers));
        return name;
    }

    std::string add(std::string op, std::vector<std::string> inputs, Attributes attributes = {}) {
        const std::string output = fmt::format("t{}", graph_.nodes.size());
        graph_.nodes.push_back({.name = output,
                                .op = std::move(op),
                                .inputs = std::move(inputs),
                                .outputs = {output},
                                .attributes = std::move(attributes)});
        graph_.outputs = {output};
        return output;
    }

    /// A layer of attention over x, [batch, tokens, 8], with `heads` heads.
    std::string attention(const std::string& x, std::uint64_t heads) {
        const auto linear = [&](const std::string& of, const std::string& name) {
            return add("Add",
                       {add("MatMul", {of, number("weights_" + name, {8, 8})}),
                        number("weights_" + name + "_bias", {8})});
        };
        const std::string split =
            integers("split", {4}, {0, 0, static_cast<double>(heads), 8.0 / static_cast<double>(heads)});
        const auto headed = [&](const std::string& name, std::vector<std::int64_t> order) {
            return add("Transpose", {add("Reshape", {linear(x, name), split})}, {{"perm", std::move(order)}});
        };
        const std::string q = headed("q", {0, 2, 1, 3});
        const std::string k = headed("k", {0, 2, 3, 1});
        const std::string v = headed("v", {0, 2, 1, 3});
        const std::string all = add("Softmax", {add("MatMul", {q, k})}, {{"axis", std::int64_t{-1}}});
        const std::string y =
            add("Transpose", {add("MatMul", {all, v})}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
        return add("Add", {x, linear(add("Reshape", {y, integers("join", {3}, {0, 0, 8})}), "o")});
    }

    std::string feed(const std::string& x) {
        const std::string wide =
            add("Relu",
                {add("Add",
                     {add("MatMul", {x, number("weights_up", {8, 16})}), number("weights_up_bias", {16})})});
        return add("Add", {x, add("MatMul", {wide, number("weights_down", {16, 8})})});
    }

    [[nodiscard]] SharedLayers shared(const LayerSharing& sharing) const {
        return share_layers(graph_, shapes_, lowering_, sharing);
    }

    [[nodiscard]] TrainingGraph step_of(const Graph& graph,
                                        const std::map<std::string, host::Shape, std::less<>>& shapes) const {
        return training_graph(graph, shapes, lowering_, {.loss = Loss::mean_square});
    }

    /// All ranks node by node; where they exchange something, the test does it.
    void compute(const TrainingGraph& step, std::vector<Values>& ranks) const {
        const ExactNetwork network{chip_};
        for (Values& rank : ranks) {
            network.compute(step.graph, rank, [](const std::string&) { return false; });  // constants
        }
        for (const Node& node : step.graph.nodes) {
            if (phase_of(node.outputs[0]) == StepPhase::optimiser) {
                continue;
            }
            if (exchanged(node, ranks)) {
                continue;
            }
            for (Values& rank : ranks) {
                network.compute(
                    step.graph, rank, [&](const std::string& name) { return name == node.outputs[0]; });
            }
        }
    }

    static bool exchanged(const Node& node, std::vector<Values>& ranks) {
        std::vector<Tensor> parts;
        for (const Values& rank : ranks) {
            const auto found = rank.find(node.inputs.empty() ? std::string{} : node.inputs[0]);
            parts.push_back(found == rank.end() ? Tensor{} : found->second);
        }
        const std::size_t count = ranks.size();
        std::vector<Tensor> results(count);
        if (node.op == "ShareSum") {
            std::vector<double> sum(parts[0].count(), 0);
            for (const Tensor& part : parts) {
                std::ranges::transform(sum, *part.values, sum.begin(), std::plus{});
            }
            std::ranges::fill(results, constant(parts[0].type, parts[0].shape, sum));
        } else if (node.op == "ShareGather") {
            std::ranges::fill(results, beside(parts, static_cast<std::size_t>(node.integer("axis", 0))));
        } else if (node.op == "ShareSlice") {
            for (std::size_t r = 0; r < count; ++r) {
                results[r] = strip_of(parts[r], static_cast<std::size_t>(node.integer("axis", 0)), r, count);
            }
        } else if (node.op == "ExpertSend") {  // rank r gets rows of its experts from all
            for (std::size_t r = 0; r < count; ++r) {
                std::vector<Tensor> came;
                for (const Tensor& part : parts) {
                    came.push_back(strip_of(part, 0, r, count));
                }
                results[r] = beside(came, 1);
            }
        } else if (node.op == "ExpertReturn") {
            for (std::size_t r = 0; r < count; ++r) {
                std::vector<Tensor> came;
                for (const Tensor& part : parts) {
                    came.push_back(strip_of(part, 1, r, count));
                }
                results[r] = beside(came, 0);
            }
        } else if (node.op == "ShareHalo") {
            for (std::size_t r = 0; r < count; ++r) {
                results[r] = with_neighbours(node, parts, r);
            }
        } else {
            return false;
        }
        for (std::size_t r = 0; r < count; ++r) {
            ranks[r][node.outputs[0]] = results[r];
        }
        return true;
    }

    /// A slab between the slices of its neighbours; beyond the ends there are zeros.
    static Tensor with_neighbours(const Node& node, const std::vector<Tensor>& slabs, std::size_t rank) {
        const auto axis = static_cast<std::size_t>(node.integer("axis", 0));
        const auto slices = [&](std::size_t of, std::uint64_t first, std::uint64_t how_many) {
            std::vector<Tensor> each;
            for (std::uint64_t i = first; i < first + how_many; ++i) {
                each.push_back(strip_of(slabs.at(of), axis, i, slabs[of].shape[axis]));
            }
            return beside(each, axis);
        };
        const auto zeros = [&](std::uint64_t how_many) {
            host::Shape shape = slabs[rank].shape;
            shape[axis] = how_many;
            return constant(slabs[rank].type, shape, std::vector<double>(host::elements(shape), 0));
        };
        const auto before = static_cast<std::uint64_t>(node.integer("before", 0));
        const auto behind = static_cast<std::uint64_t>(node.integer("behind", 0));
        std::vector<Tensor> parts{slabs[rank]};
        if (before > 0) {
            const std::uint64_t all = slabs[rank].shape[axis];
            parts.insert(parts.begin(), rank == 0 ? zeros(before) : slices(rank - 1, all - before, before));
        }
        if (behind > 0) {
            parts.push_back(rank + 1 == slabs.size() ? zeros(behind) : slices(rank + 1, 0, behind));
        }
        return beside(parts, axis);
    }

    /// `target` and the scalars of a step.
    static void fill(const TrainingGraph& step, Values& values) {
        for (const Input& input : step.graph.inputs) {
            const host::Shape& shape = step.shapes.at(input.name);
            if (values.contains(input.name) || input.name.find('/') != std::string::npos) {
                continue;
            }
            std::vector<double> numbers(host::elements(shape), 1);
            for (std::size_t i = 0; i < numbers.size() && !step.scalars.contains(input.name); ++i) {
                numbers[i] = std::sin(static_cast<double>(i));
            }
            values[input.name] = ExactNetwork::exact(shape, std::move(numbers));
        }
    }

    static void expect_near(const Tensor& found, const Tensor& wanted, const std::string& what) {
        ASSERT_EQ(found.shape, wanted.shape) << what;
        for (std::uint64_t i = 0; i < wanted.count(); ++i) {
            ASSERT_NEAR((*found.values)[i], (*wanted.values)[i], 1e-9) << what << " " << i;
        }
    }

    /// A layer in strips has the loss and the gradients of the whole one.
    void expect_equal(std::uint32_t devices) {
        const TrainingGraph whole = step_of(graph_, shapes_);
        std::vector<Values> one{values_};
        fill(whole, one[0]);
        compute(whole, one);
        const SharedLayers layers = shared({.tensor = devices});
        const TrainingGraph step = step_of(layers.graph, layers.shapes);
        std::vector<Values> ranks(devices, values_);
        for (std::uint32_t rank = 0; rank < devices; ++rank) {
            for (const auto& [weight, axis] : layers.strips) {
                ranks[rank][weight] = strip_of(values_.at(weight), axis, rank, devices);
            }
            fill(step, ranks[rank]);
        }
        compute(step, ranks);
        for (std::uint32_t rank = 0; rank < devices; ++rank) {
            expect_near(ranks[rank].at("loss"), one[0].at("loss"), "loss");
            for (std::size_t i = 0; i < step.parameters.size(); ++i) {
                const std::string& weight = step.parameters[i];
                const auto of_whole = std::ranges::find(whole.parameters, weight);
                ASSERT_NE(of_whole, whole.parameters.end());
                const Tensor& all =
                    one[0].at(whole.gradients[static_cast<std::size_t>(of_whole - whole.parameters.begin())]);
                const auto strip = layers.strips.find(weight);
                expect_near(ranks[rank].at(step.gradients[i]),
                            strip == layers.strips.end() ? all : strip_of(all, strip->second, rank, devices),
                            weight);
            }
        }
    }

    [[nodiscard]] static std::size_t count(const Graph& graph, std::string_view op, bool backward) {
        return static_cast<std::size_t>(std::ranges::count_if(graph.nodes, [&](const Node& node) {
            return node.op == op && (phase_of(node.outputs[0]) == StepPhase::backward) == backward;
        }));
    }

    Graph graph_;
    std::map<std::string, host::Shape, std::less<>> shapes_;
    Values values_;
    toolchain::Installation installation_ = toolchain::Installation::find();
    ChipSpec chip_ = load_chip("910b3", installation_.chips());
    Lowering lowering_{.precision = Precision::as_stated, .chip = chip_};

private:
    double next_ = 0.1;
};

TEST_F(LayersOf, AttentionAndFeedForwardAreCutInPairs) {
    const std::string x = add("Relu", {number("weights_x", {2, 3, 8})});
    feed(attention(x, 4));
    const SharedLayers layers = shared({.tensor = 2});
    EXPECT_THAT(layers.strips,
                UnorderedElementsAre(Key("weights_q"),
                                     Key("weights_q_bias"),
                                     Key("weights_k"),
                                     Key("weights_k_bias"),
                                     Key("weights_v"),
                                     Key("weights_v_bias"),
                                     Key("weights_o"),
                                     Key("weights_up"),
                                     Key("weights_up_bias"),
                                     Key("weights_down")));
    EXPECT_EQ(layers.strips.at("weights_o"), 0U);
    EXPECT_EQ(layers.shapes.at("weights_q"), (host::Shape{8, 4}));
    const TrainingGraph step = step_of(layers.graph, layers.shapes);
    // Two sums a layer forward, and two backward for what entered the strips: Megatron-LM's count.
    EXPECT_EQ(count(step.graph, "ShareSum", false), 2U);
    EXPECT_EQ(count(step.graph, "ShareSum", true), 2U);
    expect_equal(2);
    expect_equal(4);
}

TEST_F(LayersOf, HeadsThatDoNotDivideStayWhole) {
    feed(attention(add("Relu", {number("weights_x", {2, 3, 8})}), 2));
    const SharedLayers layers = shared({.tensor = 4});
    EXPECT_THAT(layers.strips,
                UnorderedElementsAre(Key("weights_up"), Key("weights_up_bias"), Key("weights_down")));
    expect_equal(4);
}

TEST_F(LayersOf, ColumnsAreGatheredAtTheEnd) {
    const std::string x = number("weights_x", {3, 4});
    const std::string gate = add("MatMul", {x, number("weights_gate", {4, 8})});
    const std::string up = add("MatMul", {x, number("weights_up", {4, 8})});
    add("Mul", {add("Mul", {gate, add("Sigmoid", {gate})}), up});
    const SharedLayers layers = shared({.tensor = 4});
    EXPECT_EQ(count(layers.graph, "ShareGather", false), 1U);
    EXPECT_EQ(count(layers.graph, "ShareSum", false), 0U);
    expect_equal(4);
}

TEST_F(LayersOf, ImagesAreCutByChannels) {
    const std::string x = number("weights_x", {2, 3, 5, 5});
    const std::vector<std::int64_t> pads{1, 1, 1, 1};
    const std::string y =
        add("Conv", {x, number("weights_a", {4, 3, 3, 3}), number("weights_a_bias", {4})}, {{"pads", pads}});
    add("Conv",
        {add("Relu", {y}), number("weights_b", {2, 4, 3, 3}), number("weights_b_bias", {2})},
        {{"pads", pads}});
    EXPECT_EQ(shared({.tensor = 2}).strips.at("weights_b"), 1U);
    expect_equal(2);
}

TEST_F(LayersOf, VolumesAreCutIntoSlabsThatSeeTheirNeighbours) {
    const std::vector<std::int64_t> pads(6, 1);
    const std::vector<std::int64_t> two(3, 2);
    const std::string x = number("x", {1, 2, 8, 4, 6});
    const std::string wide =
        add("Relu",
            {add("Conv",
                 {x, number("weights_a", {3, 2, 3, 3, 3}), number("weights_a_bias", {3})},
                 {{"pads", pads}})});
    const std::string small = add("MaxPool", {wide}, {{"kernel_shape", two}, {"strides", two}});
    const std::string strided = add("Conv",
                                    {small, number("weights_b", {4, 3, 3, 3, 3})},
                                    {{"pads", pads}, {"kernel_shape", std::vector<std::int64_t>(3, 3)}});
    const std::string up =
        add("ConvTranspose", {strided, number("weights_c", {4, 3, 2, 2, 2})}, {{"strides", two}});
    add("Concat", {wide, up}, {{"axis", std::int64_t{1}}});
    const SharedLayers layers = shared({.slabs = 2});
    EXPECT_THAT(layers.strips, ::testing::IsEmpty());
    EXPECT_EQ(layers.shapes.at("x"), (host::Shape{1, 2, 4, 4, 6}));
    EXPECT_EQ(count(layers.graph, "ShareHalo", false),
              2U);  // of each convolution that overlaps, a slice each way
    const auto halo = std::ranges::find(layers.graph.nodes, "ShareHalo", &Node::op);
    EXPECT_EQ(halo->integer("before", 0), 1);
    EXPECT_EQ(halo->integer("behind", 0), 1);
    const ExactNetwork network{chip_};
    Values one = values_;
    network.compute(graph_, one, [](const std::string&) { return true; });
    std::vector<Values> ranks(2, values_);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        ranks[rank]["x"] = strip_of(values_.at("x"), 2, rank, 2);
    }
    TrainingGraph forward{.graph = layers.graph,
                          .shapes = layers.shapes,
                          .parameters = {},
                          .gradients = {},
                          .losses = {},
                          .scalars = {}};
    compute(forward, ranks);
    const std::string& y = graph_.outputs[0];
    expect_near(beside({ranks[0].at(y), ranks[1].at(y)}, 2), one.at(y), "both slabs");
}

TEST_F(LayersOf, WindowsThatDoNotFitSlabsAreNamed) {
    const std::string x = number("x", {1, 2, 6, 4, 4});
    const std::vector<std::int64_t> two(3, 2);
    add("MaxPool", {x}, {{"kernel_shape", two}, {"strides", two}});
    EXPECT_THAT([&] { static_cast<void>(shared({.slabs = 2})); },  // slabs of three slices, windows of two
                ThrowsMessage<UserError>(HasSubstr("cannot be cut into 2 slabs: MaxPool")));
    EXPECT_THAT([&] { static_cast<void>(shared({.slabs = 4})); },
                ThrowsMessage<UserError>(HasSubstr("input 'x' has 6 slices")));
}

/// Each copy has tokens of its own, and the experts of one are those of all.
TEST_F(LayersOf, ExpertsLieOnCopies) {
    const std::string x = number("x", {4, 3, 2});  // four experts, three rows for each
    const std::string y = add("Relu", {add("MatMul", {x, number("weights_in", {4, 2, 6})})});
    add("MatMul", {y, number("weights_out", {4, 6, 2})});
    const SharedLayers layers = shared({.experts = 2});
    EXPECT_THAT(layers.experts, UnorderedElementsAre("weights_in", "weights_out"));
    EXPECT_EQ(layers.shapes.at("weights_in"), (host::Shape{2, 2, 6}));
    const TrainingGraph whole = step_of(graph_, shapes_);
    const TrainingGraph step = step_of(layers.graph, layers.shapes);
    std::vector<Values> alone(2, values_);
    std::vector<Values> ranks(2, values_);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        std::vector<double> rows = *values_.at("x").values;
        for (double& row : rows) {
            row += 0.25 * rank;
        }
        alone[rank]["x"] = ranks[rank]["x"] = ExactNetwork::exact({4, 3, 2}, rows);
        for (const std::string& weight : layers.experts) {
            ranks[rank][weight] = strip_of(values_.at(weight), 0, rank, 2);
        }
        fill(whole, alone[rank]);
        fill(step, ranks[rank]);
    }
    compute(whole, alone);
    compute(step, ranks);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        expect_near(ranks[rank].at("loss"), alone[rank].at("loss"), "loss");
        for (std::size_t i = 0; i < step.parameters.size(); ++i) {
            // What both copies' rows give, of the experts that lie here.
            Tensor sum = alone[0].at(whole.gradients[i]);
            std::vector<double> numbers = *sum.values;
            std::ranges::transform(
                numbers, *alone[1].at(whole.gradients[i]).values, numbers.begin(), std::plus{});
            sum = ExactNetwork::exact(sum.shape, numbers);
            expect_near(ranks[rank].at(step.gradients[i]), strip_of(sum, 0, rank, 2), step.parameters[i]);
        }
    }
}

TEST_F(LayersOf, NothingToShareIsSaid) {
    add("Relu", {add("MatMul", {number("weights_x", {2, 6}), number("weights_y", {6, 6})})});
    EXPECT_THAT([&] { static_cast<void>(shared({.tensor = 4})); },
                ThrowsMessage<UserError>(HasSubstr("can be cut into 4 strips")));
    EXPECT_THAT([&] { static_cast<void>(shared({.experts = 2})); },
                ThrowsMessage<UserError>(HasSubstr("has no experts that 2 copies can share")));
}

}  // namespace
}  // namespace ascendsim::networks
