// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding, as exports write it, becomes the kernel rotary:
//   y = x cos + [-x2 | x1] sin, where x = [x1 | x2] are the halves of a head
// Each token has its own angles, and all heads of it the same: rotating and transposing tokens and heads may
// change places, y = turn(x) -> turn(rotated x). What is left behind the rotation is the transpose that
// attention takes in (rules/attention.cpp).
#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

using Axes = std::vector<std::int64_t>;

const Axes heads_first{0, 2, 1, 3};

Expression sum_of_turned(const Expression& first_half, const Expression& second_half) {
    const Expression turned = op({"Concat"}, {op({"Neg"}, {second_half}), first_half}, "concat");
    return op({"Add"}, {op({"Mul"}, {any("x"), any("cos")}), op({"Mul"}, {turned, any("sin")})});
}

const Expression& rotary_sum() {
    static const Expression slices = sum_of_turned(op({"Slice"}, {}, "low"), op({"Slice"}, {}, "high"));
    return slices;
}

/// True if a Slice takes elements from `begin` to `end` of the last axis of x.
bool takes_half(const PatternView& view, std::size_t index, const std::string& x, std::uint64_t begin) {
    const Node& slice = view.node(index);
    const Tensor* from = view.tensor(x);
    const Tensor* made = view.tensor(slice.outputs[0]);
    const Tensor* starts = slice.inputs.size() > 1 ? view.tensor(slice.inputs[1]) : nullptr;
    if (slice.inputs[0] != x || from == nullptr || made == nullptr || starts == nullptr || !starts->known() ||
        starts->count() != 1 || made->shape.back() * 2 != from->shape.back()) {
        return false;
    }
    const Tensor* steps = slice.inputs.size() > 4 ? view.tensor(slice.inputs[4]) : nullptr;
    const bool dense = steps == nullptr || (steps->known() && steps->values->front() == 1);
    const double first = starts->values->front();
    const double extent = static_cast<double>(from->shape.back());
    return dense && (first < 0 ? first + extent : first) == static_cast<double>(begin);
}

/// Cosines or sines of [tokens, width], perhaps with axes of one before.
bool is_table(const Tensor* table, std::uint64_t tokens, std::uint64_t width) {
    return table != nullptr && table->shape.size() >= 2 && table->shape.back() == width &&
           table->shape[table->shape.size() - 2] == tokens && table->count() == tokens * width;
}

void check_rotary(const PatternView& view, const Found& found) {
    const Tensor& x = *view.tensor(found.tensors.at("x"));
    const std::uint64_t width = x.shape.back();
    if (width % 32 != 0) {
        throw NoMatch{"other_shape", "the kernel rotary takes heads of 32, 64, … elements, not of {}", width};
    }
    for (const std::string name : {"cos", "sin"}) {
        const Tensor* table = view.tensor(found.tensors.at(name));
        if (!is_table(table, x.shape[x.shape.size() - 2], width)) {
            throw NoMatch{"other_shape",
                          "the kernel rotary takes a row of angles for each token, and {} are {}",
                          name == "cos" ? "cosines" : "sines",
                          table == nullptr ? "not known" : table->text()};
        }
    }
    if (x.type != isa::DataType::half && x.type != isa::DataType::bfloat16 &&
        x.type != isa::DataType::float32) {
        throw NoMatch{"other_type", "the kernel rotary does not take {}", isa::name(x.type)};
    }
}

std::optional<Rewriting> rotary(const PatternView& view, std::size_t index) {
    const std::string& y = view.node(index).outputs[0];
    std::optional<Found> found = match(view, rotary_sum(), y);
    const Tensor* x = found ? view.tensor(found->tensors.at("x")) : nullptr;
    if (x == nullptr || x->shape.size() < 2 ||
        !takes_half(view, found->nodes.at("low"), found->tensors.at("x"), 0) ||
        !takes_half(view, found->nodes.at("high"), found->tensors.at("x"), x->shape.back() / 2)) {
        return std::nullopt;
    }
    check_rotary(view, *found);
    const std::string& from = found->tensors.at("x");
    const std::size_t maker = view.maker(from);
    const bool turned = maker != view.graph().nodes.size() && view.node(maker).op == "Transpose" &&
                        view.node(maker).integers("perm", {}) == heads_first;
    const std::string& cos = found->tensors.at("cos");
    const std::string& sin = found->tensors.at("sin");
    if (!turned) {
        return Rewriting{.nodes = found->all,
                         .with = {replacing(
                             view, y, "RotaryEmbedding", {from, cos, sin}, {{"by_token", std::int64_t{0}}})}};
    }
    found->all.insert(maker);
    Node rotated = replacing(
        view, y, "RotaryEmbedding", {view.node(maker).inputs[0], cos, sin}, {{"by_token", std::int64_t{1}}});
    rotated.outputs = {y + "_by_token"};
    Node turn = replacing(view, y, "Transpose", {rotated.outputs[0]}, {{"perm", heads_first}});
    turn.name += "_by_head";
    return Rewriting{.nodes = found->all, .with = {std::move(rotated), std::move(turn)}};
}

}  // namespace

Patterns rotary_patterns() {
    return {{.name = "rotary embedding", .phase = Phase::recognise, .rewrite = rotary, .may_stay = true}};
}

}  // namespace ascendsim::networks
