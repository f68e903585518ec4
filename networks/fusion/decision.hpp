// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "networks/fusion/score.hpp"
#include "networks/run/network_plan.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::networks {

/// Nodes that something else could stand for, and what simulation said.
struct Decision {
    std::string pattern;             // empty: of neighbouring loops
    std::vector<std::string> nodes;  // names
    std::string kinds;               // "Add + Relu"
    bool taken = false;
    std::string code;  // why not; empty if taken
    std::string text;
    Costs apart;
    Costs fused;
    double score = 0;
    std::uint64_t apart_bytes = 0;  // operands and results of each kernel
    std::uint64_t fused_bytes = 0;
    /// Of the times: conversions of layouts that stand around one of the two, and not around the other.
    double apart_conversions_us = 0;
    double fused_conversions_us = 0;
    Task task{};  // the generated kernel, of neighbouring loops
    /// The timed tasks of both ways, where joining was slower: what an explanation starts from.
    std::vector<Task> apart_tasks{};
    std::vector<Task> fused_tasks{};
};

/// Two neighbours that are not joined, or nodes that a pattern all but covers, and why.
struct NotJoined {
    std::string from;  // a kind, or a pattern
    std::string to;
    std::string code;
    std::string text;
};

/// The times of tasks, as run_tasks() finds them.
using TimeTasks = std::function<std::vector<TaskResult>(const std::vector<Task>&)>;

/// Nodes with the results of their timed tasks.
struct Simulated {
    Costs costs;
    std::string error;  // of the first that cannot run
    TaskResult longest;
    double conversions_us = 0;  // of the time
};

/// Takes the results of the nodes' timed tasks, one after the other, from `result` on.
void add_simulated(const PlannedNode& node, std::vector<TaskResult>::const_iterator& result, Simulated& to);

/// Adds the node's timed tasks.
void add_timed(const PlannedNode& node, std::vector<Task>& to);

/// Bytes that a node's tasks read and write, each operand and each result once.
[[nodiscard]] std::uint64_t traffic_of(const PlannedNode& node);

/// Fills in the costs, the score, and whether it is taken or why not. `ties`: also what costs as much.
void decide(Decision& decision,
            const Simulated& apart,
            const Simulated& fused,
            const ScoreWeights& weights,
            bool ties);

}  // namespace ascendsim::networks
