// SPDX-License-Identifier: Apache-2.0
#include "networks/training/recurrence.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ascendsim::networks {
namespace {

using Integers = std::vector<std::int64_t>;
using Shapes = std::map<std::string, host::Shape, std::less<>>;

/// One LSTM as the operators of its steps: z = x W^T + h R^T + b, the gates i, o, f and g of it,
/// c' = f c + i g, h' = o tanh(c').
class Unrolling {
public:
    Unrolling(const Node& node, std::int64_t hidden, std::int64_t width, std::uint64_t steps)
        : node_{node}, hidden_{hidden}, width_{width}, steps_{steps} {}

    std::vector<Node> nodes() {
        const std::string recurrent = seen(node_.inputs[2], {4 * hidden_, hidden_});
        const std::vector<std::string> inputs = products_of_inputs();
        std::string h = has(5) ? seen(node_.inputs[5], {-1, hidden_}) : "";
        std::string c = has(6) ? seen(node_.inputs[6], {-1, hidden_}) : "";
        std::vector<std::string> states;
        for (std::uint64_t step = 0; step < steps_; ++step) {
            const std::string z =
                h.empty() ? inputs[step]
                          : one("Gemm", {h, recurrent, inputs[step]}, {{"transB", std::int64_t{1}}});
            const std::vector<std::string> gates = many("Split", {z}, 4, {{"axis", std::int64_t{1}}});
            const std::string fresh = one("Mul", {one("Sigmoid", {gates[0]}), one("Tanh", {gates[3]})});
            c = c.empty() ? fresh : one("Add", {one("Mul", {one("Sigmoid", {gates[2]}), c}), fresh});
            h = one("Mul", {one("Sigmoid", {gates[1]}), one("Tanh", {c})});
            states.push_back(seen(h, {1, 1, -1, hidden_}));
        }
        name_results(states, h, c);
        return std::move(nodes_);
    }

private:
    [[nodiscard]] bool has(std::size_t input) const {
        return input < node_.inputs.size() && !node_.inputs[input].empty();
    }

    std::vector<std::string> many(std::string op,
                                  std::vector<std::string> inputs,
                                  std::size_t results,
                                  std::map<std::string, Attribute, std::less<>> attributes = {}) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < results; ++i) {
            names.push_back(fmt::format("{}/{}_{}", node_.outputs.at(0), op, next_++));
        }
        nodes_.push_back({.name = names[0],
                          .op = std::move(op),
                          .inputs = std::move(inputs),
                          .outputs = names,
                          .attributes = std::move(attributes)});
        return names;
    }

    std::string one(std::string op,
                    std::vector<std::string> inputs,
                    std::map<std::string, Attribute, std::less<>> attributes = {}) {
        return many(std::move(op), std::move(inputs), 1, std::move(attributes))[0];
    }

    std::string seen(const std::string& tensor, Integers shape) {
        return one("Reshape", {tensor}, {{"shape", std::move(shape)}});
    }

    /// Of all steps at once, and cut into steps.
    std::vector<std::string> products_of_inputs() {
        const std::string rows = seen(node_.inputs[0], {-1, width_});
        std::vector<std::string> operands{rows, seen(node_.inputs[1], {4 * hidden_, width_})};
        if (has(3)) {
            const std::vector<std::string> both =
                many("Split", {node_.inputs[3]}, 2, {{"axis", std::int64_t{1}}});
            operands.push_back(seen(one("Add", both), {4 * hidden_}));
        }
        const std::string all = one("Gemm", operands, {{"transB", std::int64_t{1}}});
        return steps_ == 1 ? std::vector{all} : many("Split", {all}, steps_, {{"axis", std::int64_t{0}}});
    }

    void name_results(const std::vector<std::string>& states, const std::string& h, const std::string& c) {
        const auto named = [this](std::size_t index) {
            return index < node_.outputs.size() && !node_.outputs[index].empty();
        };
        const auto make =
            [this](std::size_t index, std::string op, std::vector<std::string> inputs, auto... of) {
                nodes_.push_back({.name = node_.outputs[index],
                                  .op = std::move(op),
                                  .inputs = std::move(inputs),
                                  .outputs = {node_.outputs[index]},
                                  .attributes = {of...}});
            };
        using Entry = std::pair<const std::string, Attribute>;
        if (named(0)) {
            make(0, "Concat", states, Entry{"axis", std::int64_t{0}});
        }
        const Integers last{1, -1, hidden_};
        if (named(1)) {
            make(1, "Reshape", {h}, Entry{"shape", last});
        }
        if (named(2)) {
            make(2, "Reshape", {c}, Entry{"shape", last});
        }
    }

    const Node& node_;
    std::int64_t hidden_;
    std::int64_t width_;
    std::uint64_t steps_;
    std::vector<Node> nodes_;
    std::size_t next_ = 0;
};

bool is_plain(const Node& node, const Tensors& tensors) {
    const auto has = [&](std::size_t i) { return i < node.inputs.size() && !node.inputs[i].empty(); };
    return node.op == "LSTM" && node.outputs.at(0) != "" && node.word("direction", "forward") == "forward" &&
           node.integer("layout", 0) == 0 && node.integer("input_forget", 0) == 0 && !node.has("clip") &&
           !node.has("activations") && !has(4) && !has(7) && tensors.contains(node.inputs.at(0)) &&
           tensors.contains(node.inputs.at(2));
}

}  // namespace

void unroll_recurrences(Graph& graph, const Tensors& tensors) {
    std::vector<Node> nodes;
    for (const Node& node : graph.nodes) {
        if (!is_plain(node, tensors)) {
            nodes.push_back(node);
            continue;
        }
        const host::Shape& x = tensors.at(node.inputs[0]).shape;
        const std::vector<Node> steps =
            Unrolling{node,
                      static_cast<std::int64_t>(tensors.at(node.inputs[2]).shape.back()),
                      static_cast<std::int64_t>(x.back()),
                      x.front()}
                .nodes();
        nodes.insert(nodes.end(), steps.begin(), steps.end());
    }
    graph.nodes = std::move(nodes);
}

}  // namespace ascendsim::networks
