// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "networks/graph/graph.hpp"
#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// Devices that work on one layer together.
struct LayerSharing {
    std::uint32_t tensor = 1;   // that each hold a strip of its products' weights
    std::uint32_t experts = 1;  // copies of the network that each hold other experts
    std::uint32_t slabs = 1;    // that each hold a part of images or volumes, along their first axis
    /// Nothing that would have to be gathered is cut: each device makes the network's results.
    bool whole_results = false;

    [[nodiscard]] bool shares() const { return tensor > 1 || experts > 1 || slabs > 1; }
};

/// What one of these devices computes. Where devices exchange something, there is a node: ShareSum and
/// ShareGather among those of a strip, ExpertSend and ExpertReturn among those of the experts, ShareHalo
/// between neighbours of slabs. ShareCopy moves nothing, and its gradient is a ShareSum.
struct SharedLayers {
    Graph graph;
    std::map<std::string, host::Shape, std::less<>> shapes;  // of its inputs
    std::map<std::string, std::size_t, std::less<>> strips;  // weights that are cut, and on which axis
    std::set<std::string, std::less<>> experts;              // weights of which copies hold others
};

/// Cuts products in pairs: the first by its columns, what follows by the same axis, the next product by its
/// rows, whose results are summed (Shoeybi et al. 2019, "Megatron-LM"). Heads of attention are cut as the
/// columns that made them. Weights whose strips would meet an operator that needs the whole stay whole on
/// each device. Products of a batch of weights [experts, k, n] go to the copies that hold the experts.
/// Slabs have whole weights; windows that reach beyond a slab take slices of its neighbours, and each device
/// keeps its slab of the results. Throws UserError if nothing can be shared.
[[nodiscard]] SharedLayers share_layers(const Graph& graph,
                                        const std::map<std::string, host::Shape, std::less<>>& shapes,
                                        const Lowering& lowering,
                                        const LayerSharing& sharing);

}  // namespace ascendsim::networks
