// SPDX-License-Identifier: Apache-2.0
#include "models/node/host_trials.hpp"

#include <algorithm>
#include <functional>

namespace ascendsim::node {
namespace {

constexpr std::size_t most_tried = 3'000'000;  // tasks, in all trials: about a second
constexpr std::size_t most_calls = 24;         // of one part that changes are tried of

/// A part of a program that is scheduled again.
class Part {
public:
    Part(const TaskGraph& graph,
         const Schedule& ran,
         const std::vector<HostTask>& tasks,
         const std::map<TaskId, Task>& pinned,
         const HostSpec& host)
        : graph_{graph}, ran_{ran}, tasks_{tasks}, pinned_{pinned}, host_{host} {
        for (const TaskGraph::Edge& edge : graph.edges()) {
            if (role(edge.before) == HostRole::kernel_call && role(edge.after) == HostRole::kernel_start) {
                start_of_[edge.before] = edge.after;
                call_of_[edge.after] = edge.before;
            }
        }
        look_at_calls();
    }

    /// Of the part as it is.
    [[nodiscard]] Picoseconds length() const { return again({}, {}); }

    [[nodiscard]] Picoseconds length(HostChange change, std::uint32_t call) const {
        return again(change, call);
    }

    [[nodiscard]] std::set<std::pair<HostChange, std::uint32_t>> changes() const {
        std::set<std::pair<HostChange, std::uint32_t>> result;
        if (!captured_.empty()) {
            result.emplace(HostChange::capture, 0);
        }
        for (const TaskId task : fused_) {
            result.emplace(HostChange::fuse, tasks_[index(task)].call);
        }
        for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
            if (tasks_[i].role == HostRole::copy_to_device) {
                result.emplace(HostChange::overlap, tasks_[i].call);
            }
            if (pinned_.contains(TaskId{i})) {
                result.emplace(HostChange::pin, tasks_[i].call);
            }
        }
        return result;
    }

private:
    [[nodiscard]] HostRole role(TaskId task) const { return tasks_[index(task)].role; }

    /// Which kernels' calls a captured graph or one larger launch would not make.
    void look_at_calls() {
        std::map<LaneId, std::optional<TaskId>> in_graph;  // the first kernel since the thread waited
        std::map<LaneId, std::optional<TaskId>> before;    // the kernel that the thread launched just before
        for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
            const TaskId task{i};
            const LaneId lane = graph_.lane(task);
            if (!host_lanes_.contains(lane)) {
                continue;
            }
            if (tasks_[i].role != HostRole::kernel_call) {
                before[lane] = std::nullopt;
                const bool waits = tasks_[i].role == HostRole::wait || tasks_[i].blocks;
                in_graph[lane] = waits ? std::nullopt : in_graph[lane];
                continue;
            }
            const std::optional<TaskId> last = before[lane];
            if (in_graph[lane]) {
                captured_.insert(task);
            } else {
                in_graph[lane] = task;
            }
            if (last && tasks_[index(*last)].call == tasks_[i].call && stream(*last) == stream(task)) {
                fused_.insert(task);
            }
            before[lane] = task;
        }
    }

    [[nodiscard]] std::optional<LaneId> stream(TaskId call) const {
        const auto start = start_of_.find(call);
        return start == start_of_.end() ? std::nullopt : std::optional{graph_.lane(start->second)};
    }

    /// The task as it ran.
    [[nodiscard]] Task as_it_was(TaskId task) const {
        Task same{.name = {}, .kind = graph_.kind(task), .us = microseconds(graph_.time(task))};
        if (const Flow* const flow = graph_.flow(task)) {
            same.flow = *flow;
        } else if (role(task) == HostRole::kernel) {
            same.us = microseconds(ran_.end[index(task)] - ran_.start[index(task)]);
        }
        return same;
    }

