// SPDX-License-Identifier: Apache-2.0
#include "models/node/live_schedule.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace ascendsim::node {

void LiveSchedule::leave_to_executor(TaskId task) {
    check(executor_ != nullptr && index(task) >= missing_.size(),
          "a task that is left when it has been seen");
    left_.resize(std::max(left_.size(), index(task) + 1));
    left_[index(task)] = true;
}

/// Takes up what was added to the graph.
void LiveSchedule::absorb() {
    const auto first = static_cast<std::uint32_t>(missing_.size());
    if (first == graph_->size() && edges_seen_ == graph_->edges().size()) {
        return;
    }
    shares_.grow(graph_->links());
    shares_.find_flows(*graph_);
    const std::size_t size = graph_->size();
    schedule_.start.resize(size);
    schedule_.end.resize(size);
    schedule_.gate.resize(size);
    first_successor_.resize(size, none);
    last_successor_.resize(size, none);
    missing_.resize(size);
    lane_next_.resize(size, none);
    lane_last_.resize(graph_->lanes().size(), none);
    ended_in_turn_.resize(size);
    left_.resize(size);
    absorb_lanes(first);
    absorb_edges();
    std::vector<std::uint32_t> ready;
    for (std::uint32_t task = first; task < size; ++task) {
        if (missing_[task] == 0) {
            ready.push_back(task);
        }
    }
    for (const std::uint32_t task : ready) {
        start(task);
    }
    settle();
}

void LiveSchedule::absorb_lanes(std::uint32_t first) {
    for (std::uint32_t task = first; task < missing_.size(); ++task) {
        std::uint32_t& before = lane_last_[index(graph_->lane(TaskId{task}))];
        if (before != none) {
            lane_next_[before] = task;
            gate(task, before);
        }
        before = task;
    }
}

void LiveSchedule::absorb_edges() {
    for (; edges_seen_ < graph_->edges().size(); ++edges_seen_) {
        const TaskGraph::Edge& edge = graph_->edges()[edges_seen_];
        const auto before = static_cast<std::uint32_t>(index(edge.before));
        const auto after = static_cast<std::uint32_t>(index(edge.after));
        gate(after, before);
        if (ended_in_turn_[before] != 0) {
            continue;
        }
        const auto place = static_cast<std::uint32_t>(successors_.size());
        successors_.push_back({after, none});
        (first_successor_[before] == none ? first_successor_[before]
                                          : successors_[last_successor_[before]].next) = place;
        last_successor_[before] = place;
    }
}

/// `task` waits for `before`; of those that have ended, the last one counts.
void LiveSchedule::gate(std::uint32_t task, std::uint32_t before) {
    if (ended_in_turn_[before] == 0) {
        ++missing_[task];
        return;
    }
    std::optional<TaskId>& known = schedule_.gate[task];
    if (!known || ended_in_turn_[index(*known)] < ended_in_turn_[before]) {
        known = TaskId{before};
    }
}

void LiveSchedule::start(std::uint32_t task) {
    schedule_.start[task] = now_;
    if (left_[task]) {
        executor_->start(TaskId{task}, now_);
        return;
    }
    const Picoseconds time = graph_->time(TaskId{task});
    if (const std::optional<TaskId>& gate = schedule_.gate[task];
        gate && graph_->kind(TaskId{task}) == TaskKind::host) {
        // The host has waited for what did not come: meanwhile the schedule has gone on, as far as it waited.
        const Picoseconds latest = now_ > time ? now_ - time : 0;
        schedule_.start[task] = std::clamp(schedule_.end[index(*gate)], latest, now_);
    }
    if (whole_ && concerns_its_lane_alone(task)) {
        const std::uint32_t last = run_ahead(task);
        coming_.push({schedule_.start[last] + graph_->time(TaskId{last}), last, 0});
    } else if (time > 0) {
        coming_.push({schedule_.start[task] + time, task, 0});
    } else {
        after_fixed_time(task);
    }
}

/// Nothing waits for the task but the next one of its lane, which waits for nothing else any more.
bool LiveSchedule::concerns_its_lane_alone(std::uint32_t task) const {
    const std::uint32_t next = lane_next_[task];
    return next != none && missing_[next] == 1 && first_successor_[task] == none &&
           graph_->flow(TaskId{task}) == nullptr;
}

/// Ends the tasks of a lane up to one that others wait for, or that waits for others; returns that one, which
/// has started.
std::uint32_t LiveSchedule::run_ahead(std::uint32_t task) {
    while (concerns_its_lane_alone(task)) {
        const Picoseconds end = schedule_.start[task] + graph_->time(TaskId{task});
        const std::uint32_t next = lane_next_[task];
        schedule_.end[task] = end;
        ended_in_turn_[task] = ++turns_;
        missing_[next] = 0;
        schedule_.gate[next] = TaskId{task};
        schedule_.start[next] = end;
        task = next;
    }
    return task;
}

void LiveSchedule::after_fixed_time(std::uint32_t task) {
    if (const Flow* flow = graph_->flow(TaskId{task})) {
        version_.resize(std::max(version_.size(), missing_.size()));
        shares_.begin(TaskId{task}, *flow, now_);
        flows_changed_ = true;
    } else {
        finished_.push_back(task);
    }
}

