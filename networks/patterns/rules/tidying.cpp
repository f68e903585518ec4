// SPDX-License-Identifier: Apache-2.0
// What computes nothing, or the same again:
//   a view of the same shape -> its operand      x + 0, x - 0, x * 1, x / 1 -> x      nobody reads y -> no y
//   f(x), f(x) -> one f(x)      transpose(transpose(x)) -> one transpose, or x      view(view(x)) -> one view
#include <algorithm>
#include <string_view>

#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

using Indices = std::vector<std::int64_t>;

Rewriting same_as(std::size_t node, const std::string& result, const std::string& other) {
    return {.nodes = {node}, .with = {}, .same = {{result, other}}};
}

bool alike(const Tensor& a, const Tensor& b) {
    return a.type == b.type && a.shape == b.shape;
}

/// Identity, Dropout at inference, a Reshape or Cast to what it has already.
std::optional<Rewriting> view_of_nothing(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    const PlannedNode& planned = view.planned(index);
    const Tensor* x = node.inputs.empty() ? nullptr : view.tensor(node.inputs[0]);
    if (x == nullptr || !planned.refusal.empty() || !planned.tasks.empty() || planned.results.empty() ||
        planned.results[0].known() || !alike(*x, planned.results[0]) || planned.made[0] != 0 ||
        view.kept(node.outputs[0])) {
        return std::nullopt;
    }
    const bool others = std::any_of(node.outputs.begin() + 1, node.outputs.end(), [&](const auto& output) {
        return !view.readers(output).empty() || view.kept(output);
    });
    return others ? std::nullopt : std::optional{same_as(index, node.outputs[0], node.inputs[0])};
}

std::optional<Rewriting> neutral(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    const bool sum = node.op == "Add" || node.op == "Sub";
    if ((!sum && node.op != "Mul" && node.op != "Div") || view.kept(node.outputs[0])) {
        return std::nullopt;
    }
    const Tensor* y = view.tensor(node.outputs[0]);
    for (const std::size_t side : {0U, 1U}) {
        const Tensor* x = view.tensor(node.inputs[side]);
        const Tensor* other = view.tensor(node.inputs[1 - side]);
        const bool either_side = node.op == "Add" || node.op == "Mul";
        if (x != nullptr && other != nullptr && y != nullptr && (side == 0 || either_side) &&
            other->known() && other->count() == 1 && other->values->front() == (sum ? 0 : 1) &&
            alike(*x, *y) && !y->known()) {
            return same_as(index, node.outputs[0], node.inputs[side]);
        }
    }
    return std::nullopt;
}

std::optional<Rewriting> unread(const PatternView& view, std::size_t index) {
    return view.read_beyond(index, {}) ? std::nullopt : std::optional{Rewriting{.nodes = {index}}};
}

bool equal_attributes(const Node& a, const Node& b) {
    return std::ranges::equal(a.attributes, b.attributes, [](const auto& one, const auto& other) {
        const bool tensor = std::holds_alternative<Tensor>(one.second);
        if (one.first != other.first || one.second.index() != other.second.index()) {
            return false;
        }
        if (!tensor) {
            return std::visit(
                [&](const auto& value) {
                    using T = std::decay_t<decltype(value)>;
                    if constexpr (std::is_same_v<T, Tensor>) {
                        return false;
                    } else {
                        return value == std::get<T>(other.second);
                    }
                },
                one.second);
        }
        const Tensor& x = std::get<Tensor>(one.second);
        const Tensor& y = std::get<Tensor>(other.second);
        return alike(x, y) && x.known() && y.known() && *x.values == *y.values;
    });
}

std::optional<Rewriting> again(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    const bool random = std::string_view{node.op}.starts_with("Random") || node.op == "Multinomial";
    if (node.inputs.empty() || node.outputs.size() != 1 || view.kept(node.outputs[0]) || random ||
        !view.planned(index).refusal.empty()) {
        return std::nullopt;
    }
    for (const std::size_t other : view.readers(node.inputs[0])) {
        const Node& before = view.node(other);
        if (other < index && before.op == node.op && before.inputs == node.inputs &&
            before.outputs.size() == 1 && equal_attributes(before, node)) {
            return same_as(index, node.outputs[0], before.outputs[0]);
        }
    }
    return std::nullopt;
}

Indices permutation(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    const Tensor* x = view.tensor(node.inputs[0]);
    const std::size_t rank = x == nullptr ? 0 : x->shape.size();
    Indices reversed(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        reversed[i] = static_cast<std::int64_t>(rank - 1 - i);
    }
    return node.integers("perm", reversed);
}

std::optional<Rewriting> transposes(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    const std::size_t before =
        node.op == "Transpose" ? view.maker(node.inputs[0]) : view.graph().nodes.size();
    if (before == view.graph().nodes.size() || view.node(before).op != "Transpose") {
        return std::nullopt;
    }
    const Indices first = permutation(view, before);
    Indices both = permutation(view, index);
    for (std::int64_t& axis : both) {
        axis = first.at(static_cast<std::size_t>(axis));
    }
    const std::string& x = view.node(before).inputs[0];
    if (std::ranges::is_sorted(both) && !view.kept(node.outputs[0])) {
        return Rewriting{.nodes = {before, index}, .with = {}, .same = {{node.outputs[0], x}}};
    }
    return Rewriting{.nodes = {before, index},
                     .with = {replacing(view, node.outputs[0], "Transpose", {x}, {{"perm", both}})}};
}

bool reshapes(const PatternView& view, std::size_t index) {
    const std::string& op = view.node(index).op;
    return index < view.graph().nodes.size() && view.planned(index).tasks.empty() &&
           (op == "Reshape" || op == "Flatten" || op == "Squeeze" || op == "Unsqueeze");
}

std::optional<Rewriting> views(const PatternView& view, std::size_t index) {
    if (!reshapes(view, index)) {
        return std::nullopt;
    }
    const Node& node = view.node(index);
    const std::size_t before = view.maker(node.inputs[0]);
    if (before == view.graph().nodes.size() || !reshapes(view, before)) {
        return std::nullopt;
    }
    const Tensor* y = view.tensor(node.outputs[0]);
    if (y == nullptr || y->known() || y->count() == 0) {
        return std::nullopt;
    }
    const std::string shape = node.outputs[0] + "_extents";
    std::vector<double> extents(y->shape.begin(), y->shape.end());
    const host::Shape rank{extents.size()};
    Rewriting rewriting{
        .nodes = {before, index},
        .with = {replacing(view, node.outputs[0], "Reshape", {view.node(before).inputs[0], shape})}};
    rewriting.constants[shape] = constant(isa::DataType::int64, rank, std::move(extents));
    return rewriting;
}

}  // namespace

Patterns tidying_patterns() {
    return {{.name = "dead code", .phase = Phase::tidy, .rewrite = unread},
            {.name = "view of the same shape", .phase = Phase::tidy, .rewrite = view_of_nothing},
            {.name = "neutral element", .phase = Phase::tidy, .rewrite = neutral},
            {.name = "common subexpression", .phase = Phase::tidy, .rewrite = again},
            {.name = "transposes in a row", .phase = Phase::tidy, .rewrite = transposes, .may_stay = true},
            {.name = "views in a row", .phase = Phase::tidy, .rewrite = views, .may_stay = true}};
}

}  // namespace ascendsim::networks
