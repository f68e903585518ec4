// SPDX-License-Identifier: Apache-2.0
#include "app/steps/step_run.hpp"

#include <map>
#include <numeric>

#include <fmt/format.h>

#include "models/node/fabric.hpp"
#include "models/node/transfers.hpp"

namespace ascendsim::steps {
namespace {

using node::TaskId;
using node::TaskKind;

/// One rank while its program is laid out.
struct Rank {
    node::LaneId host{};
    node::LaneId launcher{};
    std::map<std::string, node::LaneId> streams;
    std::map<std::string, TaskId> last;    // of each stream, by its name
    std::map<std::string, TaskId> events;  // end of each task, by its name
};

class Layout {
public:
    explicit Layout(const StepProgram& program) : program_{program}, fabric_{program.node, run_.graph} {
        for (std::uint32_t number = 0; number < program.ranks; ++number) {
            Rank& rank = ranks_.emplace_back();
            rank.host = lane("host {}", number);
            rank.launcher = lane("launcher {}", number);
        }
    }

    StepRun finish() {
        for (std::size_t entry = 0; entry < program_.tasks.size(); ++entry) {
            const StepTask& task = program_.tasks[entry];
            for (std::uint32_t i = 0; i < task.times; ++i) {
                if (task.kind == StepKind::collective) {
                    collective(entry);
                    continue;
                }
                for (std::uint32_t rank = 0; rank < program_.ranks; ++rank) {
                    if (task.only_rank.value_or(rank) == rank) {
                        place(entry, rank);
                    }
                }
            }
        }
        run_.schedule = node::run(run_.graph);
        return std::move(run_);
    }

private:
    node::LaneId lane(fmt::format_string<std::uint32_t&> text, std::uint32_t number) {
        return run_.graph.add_lane({fmt::format(text, number)});
    }

    node::LaneId stream(Rank& rank, std::uint32_t number, const std::string& name) {
        const auto at = rank.streams.find(name);
        if (at != rank.streams.end()) {
            return at->second;
        }
        return rank.streams[name] = run_.graph.add_lane({fmt::format("{} {}", name, number)});
    }

    /// Notes that the tasks added since `first` belong to what is placed now.
    void own(std::size_t first) {
        run_.owner.resize(run_.graph.size());
        for (std::size_t task = first; task < run_.graph.size(); ++task) {
            run_.owner[task] = run_.placed.size() - 1;
        }
    }

    [[nodiscard]] std::vector<TaskId> awaited(const Rank& rank, const StepTask& task) const {
        std::vector<TaskId> after;
        for (const std::string& name : task.after) {
            if (const auto at = rank.events.find(name); at != rank.events.end()) {
                after.push_back(at->second);
            }
        }
        return after;
    }

    void ended(Rank& rank, const StepTask& task, TaskId end) {
        rank.last.insert_or_assign(task.stream, end);
        rank.events.insert_or_assign(task.name, end);
    }

    void place(std::size_t entry, std::uint32_t number) {
        const StepTask& task = program_.tasks[entry];
        Rank& rank = ranks_[number];
        const std::size_t first = run_.graph.size();
        run_.placed.push_back({.entry = entry, .rank = number, .issue = {}, .work = {}});
        PlacedTask& placed = run_.placed.back();
        switch (task.kind) {
            case StepKind::kernel:
                kernel(task, rank, number, placed);
                break;
            case StepKind::copy:
                copy(task, rank, number, placed);
                break;
            case StepKind::host:
                placed.issue = run_.graph.add(rank.host,
                                              {.name = task.name, .kind = TaskKind::host, .us = task.us},
                                              awaited(rank, task));
                rank.events.insert_or_assign(task.name, *placed.issue);
                break;
            case StepKind::sync:
                synchronise(task, rank, placed);
                break;
            case StepKind::collective:
                break;
        }
        own(first);
    }

    void kernel(const StepTask& task, Rank& rank, std::uint32_t number, PlacedTask& placed) {
        const node::FedStream lanes{rank.host, rank.launcher, stream(rank, number, task.stream)};
        const TaskId work = node::add_call(run_.graph, lanes, program_.host, task.mode, task.us);
        const TaskId start{static_cast<std::uint32_t>(node::index(work)) - 1};  // on the stream, before it
        for (const TaskId before : awaited(rank, task)) {
            run_.graph.wait_for(start, before);
        }
        placed.issue = TaskId{static_cast<std::uint32_t>(run_.owner.size())};
        placed.work = work;
        ended(rank, task, work);
    }

