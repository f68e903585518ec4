// SPDX-License-Identifier: Apache-2.0
// softmax(s q k^T + mask) v, with s = 1 / sqrt(width of a head), becomes one kernel that never writes the
// scores. Transposes between tokens and heads around it disappear: the kernel reads either order.
//   q, v: [batch, heads, tokens, width], or transposed from [batch, tokens, heads, width]; k^T transposed
// Keys and values that are repeated for groups of heads are read where they lie: the kernel shares them.
#include <algorithm>
#include <cmath>

#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

using Indices = std::vector<std::int64_t>;

const Indices by_head{0, 2, 1, 3};         // [batch, tokens, heads, width] by head, and back
const Indices by_head_turned{0, 2, 3, 1};  // the same, with tokens last

/// A tensor, scaled or not.
Expression scaled(const Expression& x, const std::string& side) {
    return either(
        {op({"Mul"}, {x, some_number("times_" + side)}), op({"Div"}, {x, some_number("over_" + side)}), x});
}

const Expression& attention_chain() {
    static const Expression product =
        op({"MatMul"}, {scaled(any("q"), "q"), scaled(any("k"), "k")}, "scores");
    static const Expression scores = scaled(product, "scores");
    static const Expression softmax =
        op({"Softmax"}, {either({op({"Add"}, {scores, any("mask")}), scores})}, "softmax");
    static const Expression whole = op({"MatMul"}, {softmax, any("v")}, "product");
    return whole;
}

double scale_of(const Found& found) {
    double scale = 1;
    for (const std::string side : {"q", "k", "scores"}) {
        const auto times = found.numbers.find("times_" + side);
        const auto over = found.numbers.find("over_" + side);
        scale *= times != found.numbers.end() ? times->second : 1;
        scale /= over != found.numbers.end() ? over->second : 1;
    }
    return scale;
}

/// The operand of a Transpose with these axes; empty if it is none.
std::string transposed_from(const PatternView& view, const std::string& name, const Indices& axes) {
    const std::size_t index = view.maker(name);
    const bool is = index != view.graph().nodes.size() && view.node(index).op == "Transpose" &&
                    view.node(index).integers("perm", {}) == axes;
    return is ? view.node(index).inputs[0] : std::string{};
}

/// The node of this kind that makes a tensor; the number of nodes if another does.
std::size_t made_by(const PatternView& view, const std::string& name, std::string_view kind) {
    const std::size_t index = view.maker(name);
    const std::size_t none = view.graph().nodes.size();
    return index != none && view.node(index).op == kind ? index : none;
}

/// Keys or values before each head of them was repeated for a group of query heads:
/// [batch, shared, tokens, width] -> [batch, shared, 1, tokens, width] -> spread -> [batch, heads, ..].
std::string not_repeated(const PatternView& view, const std::string& name, std::set<std::size_t>& nodes) {
    const std::size_t none = view.graph().nodes.size();
    const std::size_t reshape = made_by(view, name, "Reshape");
    const std::size_t expand = reshape == none ? none : made_by(view, view.node(reshape).inputs[0], "Expand");
    std::size_t unsqueeze = expand == none ? none : made_by(view, view.node(expand).inputs[0], "Unsqueeze");
    if (expand != none && unsqueeze == none) {
        unsqueeze = made_by(view, view.node(expand).inputs[0], "Reshape");
    }
    if (unsqueeze == none) {
        return name;
    }
    const std::string& from = view.node(unsqueeze).inputs[0];
    const Tensor* x = view.tensor(from);
    const Tensor* wide = view.tensor(view.node(expand).outputs[0]);
    const Tensor* y = view.tensor(name);
    if (x == nullptr || wide == nullptr || y == nullptr || x->shape.size() != 4 || wide->shape.size() != 5) {
        return name;
    }
    const host::Shape& s = x->shape;
    const std::uint64_t repeats = wide->shape[2];
    const bool repeated = wide->shape == host::Shape{s[0], s[1], repeats, s[2], s[3]} &&
                          y->shape == host::Shape{s[0], s[1] * repeats, s[2], s[3]};
    if (repeated) {
        nodes.insert({reshape, expand, unsqueeze});
    }
    return repeated ? from : name;
}

