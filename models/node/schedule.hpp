// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "models/node/task_graph.hpp"

namespace ascendsim::node {

/// When each task of a graph ran, and what it waited for last.
struct Schedule {
    std::vector<Picoseconds> start;
    std::vector<Picoseconds> end;
    std::vector<std::optional<TaskId>> gate;  // whose end let the task start; nothing: it waited for none
    Picoseconds length = 0;                   // end of the last task
};

/// Runs the tasks: each starts once the task before it on its lane and all that it waits for have ended.
/// Throws ProgramError with the ring of waits if some can never start.
[[nodiscard]] Schedule run(const TaskGraph& graph);

/// The tasks that decide the length: the last to end, what it waited for, and so on, first to last.
[[nodiscard]] std::vector<TaskId> critical_path(const Schedule& schedule);

}  // namespace ascendsim::node
