// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// Names of tensors.
using TensorNames = std::set<std::string, std::less<>>;

/// What the plan's operators wait for to be planned, of which no elements are given.
[[nodiscard]] TensorNames awaited(const NetworkPlan& plan, const Lowering& lowering);

/// The nodes of the plan that make `wanted`, and what makes their operands; nobody needs to make what is
/// `there`.
[[nodiscard]] NetworkPlan part_of(const NetworkPlan& plan,
                                  const TensorNames& wanted,
                                  const TensorNames& there);

/// What a part of the network makes and nodes outside of it may read: those within operators, too. So are
/// results of the network.
[[nodiscard]] TensorNames read_outside(const Graph& graph, const NetworkPlan& part);

}  // namespace ascendsim::networks
