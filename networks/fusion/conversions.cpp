// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/conversions.hpp"

#include <algorithm>
#include <utility>

#include "networks/run/layouts.hpp"

namespace ascendsim::networks {
namespace {

bool in_blocks(const PlannedNode& node) {
    return std::ranges::any_of(node.tasks,
                               [](const Task& task) { return task.blocks_read || task.blocks_made; });
}

void rename_inputs(std::vector<PlannedNode>& nodes, const std::map<std::string, std::string>& same) {
    for (PlannedNode& node : nodes) {
        for (std::string& input : node.inputs) {
            for (auto other = same.find(input); other != same.end(); other = same.find(input)) {
                input = other->second;
            }
        }
    }
}

}  // namespace

Conversions::Conversions(const NetworkPlan& plan,
                         const std::vector<std::string>& outputs,
                         const ChipSpec& chip)
    : plan_{plan},
      outputs_{outputs},
      chip_{chip},
      convolves_{std::ranges::any_of(plan.nodes, in_blocks)},
      now_{convolves_ ? standing(plan) : Standing{}} {}

Conversions::Standing Conversions::standing(const NetworkPlan& plan) const {
    Standing found;
    for (PlannedNode& node : with_conversions(plan, outputs_, chip_).nodes) {
        if (node.op == conversion_op) {
            const std::string key = node.inputs[0] + " to " + node.results[0].text();
            found.emplace(key, std::move(node));
        }
    }
    return found;
}

ConversionChange Conversions::change(const std::set<std::size_t>& gone,
                                     const std::vector<Replacement>& with,
                                     const std::map<std::string, std::string>& same) const {
    ConversionChange change;
    if (!convolves_) {  // nothing that replaces nodes adds a convolution where none was
        return change;
    }
    NetworkPlan plan{.nodes = replaced_nodes(plan_.nodes, gone, with), .tensors = plan_.tensors};
    rename_inputs(plan.nodes, same);
    const Standing then = standing(plan);
    for (const auto& [key, node] : now_) {
        if (!then.contains(key)) {
            change.before.push_back(node);
        }
    }
    for (const auto& [key, node] : then) {
        if (!now_.contains(key)) {
            change.after.push_back(node);
        }
    }
    return change;
}

}  // namespace ascendsim::networks
