// SPDX-License-Identifier: Apache-2.0
#include "networks/operators/activation.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ascendsim::networks {
namespace {

using loops::Op;

constexpr std::array<std::pair<Op, std::string_view>, 9> words{{{Op::relu, "relu"},
                                                                {Op::leaky_relu, "leaky_relu"},
                                                                {Op::clip, "clip"},
                                                                {Op::hard_swish, "hard_swish"},
                                                                {Op::sigmoid, "sigmoid"},
                                                                {Op::tanh, "tanh"},
                                                                {Op::silu, "silu"},
                                                                {Op::gelu_tanh, "gelu_tanh"},
                                                                {Op::gelu_erf, "gelu_erf"}}};

}  // namespace

Activation activation_named(std::string_view word, std::vector<double> constants) {
    const auto* found = std::ranges::find(words, word, [](const auto& one) { return one.second; });
    if (found == words.end()) {
        throw Refused{"no activation '{}'", word};
    }
    return {.op = found->first, .constants = std::move(constants)};
}

std::optional<std::string> activation_word(Op op) {
    const auto* found = std::ranges::find(words, op, [](const auto& one) { return one.first; });
    return found == words.end() ? std::nullopt : std::optional{std::string{found->second}};
}

Activation activation_in(const Node& node) {
    const std::string word = node.word("activation", "");
    if (word.empty()) {
        return {};
    }
    std::vector<double> constants;
    for (const char* name : {"low", "high"}) {
        if (node.has(name)) {
            constants.push_back(node.real(name, 0));
        }
    }
    return activation_named(word, std::move(constants));
}

void put_activation(Node& node, const Activation& activation) {
    node.attributes["activation"] = *activation_word(activation.op);
    for (std::size_t i = 0; i < activation.constants.size(); ++i) {
        node.attributes[i == 0 ? "low" : "high"] = activation.constants[i];
    }
}

void add_finish(Task& task, const Finish& finish) {
    if (finish.bias) {
        task.knobs.emplace_back("bias", true);
    }
    if (finish.activation.op == Op::copy) {
        return;
    }
    task.knobs.emplace_back("activation", *activation_word(finish.activation.op));
    const std::vector<double>& constants = finish.activation.constants;
    for (std::size_t i = 0; i < constants.size(); ++i) {
        task.knobs.emplace_back(i == 0 ? "low" : "high", constants[i]);
    }
}

Part activated(Steps& steps, const Part& part, const Activation& activation) {
    return activation.op == Op::copy ? part : steps.element(activation.op, {part}, activation.constants);
}

}  // namespace ascendsim::networks
