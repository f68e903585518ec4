// SPDX-License-Identifier: Apache-2.0
#include "networks/run/bodies.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ascendsim::networks {
namespace {

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

}  // namespace

Body body_of(const Graph& graph,
             const std::string& prefix,
             const std::string& constants_prefix,
             Names inputs) {
    Names names = std::move(inputs);
    Body body;
    for (const auto& [name, tensor] : graph.constants) {
        const std::string own = constants_prefix + "/" + name;
        names.insert_or_assign(name, own);
        body.constants.emplace(own, tensor);
    }
    for (const Node& one : graph.nodes) {
        for (const std::string& name : one.outputs) {
            if (!name.empty()) {
                names.insert_or_assign(name, prefix + "/" + name);
            }
        }
    }
    for (const Node& one : graph.nodes) {
        body.nodes.push_back(renamed(one, names));
    }
    for (const std::string& output : graph.outputs) {
        body.outputs.push_back(renamed(output, names));
    }
    return body;
}

std::size_t count_nodes(const Graph& graph) {
    std::size_t count = graph.nodes.size();
    for (const Node& node : graph.nodes) {
        for (const auto& [name, branch] : node.branches) {
            count += count_nodes(*branch);
        }
    }
    return count;
}

Node handed_on(const Node& of, std::string from, std::string to, std::string note) {
    Node node{.name = of.name,
              .op = "Identity",
              .inputs = {std::move(from)},
              .outputs = {std::move(to)},
              .attributes = {}};
    if (!note.empty()) {
        node.attributes.emplace("note", std::move(note));
    }
    return node;
}

}  // namespace ascendsim::networks