/// The last two axes exchanged.
Indices turned(std::size_t rank) {
    Indices axes(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        axes[i] = static_cast<std::int64_t>(i);
    }
    std::swap(axes[rank - 2], axes[rank - 1]);
    return axes;
}

/// The operands as the kernel takes them.
struct AttentionOperands {
    std::string q;
    std::string k;
    std::string v;
    bool by_token = false;         // [batch, tokens, heads, width]
    std::set<std::size_t> repeat;  // nodes that repeat keys and values
};

AttentionOperands operands_of(const PatternView& view, const Found& found, bool by_token) {
    const auto& at = found.tensors;
    const std::size_t rank = view.tensor(at.at("q"))->shape.size();
    AttentionOperands operands{.q = at.at("q"), .k = {}, .v = {}, .by_token = by_token, .repeat = {}};
    operands.k = not_repeated(view, transposed_from(view, at.at("k"), turned(rank)), operands.repeat);
    operands.v = not_repeated(view, at.at("v"), operands.repeat);
    if (!by_token) {
        return operands;
    }
    const std::string keys = operands.k;
    operands.q = transposed_from(view, at.at("q"), by_head);
    operands.k = keys.empty() ? transposed_from(view, at.at("k"), by_head_turned)
                              : transposed_from(view, keys, by_head);
    operands.v = transposed_from(view, operands.v, by_head);
    return operands;
}

void check_attention(const PatternView& view, const Found& found) {
    const Tensor& q = *view.tensor(found.tensors.at("q"));
    const double wanted = 1 / std::sqrt(static_cast<double>(q.shape.back()));
    constexpr double rounding = 2e-3;  // of a scale that is held as float16
    if (const double scale = scale_of(found); std::abs(scale / wanted - 1) > rounding) {
        throw NoMatch{
            "other_scale",
            "scores are scaled by {:.6g}, and the attention kernel scales them by 1 / sqrt({}) = {:.6g}",
            scale,
            q.shape.back(),
            wanted};
    }
    if (!view.chip().cores.split) {
        throw NoMatch{"not_on_this_chip",
                      "the attention kernel needs separate cube and vector cores; {} has whole cores",
                      view.chip().name};
    }
    if (q.type != isa::DataType::half && q.type != isa::DataType::bfloat16) {
        throw NoMatch{
            "other_type", "the attention kernel takes float16 and bfloat16, not {}", isa::name(q.type)};
    }
    const std::int64_t axis = view.node(found.nodes.at("softmax")).integer("axis", -1);
    if (axis != -1 && axis + 1 != static_cast<std::int64_t>(q.shape.size())) {
        throw NoMatch{"other_shape", "softmax runs over axis {}, and not over the keys", axis};
    }
}

/// The kernel takes one mask, or one for each sequence, for all heads alike.
void check_mask(const PatternView& view, const std::string& mask, std::size_t rank) {
    const Tensor* tensor = view.tensor(mask);
    const host::Shape shape = tensor == nullptr ? host::Shape{} : tensor->shape;
    const bool differs = rank == 4 && shape.size() >= 3 && shape[shape.size() - 3] != 1;
    if (tensor == nullptr || shape.size() > rank || differs) {
        throw NoMatch{"other_shape",
                      "mask {} differs by head, and the attention kernel takes one for all heads",
                      tensor == nullptr ? mask : tensor->text()};
    }
}

/// [batch, heads, tokens, width] of an operand; [batch, tokens, width] has one head.
struct HeadShape {
    std::uint64_t batch = 1;
    std::uint64_t heads = 1;
    std::uint64_t tokens = 1;
    std::uint64_t width = 1;
};

HeadShape heads_of(const host::Shape& shape, bool by_token) {
    return shape.size() == 3 ? HeadShape{shape[0], 1, shape[1], shape[2]}
           : by_token        ? HeadShape{shape[0], shape[2], shape[1], shape[3]}
                             : HeadShape{shape[0], shape[1], shape[2], shape[3]};
}

