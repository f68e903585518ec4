// SPDX-License-Identifier: Apache-2.0
#include "models/node/host_calls.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "models/node/call_sums.hpp"
#include "models/node/schedule.hpp"

namespace ascendsim::node {
namespace {

constexpr std::array<std::string_view, 5> mode_names{"launch", "eager", "triton", "queue", "graph"};

/// What a call takes on the host's thread, on the launching thread, and on the stream before its kernel.
struct CallCost {
    double host_us = 0;
    double launcher_us = 0;
    double gap_us = 0;
};

CallCost cost_of(const HostSpec& host, IssueMode mode) {
    switch (mode) {
        case IssueMode::launch:
            return {host.launch_us, 0, host.task_gap_us};
        case IssueMode::eager:
            return {host.eager_us, 0, host.task_gap_us};
        case IssueMode::triton:
            return {host.triton_us, 0, host.task_gap_us};
        case IssueMode::queue:
            return {std::max(0.0, host.eager_us - host.queue_us), host.queue_us, host.task_gap_us};
        case IssueMode::graph:
            return {0, 0, host.graph_task_us};
    }
    return {};
}

}  // namespace

std::optional<IssueMode> issue_mode(std::string_view name) {
    const auto at = std::ranges::find(mode_names, name);
    if (at == mode_names.end()) {
        return std::nullopt;
    }
    return static_cast<IssueMode>(at - mode_names.begin());
}

std::string_view name(IssueMode mode) {
    return mode_names.at(static_cast<std::size_t>(mode));
}

FedStream add_fed_stream(TaskGraph& graph) {
    return {graph.add_lane({"host"}), graph.add_lane({"launcher"}), graph.add_lane({"stream"})};
}

TaskId add_call(
    TaskGraph& graph, const FedStream& lanes, const HostSpec& host, IssueMode mode, double kernel_us) {
    const CallCost cost = cost_of(host, mode);
    TaskId issued = graph.add(lanes.host, {.name = "call", .kind = TaskKind::host, .us = cost.host_us});
    if (cost.launcher_us > 0) {
        issued = graph.add(lanes.launcher,
                           {.name = "launch", .kind = TaskKind::host, .us = cost.launcher_us},
                           std::array{issued});
    }
    const TaskId arrived = graph.add(
        lanes.stream, {.name = "start", .kind = TaskKind::launch, .us = cost.gap_us}, std::array{issued});
    return graph.add(lanes.stream, {.name = "kernel", .us = kernel_us}, std::array{arrived});
}

double call_us(const HostSpec& host, IssueMode mode, double kernel_us) {
    constexpr int calls = 300;
    TaskGraph graph;
    const FedStream lanes = add_fed_stream(graph);
    for (int i = 0; i < calls; ++i) {
        add_call(graph, lanes, host, mode, kernel_us);
    }
    return microseconds(run(graph).length) / calls;
}

double steady_call_us(const HostSpec& host, IssueMode mode, double kernel_us) {
    const CallCost cost = cost_of(host, mode);
    return std::max({cost.host_us, cost.launcher_us, cost.gap_us + kernel_us});
}

void CallSums::add(const HostSpec& host, IssueMode mode, double kernel_us, double times) {
    const CallCost cost = cost_of(host, mode);
    host_us_ += times * cost.host_us;
    launcher_us_ += times * cost.launcher_us;
    stream_us_ += times * (cost.gap_us + kernel_us);
}

void CallSums::wait(const HostSpec& host, IssueMode mode, double times) {
    if (mode == IssueMode::graph) {
        return;
    }
    const CallCost cost = cost_of(host, mode);
    host_us_ += times * host.sync_us;
    stream_us_ += times * (host.sync_us + cost.host_us + cost.launcher_us);
}

double CallSums::us() const {
    return std::max({host_us_, launcher_us_, stream_us_});
}

}  // namespace ascendsim::node
