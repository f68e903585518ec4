// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/node/node_spec.hpp"
#include "models/node/task_graph.hpp"

namespace ascendsim::node {

/// How a host brings kernels to a stream.
enum class IssueMode : std::uint8_t {
    launch,  // calls of the ACL
    eager,   // operators of a framework, one by one
    triton,  // the same, of kernels compiled by Triton
    queue,   // operators of a framework, with a second thread that launches
    graph,   // a captured graph, launched once
};

[[nodiscard]] std::optional<IssueMode> issue_mode(std::string_view name);
[[nodiscard]] std::string_view name(IssueMode mode);

/// A stream with the host threads that feed it.
struct FedStream {
    LaneId host;
    LaneId launcher;  // the second thread of IssueMode::queue
    LaneId stream;
};

[[nodiscard]] FedStream add_fed_stream(TaskGraph& graph);

/// Adds a call: the host's part, and behind it on the stream a kernel of this time. Returns the kernel.
TaskId add_call(
    TaskGraph& graph, const FedStream& lanes, const HostSpec& host, IssueMode mode, double kernel_us);

/// Mean time of one of many equal calls in a row, none of which is waited for.
[[nodiscard]] double call_us(const HostSpec& host, IssueMode mode, double kernel_us);

/// What that comes to for ever more calls: the slowest of host, launcher and stream sets the pace.
[[nodiscard]] double steady_call_us(const HostSpec& host, IssueMode mode, double kernel_us);

}  // namespace ascendsim::node
