// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "models/node/link_shares.hpp"
#include "models/node/schedule.hpp"
#include "models/node/task_graph.hpp"

namespace ascendsim::node {

/// Does work whose time nobody knows before it is done, as a chip does kernels, and is told of every task
/// that ends. Times are those of the schedule.
class Executor {
public:
    virtual ~Executor() = default;

    struct Ended {
        std::optional<TaskId> task;  // nothing: tasks have been added to the graph, which may start now
        Picoseconds at;
    };

    /// A task that was left to the executor starts.
    virtual void start(TaskId task, Picoseconds now) = 0;
    /// True while it has tasks under way.
    [[nodiscard]] virtual bool busy() const = 0;
    /// Lets them go on until some end, or to `until` if none does before. Returns those that ended, all at
    /// the same time.
    virtual std::vector<Ended> go_on(std::optional<Picoseconds> until) = 0;
    /// Some task has ended; what waits for it starts next.
    virtual void ended(TaskId task, Picoseconds now) = 0;
};

/// A schedule of a graph that grows while it runs. What is added may wait for tasks of any age; it starts at
/// the time that the schedule has come to, or later.
class LiveSchedule {
public:
    /// Both must outlive the schedule.
    explicit LiveSchedule(const TaskGraph& graph, Executor* executor = nullptr)
        : graph_{&graph}, executor_{executor}, shares_{graph.links()} {}

    /// The executor does `task`, which has been added and not been looked at yet.
    void leave_to_executor(TaskId task);

    /// Takes the next step, unless it lies behind `limit`. False if there is none: all tasks have ended, or
    /// those left wait for what is not in the graph, or for each other.
    bool step(std::optional<Picoseconds> limit = {});
    /// Goes on until `task` has ended, or to `limit` if that comes first. Returns whether it has ended.
    bool run_to(TaskId task, std::optional<Picoseconds> limit = {});
    /// Goes on to a time.
    void run_until(Picoseconds time);
    /// Goes on to the end. Throws ProgramError with the ring of waits if some tasks can never start.
    void run_all();
    /// The same where the graph is whole and nobody looks at the schedule on the way: tasks of a lane that
    /// concern no other one take no turns.
    void run_whole();

    [[nodiscard]] bool ended(TaskId task) const {
        return index(task) < ended_in_turn_.size() && ended_in_turn_[index(task)] != 0;
    }

    /// True if nothing that it has looked at is under way.
    [[nodiscard]] bool idle() const {
        return coming_.empty() && (executor_ == nullptr || !executor_->busy());
    }

    /// The time it has come to.
    [[nodiscard]] Picoseconds now() const { return now_; }

    [[nodiscard]] const Schedule& schedule() const { return schedule_; }

    [[nodiscard]] Schedule take_schedule() { return std::move(schedule_); }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// Something that happens to a task: the end of its fixed time, or the end of its flow as last forecast.
    struct Happening {
        Picoseconds at;
        std::uint32_t task;
        std::uint32_t version;  // of the forecast; 0 is the end of the fixed time

        friend bool operator>(const Happening& a, const Happening& b) {
            return a.at != b.at ? a.at > b.at : a.task > b.task;
        }
    };

    /// The tasks behind a task, besides the next one of its lane.
    struct Successor {
        std::uint32_t task;
        std::uint32_t next;  // of successors_
    };

    void absorb();
    void absorb_lanes(std::uint32_t first);
    void absorb_edges();
    void start(std::uint32_t task);
    [[nodiscard]] bool concerns_its_lane_alone(std::uint32_t task) const;
    std::uint32_t run_ahead(std::uint32_t task);
    void after_fixed_time(std::uint32_t task);
    void take(const Happening& happening);
    void settle();
    void finish(std::uint32_t task);
    void release(std::uint32_t task, std::uint32_t by);
    void gate(std::uint32_t task, std::uint32_t before);
    [[nodiscard]] std::string shown(std::uint32_t task) const;
    [[nodiscard]] std::uint32_t awaited(std::uint32_t task, const std::vector<std::uint32_t>& before) const;
    [[noreturn]] void report_ring() const;

    const TaskGraph* graph_;
    Executor* executor_;
    LinkShares shares_;
    Schedule schedule_;
    std::size_t edges_seen_ = 0;
    std::vector<Successor> successors_;
    std::vector<std::uint32_t> first_successor_;  // of each task
    std::vector<std::uint32_t> last_successor_;
    std::vector<std::uint32_t> missing_;        // of each task: predecessors that have not ended
    std::vector<std::uint32_t> lane_next_;      // the task behind it on its lane
    std::vector<std::uint32_t> lane_last_;      // of each lane
    std::vector<std::uint32_t> ended_in_turn_;  // counted from 1; 0: has not ended
    std::vector<bool> left_;                    // to the executor
    std::priority_queue<Happening, std::vector<Happening>, std::greater<>> coming_;
    std::vector<std::uint32_t> finished_;
    std::vector<std::uint32_t> version_;  // of each flow's forecast
    Picoseconds now_ = 0;
    std::uint32_t turns_ = 0;
    bool flows_changed_ = false;
    bool whole_ = false;
};

}  // namespace ascendsim::node
