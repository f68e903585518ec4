// SPDX-License-Identifier: Apache-2.0
#include "app/steps/step_run.hpp"

#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "models/node/fabric.hpp"
#include "models/node/transfers.hpp"

namespace ascendsim::steps {
namespace {

using node::TaskId;
using node::TaskKind;

/// Names by their numbers, in the order in which they are met.
class Names {
public:
    std::uint32_t operator()(const std::string& name) {
        const auto [at, fresh] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
        if (fresh) {
            names_.push_back(name);
        }
        return at->second;
    }

    [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return names_[number]; }

    [[nodiscard]] std::size_t size() const { return names_.size(); }

private:
    std::map<std::string, std::uint32_t> numbers_;
    std::vector<std::string> names_;
};

/// An entry of the program with numbers in the place of names: ranks look nothing up.
struct Numbered {
    std::uint32_t stream = 0;
    std::uint32_t thread = 0;
    std::uint32_t name = 0;
    std::vector<std::uint32_t> after;
};

/// One rank while its program is laid out.
struct Rank {
    std::vector<std::optional<node::LaneId>> hosts;      // by thread
    std::vector<std::optional<node::LaneId>> launchers;  // the second threads of these
    std::vector<std::optional<TaskId>> called;           // the last task of each thread
    std::vector<std::optional<node::LaneId>> streams;
    std::vector<std::optional<TaskId>> last;             // of each stream
    std::vector<std::optional<TaskId>> released;         // the last task of a thread that it has waited for
    std::array<std::optional<node::LaneId>, 2> engines;  // for copies to the device, and to the host
    std::vector<std::optional<TaskId>> events;           // end of each task, by its name
};

class Layout {
public:
    Layout(const StepProgram& program, const StepOptions& options)
        : program_{program}, options_{options}, fabric_{program.node, run_.graph} {
        static_cast<void>(threads_("host"));
        for (const StepTask& task : program.tasks) {
            Numbered& entry = numbered_.emplace_back();
            entry = {streams_(task.stream), threads_(task.thread), names_(task.name), {}};
            for (const std::string& name : task.after) {
                entry.after.push_back(names_(name));
            }
        }
        reserve();
        for (std::uint32_t number = 0; number < program.ranks; ++number) {
            Rank& rank = ranks_.emplace_back();
            rank.hosts.resize(threads_.size());
            rank.launchers.resize(threads_.size());
            rank.called.resize(threads_.size());
            rank.streams.resize(streams_.size());
            rank.last.resize(streams_.size());
            rank.released.resize(streams_.size());
            rank.events.resize(names_.size());
            static_cast<void>(thread(rank, number, 0));
        }
    }

    StepRun finish() {
        const std::vector<StepTask>& tasks = program_.tasks;
        for (std::size_t entry = 0; entry < tasks.size();) {
            if (tasks[entry].kind == StepKind::collective) {
                for (std::uint32_t i = 0; i < tasks[entry].times; ++i) {
                    collective(entry);
                }
                ++entry;
                continue;
            }
            // Up to the next collective ranks have nothing to do with each other: what one does lies
            // together.
            std::size_t behind = entry;
            while (behind < tasks.size() && tasks[behind].kind != StepKind::collective) {
                ++behind;
            }
            for (std::uint32_t rank = 0; rank < program_.ranks; ++rank) {
                place_all(entry, behind, rank);
            }
            entry = behind;
        }
        run_.lanes.resize(run_.graph.lanes().size());
        run_.schedule = node::run(run_.graph);
        return std::move(run_);
    }

private:
    /// Room for what a kernel in a graph takes, two tasks; others take a few more.
    void reserve() {
        std::size_t placed = 0;
        for (const StepTask& task : program_.tasks) {
            placed += task.times * (task.only_rank ? std::size_t{1} : program_.ranks);
        }
        run_.placed.reserve(placed);
        run_.graph.reserve(2 * placed);
        run_.owner.reserve(2 * placed);
    }

    /// What a call takes this time.
    [[nodiscard]] double host_us(double us) const { return options_.host_us ? options_.host_us(us) : us; }

    /// The host as one call finds it.
    [[nodiscard]] node::HostSpec host_now() const {
        node::HostSpec host = program_.host;
        if (options_.host_us) {
            host.eager_us = options_.host_us(host.eager_us);
            host.triton_us = options_.host_us(host.triton_us);
            host.queue_us = options_.host_us(host.queue_us);
            host.launch_us = options_.host_us(host.launch_us);
        }
        return host;
    }

