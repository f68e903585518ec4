// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// The network with float32 where float16 cannot hold what comes of its constants, if it is held as float16:
/// from an operator that reads such a constant on, up to and with one whose results float16 holds again,
/// operators are in float32, between operators `Cast`. Where nothing bounds the results, all that follow are.
///
/// Constants become an end of float16 where that does not change what is made of them: a limit that no
/// float16 reaches (of Clip, Max, Min), and a mask, which is negative and comes to a softmax by additions
/// alone. A mask that a product makes is one if its factor is made of booleans: then it is 0 or 1 (see
/// makes_flags). Comparisons keep their constants. An operator that no kernel does in float32 stays in
/// float16. Networks that say themselves what stays float32 (Input::keeps_type) are left as they are.
/// Tensor::wide has the reasons, which are the operators' notes. Control flow has been taken apart.
[[nodiscard]] Graph with_wide_ranges(Graph graph,
                                     const std::map<std::string, host::Shape, std::less<>>& shapes,
                                     const Lowering& lowering);

}  // namespace ascendsim::networks
