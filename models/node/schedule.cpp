// SPDX-License-Identifier: Apache-2.0
#include "models/node/schedule.hpp"

#include <algorithm>

#include "models/node/live_schedule.hpp"

namespace ascendsim::node {

Schedule run(const TaskGraph& graph) {
    LiveSchedule live{graph};
    live.run_whole();
    return live.take_schedule();
}

std::vector<TaskId> critical_path(const Schedule& schedule) {
    std::vector<TaskId> path;
    const auto last = std::ranges::find(schedule.end, schedule.length);
    if (last == schedule.end.end()) {
        return path;
    }
    std::optional<TaskId> task{static_cast<TaskId>(last - schedule.end.begin())};
    while (task) {
        path.push_back(*task);
        task = schedule.gate[index(*task)];
    }
    std::ranges::reverse(path);
    return path;
}

}  // namespace ascendsim::node
