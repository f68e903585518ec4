// SPDX-License-Identifier: Apache-2.0
// SwiGLU: silu(x Wg) * (x Wu), two products and their gate, becomes the kernel swiglu, whose vector cores
// join the products while the cube makes the next ones.
#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

std::optional<Rewriting> gated_products(const PatternView& view, std::size_t index) {
    static const Expression gate = op({"MatMul"}, {any("x"), any("gate")});
    static const Expression up = op({"MatMul"}, {any("x"), any("up")});
    static const Expression whole =
        op({"Mul"}, {either({op({"Silu"}, {gate}), op({"Mul"}, {op({"Sigmoid"}, {gate}), gate})}), up});
    const std::string& y = view.node(index).outputs[0];
    const std::optional<Found> found = match(view, whole, y);
    if (!found) {
        return std::nullopt;
    }
    const Tensor& x = *view.tensor(found->tensors.at("x"));
    const Tensor& w = *view.tensor(found->tensors.at("gate"));
    if (w.shape.size() != 2 || view.tensor(found->tensors.at("up"))->shape != w.shape || x.shape.size() < 2) {
        return std::nullopt;
    }
    if (!view.chip().cores.split) {
        throw NoMatch{"not_on_this_chip",
                      "the kernel swiglu needs separate cube and vector cores; {} has whole cores",
                      view.chip().name};
    }
    if (x.type != isa::DataType::half) {
        throw NoMatch{"other_type", "the kernel swiglu takes float16, not {}", isa::name(x.type)};
    }
    return Rewriting{
        .nodes = found->all,
        .with = {replacing(view,
                           y,
                           "SwiGLU",
                           {found->tensors.at("x"), found->tensors.at("gate"), found->tensors.at("up")})}};
}

}  // namespace

Patterns gates_patterns() {
    return {{.name = "SwiGLU", .phase = Phase::join, .rewrite = gated_products}};
}

}  // namespace ascendsim::networks
