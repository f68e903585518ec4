// SPDX-License-Identifier: Apache-2.0
#include "networks/run/stages.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ascendsim::networks {
namespace {

void add_reads(const std::vector<Node>& nodes, const TensorNames& own, TensorNames& names) {
    for (const Node& node : nodes) {
        const bool inside = std::ranges::any_of(
            node.outputs, [&own](const std::string& output) { return own.contains(output); });
        if (!inside) {
            names.insert(node.inputs.begin(), node.inputs.end());
            for (const auto& [name, branch] : node.branches) {
                add_reads(branch->nodes, {}, names);
                names.insert(branch->outputs.begin(), branch->outputs.end());
            }
        }
    }
}

}  // namespace

TensorNames awaited(const NetworkPlan& plan, const Lowering& lowering) {
    TensorNames names;
    for (const PlannedNode& node : plan.nodes) {
        std::ranges::copy_if(node.steered_by,
                             std::inserter(names, names.end()),
                             [&lowering](const std::string& name) { return !lowering.given.contains(name); });
    }
    return names;
}

NetworkPlan part_of(const NetworkPlan& plan, const TensorNames& wanted, const TensorNames& there) {
    TensorNames missing = wanted;
    NetworkPlan part;
    for (auto node = plan.nodes.rbegin(); node != plan.nodes.rend(); ++node) {
        const bool makes = std::ranges::any_of(node->outputs, [&](const std::string& output) {
            return missing.contains(output) && !there.contains(output);
        });
        if (makes) {
            missing.insert(node->inputs.begin(), node->inputs.end());
            part.nodes.push_back(*node);
        }
    }
    std::ranges::reverse(part.nodes);
    return part;
}

TensorNames read_outside(const Graph& graph, const NetworkPlan& part) {
    TensorNames own;
    for (const PlannedNode& node : part.nodes) {
        own.insert(node.outputs.begin(), node.outputs.end());
    }
    TensorNames reads{graph.outputs.begin(), graph.outputs.end()};
    add_reads(graph.nodes, own, reads);
    TensorNames both;
    std::ranges::set_intersection(own, reads, std::inserter(both, both.end()));
    both.erase("");
    return both;
}

}  // namespace ascendsim::networks
