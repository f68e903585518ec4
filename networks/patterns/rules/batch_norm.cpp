// SPDX-License-Identifier: Apache-2.0
// A batch norm behind a product with weights becomes part of them:
//   g (W x + b - m) / sqrt(v + e) + beta = W' x + b'
//   W' = W f, b' = (b - m) f + beta, with f = g / sqrt(v + e) for each output channel
#include <cmath>
#include <string_view>

#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

using Weights = std::vector<double>;

/// The statistics of a batch norm by channel.
struct Statistics {
    const Weights* scale = nullptr;
    const Weights* bias = nullptr;
    const Weights* mean = nullptr;
    const Weights* variance = nullptr;
    double epsilon = 0;

    [[nodiscard]] bool known() const {
        return scale != nullptr && bias != nullptr && mean != nullptr && variance != nullptr;
    }

    [[nodiscard]] double factor(std::size_t channel) const {
        return scale->at(channel) / std::sqrt(variance->at(channel) + epsilon);
    }
};

Statistics statistics_of(const PatternView& view, const Node& norm) {
    return {.scale = view.elements(norm.inputs[1]),
            .bias = view.elements(norm.inputs[2]),
            .mean = view.elements(norm.inputs[3]),
            .variance = view.elements(norm.inputs[4]),
            .epsilon = norm.real("epsilon", 1e-5)};
}

/// `channel_of` names the output channel of each weight.
template <class ChannelOf>
Tensor folded_weights(const Tensor& weights,
                      const Weights* elements,
                      const Statistics& norm,
                      ChannelOf channel_of) {
    Tensor folded{.type = weights.type, .shape = weights.shape, .values = {}};
    if (elements == nullptr || !norm.known()) {
        return folded;
    }
    Weights values = *elements;
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] *= norm.factor(channel_of(i));
    }
    return constant(folded.type, folded.shape, std::move(values));
}

/// `bias` is null without one; `has_bias` says whether there is one.
Tensor folded_bias(
    const Tensor& like, std::uint64_t channels, const Weights* bias, bool has_bias, const Statistics& norm) {
    Tensor folded{.type = like.type, .shape = {channels}, .values = {}};
    if (!norm.known() || (has_bias && bias == nullptr)) {
        return folded;
    }
    Weights values(channels);
    for (std::size_t i = 0; i < channels; ++i) {
        const double before = has_bias ? bias->at(i) : 0;
        values[i] = (before - norm.mean->at(i)) * norm.factor(i) + norm.bias->at(i);
    }
    return constant(folded.type, folded.shape, std::move(values));
}

void check_folds(const PatternView& view, const Node& norm, const Node& product, const std::string& weights) {
    for (const std::string& name :
         {weights, norm.inputs[1], norm.inputs[2], norm.inputs[3], norm.inputs[4]}) {
        if (!view.weight(name)) {
            throw NoMatch{"not_constant",
                          "'{}' is computed while the network runs: the norm cannot become part of the "
                          "weights of {}",
                          name,
                          product.title()};
        }
    }
    if (norm.integer("training_mode", 0) != 0) {
        throw NoMatch{"not_constant", "{} takes the statistics of its batch", norm.title()};
    }
}

/// Each output channel has its statistics.
void check_channels(const PatternView& view, const Node& norm, std::uint64_t channels) {
    for (std::size_t i = 1; i < 5; ++i) {
        const Tensor* each = view.tensor(norm.inputs[i]);
        if (each == nullptr || each->count() != channels) {
            throw NoMatch{"other_shape",
                          "'{}' has {} numbers, for {} channels",
                          norm.inputs[i],
                          each == nullptr ? 0 : each->count(),
                          channels};
        }
    }
}

/// The node before a batch norm, if it is of this kind.
std::size_t before_norm(const PatternView& view, std::size_t index, std::string_view op_name) {
    const Node& norm = view.node(index);
    const std::size_t none = view.graph().nodes.size();
    if (norm.op != "BatchNormalization" || norm.inputs.size() != 5) {
        return none;
    }
    const std::size_t before = view.maker(norm.inputs[0]);
    const bool runs = before != none && view.planned(before).refusal.empty();
    return runs && view.node(before).op == op_name ? before : none;
}

/// Both nodes by one of the same kind as the product, with folded weights and bias.
Rewriting folded(
    const PatternView& view, std::size_t product, std::size_t norm, Tensor weights, Tensor bias) {
    const std::string& y = view.node(norm).outputs[0];
    const Node& before = view.node(product);
    Node node = replacing(
        view, y, before.op, {before.inputs[0], y + "_folded_weights", y + "_folded_bias"}, before.attributes);
    node.name = before.name;
    Rewriting rewriting{.nodes = {product, norm}, .with = {std::move(node)}};
    rewriting.constants = {{y + "_folded_weights", std::move(weights)},
                           {y + "_folded_bias", std::move(bias)}};
    return rewriting;
}

