// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/spec/chip_spec.hpp"
#include "networks/operators/operators.hpp"
#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// What fusion looks up in a plan: who makes and who reads each tensor, and the nodes that are loops.
struct FusionView {
    /// `kept` are the network's outputs.
    FusionView(const NetworkPlan& planned, const std::vector<std::string>& kept);

    const NetworkPlan& plan;
    std::set<std::string, std::less<>> kept;
    std::map<std::string, std::size_t, std::less<>> makers;
    std::map<std::string, std::set<std::size_t>, std::less<>> readers;
    std::vector<std::optional<LoopForm>> forms;  // of each node
};

/// The nodes of `group`, in the plan's order, as one node with one generated kernel. Throws CannotGenerate.
[[nodiscard]] PlannedNode fused_node(const FusionView& view,
                                     const std::vector<std::size_t>& group,
                                     const ChipSpec& chip);

}  // namespace ascendsim::networks
