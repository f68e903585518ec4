// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "networks/fusion/fused_node.hpp"

namespace ascendsim::networks {

/// Why a node is not joined with one that reads its result.
struct Obstacle {
    std::size_t from = 0;  // nodes
    std::size_t to = 0;
    std::string code;  // of loops::Reason, or "no_loop", "view_between", "would_cycle", "group_limit"
    std::string text;
};

/// Nodes that can be one kernel.
struct Groups {
    std::vector<std::vector<std::size_t>> groups;  // of two and more, each in the plan's order
    std::vector<Obstacle> obstacles;
};

/// Joins nodes of `among` along the tensors between them, as long as a kernel can be generated and no kernel
/// waits for itself. Groups of `standing`, none of whose nodes is among them, are kernels already.
[[nodiscard]] Groups grow_groups(const FusionView& view,
                                 const std::vector<std::size_t>& among,
                                 const std::vector<std::vector<std::size_t>>& standing,
                                 const ChipSpec& chip);

}  // namespace ascendsim::networks
