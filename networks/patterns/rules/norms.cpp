// SPDX-License-Identifier: Apache-2.0
// A sum or an activation beside a norm, which a kernel does in one pass over its rows:
//   residual + norm      s = x + r; y = norm(s), with both results      norm of layers or of mean squares
//   norm + GELU          y = gelu(norm(x))                              by tanh
#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

bool normalises_rows(const PatternView& view, const Node& norm) {
    const Tensor* x = view.tensor(norm.inputs[0]);
    if (norm.outputs.size() != 1 || x == nullptr || x->shape.empty()) {
        return false;
    }
    const std::int64_t axis = norm.integer("axis", -1);
    return axis == -1 || axis + 1 == static_cast<std::int64_t>(x->shape.size());
}

std::optional<Rewriting> residual_norm(const PatternView& view, std::size_t index) {
    const Node& norm = view.node(index);
    const bool layer = norm.op == "LayerNormalization";
    if ((!layer && norm.op != "RMSNormalization") || !normalises_rows(view, norm) ||
        (layer && norm.inputs.size() < 3)) {
        return std::nullopt;
    }
    const std::size_t sum = view.maker(norm.inputs[0]);
    if (sum == view.graph().nodes.size() || view.node(sum).op != "Add") {
        return std::nullopt;
    }
    const Node& add = view.node(sum);
    const Tensor* a = view.tensor(add.inputs[0]);
    const Tensor* b = view.tensor(add.inputs[1]);
    if (a == nullptr || b == nullptr) {
        return std::nullopt;
    }
    if (a->shape != b->shape) {
        throw NoMatch{"other_shape",
                      "{} and {} differ: the kernel row_norm adds a residual of the same extents",
                      a->text(),
                      b->text()};
    }
    if (view.chip().arch != "2201") {
        throw NoMatch{"not_on_this_chip",
                      "the kernel row_norm needs copies with padding, which {} does not have",
                      view.chip().name};
    }
    std::vector<std::string> inputs{add.inputs[0], add.inputs[1]};
    inputs.insert(inputs.end(), norm.inputs.begin() + 1, norm.inputs.end());
    Node node = replacing(view,
                          norm.outputs[0],
                          layer ? "AddLayerNormalization" : "AddRMSNormalization",
                          inputs,
                          {{"epsilon", norm.real("epsilon", 1e-5)}});
    node.outputs.push_back(add.outputs[0]);
    return Rewriting{.nodes = {sum, index}, .with = {std::move(node)}};
}

std::optional<Rewriting> norm_gelu(const PatternView& view, std::size_t index) {
    const Node& gelu = view.node(index);
    const std::size_t before = gelu.op == "Gelu" ? view.maker(gelu.inputs[0]) : view.graph().nodes.size();
    if (before == view.graph().nodes.size() || view.node(before).op != "LayerNormalization" ||
        !normalises_rows(view, view.node(before)) || view.node(before).inputs.size() < 3) {
        return std::nullopt;
    }
    if (gelu.word("approximate", "none") != "tanh") {
        throw NoMatch{"other_form", "the kernel layer_norm_gelu has GELU by tanh, and this one is exact"};
    }
    const Node& norm = view.node(before);
    return Rewriting{
        .nodes = {before, index},
        .with = {replacing(
            view, gelu.outputs[0], "LayerNormGelu", norm.inputs, {{"epsilon", norm.real("epsilon", 1e-5)}})}};
}

}  // namespace

Patterns norms_patterns() {
    return {{.name = "residual + norm", .phase = Phase::join, .rewrite = residual_norm},
            {.name = "LayerNorm + GELU", .phase = Phase::join, .rewrite = norm_gelu}};
}

}  // namespace ascendsim::networks
