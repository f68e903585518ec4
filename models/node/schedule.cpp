// SPDX-License-Identifier: Apache-2.0
#include "models/node/schedule.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "models/node/link_shares.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::node {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// Who waits for whom, packed: the successors of task i are next[first[i]] to next[first[i + 1]].
struct Successors {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> next;
    std::vector<std::uint32_t> missing;    // of each task: predecessors that have not ended
    std::vector<std::uint32_t> lane_next;  // the task behind it on its lane

    explicit Successors(const TaskGraph& graph)
        : first(graph.size() + 1), missing(graph.size()), lane_next(graph.size(), none) {
        std::vector<std::uint32_t> last(graph.lanes().size(), none);
        for (std::uint32_t task = 0; task < graph.size(); ++task) {
            std::uint32_t& before = last[index(graph.lane(TaskId{task}))];
            if (before != none) {
                lane_next[before] = task;
                ++missing[task];
            }
            before = task;
        }
        for (const TaskGraph::Edge& edge : graph.edges()) {
            ++first[index(edge.before) + 1];
            ++missing[index(edge.after)];
        }
        for (std::size_t i = 1; i < first.size(); ++i) {
            first[i] += first[i - 1];
        }
        next.resize(graph.edges().size());
        std::vector<std::uint32_t> place{first.begin(), first.end() - 1};
        for (const TaskGraph::Edge& edge : graph.edges()) {
            next[place[index(edge.before)]++] = static_cast<std::uint32_t>(index(edge.after));
        }
    }
};

/// Something that happens to a task: the end of its fixed time, or the end of its flow as last forecast.
struct Happening {
    Picoseconds at;
    std::uint32_t task;
    std::uint32_t version;  // of the forecast; 0 is the end of the fixed time

    friend bool operator>(const Happening& a, const Happening& b) {
        return a.at != b.at ? a.at > b.at : a.task > b.task;
    }
};

class Runner {
public:
    explicit Runner(const TaskGraph& graph) : graph_{graph}, successors_{graph}, shares_{graph.links()} {
        schedule_.start.resize(graph.size());
        schedule_.end.resize(graph.size());
        schedule_.gate.resize(graph.size());
    }

    Schedule run() {
        for (std::uint32_t task = 0; task < graph_.size(); ++task) {
            if (successors_.missing[task] == 0) {
                start(task, 0);
            }
        }
        go_on(0);
        while (!coming_.empty()) {
            const Picoseconds now = coming_.top().at;
            while (!coming_.empty() && coming_.top().at == now) {
                const Happening happening = coming_.top();
                coming_.pop();
                take(happening, now);
            }
            go_on(now);
        }
        if (ended_ < graph_.size()) {
            report_ring();
        }
        return std::move(schedule_);
    }

private:
    void start(std::uint32_t task, Picoseconds now) {
        schedule_.start[task] = now;
        const Picoseconds time = graph_.time(TaskId{task});
        if (time > 0) {
            coming_.push({now + time, task, 0});
        } else {
            after_fixed_time(task, now);
        }
    }

    void after_fixed_time(std::uint32_t task, Picoseconds now) {
        if (const Flow* flow = graph_.flow(TaskId{task})) {
            if (version_.empty()) {
                version_.resize(graph_.size());
            }
            shares_.begin(TaskId{task}, *flow, now);
            flows_changed_ = true;
        } else {
            finished_.push_back(task);
        }
    }

    void take(const Happening& happening, Picoseconds now) {
        if (happening.version == 0) {
            after_fixed_time(happening.task, now);
        } else if (version_[happening.task] == happening.version) {
            shares_.end(TaskId{happening.task}, now);
            flows_changed_ = true;
            finished_.push_back(happening.task);
        }
    }

    /// Ends what has finished, starts what that lets start, and gives new rates to flows.
    void go_on(Picoseconds now) {
        for (std::size_t i = 0; i < finished_.size(); ++i) {  // grows on the way
            finish(finished_[i], now);
        }
        finished_.clear();
        if (!flows_changed_) {
            return;
        }
        flows_changed_ = false;
        for (const LinkShares::Forecast& forecast : shares_.share(now)) {
            const auto task = static_cast<std::uint32_t>(index(forecast.task));
            coming_.push({forecast.end, task, ++version_[task]});
        }
    }

    void finish(std::uint32_t task, Picoseconds now) {
        schedule_.end[task] = now;
        schedule_.length = std::max(schedule_.length, now);
        ++ended_;
        for (std::uint32_t i = successors_.first[task]; i < successors_.first[task + 1]; ++i) {
            release(successors_.next[i], task, now);
        }
        if (successors_.lane_next[task] != none) {
            release(successors_.lane_next[task], task, now);
        }
    }

    void release(std::uint32_t task, std::uint32_t by, Picoseconds now) {
        if (--successors_.missing[task] == 0) {
            schedule_.gate[task] = TaskId{by};
            start(task, now);
        }
    }

    [[nodiscard]] std::string shown(std::uint32_t task) const {
        const TaskId id{task};
        return fmt::format("{} on {}", graph_.name(id), graph_.lanes()[index(graph_.lane(id))].name);
    }

    /// Some task that has not ended and that `task` waits for.
    [[nodiscard]] std::uint32_t awaited(std::uint32_t task,
                                        const std::vector<std::uint32_t>& lane_before) const {
        for (const TaskGraph::Edge& edge : graph_.edges()) {
            const auto before = static_cast<std::uint32_t>(index(edge.before));
            if (index(edge.after) == task && successors_.missing[before] > 0) {
                return before;
            }
        }
        return lane_before[task];
    }

    [[noreturn]] void report_ring() const {
        std::vector<std::uint32_t> lane_before(graph_.size(), none);
        for (std::uint32_t task = 0; task < graph_.size(); ++task) {
            if (successors_.lane_next[task] != none) {
                lane_before[successors_.lane_next[task]] = task;
            }
        }
        std::uint32_t task = 0;
        while (successors_.missing[task] == 0) {
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
                           graph_.size() - ended_,
                           graph_.size(),
                           ring,
                           shown(task)};
    }

    const TaskGraph& graph_;
    Successors successors_;
    LinkShares shares_;
    Schedule schedule_;
    std::priority_queue<Happening, std::vector<Happening>, std::greater<>> coming_;
    std::vector<std::uint32_t> finished_;
    std::vector<std::uint32_t> version_;  // of each flow's forecast
    std::size_t ended_ = 0;
    bool flows_changed_ = false;
};

}  // namespace

Schedule run(const TaskGraph& graph) {
    return Runner{graph}.run();
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
