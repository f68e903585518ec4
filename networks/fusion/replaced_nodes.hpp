// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// A node that stands for others, and where in their plan.
struct Replacement {
    std::size_t at = 0;
    PlannedNode node;
};

/// The nodes without those of `gone`, and with `with`: each once all that it reads has been made, and else in
/// the order in which they stood.
[[nodiscard]] std::vector<PlannedNode> replaced_nodes(const std::vector<PlannedNode>& nodes,
                                                      const std::set<std::size_t>& gone,
                                                      const std::vector<Replacement>& with);

}  // namespace ascendsim::networks
