// SPDX-License-Identifier: Apache-2.0
// Norms and softmax that exports write as several operators, over the last axis:
//   LayerNorm     (x - m) / sqrt(mean((x - m)^2) + e) g + b, with m = mean(x)
//   RMSNorm       x / sqrt(mean(x^2) + e) g
//   softmax       exp(x - max(x)) / sum(exp(x - max(x)))
#include <algorithm>

#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

const Expression& row_operand() {
    static const Expression x = any("x");
    return x;
}

/// True if a reduction keeps its axes and runs over the last one alone.
bool reduces_last(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    const Tensor* x = view.tensor(node.inputs[0]);
    if (x == nullptr || x->shape.empty() || node.integer("keepdims", 1) == 0) {
        return false;
    }
    std::vector<std::int64_t> axes = node.integers("axes", {});
    if (const Tensor* listed = node.inputs.size() > 1 ? view.tensor(node.inputs[1]) : nullptr;
        listed != nullptr && listed->known() && listed->count() == 1) {
        axes = {static_cast<std::int64_t>(listed->values->front())};
    }
    return axes.size() == 1 && (axes[0] == -1 || axes[0] + 1 == static_cast<std::int64_t>(x->shape.size()));
}

Expression reduced(const std::string& kind, const Expression& x, const std::string& name) {
    return either({op({kind}, {x}, name), op({kind}, {x, any(name + "_axes")}, name)});
}

Expression square_of(const Expression& x) {
    return either({op({"Pow"}, {x, number(2)}), op({"Mul"}, {x, x})});
}

/// sqrt(mean(x^2) + epsilon).
Expression root_mean_square(const Expression& x) {
    return op({"Sqrt"},
              {op({"Add"}, {reduced("ReduceMean", square_of(x), "square"), some_number("epsilon")})});
}

/// True if the tensor is one row of `x`.
bool is_row(const PatternView& view, const std::string& name, const Tensor& x) {
    const Tensor* row = view.tensor(name);
    return row != nullptr && row->shape == host::Shape{x.shape.back()} && row->type == x.type;
}

std::optional<Rewriting> layer_norm_of(const PatternView& view, std::size_t index) {
    static const Expression centred =
        op({"Sub"}, {row_operand(), reduced("ReduceMean", row_operand(), "mean")});
    static const Expression whole =
        op({"Add"},
           {op({"Mul"}, {op({"Div"}, {centred, root_mean_square(centred)}), any("scale")}), any("bias")});
    const std::string& y = view.node(index).outputs[0];
    const std::optional<Found> found = match(view, whole, y);
    if (!found || !reduces_last(view, found->nodes.at("mean")) ||
        !reduces_last(view, found->nodes.at("square"))) {
        return std::nullopt;
    }
    const auto& at = found->tensors;
    const Tensor* x = view.tensor(at.at("x"));
    if (x == nullptr || !is_row(view, at.at("scale"), *x) || !is_row(view, at.at("bias"), *x)) {
        return std::nullopt;
    }
    return Rewriting{
        .nodes = found->all,
        .with = {replacing(view,
                           y,
                           "LayerNormalization",
                           {at.at("x"), at.at("scale"), at.at("bias")},
                           {{"axis", std::int64_t{-1}}, {"epsilon", found->numbers.at("epsilon")}})}};
}

std::optional<Rewriting> rms_norm_of(const PatternView& view, std::size_t index) {
    static const Expression root = root_mean_square(row_operand());
    static const Expression inverse = either({op({"Reciprocal"}, {root}), op({"Div"}, {number(1), root})});
    static const Expression normal =
        either({op({"Div"}, {row_operand(), root}), op({"Mul"}, {inverse, row_operand()})});
    static const Expression whole = op({"Mul"}, {normal, any("scale")});
    const std::string& y = view.node(index).outputs[0];
    const std::optional<Found> found = match(view, whole, y);
    if (!found || !reduces_last(view, found->nodes.at("square"))) {
        return std::nullopt;
    }
    const Tensor* x = view.tensor(found->tensors.at("x"));
    if (x == nullptr || !is_row(view, found->tensors.at("scale"), *x)) {
        return std::nullopt;
    }
    return Rewriting{.nodes = found->all,
                     .with = {replacing(view,
                                        y,
                                        "RMSNormalization",
                                        {found->tensors.at("x"), found->tensors.at("scale")},
                                        {{"epsilon", found->numbers.at("epsilon")}})}};
}

std::optional<Rewriting> softmax_of(const PatternView& view, std::size_t index) {
    static const Expression powers =
        op({"Exp"}, {op({"Sub"}, {row_operand(), reduced("ReduceMax", row_operand(), "most")})});
    static const Expression whole = op({"Div"}, {powers, reduced("ReduceSum", powers, "sum")});
    const std::string& y = view.node(index).outputs[0];
    const std::optional<Found> found = match(view, whole, y);
    if (!found || !reduces_last(view, found->nodes.at("most")) ||
        !reduces_last(view, found->nodes.at("sum"))) {
        return std::nullopt;
    }
    const auto axis = static_cast<std::int64_t>(view.tensor(found->tensors.at("x"))->shape.size()) - 1;
    return Rewriting{.nodes = found->all,
                     .with = {replacing(view, y, "Softmax", {found->tensors.at("x")}, {{"axis", axis}})}};
}

}  // namespace

Patterns row_operators_patterns() {
    return {{.name = "LayerNorm", .phase = Phase::recognise, .rewrite = layer_norm_of},
            {.name = "RMSNorm", .phase = Phase::recognise, .rewrite = rms_norm_of},
            {.name = "softmax", .phase = Phase::recognise, .rewrite = softmax_of}};
}

}  // namespace ascendsim::networks
