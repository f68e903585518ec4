// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "networks/run/network_plan.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::report {

/// A node with the sums over its tasks.
struct Line {
    const networks::PlannedNode* node = nullptr;
    double time_us = 0;
    double core_us = 0;
    double flops = 0;
    double hbm_bytes = 0;
    double moved_bytes = 0;
    std::string busiest;  // of the longest task
    double busy_share = 0;
    double longest_us = 0;
    std::string problem;
    std::string error;
};

/// A line for each node of a plan; `results` are of all their tasks, in order.
[[nodiscard]] std::vector<Line> lines_of(const networks::NetworkPlan& plan,
                                         const std::vector<networks::TaskResult>& results);

/// What the operators of one kind took that run.
struct Kind {
    std::uint64_t count = 0;
    std::uint64_t tasks = 0;
    double time_us = 0;
    double core_us = 0;
    double hbm_bytes = 0;
};

[[nodiscard]] std::map<std::string, Kind> kinds_of(const std::vector<Line>& lines);

/// The sums over all operators.
[[nodiscard]] Line total_of(const std::vector<Line>& lines);

/// Operators that cannot run.
[[nodiscard]] std::size_t refused_of(const std::vector<Line>& lines);

/// Kernels of the operators that run.
[[nodiscard]] std::size_t kernels_of(const std::vector<Line>& lines);

[[nodiscard]] double share(double part, double whole);

/// The node's name, or that of what it makes.
[[nodiscard]] std::string title(const networks::PlannedNode& node);

/// What limits an operator: its longest task's busiest pipe, or nothing that is busy half of the time.
[[nodiscard]] std::string limit_of(const Line& line);

}  // namespace ascendsim::report
