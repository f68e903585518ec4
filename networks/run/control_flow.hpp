// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// The network without operators that hold networks or lists of tensors: in the place of an If stand the
/// nodes of the branch that its condition takes, in that of a Loop or Scan those of each iteration, and
/// sequences become the tensors that are in them. What decides must be known: a constant, arithmetic of
/// shapes, or elements that are given. Where data decides, the operator stays, with what it has come to, and
/// is refused when it is lowered. For timing only, the larger branch of such an If is taken, and such a Loop
/// runs as often as it may; notes say so.
[[nodiscard]] Graph with_known_control_flow(Graph graph,
                                            const std::map<std::string, host::Shape, std::less<>>& shapes,
                                            const Lowering& lowering);

}  // namespace ascendsim::networks
