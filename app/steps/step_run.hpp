// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/steps/step_program.hpp"
#include "models/node/schedule.hpp"
#include "models/node/task_graph.hpp"

namespace ascendsim::steps {

/// The tasks of one entry of the program on one rank: `issue` on the host, `work` on the device.
struct PlacedTask {
    std::size_t entry = 0;  // of StepProgram::tasks
    std::uint32_t rank = 0;
    std::optional<node::TaskId> issue;
    std::optional<node::TaskId> work;
};

/// A program that has run.
struct StepRun {
    node::TaskGraph graph;
    node::Schedule schedule;
    std::vector<PlacedTask> placed;                 // by rank, then in the order of the program
    std::vector<std::optional<std::size_t>> owner;  // of each task of the graph: index in `placed`
};

/// Runs a program on its machine: each rank has a host thread, streams, and a copy engine for each direction.
[[nodiscard]] StepRun run_step(const StepProgram& program);

}  // namespace ascendsim::steps
