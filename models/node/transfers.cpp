// SPDX-License-Identifier: Apache-2.0
#include "models/node/transfers.hpp"

#include <algorithm>
#include <array>

#include "models/node/schedule.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::node {
namespace {

constexpr double bytes_per_us = 1e3;  // of 1 GB/s

double rate_of(const BlockPath& path) {
    const double most = path.host ? path.issuer->host_gb_per_s : 0;
    return most > 0 ? std::min(most, path.path->gb_per_s) : path.path->gb_per_s;
}

}  // namespace

double stream_us(const NodeSpec& node, const BlockStream& stream) {
    const BlockPath& path = stream.path;
    if (!(path.path->gb_per_s > 0)) {
        throw UserError{"{}: the node has no such path", node.name};
    }
    if (stream.block_bytes == 0 || stream.total_bytes == 0) {
        throw UserError{
            "a transfer of {} B in blocks of {} B moves nothing", stream.total_bytes, stream.block_bytes};
    }
    TaskGraph graph;
    const LinkId link = graph.add_link({"path", rate_of(path)});
    const LaneId issuer = graph.add_lane({"issuer"});
    const LaneId wire = graph.add_lane({"wire"});  // bytes of one block after the other
    std::vector<LaneId> window;
    for (std::uint32_t i = 0; i < path.issuer->window; ++i) {
        window.push_back(graph.add_lane({"engine"}));
    }
    const double own = path.issuer->issue_us + (path.local_host ? path.issuer->local_host_us : 0);
    const Task issue{.name = "issue", .kind = TaskKind::launch, .us = std::max(own, path.path->issue_us)};
    const Task start{
        .name = "start", .kind = TaskKind::copy, .us = path.path->latency_us + path.issuer->latency_us};
    std::vector<TaskId> moved;
    for (std::uint64_t left = stream.total_bytes; left > 0;) {
        const std::size_t i = moved.size();
        std::vector<TaskId> after{graph.add(issuer, issue)};
        if (i >= window.size()) {
            after.push_back(moved[i - window.size()]);
        }
        const TaskId started = graph.add(window[i % window.size()], start, after);
        const std::uint64_t bytes = std::min(left, stream.block_bytes);
        const Task block{.name = "block", .kind = TaskKind::copy, .flow = {bytes, {link}}};
        moved.push_back(graph.add(wire, block, std::array{started}));
        left -= bytes;
    }
    return microseconds(run(graph).length);
}

Task host_copy(Fabric& fabric, std::uint32_t device, Direction direction, std::uint64_t bytes, bool pinned) {
    const HostCopySpec& copy = fabric.spec().copy;
    const bool to_device = direction == Direction::to_device;
    double rate = to_device ? copy.h2d_gb_per_s : copy.d2h_gb_per_s;
    double latency = to_device ? copy.h2d_latency_us : copy.d2h_latency_us;
    if (!pinned) {
        rate = std::min(rate, copy.pageable_gb_per_s);
        latency += copy.pageable_us;
    }
    const double flow_us = static_cast<double>(bytes) / rate / bytes_per_us;
    return {.name = to_device ? "copy to device" : "copy to host",
            .kind = TaskKind::copy,
            .us = std::max(latency, copy.floor_us - flow_us),
            .flow = {.bytes = bytes, .route = {fabric.host_link(device, to_device)}, .limit_gb_per_s = rate}};
}

double host_copy_us(const NodeSpec& node, Direction direction, std::uint64_t bytes, bool pinned) {
    TaskGraph graph;
    Fabric fabric{node, graph};
    graph.add(graph.add_lane({"copy engine"}), host_copy(fabric, 0, direction, bytes, pinned));
    return microseconds(run(graph).length);
}

double device_copy_gb_per_s(const NodeSpec& node, std::uint64_t bytes, bool both_ways) {
    if (node.size() < 2) {
        throw UserError{"{}: has one device only", node.name};
    }
    TaskGraph graph;
    Fabric fabric{node, graph};
    const std::uint32_t other = node.devices.dies_per_package;  // the first of another package
    const auto copy = [&](std::uint32_t from, std::uint32_t to) {
        graph.add(graph.add_lane({"copy engine"}),
                  {.name = "copy",
                   .kind = TaskKind::copy,
                   .us = node.hccs_near.read_dd.latency_us,
                   .flow = {bytes, fabric.route(from, to), node.hccs_near.read_dd.gb_per_s}});
    };
    copy(0, other);
    if (both_ways) {
        copy(other, 0);
    }
    const double moved = static_cast<double>(bytes) * (both_ways ? 2 : 1);
    return moved / microseconds(run(graph).length) / bytes_per_us;
}

}  // namespace ascendsim::node