std::optional<Rewriting> conv_norm(const PatternView& view, std::size_t index) {
    const std::size_t conv = before_norm(view, index, "Conv");
    if (conv == view.graph().nodes.size()) {
        return std::nullopt;
    }
    const Node& node = view.node(conv);
    const Node& norm = view.node(index);
    check_folds(view, norm, node, node.inputs[1]);
    const Tensor& w = *view.tensor(node.inputs[1]);
    check_channels(view, norm, w.shape[0]);
    const std::uint64_t of_channel = w.count() / std::max<std::uint64_t>(w.shape[0], 1);
    const Statistics statistics = statistics_of(view, norm);
    const bool has_bias = node.inputs.size() > 2 && !node.inputs[2].empty();
    return folded(
        view,
        conv,
        index,
        folded_weights(
            w, view.elements(node.inputs[1]), statistics, [=](std::size_t i) { return i / of_channel; }),
        folded_bias(w, w.shape[0], has_bias ? view.elements(node.inputs[2]) : nullptr, has_bias, statistics));
}

std::optional<Rewriting> gemm_norm(const PatternView& view, std::size_t index) {
    const std::size_t gemm = before_norm(view, index, "Gemm");
    if (gemm == view.graph().nodes.size()) {
        return std::nullopt;
    }
    const Node& node = view.node(gemm);
    const Node& norm = view.node(index);
    check_folds(view, norm, node, node.inputs[1]);
    if (node.real("alpha", 1) != 1 || node.real("beta", 1) != 1) {
        throw NoMatch{"other_scale", "{} scales its operands", node.title()};
    }
    const Tensor& w = *view.tensor(node.inputs[1]);
    const bool turned = node.integer("transB", 0) != 0;
    const std::uint64_t channels = w.shape[turned ? 0 : 1];
    check_channels(view, norm, channels);
    const std::uint64_t depth = w.shape[turned ? 1 : 0];
    const bool has_bias = node.inputs.size() > 2 && !node.inputs[2].empty();
    if (has_bias && view.tensor(node.inputs[2])->count() != channels) {
        throw NoMatch{"other_shape", "the bias of {} is no row", node.title()};
    }
    const Statistics statistics = statistics_of(view, norm);
    return folded(
        view,
        gemm,
        index,
        folded_weights(w,
                       view.elements(node.inputs[1]),
                       statistics,
                       [=](std::size_t i) { return turned ? i / depth : i % channels; }),
        folded_bias(w, channels, has_bias ? view.elements(node.inputs[2]) : nullptr, has_bias, statistics));
}

/// A product of matrices without a Gemm around it, perhaps with a row added.
std::optional<Rewriting> matmul_norm(const PatternView& view, std::size_t index) {
    static const Expression product = op({"MatMul"}, {any("x"), any("w")}, "product");
    static const Expression whole = either({op({"Add"}, {product, any("bias")}), product});
    const Node& norm = view.node(index);
    if (norm.op != "BatchNormalization" || norm.inputs.size() != 5) {
        return std::nullopt;
    }
    const std::optional<Found> found = match(view, whole, norm.inputs[0]);
    const Tensor* w = found ? view.tensor(found->tensors.at("w")) : nullptr;
    const Tensor* x = found ? view.tensor(found->tensors.at("x")) : nullptr;
    if (w == nullptr || x == nullptr || w->shape.size() != 2 || x->shape.size() != 2) {
        return std::nullopt;
    }
    const auto bias = found->tensors.find("bias");
    const bool has_bias = bias != found->tensors.end();
    const Node& node = view.node(found->nodes.at("product"));
    check_folds(view, norm, node, found->tensors.at("w"));
    if (has_bias && (!view.weight(bias->second) || view.tensor(bias->second)->count() != w->shape[1])) {
        throw NoMatch{"other_shape", "what is added to {} is no row of weights", node.title()};
    }
    const Statistics statistics = statistics_of(view, norm);
    const std::uint64_t channels = w->shape[1];
    check_channels(view, norm, channels);
    const Weights* row = has_bias ? view.elements(bias->second) : nullptr;
    const std::string& y = norm.outputs[0];
    Rewriting rewriting{
        .nodes = found->all,
        .with = {
            replacing(view, y, "Gemm", {found->tensors.at("x"), y + "_folded_weights", y + "_folded_bias"})}};
    rewriting.nodes.insert(index);
    rewriting.constants = {{y + "_folded_weights",
                            folded_weights(*w,
                                           view.elements(found->tensors.at("w")),
                                           statistics,
                                           [=](std::size_t i) { return i % channels; })},
                           {y + "_folded_bias", folded_bias(*w, channels, row, has_bias, statistics)}};
    return rewriting;
}

}  // namespace

Patterns batch_norm_patterns() {
    // Chips that copy whole blocks alone cannot run a norm of a few channels by itself; folded it takes
    // nothing.
    return {{.name = "Conv + BatchNorm", .phase = Phase::fold, .rewrite = conv_norm, .mends = true},
            {.name = "Linear + BatchNorm", .phase = Phase::fold, .rewrite = gemm_norm, .mends = true},
            {.name = "MatMul + BatchNorm", .phase = Phase::fold, .rewrite = matmul_norm, .mends = true}};
}

}  // namespace ascendsim::networks