    void copy(const StepTask& task, Rank& rank, std::uint32_t number, PlacedTask& placed) {
        const TaskId call = launch(task, rank);
        std::vector<TaskId> after = awaited(rank, task);
        after.push_back(call);
        const node::Direction direction =
            task.to_device ? node::Direction::to_device : node::Direction::to_host;
        // On its stream, and on the device's engine of that direction.
        const node::LaneId engine = stream(rank, number, task.to_device ? "copy in" : "copy out");
        const node::LaneId lane = stream(rank, number, task.stream);
        const TaskId ready = run_.graph.add(lane, {.name = task.name, .kind = TaskKind::event}, after);
        node::Task work = node::host_copy(fabric_, number, direction, task.bytes, task.pinned);
        work.name = task.name;
        const TaskId moved = run_.graph.add(engine, work, std::array{ready});
        run_.graph.add(lane, {.name = task.name, .kind = TaskKind::event}, std::array{moved});
        placed.issue = call;
        placed.work = moved;
        ended(rank, task, TaskId{static_cast<std::uint32_t>(run_.graph.size() - 1)});
        if (!task.pinned) {  // the driver copies to its own buffer before the call returns
            run_.graph.add(rank.host, {.name = task.name, .kind = TaskKind::event}, std::array{moved});
        }
    }

    TaskId launch(const StepTask& task, const Rank& rank) {
        return run_.graph.add(rank.host,
                              {.name = task.name, .kind = TaskKind::host, .us = program_.host.launch_us});
    }

    void synchronise(const StepTask& task, Rank& rank, PlacedTask& placed) {
        std::vector<TaskId> after = awaited(rank, task);
        for (const auto& [name, last] : rank.last) {
            if (task.stream.empty() || task.stream == name) {
                after.push_back(last);
            }
        }
        const TaskId reached = run_.graph.add(rank.host, {.name = task.name, .kind = TaskKind::event}, after);
        placed.issue =
            run_.graph.add(rank.host,
                           {.name = task.name, .kind = TaskKind::host, .us = program_.host.sync_us},
                           std::array{reached});
        rank.events.insert_or_assign(task.name, *placed.issue);
    }

    void collective(std::size_t entry) {
        const StepTask& task = program_.tasks[entry];
        std::vector<std::vector<TaskId>> ready;
        std::vector<TaskId> calls;
        node::Collective call{.kind = task.collective, .bytes = task.bytes, .ranks = {}};
        for (std::uint32_t number = 0; number < program_.ranks; ++number) {
            Rank& rank = ranks_[number];
            run_.placed.push_back({.entry = entry, .rank = number, .issue = {}, .work = {}});
            const std::size_t first = run_.graph.size();
            calls.push_back(launch(task, rank));
            std::vector<TaskId> after = awaited(rank, task);
            after.push_back(calls.back());
            const node::LaneId lane = stream(rank, number, task.stream);
            ready.push_back({run_.graph.add(lane, {.name = task.name, .kind = TaskKind::event}, after)});
            run_.placed.back().issue = calls.back();
            own(first);
            call.ranks.push_back(number);
        }
        const std::size_t first = run_.graph.size();
        const std::vector<TaskId> results = node::add_collective(fabric_, call, ready);
        own(first);
        const std::size_t base = run_.placed.size() - program_.ranks;
        for (std::uint32_t number = 0; number < program_.ranks; ++number) {
            const node::LaneId lane = stream(ranks_[number], number, task.stream);
            const TaskId end = run_.graph.add(
                lane, {.name = task.name, .kind = TaskKind::communication}, std::array{results[number]});
            run_.placed[base + number].work = end;
            run_.owner.resize(run_.graph.size());
            run_.owner[node::index(end)] = base + number;
            ended(ranks_[number], task, end);
        }
    }

    const StepProgram& program_;
    StepRun run_;
    node::Fabric fabric_;
    std::vector<Rank> ranks_;
};

}  // namespace

StepRun run_step(const StepProgram& program) {
    return Layout{program}.finish();
}

}  // namespace ascendsim::steps
