// SPDX-License-Identifier: Apache-2.0
// An activation behind a convolution becomes part of its kernel, which has the sums in hand:
//   y = f(W * x + b)      one launch; W * x is neither written nor read again on coupled chips, and by ReLU
//                         (Fixpipe) on split ones, where for other f the vector cores take it out of L2
// A batch norm between both has become part of W and b before (batch_norm.cpp).
#include "networks/patterns/activation_node.hpp"

namespace ascendsim::networks {
namespace {

std::optional<Rewriting> activated_convolution(const PatternView& view, std::size_t index) {
    const Node& node = view.node(index);
    const std::size_t before = is_activation(node) ? view.maker(node.inputs[0]) : view.graph().nodes.size();
    if (before == view.graph().nodes.size()) {
        return std::nullopt;
    }
    const Node& conv = view.node(before);
    if ((conv.op != "Conv" && conv.op != "ConvTranspose") || conv.has("activation") ||
        !view.planned(before).refusal.empty()) {
        return std::nullopt;
    }
    const std::vector<Task>& tasks = view.planned(before).tasks;
    if (tasks.size() != 1 || tasks[0].kernel != "conv2d") {
        throw NoMatch{"other_form",
                      "{} is no single kernel conv2d here, but {} others, of which the last is {}",
                      conv.title(),
                      tasks.size(),
                      tasks.empty() ? "none" : kernel_name(tasks.back())};
    }
    const std::optional<Activation> activation = activation_of(view, index, "conv2d");
    Node with = replacing(view, node.outputs[0], conv.op, conv.inputs, conv.attributes);
    with.name = conv.name;
    put_activation(with, *activation);
    return Rewriting{.nodes = {before, index}, .with = {std::move(with)}};
}

}  // namespace

Patterns activated_convolution_patterns() {
    return {{.name = "Conv + activation", .phase = Phase::join, .rewrite = activated_convolution}};
}

}  // namespace ascendsim::networks
