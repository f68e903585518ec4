// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// The network with the nodes of a branch in the place of each If whose condition is known: a constant, or
/// arithmetic of shapes and of inputs that are given. An If that data decides stays, and is refused when it
/// is lowered.
[[nodiscard]] Graph with_known_branches(Graph graph,
                                        const std::map<std::string, host::Shape, std::less<>>& shapes,
                                        const Lowering& lowering);

}  // namespace ascendsim::networks
