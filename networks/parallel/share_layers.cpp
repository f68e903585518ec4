// SPDX-License-Identifier: Apache-2.0
#include "networks/parallel/share_layers.hpp"

#include "networks/parallel/share_attempt.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {

SharedLayers share_layers(const Graph& graph,
                          const std::map<std::string, host::Shape, std::less<>>& shapes,
                          const Lowering& lowering,
                          const LayerSharing& sharing) {
    const NetworkPlan plan = plan_network(graph, shapes, lowering);
    for (const PlannedNode& node : plan.nodes) {
        if (!node.refusal.empty()) {
            throw UserError{"{} '{}' cannot run: {}", node.op, node.outputs.at(0), node.refusal};
        }
    }
    std::set<std::string> whole;
    for (std::size_t before = 0;;) {
        try {
            SharedLayers shared = ShareAttempt{graph, shapes, plan.tensors, sharing, whole}.run();
            if (sharing.tensor > 1 && shared.strips.empty()) {
                throw UserError{
                    "no product of '{}' can be cut into {} strips: its weights' extents do not divide, or "
                    "what follows needs whole rows",
                    graph.name,
                    sharing.tensor};
            }
            if (sharing.experts > 1 && shared.experts.empty()) {
                throw UserError{
                    "'{}' has no experts that {} copies can share: products by weights [experts, k, n] whose "
                    "first extent is a multiple of it",
                    graph.name,
                    sharing.experts};
            }
            return shared;
        } catch (const MustStayWhole& conflict) {
            if (sharing.slabs > 1) {
                throw UserError{
                    "'{}' cannot be cut into {} slabs: {}", graph.name, sharing.slabs, conflict.where};
            }
            whole.insert(conflict.weights.begin(), conflict.weights.end());
            check(whole.size() > before, "a cut is refused, and nothing of it stays whole");
            before = whole.size();
        }
    }
}

}  // namespace ascendsim::networks