void LiveSchedule::take(const Happening& happening) {
    if (happening.version == 0) {
        after_fixed_time(happening.task);
    } else if (version_[happening.task] == happening.version) {
        shares_.end(TaskId{happening.task}, now_);
        flows_changed_ = true;
        finished_.push_back(happening.task);
    }
}

/// Ends what has finished, starts what that lets start, and gives new rates to flows.
void LiveSchedule::settle() {
    for (std::size_t i = 0; i < finished_.size(); ++i) {  // grows on the way
        finish(finished_[i]);
    }
    finished_.clear();
    if (!flows_changed_) {
        return;
    }
    flows_changed_ = false;
    for (const LinkShares::Forecast& forecast : shares_.share(now_)) {
        const auto task = static_cast<std::uint32_t>(index(forecast.task));
        coming_.push({forecast.end, task, ++version_[task]});
    }
}

void LiveSchedule::finish(std::uint32_t task) {
    schedule_.end[task] = now_;
    schedule_.length = std::max(schedule_.length, now_);
    ended_in_turn_[task] = ++turns_;
    if (executor_ != nullptr) {
        executor_->ended(TaskId{task}, now_);
    }
    for (std::uint32_t i = first_successor_[task]; i != none; i = successors_[i].next) {
        release(successors_[i].task, task);
    }
    if (lane_next_[task] != none) {
        release(lane_next_[task], task);
    }
}

void LiveSchedule::release(std::uint32_t task, std::uint32_t by) {
    if (--missing_[task] == 0) {
        schedule_.gate[task] = TaskId{by};
        start(task);
    }
}

bool LiveSchedule::step(std::optional<Picoseconds> limit) {
    absorb();
    const std::optional<Picoseconds> next = coming_.empty() ? std::nullopt : std::optional{coming_.top().at};
    if (executor_ != nullptr && executor_->busy()) {
        const std::optional<Picoseconds> until = next && limit ? std::min(*next, *limit)
                                                 : next        ? next
                                                               : limit;
        const std::vector<Executor::Ended> done = executor_->go_on(until);
        for (const Executor::Ended& one : done) {
            now_ = std::max(now_, one.at);
            if (one.task) {
                finished_.push_back(static_cast<std::uint32_t>(index(*one.task)));
            }
        }
        if (!done.empty()) {
            settle();
            return true;
        }
    }
    if (!next || (limit && *next > *limit)) {
        return false;
    }
    now_ = *next;
    while (!coming_.empty() && coming_.top().at == now_) {
        const Happening happening = coming_.top();
        coming_.pop();
        take(happening);
    }
    settle();
    return true;
}

bool LiveSchedule::run_to(TaskId task, std::optional<Picoseconds> limit) {
    absorb();
    while (!ended(task)) {
        if (!step(limit)) {
            now_ = std::max(now_, limit.value_or(now_));
            return false;
        }
    }
    return true;
}

void LiveSchedule::run_until(Picoseconds time) {
    while (step(time)) {
    }
    now_ = std::max(now_, time);
}

void LiveSchedule::run_all() {
    while (step()) {
    }
    if (turns_ < graph_->size()) {
        report_ring();
    }
}

void LiveSchedule::run_whole() {
    check(executor_ == nullptr, "a schedule that runs ahead of its executor");
    whole_ = true;
    run_all();
}

std::string LiveSchedule::shown(std::uint32_t task) const {
    const TaskId id{task};
    return fmt::format("{} on {}", graph_->name(id), graph_->lanes()[index(graph_->lane(id))].name);
}

/// Some task that has not ended and that `task` waits for.
std::uint32_t LiveSchedule::awaited(std::uint32_t task, const std::vector<std::uint32_t>& before) const {
    for (const TaskGraph::Edge& edge : graph_->edges()) {
        const auto earlier = static_cast<std::uint32_t>(index(edge.before));
        if (index(edge.after) == task && missing_[earlier] > 0) {
            return earlier;
        }
    }
    return before[task];
}

void LiveSchedule::report_ring() const {
    std::vector<std::uint32_t> lane_before(graph_->size(), none);
    for (std::uint32_t task = 0; task < graph_->size(); ++task) {
        if (lane_next_[task] != none) {
            lane_before[lane_next_[task]] = task;
        }
    }
    std::uint32_t task = 0;
    while (missing_[task] == 0) {
        ++task;
    }
    std::vector<std::uint32_t> seen;
    while (std::ranges::find(seen, task) == seen.end()) {
        seen.push_back(task);
        task = awaited(task, lane_before);
    }
    std::string ring = shown(task);
    for (auto at = std::ranges::find(seen, task) + 1; at != seen.end(); ++at) {
        ring += ", which waits for " + shown(*at);
    }
    throw ProgramError{"deadlock between streams: {} of {} tasks never start. {}, which waits for {}",
                       graph_->size() - turns_,
                       graph_->size(),
                       ring,
                       shown(task)};
}

}  // namespace ascendsim::node
