// SPDX-License-Identifier: Apache-2.0
// The quantisation of each row of a norm's result by its largest magnitude, in one pass with the norm:
//   n = norm(x) or norm(x + r); scale = max |n| / 127; q = int8(round(n / scale))
#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

/// max |n| / 127 over the last axis.
Expression scale_of_rows(const Expression& n) {
    const Expression largest = op({"ReduceMax"}, {op({"Abs"}, {n})}, "largest");
    return either(
        {op({"Div"}, {largest, number(127)}, "scale"), op({"Mul"}, {largest, number(1.0 / 127)}, "scale")});
}

const Expression& quantised_rows() {
    static const Expression n = any("n");
    static const Expression rounded = op({"Round"}, {op({"Div"}, {n, scale_of_rows(n)})});
    static const Expression whole =
        op({"Cast"}, {either({op({"Clip"}, {rounded, any("low"), any("high")}), rounded})});
    return whole;
}

bool over_last_axis(const PatternView& view, const Node& reduction) {
    const Tensor* x = view.tensor(reduction.inputs[0]);
    const auto rank = static_cast<std::int64_t>(x == nullptr ? 0 : x->shape.size());
    const std::vector<std::int64_t> axes = reduction.integers("axes", {});
    return axes.size() == 1 && (axes[0] == -1 || axes[0] + 1 == rank) &&
           reduction.integer("keepdims", 1) == 1;
}

std::optional<Rewriting> quantised_norm(const PatternView& view, std::size_t index) {
    const Node& cast = view.node(index);
    const auto found = match(view, quantised_rows(), cast.outputs[0]);
    const Tensor* q = found ? view.tensor(cast.outputs[0]) : nullptr;
    const std::size_t maker = found ? view.maker(found->tensors.at("n")) : view.graph().nodes.size();
    if (q == nullptr || q->type != isa::DataType::int8 || maker == view.graph().nodes.size() ||
        !over_last_axis(view, view.node(found->nodes.at("largest")))) {
        return std::nullopt;
    }
    const Node& norm = view.node(maker);
    const bool sum = norm.op == "AddLayerNormalization" || norm.op == "AddRMSNormalization";
    const bool layer = norm.op == "AddLayerNormalization" || norm.op == "LayerNormalization";
    if (!sum && norm.op != "LayerNormalization" && norm.op != "RMSNormalization") {
        return std::nullopt;
    }
    if (layer && norm.inputs.size() < (sum ? 4U : 3U)) {
        throw NoMatch{
            "other_form", "the kernel row_norm adds a row behind a LayerNorm, and {} has none", norm.title()};
    }
    if (view.chip().arch != "2201") {
        throw NoMatch{"not_on_this_chip",
                      "the kernel row_norm needs copies with padding, which {} does not have",
                      view.chip().name};
    }
    Node node = replacing(view,
                          cast.outputs[0],
                          "QuantisedNorm",
                          norm.inputs,
                          {{"epsilon", norm.real("epsilon", 1e-5)},
                           {"layer", std::int64_t{layer ? 1 : 0}},
                           {"residual", std::int64_t{sum ? 1 : 0}}});
    node.outputs.push_back(view.node(found->nodes.at("scale")).outputs[0]);
    Rewriting rewriting{.nodes = found->all, .with = {}};
    rewriting.nodes.insert(maker);
    if (sum) {
        node.outputs.push_back(norm.outputs[1]);
    }
    rewriting.with = {std::move(node)};
    return rewriting;
}

}  // namespace

Patterns quantised_norm_patterns() {
    return {{.name = "norm + quantisation", .phase = Phase::join, .rewrite = quantised_norm}};
}

}  // namespace ascendsim::networks
