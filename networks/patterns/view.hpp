// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/spec/chip_spec.hpp"
#include "networks/graph/graph.hpp"
#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// What patterns look up in a network: its nodes, its tensors, and who makes and reads them.
class PatternView {
public:
    PatternView(const Graph& graph, const NetworkPlan& plan, const Lowering& lowering);

    [[nodiscard]] const Graph& graph() const { return graph_; }

    [[nodiscard]] const ChipSpec& chip() const { return lowering_.chip; }

    [[nodiscard]] const Node& node(std::size_t index) const { return graph_.nodes[index]; }

    [[nodiscard]] const PlannedNode& planned(std::size_t index) const { return plan_.nodes[index]; }

    /// Null if a refused node would have made it, or if there is no such operand.
    [[nodiscard]] const Tensor* tensor(std::string_view name) const;

    /// The elements of a tensor of this run: of a constant, or of a weight that was given; null if not known.
    [[nodiscard]] const std::vector<double>* elements(std::string_view name) const;

    /// True for constants, and for inputs that stand for weights.
    [[nodiscard]] bool weight(std::string_view name) const;

    /// The node that makes a tensor; the number of nodes if none does.
    [[nodiscard]] std::size_t maker(std::string_view name) const;

    [[nodiscard]] const std::set<std::size_t>& readers(std::string_view name) const;

    /// True for outputs of the network.
    [[nodiscard]] bool kept(std::string_view name) const { return kept_.contains(name); }

    /// True if a result of the node is an output, or is read by a node that is not among `gone`.
    [[nodiscard]] bool read_beyond(std::size_t index, const std::set<std::size_t>& gone) const;

private:
    const Graph& graph_;
    const NetworkPlan& plan_;
    const Lowering& lowering_;
    std::map<std::string, std::size_t, std::less<>> makers_;
    std::map<std::string, std::set<std::size_t>, std::less<>> readers_;
    std::set<std::string, std::less<>> kept_;
};

}  // namespace ascendsim::networks
