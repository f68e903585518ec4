// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "networks/fusion/fusion.hpp"
#include "networks/graph/graph.hpp"
#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {

/// A network rewritten by patterns.
struct GraphFusion {
    Graph graph;
    NetworkPlan plan;
    std::vector<Decision> decisions;
    std::vector<NotJoined> not_joined;
};

/// Looks for `patterns`, phase by phase, until none is left, and rewrites what scores better as simulated;
/// what tidies up is also done where it costs as much.
[[nodiscard]] GraphFusion fuse_graph(const Graph& graph,
                                     const std::map<std::string, host::Shape, std::less<>>& shapes,
                                     const Lowering& lowering,
                                     const Patterns& patterns,
                                     const TimeTasks& time,
                                     const FusionOptions& options = {});

}  // namespace ascendsim::networks
