// SPDX-License-Identifier: Apache-2.0
#include "networks/patterns/activation_node.hpp"

#include <algorithm>
#include <array>

namespace ascendsim::networks {
namespace {

using loops::Op;

constexpr double far = 1e38;  // of a bound that is left out

/// A bound of Clip: an attribute in older opsets, else an operand.
double bound(const PatternView& view,
             const Node& node,
             std::size_t operand,
             std::string_view attribute,
             double otherwise) {
    if (node.has(attribute)) {
        return std::clamp(node.real(attribute, otherwise), -far, far);
    }
    if (node.inputs.size() <= operand || node.inputs[operand].empty()) {
        return otherwise;
    }
    const std::vector<double>* elements = view.elements(node.inputs[operand]);
    if (elements == nullptr || elements->size() != 1) {
        throw NoMatch{"not_constant",
                      "'{}', a bound of {}, is computed while the network runs",
                      node.inputs[operand],
                      node.title()};
    }
    return std::clamp(elements->front(), -far, far);
}

}  // namespace

bool is_activation(const Node& node) {
    constexpr std::array<std::string_view, 17> names{"Relu",
                                                     "LeakyRelu",
                                                     "Clip",
                                                     "HardSwish",
                                                     "Sigmoid",
                                                     "Tanh",
                                                     "Silu",
                                                     "Gelu",
                                                     "PRelu",
                                                     "Elu",
                                                     "Selu",
                                                     "Celu",
                                                     "HardSigmoid",
                                                     "Softplus",
                                                     "Softsign",
                                                     "ThresholdedRelu",
                                                     "Mish"};
    return std::ranges::find(names, node.op) != names.end() && node.outputs.size() == 1;
}

std::optional<Activation> activation_of(const PatternView& view, std::size_t index, std::string_view kernel) {
    const Node& node = view.node(index);
    if (!is_activation(node)) {
        return std::nullopt;
    }
    if (node.op == "Relu") {
        return Activation{.op = Op::relu};
    }
    if (node.op == "LeakyRelu") {
        return Activation{.op = Op::leaky_relu, .constants = {node.real("alpha", 0.01)}};
    }
    if (node.op == "Clip") {
        const double low = bound(view, node, 1, "min", -far);
        return Activation{.op = Op::clip, .constants = {low, bound(view, node, 2, "max", far)}};
    }
    if (node.op == "HardSwish") {
        return Activation{.op = Op::hard_swish};
    }
    if (node.op == "Sigmoid" || node.op == "Tanh") {
        return Activation{.op = node.op == "Tanh" ? Op::tanh : Op::sigmoid};
    }
    if (node.op == "Silu") {
        return Activation{.op = Op::silu};
    }
    if (node.op == "Gelu") {
        const bool exact = node.word("approximate", "none") == "none";
        return Activation{.op = exact ? Op::gelu_erf : Op::gelu_tanh};
    }
    throw NoMatch{"other_form", "the kernel {} has no {}", kernel, node.op};
}

}  // namespace ascendsim::networks
