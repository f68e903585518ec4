// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "networks/fusion/groups.hpp"
#include "networks/run/network_plan.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::networks {

/// Nodes that could be one kernel, and what simulation said.
struct Decision {
    std::vector<std::string> nodes;  // names
    std::string kinds;               // "Add + Relu"
    bool taken = false;
    std::string code;  // why not: "slower" or "cannot_run"; empty if taken
    std::string text;
    double apart_us = 0;
    double fused_us = 0;
    std::uint64_t apart_bytes = 0;  // operands and results of each kernel
    std::uint64_t fused_bytes = 0;
    Task task;  // the generated kernel
};

/// Two neighbours that are not joined, and why.
struct NotJoined {
    std::string from;  // kinds
    std::string to;
    std::string code;
    std::string text;
};

/// A network with what was joined in it.
struct Fusion {
    NetworkPlan plan;
    std::vector<Decision> decisions;
    std::vector<NotJoined> not_joined;
};

/// The times of tasks, as run_tasks() finds them.
using TimeTasks = std::function<std::vector<TaskResult>(const std::vector<Task>&)>;

/// Joins neighbours that are loops over elements into one generated kernel each, where the simulated kernel
/// is faster than those it replaces. A group that is slower is tried again in two halves. `outputs` are the
/// network's.
[[nodiscard]] Fusion fuse_loops(const NetworkPlan& plan,
                                const std::vector<std::string>& outputs,
                                const ChipSpec& chip,
                                const TimeTasks& time);

}  // namespace ascendsim::networks
