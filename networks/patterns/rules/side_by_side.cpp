// SPDX-License-Identifier: Apache-2.0
// Products of one operand with several weights become one product, whose result is split:
//   x [A | B] = [x A | x B]      the first convolutions of a C3 block; queries, keys and values of attention
#include <algorithm>

#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

template <class T>
bool same_as(const Attribute& a, const Attribute& b) {
    const T* one = std::get_if<T>(&a);
    const T* other = std::get_if<T>(&b);
    return one != nullptr && other != nullptr && *one == *other;
}

bool same_forms(const Node& a, const Node& b) {
    return a.op == b.op && a.inputs.size() == b.inputs.size() &&
           std::ranges::equal(a.attributes, b.attributes, [](const auto& one, const auto& other) {
               return one.first == other.first &&
                      (same_as<std::vector<std::int64_t>>(one.second, other.second) ||
                       same_as<std::int64_t>(one.second, other.second) ||
                       same_as<double>(one.second, other.second) ||
                       same_as<std::string>(one.second, other.second));
           });
}

/// The axis of a product's weights along which its results lie.
std::size_t axis_of_results(const Node& product) {
    return product.op == "Conv" || product.integer("transB", 0) != 0 ? 0 : 1;
}

/// A product of an operand with weights, all of whose results may stand beside others'.
bool has_weights(const PatternView& view, const Node& node) {
    const bool product = node.op == "Conv" || node.op == "MatMul" || node.op == "Gemm" || node.op == "Linear";
    const Tensor* w = product ? view.tensor(node.inputs[1]) : nullptr;
    if (w == nullptr || !view.weight(node.inputs[1]) || node.outputs.size() != 1 ||
        node.integer("group", 1) != 1 || (node.op == "Conv" ? w->shape.size() < 3 : w->shape.size() != 2)) {
        return false;
    }
    for (std::size_t i = 2; i < node.inputs.size(); ++i) {  // a bias is a row
        const Tensor* bias = view.tensor(node.inputs[i]);
        if (bias == nullptr || !view.weight(node.inputs[i]) ||
            bias->shape != host::Shape{w->shape[axis_of_results(node)]}) {
            return false;
        }
    }
    return node.op != "Gemm" ||
           (node.integer("transA", 0) == 0 && node.real("alpha", 1) == 1 && node.real("beta", 1) == 1);
}

/// True if all extents but that of `axis` are equal.
bool fit_beside(const host::Shape& a, const host::Shape& b, std::size_t axis) {
    host::Shape other = b;
    if (a.size() != b.size()) {
        return false;
    }
    other[axis] = a[axis];
    return a == other;
}

/// Tensors one behind the other along an axis; without elements where those of one are not known.
Tensor joined_weights(const PatternView& view, const std::vector<std::string>& names, std::size_t axis) {
    Tensor joined = *view.tensor(names.front());
    joined.values = {};
    joined.given = {};
    joined.shape[axis] = 0;
    bool known = true;
    for (const std::string& name : names) {
        joined.shape[axis] += view.tensor(name)->shape[axis];
        known = known && view.elements(name) != nullptr;
    }
    if (!known) {
        return joined;
    }
    const std::uint64_t outer =
        host::elements({joined.shape.begin(), joined.shape.begin() + static_cast<std::ptrdiff_t>(axis)});
    std::vector<double> values;
    for (std::uint64_t o = 0; o < outer; ++o) {
        for (const std::string& name : names) {
            const std::vector<double>& elements = *view.elements(name);
            const auto each = static_cast<std::ptrdiff_t>(elements.size() / outer);
            const auto from = elements.begin() + static_cast<std::ptrdiff_t>(o) * each;
            values.insert(values.end(), from, from + each);
        }
    }
    return constant(joined.type, joined.shape, std::move(values));
}

/// Products of the same operand and form, in order, of which `index` is the last.
std::vector<std::size_t> products_beside(const PatternView& view, std::size_t index) {
    const Node& last = view.node(index);
    std::vector<std::size_t> all;
    for (const std::size_t other : view.readers(last.inputs[0])) {
        const Node& node = view.node(other);
        if (node.inputs[0] == last.inputs[0] && same_forms(node, last) && has_weights(view, node) &&
            view.planned(other).refusal.empty() &&
            fit_beside(view.tensor(node.inputs[1])->shape,
                       view.tensor(last.inputs[1])->shape,
                       axis_of_results(last))) {
            all.push_back(other);
        }
    }
    return all;
}

std::optional<Rewriting> side_by_side(const PatternView& view, std::size_t index) {
    const Node& last = view.node(index);
    if (last.inputs.empty() || !has_weights(view, last)) {
        return std::nullopt;
    }
    const std::vector<std::size_t> products = products_beside(view, index);
    if (products.size() < 2 || products.back() != index) {
        return std::nullopt;
    }
    const std::string& y = last.outputs[0];
    const std::size_t axis = axis_of_results(last);
    Rewriting rewriting{.nodes = {products.begin(), products.end()}, .with = {}};
    Node product = replacing(view, y, last.op, {last.inputs[0]}, last.attributes);
    product.outputs = {y + "_beside"};
    for (std::size_t i = 1; i < last.inputs.size(); ++i) {
        std::vector<std::string> names;
        for (const std::size_t one : products) {
            names.push_back(view.node(one).inputs[i]);
        }
        const std::string name = fmt::format("{}_beside_{}", y, i);
        rewriting.constants[name] = joined_weights(view, names, i == 1 ? axis : 0);
        product.inputs.push_back(name);
    }
    Node split{.name = product.name + "_split",
               .op = "Split",
               .inputs = {product.outputs[0], y + "_parts"},
               .outputs = {},
               .attributes = {{"axis", std::int64_t{last.op == "Conv" ? 1 : -1}}}};
    std::vector<double> parts;
    for (const std::size_t one : products) {
        split.outputs.push_back(view.node(one).outputs[0]);
        parts.push_back(static_cast<double>(view.tensor(view.node(one).inputs[1])->shape[axis]));
    }
    const host::Shape count{parts.size()};
    rewriting.constants[y + "_parts"] = constant(isa::DataType::int64, count, std::move(parts));
    rewriting.with = {std::move(product), std::move(split)};
    return rewriting;
}

}  // namespace

Patterns side_by_side_patterns() {
    return {{.name = "products side by side", .phase = Phase::join, .rewrite = side_by_side}};
}

}  // namespace ascendsim::networks