    node::LaneId lane(StepLane::Kind kind, std::uint32_t number, const std::string& name) {
        const node::LaneId made = run_.graph.add_lane({fmt::format("{} {}", name, number)});
        run_.lanes.resize(run_.graph.lanes().size());
        run_.lanes.back() = {kind, number, name};
        return made;
    }

    node::LaneId thread(Rank& rank, std::uint32_t number, std::uint32_t thread) {
        std::optional<node::LaneId>& host = rank.hosts[thread];
        if (!host) {
            const std::string& name = threads_[thread];
            rank.launchers[thread] =
                lane(StepLane::Kind::launcher, number, name == "host" ? "launcher" : "launcher of " + name);
            host = lane(StepLane::Kind::host, number, name);
        }
        return *host;
    }

    node::LaneId stream(Rank& rank, std::uint32_t number, std::uint32_t stream) {
        std::optional<node::LaneId>& made = rank.streams[stream];
        if (!made) {
            made = lane(StepLane::Kind::stream, number, streams_[stream]);
        }
        return *made;
    }

    /// The device's engine for copies of one direction.
    node::LaneId engine(Rank& rank, std::uint32_t number, bool to_device) {
        std::optional<node::LaneId>& engine = rank.engines.at(to_device ? 0 : 1);
        if (!engine) {
            engine = lane(StepLane::Kind::engine, number, to_device ? "copies in" : "copies out");
        }
        return *engine;
    }

    /// Notes that the tasks added since `first` belong to what is placed now.
    void own(std::size_t first) {
        run_.owner.resize(run_.graph.size());
        for (std::size_t task = first; task < run_.graph.size(); ++task) {
            run_.owner[task] = static_cast<std::uint32_t>(run_.placed.size() - 1);
        }
    }

    [[nodiscard]] static std::vector<TaskId> awaited(const Rank& rank, const Numbered& ids) {
        std::vector<TaskId> after;
        for (const std::uint32_t name : ids.after) {
            if (rank.events[name]) {
                after.push_back(*rank.events[name]);
            }
        }
        return after;
    }

    static void ended(Rank& rank, const Numbered& ids, TaskId end) {
        rank.last[ids.stream] = end;
        rank.events[ids.name] = end;
    }

    void place_all(std::size_t entry, std::size_t behind, std::uint32_t rank) {
        for (; entry < behind; ++entry) {
            const StepTask& task = program_.tasks[entry];
            if (task.only_rank.value_or(rank) != rank) {
                continue;
            }
            for (std::uint32_t i = 0; i < task.times; ++i) {
                place(entry, rank);
            }
        }
    }

    void place(std::size_t entry, std::uint32_t number) {
        const StepTask& task = program_.tasks[entry];
        const Numbered& ids = numbered_[entry];
        Rank& rank = ranks_[number];
        const std::size_t first = run_.graph.size();
        run_.placed.push_back({.entry = entry, .rank = number, .issue = {}, .work = {}});
        PlacedTask& placed = run_.placed.back();
        switch (task.kind) {
            case StepKind::kernel:
                kernel(task, ids, rank, number, placed);
                break;
            case StepKind::copy:
                copy(task, ids, rank, number, placed);
                break;
            case StepKind::host:
                placed.issue =
                    run_.graph.add(thread(rank, number, ids.thread),
                                   {.name = task.name, .kind = TaskKind::host, .us = host_us(task.us)},
                                   awaited(rank, ids));
                rank.called[ids.thread] = placed.issue;
                rank.events[ids.name] = placed.issue;
                break;
            case StepKind::sync:
                synchronise(task, ids, rank, number, placed);
                break;
            case StepKind::collective:
                break;
        }
        own(first);
    }

    void kernel(
        const StepTask& task, const Numbered& ids, Rank& rank, std::uint32_t number, PlacedTask& placed) {
        const node::LaneId host = thread(rank, number, ids.thread);
        const node::LaneId lane = stream(rank, number, ids.stream);
        placed.issue = TaskId{static_cast<std::uint32_t>(run_.graph.size())};
        TaskId start{};
        if (task.mode == node::IssueMode::graph) {
            // The host has launched the graph: the stream waits for it once, and goes on by itself.
            start = run_.graph.add(
                lane, {.name = task.name, .kind = TaskKind::launch, .us = program_.host.graph_task_us});
            const std::optional<TaskId>& called = rank.called[ids.thread];
            if (called && rank.released[ids.stream] != called) {
                run_.graph.wait_for(start, *called);
                rank.released[ids.stream] = called;
            }
            placed.work = run_.graph.add(lane, {.name = task.name, .us = task.us});
        } else {
            const node::FedStream lanes{host, rank.launchers[ids.thread].value(), lane};
            placed.work = node::add_call(run_.graph, lanes, host_now(), task.mode, task.us);
            start = TaskId{static_cast<std::uint32_t>(node::index(*placed.work)) - 1};
            rank.called[ids.thread] = placed.issue;
        }
        for (const TaskId before : awaited(rank, ids)) {
            run_.graph.wait_for(start, before);
        }
        ended(rank, ids, *placed.work);
    }

