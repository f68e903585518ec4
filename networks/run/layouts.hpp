// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// The kind of a node that converts between layouts.
inline constexpr const char* conversion_op = "TransData";

/// The plan with conversions between tensors as the network states them and the blocks of channels that
/// convolutions take (NC1HWC0), as nodes "TransData". Convolutions hand blocks to each other, and so do
/// operators between them that work element by element, and those that join channels or take them apart,
/// where no block is filled up with zeros, and pools; a tensor is converted once for all that read it.
/// `outputs` are converted back. On chips without padded copies, which have no kernel for it, the plan stays
/// as it is.
[[nodiscard]] NetworkPlan with_conversions(const NetworkPlan& plan,
                                           const std::vector<std::string>& outputs,
                                           const ChipSpec& chip);

}  // namespace ascendsim::networks
