// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "networks/fusion/decision.hpp"
#include "networks/fusion/groups.hpp"

namespace ascendsim::networks {

/// A network with what was joined in it.
struct Fusion {
    NetworkPlan plan;
    std::vector<Decision> decisions;
    std::vector<NotJoined> not_joined;
};

/// How it is decided.
struct FusionOptions {
    ScoreWeights weights{};
    /// Why kernels are refused whose numbers are too far off, by the names of what they make.
    std::map<std::string, std::string> wrong{};
};

/// Joins neighbours that are loops over elements into one generated kernel each, where the simulated kernel
/// scores better than those it replaces. A group that does not is tried again in two halves. `outputs` are
/// the network's.
[[nodiscard]] Fusion fuse_loops(const NetworkPlan& plan,
                                const std::vector<std::string>& outputs,
                                const ChipSpec& chip,
                                const TimeTasks& time,
                                const FusionOptions& options = {});

}  // namespace ascendsim::networks