    void copy(
        const StepTask& task, const Numbered& ids, Rank& rank, std::uint32_t number, PlacedTask& placed) {
        const TaskId call = launch(task, ids, rank, number);
        std::vector<TaskId> after = awaited(rank, ids);
        after.push_back(call);
        const node::Direction direction =
            task.to_device ? node::Direction::to_device : node::Direction::to_host;
        // On its stream, and on the device's engine of that direction.
        const node::LaneId copies = engine(rank, number, task.to_device);
        const node::LaneId lane = stream(rank, number, ids.stream);
        const TaskId ready = run_.graph.add(lane, {.name = task.name, .kind = TaskKind::event}, after);
        node::Task work = node::host_copy(fabric_, number, direction, task.bytes, task.pinned);
        work.name = task.name;
        const TaskId moved = run_.graph.add(copies, work, std::array{ready});
        run_.graph.add(lane, {.name = task.name, .kind = TaskKind::event}, std::array{moved});
        placed.issue = call;
        placed.work = moved;
        ended(rank, ids, TaskId{static_cast<std::uint32_t>(run_.graph.size() - 1)});
        if (!task.pinned) {  // the driver copies to its own buffer before the call returns
            rank.called[ids.thread] = run_.graph.add(thread(rank, number, ids.thread),
                                                     {.name = task.name, .kind = TaskKind::event},
                                                     std::array{moved});
        }
    }

    TaskId launch(const StepTask& task, const Numbered& ids, Rank& rank, std::uint32_t number) {
        const TaskId call = run_.graph.add(
            thread(rank, number, ids.thread),
            {.name = task.name, .kind = TaskKind::host, .us = host_us(program_.host.launch_us)});
        rank.called[ids.thread] = call;
        return call;
    }

    void synchronise(
        const StepTask& task, const Numbered& ids, Rank& rank, std::uint32_t number, PlacedTask& placed) {
        const node::LaneId host = thread(rank, number, ids.thread);
        std::vector<TaskId> after = awaited(rank, ids);
        for (std::uint32_t each = 0; each < rank.last.size(); ++each) {
            if (rank.last[each] && (task.stream.empty() || ids.stream == each)) {
                after.push_back(*rank.last[each]);
            }
        }
        const TaskId reached = run_.graph.add(host, {.name = task.name, .kind = TaskKind::event}, after);
        placed.issue =
            run_.graph.add(host,
                           {.name = task.name, .kind = TaskKind::host, .us = host_us(program_.host.sync_us)},
                           std::array{reached});
        rank.called[ids.thread] = placed.issue;
        rank.events[ids.name] = placed.issue;
    }

    void collective(std::size_t entry) {
        const StepTask& task = program_.tasks[entry];
        const Numbered& ids = numbered_[entry];
        std::vector<std::vector<TaskId>> ready;
        std::vector<TaskId> calls;
        node::Collective call{.kind = task.collective, .bytes = task.bytes, .ranks = {}};
        for (std::uint32_t number = 0; number < program_.ranks; ++number) {
            Rank& rank = ranks_[number];
            run_.placed.push_back({.entry = entry, .rank = number, .issue = {}, .work = {}});
            const std::size_t first = run_.graph.size();
            calls.push_back(launch(task, ids, rank, number));
            std::vector<TaskId> after = awaited(rank, ids);
            after.push_back(calls.back());
            const node::LaneId lane = stream(rank, number, ids.stream);
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
            const node::LaneId lane = stream(ranks_[number], number, ids.stream);
            const TaskId end = run_.graph.add(
                lane, {.name = task.name, .kind = TaskKind::communication}, std::array{results[number]});
            run_.placed[base + number].work = end;
            run_.owner.resize(run_.graph.size());
            run_.owner[node::index(end)] = static_cast<std::uint32_t>(base + number);
            ended(ranks_[number], ids, end);
        }
    }

    const StepProgram& program_;
    const StepOptions& options_;
    StepRun run_;
    node::Fabric fabric_;
    Names streams_;
    Names threads_;
    Names names_;
    std::vector<Numbered> numbered_;  // as the program's tasks
    std::vector<Rank> ranks_;
};

}  // namespace

StepRun run_step(const StepProgram& program, const StepOptions& options) {
    return Layout{program, options}.finish();
}

}  // namespace ascendsim::steps
