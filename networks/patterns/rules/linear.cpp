// SPDX-License-Identifier: Apache-2.0
// A row that is added to a product becomes where the cube's sums begin, in the kernel matmul_object:
//   y = x W + b      one launch, and the product is written once
#include <algorithm>

#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

/// Operands of a product with a row added.
struct Linear {
    std::string x;
    std::string w;
    std::string bias;
    std::set<std::size_t> nodes;
    bool turned = false;  // W is stored as (n, k)
};

std::optional<Linear> of_gemm(const Node& node, std::size_t index) {
    if (node.inputs.size() < 3 || node.inputs[2].empty() || node.integer("transA", 0) != 0) {
        return std::nullopt;
    }
    return Linear{.x = node.inputs[0],
                  .w = node.inputs[1],
                  .bias = node.inputs[2],
                  .nodes = {index},
                  .turned = node.integer("transB", 0) != 0};
}

std::optional<Linear> of_sum(const PatternView& view, std::size_t index) {
    static const Expression sum = op({"Add"}, {op({"MatMul"}, {any("x"), any("w")}), any("bias")});
    const auto found = match(view, sum, view.node(index).outputs[0]);
    return found ? std::optional{Linear{.x = found->tensors.at("x"),
                                        .w = found->tensors.at("w"),
                                        .bias = found->tensors.at("bias"),
                                        .nodes = found->all}}
                 : std::nullopt;
}

std::optional<Rewriting> product_and_row(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    const std::optional<Linear> linear = node.op == "Gemm"  ? of_gemm(node, index)
                                         : node.op == "Add" ? of_sum(view, index)
                                                            : std::nullopt;
    const Tensor* x = linear ? view.tensor(linear->x) : nullptr;
    const Tensor* w = linear ? view.tensor(linear->w) : nullptr;
    const Tensor* bias = linear ? view.tensor(linear->bias) : nullptr;
    if (x == nullptr || w == nullptr || bias == nullptr || w->shape.size() != 2 || x->shape.size() < 2) {
        return std::nullopt;
    }
    if (bias->count() != w->shape[linear->turned ? 0 : 1] || bias->shape.back() != bias->count()) {
        throw NoMatch{"other_shape", "what is added to the product is {}, and no row of it", bias->text()};
    }
    if (node.real("alpha", 1) != 1 || node.real("beta", 1) != 1) {
        throw NoMatch{"other_scale", "{} scales its operands", node.title()};
    }
    if (x->type != isa::DataType::half || w->type != x->type || bias->type != x->type) {
        throw NoMatch{
            "other_type", "the kernel matmul_object takes float16 here, not {}", isa::name(x->type)};
    }
    return Rewriting{.nodes = linear->nodes,
                     .with = {replacing(view,
                                        node.outputs[0],
                                        "Linear",
                                        {linear->x, linear->w, linear->bias},
                                        {{"transB", std::int64_t{linear->turned ? 1 : 0}}})}};
}

}  // namespace

Patterns linear_patterns() {
    return {{.name = "MatMul + Add", .phase = Phase::join, .rewrite = product_and_row}};
}

}  // namespace ascendsim::networks