/// True if the operands go together: as many sequences, keys of the width of queries, a value to each key.
bool go_together(const PatternView& view, const AttentionOperands& operands) {
    const Tensor* q = view.tensor(operands.q);
    const Tensor* k = view.tensor(operands.k);
    const Tensor* v = view.tensor(operands.v);
    if (q == nullptr || k == nullptr || v == nullptr || q->shape.size() != k->shape.size() ||
        q->shape.size() != v->shape.size() || (q->shape.size() != 4 && q->shape.size() != 3)) {
        return false;
    }
    const HeadShape queries = heads_of(q->shape, operands.by_token);
    const HeadShape keys = heads_of(k->shape, operands.by_token);
    const HeadShape values = heads_of(v->shape, operands.by_token);
    return queries.batch == keys.batch && keys.batch == values.batch && keys.heads != 0 &&
           queries.heads % keys.heads == 0 && keys.heads == values.heads && queries.width == keys.width &&
           keys.tokens == values.tokens;
}

/// True if one of the nodes reads what a node makes.
bool leads_to(const PatternView& view, std::size_t index, const std::set<std::size_t>& nodes) {
    return std::ranges::any_of(view.readers(view.node(index).outputs[0]),
                               [&](std::size_t reader) { return nodes.contains(reader); });
}

std::optional<Rewriting> rewritten(const PatternView& view,
                                   Found found,
                                   const std::string& y,
                                   const AttentionOperands& operands) {
    if (operands.q.empty() || operands.k.empty() || operands.v.empty() || !go_together(view, operands)) {
        return std::nullopt;
    }
    check_attention(view, found);
    const HeadShape q = heads_of(view.tensor(operands.q)->shape, operands.by_token);
    const HeadShape k = heads_of(view.tensor(operands.k)->shape, operands.by_token);
    found.all.insert(view.maker(found.tensors.at("k")));
    found.all.insert(operands.repeat.begin(), operands.repeat.end());
    std::vector<std::string> inputs{operands.q, operands.k, operands.v};
    Rewriting rewriting;
    if (const auto mask = found.tensors.find("mask"); mask != found.tensors.end()) {
        check_mask(view, mask->second, view.tensor(operands.q)->shape.size());
        const std::string spread = y + "_mask";
        inputs.push_back(spread);
        Node node = replacing(view,
                              y,
                              "AttentionMask",
                              {mask->second},
                              {{"queries", static_cast<std::int64_t>(q.tokens)},
                               {"keys", static_cast<std::int64_t>(k.tokens)}});
        node.name = mask->second + "_spread";
        node.outputs = {spread};
        rewriting.with.push_back(std::move(node));
    }
    if (operands.by_token) {  // the transposes to heads
        found.all.insert(view.maker(found.tensors.at("q")));
        for (const std::string& operand : {operands.k, operands.v}) {
            for (const std::size_t reader : view.readers(operand)) {
                const Node& turn = view.node(reader);
                const bool to_heads = turn.op == "Transpose" && turn.integers("perm", {}) == by_head;
                if (to_heads && leads_to(view, reader, found.all)) {
                    found.all.insert(reader);
                }
            }
        }
    }
    rewriting.nodes = std::move(found.all);
    rewriting.with.push_back(
        replacing(view, y, "Attention", inputs, {{"by_token", std::int64_t{operands.by_token ? 1 : 0}}}));
    return rewriting;
}

/// Where all operands come from tokens and the result goes back to tokens.
std::optional<Rewriting> attention_by_token(const PatternView& view, std::size_t index) {
    const std::string& y = view.node(index).outputs[0];
    const std::string product = transposed_from(view, y, by_head);
    std::optional<Found> found = product.empty() ? std::nullopt : match(view, attention_chain(), product);
    if (!found) {
        return std::nullopt;
    }
    found->all.insert(index);
    return rewritten(view, *found, y, operands_of(view, *found, true));
}

std::optional<Rewriting> attention_by_head(const PatternView& view, std::size_t index) {
    const std::string& y = view.node(index).outputs[0];
    const std::optional<Found> found = match(view, attention_chain(), y);
    if (!found || view.tensor(found->tensors.at("q")) == nullptr ||
        view.tensor(found->tensors.at("q"))->shape.size() < 3) {
        return std::nullopt;
    }
    return rewritten(view, *found, y, operands_of(view, *found, false));
}

}  // namespace

Patterns attention_patterns() {
    return {
        {.name = "attention", .phase = Phase::join, .rewrite = attention_by_token, .may_stay = true},
        {.name = "attention by head", .phase = Phase::join, .rewrite = attention_by_head, .may_stay = true}};
}

}  // namespace ascendsim::networks