    [[nodiscard]] Task changed(TaskId task, std::optional<HostChange> change, std::uint32_t call) const {
        Task same = as_it_was(task);
        const bool capture = change == HostChange::capture;
        const auto dropped = [&](TaskId of) {
            return capture
                       ? captured_.contains(of)
                       : change == HostChange::fuse && fused_.contains(of) && tasks_[index(of)].call == call;
        };
        if (role(task) == HostRole::kernel_call && dropped(task)) {
            same.us = 0;
        }
        const auto called = call_of_.find(task);
        if (called != call_of_.end() && dropped(called->second)) {
            same.us = capture ? std::min(same.us, host_.graph_task_us) : 0;
        }
        if (change == HostChange::pin && tasks_[index(task)].call == call) {
            if (const auto other = pinned_.find(task); other != pinned_.end()) {
                same.us = other->second.us;
                same.flow = other->second.flow;
            }
        }
        return same;
    }

    [[nodiscard]] Picoseconds again(std::optional<HostChange> change, std::uint32_t call) const {
        TaskGraph graph;
        for (std::size_t lane = 0; lane < graph_.lanes().size(); ++lane) {
            graph.add_lane({});
        }
        for (const Link& link : graph_.links()) {
            graph.add_link(link);
        }
        std::vector<bool> moved(tasks_.size());
        std::vector<TaskId> placed;  // of each task
        placed.reserve(tasks_.size());
        for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
            const TaskId task{i};
            LaneId lane = graph_.lane(task);
            std::vector<TaskId> after;
            moved[i] = change == HostChange::overlap && tasks_[i].role == HostRole::copy_to_device &&
                       tasks_[i].call == call;
            if (moved[i]) {
                if (host_lanes_.contains(lane)) {  // a thread makes it itself
                    after.push_back(
                        graph.add(lane, {.name = {}, .kind = TaskKind::host, .us = host_.launch_us}));
                }
                lane = graph.add_lane({});
            }
            placed.push_back(graph.add(lane, changed(task, change, call), after));
        }
        for (const TaskGraph::Edge& edge : graph_.edges()) {
            if (!moved[index(edge.before)]) {
                graph.wait_for(placed[index(edge.after)], placed[index(edge.before)]);
            }
        }
        return run(graph).length;
    }

    const TaskGraph& graph_;
    const Schedule& ran_;
    const std::vector<HostTask>& tasks_;
    const std::map<TaskId, Task>& pinned_;
    const HostSpec& host_;
    std::map<TaskId, TaskId> start_of_;  // of a kernel's call
    std::map<TaskId, TaskId> call_of_;   // of a kernel's start
    std::set<TaskId> captured_;          // calls of kernels behind the first of a graph
    std::set<TaskId> fused_;             // the same of one larger launch
    std::set<LaneId> host_lanes_ = [this] {
        std::set<LaneId> lanes;
        for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
            if (graph_.kind(TaskId{i}) == TaskKind::host) {
                lanes.insert(graph_.lane(TaskId{i}));
            }
        }
        return lanes;
    }();
};

}  // namespace

void HostTrials::add(const TaskGraph& graph,
                     const Schedule& ran,
                     const std::vector<HostTask>& tasks,
                     const std::map<TaskId, Task>& pinned,
                     const HostSpec& host) {
    if (tried_ > most_tried) {
        return;
    }
    const Part part{graph, ran, tasks, pinned, host};
    const auto changes = part.changes();
    if (changes.empty()) {
        return;
    }
    const auto as_it_is = static_cast<std::int64_t>(part.length());
    tried_ += tasks.size();
    std::size_t calls = 0;
    for (const auto& [change, call] : changes) {
        if (++calls <= most_calls && tried_ <= most_tried) {
            saved_[{change, call}] += as_it_is - static_cast<std::int64_t>(part.length(change, call));
            tried_ += tasks.size();
        }
    }
    if (!first_kernel_) {
        const auto kernel = std::ranges::find(tasks, HostRole::kernel_call, &HostTask::role);
        first_kernel_ = kernel == tasks.end() ? std::nullopt : std::optional{kernel->call};
    }
}

std::vector<HostTrial> HostTrials::result() const {
    std::vector<HostTrial> trials;
    for (const auto& [key, saved] : saved_) {
        if (saved > 0 && tried_ <= most_tried) {
            const bool all = key.first == HostChange::capture;
            trials.push_back({.change = key.first,
                              .call = all ? first_kernel_.value_or(0) : key.second,
                              .saved = static_cast<Picoseconds>(saved)});
        }
    }
    std::ranges::stable_sort(trials, std::greater{}, &HostTrial::saved);
    return trials;
}

}  // namespace ascendsim::node
