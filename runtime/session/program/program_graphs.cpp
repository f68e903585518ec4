// SPDX-License-Identifier: Apache-2.0
// Streams whose work is captured into a graph, and graphs that are executed.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/session/program/program_streams.hpp"

namespace ascendsim::runtime {

using program::CallPlace;
using program::CaptureState;
using program::EventNumber;
using program::GraphNumber;
using program::GraphTaskInfo;
using program::GraphTaskKind;
using program::StreamNumber;

GraphNumber ProgramStreams::begin_capture(StreamNumber stream) {
    threads_.take_turn();
    graphs_.push_back({});
    const auto graph = static_cast<GraphNumber>(graphs_.size() - 1);
    join_capture(stream, graph);
    return graph;
}

void ProgramStreams::join_capture(StreamNumber stream, GraphNumber graph) {
    Stream& of = at(stream);
    if (of.graph) {
        return;
    }
    of.graph = graph;
    of.lane = static_cast<std::uint32_t>(at(graph).captured.size());
    at(graph).captured.push_back(stream);
}

/// True if the stream is captured: then the task has gone into its graph, and the call has taken its time.
bool ProgramStreams::capture(StreamNumber stream, GraphTask task) {
    const Stream& of = at(stream);
    if (of.update) {
        timeline_.pass(host_call(task.call), timeline_.host().launch_us);
        at(*of.update).others.push_back(std::move(task));
        return true;
    }
    if (!of.graph) {
        return false;
    }
    timeline_.pass(host_call(task.call), timeline_.host().launch_us);
    task.lane = of.lane;
    Graph& graph = at(*of.graph);
    if (graph.open && at(*graph.open).stream == stream) {
        at(*graph.open).tasks.push_back(graph.tasks.size());
    }
    graph.tasks.push_back(std::move(task));
    return true;
}

/// A stream, besides the first, whose last task nobody waits for who comes back to the first.
std::optional<std::uint32_t> ProgramStreams::lost_lane(const Graph& graph) const {
    std::vector<const GraphTask*> last(graph.captured.size());
    for (const GraphTask& task : graph.tasks) {
        last[task.lane] = &task;
    }
    std::vector<bool> back(graph.captured.size());
    back[0] = true;
    for (bool any = true; any;) {
        any = false;
        for (std::uint32_t lane = 1; lane < back.size(); ++lane) {
            const GraphTask* task = last[lane];
            const bool ends =
                !back[lane] && task->kind == GraphTaskKind::record &&
                std::ranges::any_of(graph.tasks, [&](const GraphTask& other) {
                    return other.kind == GraphTaskKind::wait && other.slot == task->slot && back[other.lane];
                });
            back[lane] = back[lane] || ends;
            any = any || ends;
        }
    }
    const auto lost = std::ranges::find(back, false);
    return lost == back.end() ? std::nullopt : std::optional{static_cast<std::uint32_t>(lost - back.begin())};
}

std::string ProgramStreams::end_capture(GraphNumber graph) {
    threads_.take_turn();
    Graph& of = at(graph);
    for (const StreamNumber stream : of.captured) {
        at(stream).graph.reset();
    }
    for (Event& event : events_) {
        if (event.graph == graph) {
            event.graph.reset();
        }
    }
    if (const std::optional<std::uint32_t> lane = lost_lane(of)) {
        of.state = CaptureState::invalid;
        const auto last = std::find_if(
            of.tasks.rbegin(), of.tasks.rend(), [&](const GraphTask& task) { return task.lane == *lane; });
        return fmt::format(
            "stream {} has not come back to the one that the capture began on: behind {}, record "
            "an event on it and let the first stream wait for that",
            static_cast<std::size_t>(of.captured[*lane]),
            place_of(last->call));
    }
    of.state = CaptureState::ended;
    for (std::size_t lane = 0; lane < of.captured.size(); ++lane) {
        of.lanes.push_back(lane == 0 ? of.captured[0] : add_stream(device_of(of.captured[lane])));
    }
    of.done = create_event(true);
    return {};
}

void ProgramStreams::invalidate(GraphNumber graph) {
    at(graph).state = CaptureState::invalid;
}

CaptureState ProgramStreams::state_of(GraphNumber graph) const {
    return graphs_.at(static_cast<std::size_t>(graph)).state;
}

std::optional<GraphNumber> ProgramStreams::capture_of(StreamNumber stream) const {
    return streams_.at(static_cast<std::size_t>(stream)).graph;
}

std::optional<GraphNumber> ProgramStreams::capture_of(EventNumber event) const {
    return events_.at(static_cast<std::size_t>(event)).graph;
}

StreamNumber ProgramStreams::origin_of(GraphNumber graph) const {
    return graphs_.at(static_cast<std::size_t>(graph)).captured.front();
}

std::vector<GraphTaskInfo> ProgramStreams::tasks_of(GraphNumber graph) const {
    const Graph& of = graphs_.at(static_cast<std::size_t>(graph));
    std::vector<GraphTaskInfo> tasks;
    for (const GraphTask& task : of.tasks) {
        tasks.push_back({.kind = task.kind,
                         .name = task.name.empty() ? task.call.name : task.name,
                         .lane = task.lane,
                         .stream = static_cast<std::int32_t>(of.captured[task.lane]),
                         .place = line_of(task.call)});
    }
    return tasks;
}

/// One call of the host for all tasks: the device takes them up by itself. Streams that were captured with
/// the first one have streams of the graph's own.
void ProgramStreams::execute(GraphNumber graph, StreamNumber stream, const CallPlace& call) {
    threads_.take_turn();
    next_poll_us_ = 0;
    const Graph& of = at(graph);
    Point issued = timeline_.issue(host_call(call));
    if (at(of.done).visible) {
        add_wait(stream, of.done, call, issued);
    }
    for (const GraphTask& task : of.tasks) {
        if (!task.left_out) {
            add_task(of, task, task.lane == 0 ? stream : of.lanes[task.lane], issued);
            issued.in_graph = true;
        }
    }
    add_record(stream, of.done, call, issued);
    advance_all();
}

void ProgramStreams::add_task(const Graph& graph,
                              const GraphTask& task,
                              StreamNumber stream,
                              const Point& issued) {
    // What the task takes is its own call's, so that figures name its line.
    Point own = issued;
    own.call = timeline_.number_of(host_call(task.call));
    switch (task.kind) {
        case GraphTaskKind::kernel:  // another one may have come in its place by then
        case GraphTaskKind::copy:
            add_item(stream, task.call, own, [&task](StreamNumber on, const Point& from) {
                return task.work(on, from);
            });
            return;
        case GraphTaskKind::record:
            add_record(stream, graph.slots[task.slot], task.call, own);
            return;
        case GraphTaskKind::wait:
            add_wait(stream, graph.slots[task.slot], task.call, own);
            return;
        case GraphTaskKind::callback:
            add_callback(stream, task.callback, task.call, own);
            return;
        case GraphTaskKind::collective:
            add_part(stream, task.part.value(), task.call, own);
            return;
        case GraphTaskKind::flag_record:
            add_flag_record(stream, task.flag, task.call, own);
            return;
        case GraphTaskKind::flag_wait:
            add_flag_wait(stream, task.flag, task.resets, task.call, own);
            return;
        case GraphTaskKind::flag_reset:
            add_flag_reset(stream, task.flag, task.call, own);
            return;
    }
}

std::vector<StreamNumber> ProgramStreams::streams_of(GraphNumber graph) const {
    return graphs_.at(static_cast<std::size_t>(graph)).captured;
}

void ProgramStreams::leave_out(GraphNumber graph, std::size_t task) {
    at(graph).tasks.at(task).left_out = true;
}

program::TaskGroup ProgramStreams::begin_group(StreamNumber stream) {
    const auto group = static_cast<program::TaskGroup>(groups_.size());
    groups_.push_back({.graph = at(stream).graph.value(), .stream = stream, .tasks = {}});
    at(groups_.back().graph).open = group;
    return group;
}

void ProgramStreams::end_group(program::TaskGroup group) {
    at(at(group).graph).open.reset();
}

std::optional<program::TaskGroup> ProgramStreams::open_group(GraphNumber graph) const {
    return graphs_.at(static_cast<std::size_t>(graph)).open;
}

StreamNumber ProgramStreams::stream_of(program::TaskGroup group) const {
    return groups_.at(static_cast<std::size_t>(group)).stream;
}

GraphNumber ProgramStreams::graph_of(program::TaskGroup group) const {
    return groups_.at(static_cast<std::size_t>(group)).graph;
}

void ProgramStreams::begin_update(program::TaskGroup group, StreamNumber stream) {
    at(stream).update = group;
    at(group).updating = true;
    at(group).others.clear();
}

std::string ProgramStreams::end_update(StreamNumber stream, const CallPlace& call) {
    threads_.take_turn();
    next_poll_us_ = 0;
    const program::TaskGroup group = at(stream).update.value();
    at(stream).update.reset();
    at(group).updating = false;
    std::vector<GraphTask> others = std::exchange(at(group).others, {});
    const std::size_t size = at(group).tasks.size();
    if (others.empty()) {
        return {};
    }
    if (others.size() != size) {
        return fmt::format("the group has {} tasks, and {} were to come in their place", size, others.size());
    }
    const auto exchange = [this, group, others = std::move(others)](StreamNumber on, const Point& from) {
        Graph& graph = at(at(group).graph);
        for (std::size_t i = 0; i < others.size(); ++i) {
            GraphTask& task = graph.tasks[at(group).tasks[i]];
            task.work = others[i].work;
            task.name = others[i].name;
        }
        return timeline_.record(at(on).id, from);
    };
    add_item(stream, call, timeline_.issue(host_call(call)), exchange);
    if (advance(at(stream))) {
        advance_all();
    }
    return {};
}

std::optional<program::TaskGroup> ProgramStreams::update_of(StreamNumber stream) const {
    return streams_.at(static_cast<std::size_t>(stream)).update;
}

bool ProgramStreams::updating(program::TaskGroup group) const {
    return groups_.at(static_cast<std::size_t>(group)).updating;
}

bool ProgramStreams::running(GraphNumber graph) {
    threads_.take_turn();
    const Event& done = at(at(graph).done);
    return done.visible &&
           !(done.records.back().point && timeline_.comes(*done.records.back().point, timeline_.now()));
}

}  // namespace ascendsim::runtime
