// SPDX-License-Identifier: Apache-2.0
// A row that is added to a product, and an activation behind it, become part of the kernel matmul:
//   y = f(x W + b)      the cube's sums begin with b, and leave by way of f: one launch, and on coupled
//   chips,
//                       and by ReLU (Fixpipe) on split ones, the product is written once. For other f the
//                       vector cores of split chips take it out of L2.
// A batch norm between both has become part of W and b before (batch_norm.cpp).
#include <algorithm>

#include "networks/patterns/activation_node.hpp"

namespace ascendsim::networks {
namespace {

/// Operands of a product, perhaps with a row added.
struct Product {
    std::string x;
    std::string w;
    std::string bias;  // empty: none
    std::set<std::size_t> nodes;
    bool turned = false;  // W is stored as (n, k)
};

bool has_row(const Node& node) {
    return node.inputs.size() > 2 && !node.inputs[2].empty();
}

std::optional<Product> of_gemm(const Node& node, std::size_t index) {
    if (node.integer("transA", 0) != 0) {
        return std::nullopt;
    }
    if (node.real("alpha", 1) != 1 || node.real("beta", 1) != 1) {
        throw NoMatch{"other_scale",
                      "{} scales its operands, by {} and {}",
                      node.title(),
                      node.real("alpha", 1),
                      node.real("beta", 1)};
    }
    return Product{.x = node.inputs[0],
                   .w = node.inputs[1],
                   .bias = has_row(node) ? node.inputs[2] : "",
                   .nodes = {index},
                   .turned = node.integer("transB", 0) != 0};
}

std::optional<Product> of_sum(const PatternView& view, std::size_t index) {
    static const Expression sum = op({"Add"}, {op({"MatMul"}, {any("x"), any("w")}), any("bias")});
    const auto found = match(view, sum, view.node(index).outputs[0]);
    return found ? std::optional{Product{.x = found->tensors.at("x"),
                                         .w = found->tensors.at("w"),
                                         .bias = found->tensors.at("bias"),
                                         .nodes = found->all}}
                 : std::nullopt;
}

/// The product that a node makes, with the row it adds.
std::optional<Product> product_at(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    if (node.op == "Gemm") {
        return of_gemm(node, index);
    }
    if (node.op == "Add") {
        return of_sum(view, index);
    }
    if (node.op == "MatMul") {
        return Product{.x = node.inputs[0], .w = node.inputs[1], .bias = "", .nodes = {index}};
    }
    if (node.op == "Linear" && !node.has("activation")) {
        return Product{.x = node.inputs[0],
                       .w = node.inputs[1],
                       .bias = has_row(node) ? node.inputs[2] : "",
                       .nodes = {index},
                       .turned = node.integer("transB", 0) != 0};
    }
    return std::nullopt;
}

/// True for one product of matrices, of which the second is the same for all rows. Throws NoMatch for what is
/// one, and the kernel does not take.
bool taken(const PatternView& view, const Product& product) {
    const Tensor* x = view.tensor(product.x);
    const Tensor* w = view.tensor(product.w);
    if (x == nullptr || w == nullptr || w->shape.size() != 2 || x->shape.size() < 2) {
        return false;
    }
    const Tensor* bias = view.tensor(product.bias);
    if (!product.bias.empty()) {
        const std::uint64_t columns = w->shape[product.turned ? 0 : 1];
        if (bias == nullptr) {
            return false;
        }
        if (bias->count() != columns || bias->shape.empty() || bias->shape.back() != columns) {
            throw NoMatch{"other_shape",
                          "what is added to the product is {}, and no row of its {} columns",
                          bias->text(),
                          columns};
        }
    }
    if (w->type != x->type || (bias != nullptr && bias->type != x->type)) {
        throw NoMatch{"other_type", "the product is of {} and {}", x->text(), w->text()};
    }
    return true;
}

Rewriting rewritten(const PatternView& view,
                    const std::string& output,
                    const Product& product,
                    const Activation& activation) {
    std::vector<std::string> inputs{product.x, product.w};
    if (!product.bias.empty()) {
        inputs.push_back(product.bias);
    }
    Node node = replacing(
        view, output, "Linear", std::move(inputs), {{"transB", std::int64_t{product.turned ? 1 : 0}}});
    if (activation.op != loops::Op::copy) {
        put_activation(node, activation);
    }
    return {.nodes = product.nodes, .with = {std::move(node)}};
}

std::optional<Rewriting> product_and_row(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    if (node.op != "Add" && (node.op != "Gemm" || !has_row(node))) {
        return std::nullopt;
    }
    const std::optional<Product> product = product_at(view, index);
    if (!product || !taken(view, *product)) {
        return std::nullopt;
    }
    return rewritten(view, node.outputs[0], *product, {});
}

std::optional<Rewriting> activated_product(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    const std::size_t before = is_activation(node) ? view.maker(node.inputs[0]) : view.graph().nodes.size();
    if (before == view.graph().nodes.size() || !view.planned(before).refusal.empty()) {
        return std::nullopt;
    }
    std::optional<Product> product = product_at(view, before);
    if (!product || !taken(view, *product)) {
        return std::nullopt;
    }
    const std::optional<Activation> activation = activation_of(view, index, "matmul");
    product->nodes.insert(index);
    return rewritten(view, node.outputs[0], *product, *activation);
}

}  // namespace

Patterns linear_patterns() {
    // What takes more comes first: a product with its row and its activation is one kernel.
    return {{.name = "MatMul + activation", .phase = Phase::join, .rewrite = activated_product},
            {.name = "MatMul + Add", .phase = Phase::join, .rewrite = product_and_row}};
}

}  // namespace ascendsim::networks
