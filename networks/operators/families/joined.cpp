// SPDX-License-Identifier: Apache-2.0
// Operators that patterns put into a network for rotations, products and norms with what is around them.
#include <algorithm>

#include "networks/operators/activation.hpp"
#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;

/// x cos + turned(x) sin: x is [.., tokens, width], or [batch, tokens, heads, width] by token.
Lowered rotary_operator(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    const std::uint64_t width = shape.back();
    const bool by_token = with.node.integer("by_token", 0) != 0;
    const std::uint64_t heads = by_token ? shape[shape.size() - 2] : 1;
    const std::uint64_t positions = with.input(1).count() / width;
    const host::Shape rows{x.tensor.count() / width / heads, heads, width};
    const auto table = [&](std::size_t index) {
        return Steps::seen(steps.operand(index), {positions, width});
    };
    const Part y = steps.run({.kernel = "rotary",
                              .knobs = {{"shape", rows},
                                        {"positions", static_cast<std::int64_t>(positions)},
                                        {"dtype", type_word(x.tensor.type)}}},
                             {Steps::seen(x, rows), table(1), table(2)},
                             {{.type = x.tensor.type, .shape = rows, .values = {}}})[0];
    return steps.done({Steps::seen(y, shape)});
}

/// f(x W + b), where the cube's sums begin and leave; without b, f(x W).
Lowered linear_operator(const Operator& with) {
    Steps steps{with};
    const Tensor& x = with.input(0);
    const Tensor& w = with.input(1);
    const bool turned = with.node.integer("transB", 0) != 0;
    const std::uint64_t k = x.shape.back();
    const std::uint64_t n = w.shape[turned ? 0 : 1];
    const std::uint64_t m = x.count() / std::max<std::uint64_t>(k, 1);
    host::Shape shape = x.shape;
    shape.back() = n;
    Finish finish{.bias = {}, .activation = activation_in(with.node)};
    if (with.has(2)) {
        finish.bias = Steps::seen(steps.operand(2), {n});
    }
    const Part y = steps.product_of(Steps::seen(steps.operand(0), {m, k}),
                                    steps.operand(1),
                                    {.m = m, .n = n, .k = k, .turned_b = turned},
                                    {m, n},
                                    finish);
    return steps.done({Steps::seen(y, shape)});
}

/// A norm, perhaps of a sum, whose rows are quantised: the bytes, a scale for each row, and the sum.
Lowered quantised_norm_operator(const Operator& with) {
    Steps steps{with};
    const host::Shape shape = with.input(0).shape;
    const bool layer = with.node.integer("layer", 0) != 0;
    const bool residual = with.node.integer("residual", 0) != 0;
    const host::Shape rows{host::elements({shape.begin(), shape.end() - 1}), shape.back()};
    const DataType type = with.input(0).type;
    std::vector<Part> reads;
    for (std::size_t i = 0; i < with.inputs.size(); ++i) {
        reads.push_back(
            Steps::seen(steps.operand(i), i < (residual ? 2U : 1U) ? rows : host::Shape{rows[1]}));
    }
    std::vector<Tensor> makes{{.type = DataType::int8, .shape = rows, .values = {}}};
    if (residual) {
        makes.push_back({.type = type, .shape = rows, .values = {}});
    }
    makes.push_back({.type = DataType::float32, .shape = {rows[0]}, .values = {}});
    const std::vector<Part> made = steps.run({.kernel = "row_norm",
                                              .knobs = {{"shape", rows},
                                                        {"kind", std::string{layer ? "layer" : "rms"}},
                                                        {"residual", residual},
                                                        {"quant", std::string{"int8"}},
                                                        {"epsilon", with.node.real("epsilon", 1e-5)},
                                                        {"dtype", type_word(type)}}},
                                             reads,
                                             makes);
    host::Shape kept = shape;
    kept.back() = 1;
    const Part scale = steps.cast(made.back(), type);
    std::vector<Part> results{Steps::seen(made[0], shape), Steps::seen(scale, kept)};
    if (residual) {
        results.push_back(Steps::seen(made[1], shape));
    }
    return steps.done(results);
}

}  // namespace

Operators joined_operators() {
    return {{"RotaryEmbedding", rotary_operator},
            {"Linear", linear_operator},
            {"QuantisedNorm", quantised_norm_operator}};
}

}  // namespace ascendsim::networks
