// SPDX-License-Identifier: Apache-2.0
#include "networks/run/branches.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

std::string renamed(const std::string& name, const Names& names) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
}

/// The node with other names of tensors, in networks within it, too.
Node renamed(Node node, const Names& names) {
    for (std::vector<std::string>* list : {&node.inputs, &node.outputs}) {
        for (std::string& name : *list) {
            name = renamed(name, names);
        }
    }
    for (auto& [key, branch] : node.branches) {
        Graph inner = *branch;
        for (Node& one : inner.nodes) {
            one = renamed(std::move(one), names);
        }
        for (std::string& output : inner.outputs) {
            output = renamed(output, names);
        }
        branch = std::make_shared<const Graph>(std::move(inner));
    }
    return node;
}

/// True or false if it is known what an If decides by.
std::optional<bool> condition_of(const Node& node, const NetworkPlan& plan) {
    const auto found = node.inputs.empty() ? plan.tensors.end() : plan.tensors.find(node.inputs[0]);
    if (found == plan.tensors.end()) {
        return std::nullopt;
    }
    const Tensor& condition = found->second;
    if (!condition.known() || condition.values->empty()) {
        return std::nullopt;
    }
    return condition.values->front() != 0;
}

/// The nodes before `index`, with the given inputs that may steer operators as constants.
Graph before(const Graph& graph,
             std::size_t index,
             const std::map<std::string, host::Shape, std::less<>>& shapes,
             const Lowering& lowering) {
    constexpr std::size_t most_steering = 1024;  // elements of an input
    Graph result = graph;
    result.nodes.resize(index);
    std::erase_if(result.inputs, [&](const Input& input) {
        const auto given = lowering.given.find(input.name);
        const bool real = is_real(input.type);
        if (given == lowering.given.end() || real || given->second.size() > most_steering) {
            return false;
        }
        result.constants.emplace(input.name, constant(input.type, shapes.at(input.name), given->second));
        return true;
    });
    return result;
}

/// Puts the nodes of a branch in the place of node `index`. Both branches of all Ifs may use the same names
/// for what is their own, so these get the If's first output in front.
void take(Graph& graph, std::size_t index, bool condition) {
    const Node node = graph.nodes[index];
    const auto found = node.branches.find(condition ? "then_branch" : "else_branch");
    if (found == node.branches.end() || found->second->outputs.size() < node.outputs.size()) {
        throw UserError{
            "{}: it has no branch with {} outputs for this condition", node.title(), node.outputs.size()};
    }
    const Graph& branch = *found->second;
    Names names;
    const auto own = [&](const std::string& name) { names.emplace(name, node.outputs.at(0) + "/" + name); };
    for (const auto& [name, tensor] : branch.constants) {
        own(name);
    }
    for (const Node& one : branch.nodes) {
        std::ranges::for_each(one.outputs, [&](const std::string& name) {
            if (!name.empty()) {
                own(name);
            }
        });
    }
    std::vector<Node> nodes;
    for (const Node& one : branch.nodes) {
        nodes.push_back(renamed(one, names));
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        nodes.push_back({.name = node.name,
                         .op = "Identity",
                         .inputs = {renamed(branch.outputs[i], names)},
                         .outputs = {node.outputs[i]},
                         .attributes = {}});
    }
    for (const auto& [name, tensor] : branch.constants) {
        graph.constants.emplace(renamed(name, names), tensor);
    }
    const auto at = graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(index));
    graph.nodes.insert(at, std::make_move_iterator(nodes.begin()), std::make_move_iterator(nodes.end()));
}

}  // namespace

Graph with_known_branches(Graph graph,
                          const std::map<std::string, host::Shape, std::less<>>& shapes,
                          const Lowering& lowering) {
    constexpr std::size_t most_nodes = 100'000;
    std::size_t index = 0;
    while (graph.nodes.size() < most_nodes) {
        const auto next = std::find_if(graph.nodes.begin() + static_cast<std::ptrdiff_t>(index),
                                       graph.nodes.end(),
                                       [](const Node& node) { return node.op == "If"; });
        if (next == graph.nodes.end()) {
            return graph;
        }
        index = static_cast<std::size_t>(next - graph.nodes.begin());
        const std::optional<bool> condition = condition_of(
            graph.nodes[index], plan_network(before(graph, index, shapes, lowering), shapes, lowering));
        if (condition) {
            take(graph, index, *condition);
        } else {
            ++index;
        }
    }
    throw UserError{"branches within branches make more than {} nodes", most_nodes};
}

}  // namespace ascendsim::networks
