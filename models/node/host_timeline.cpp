// SPDX-License-Identifier: Apache-2.0
#include "models/node/host_timeline.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace ascendsim::node {
namespace {

/// Kernels cross their device's cores as flows cross a link: a byte is a thousandth of a picosecond of all
/// cores, so that a kernel's time is exact to less than one picosecond.
constexpr double core_gb_per_s = 1e6;
constexpr double core_bytes_per_ps = 1e3;

}  // namespace

const char* name(SpanKind kind) {
    switch (kind) {
        case SpanKind::call:
            return "call";
        case SpanKind::synchronise:
            return "synchronise";
        case SpanKind::launch:
            return "launch";
        case SpanKind::compute:
            return "compute";
        case SpanKind::copy:
            return "copy";
    }
    return "";
}

HostTimeline::Epoch::Epoch(const NodeSpec& node)
    : fabric{node, graph}, host{graph.add_lane({"host"})}, cubes(node.size()), vectors(node.size()) {}

HostTimeline::HostTimeline(NodeSpec node, HostSpec host)
    : node_{std::move(node)}, host_{std::move(host)}, epoch_{std::make_unique<Epoch>(node_)} {}

StreamId HostTimeline::add_stream(std::uint32_t device) {
    epoch_->fabric.check_device(device);
    devices_.push_back(device);
    return static_cast<StreamId>(devices_.size() - 1);
}

std::uint32_t HostTimeline::number_of(const HostCall& call) {
    const auto known = std::ranges::find(calls_, call);
    if (known != calls_.end()) {
        return static_cast<std::uint32_t>(known - calls_.begin());
    }
    calls_.push_back(call);
    return static_cast<std::uint32_t>(calls_.size() - 1);
}

HostTimeline::Point HostTimeline::point(TaskId task, std::uint32_t call) const {
    return {static_cast<std::uint32_t>(ends_.size()), task, call};
}

HostTimeline::Point HostTimeline::add(LaneId lane,
                                      const Task& task,
                                      const Owner& owner,
                                      const std::vector<TaskId>& after) {
    const TaskId id = epoch_->graph.add(lane, task, after);
    epoch_->owners.push_back(owner);
    epoch_->schedule.reset();
    return point(id, owner.call);
}

HostTimeline::Point HostTimeline::add_on_stream(StreamId stream,
                                                const Task& task,
                                                const Owner& owner,
                                                std::vector<TaskId> after) {
    epoch_->streams.resize(std::max(epoch_->streams.size(), devices_.size()));
    epoch_->last.resize(epoch_->streams.size());
    std::optional<LaneId>& lane = epoch_->streams[index(stream)];
    if (!lane) {
        lane = epoch_->graph.add_lane({"stream " + std::to_string(index(stream))});
    }
    if (owner.issued.task && owner.issued.epoch == ends_.size()) {
        after.push_back(*owner.issued.task);
    }
    const Point added = add(*lane, task, owner, after);
    epoch_->last[index(stream)] = added.task;
    return added;
}

HostTimeline::Point HostTimeline::issue(const HostCall& call) {
    const std::uint32_t number = number_of(call);
    const Task task{.name = call.name, .kind = TaskKind::host, .us = host_.launch_us};
    const Point issued =
        add(epoch_->host, task, {.call = number, .stream = {}, .kind = SpanKind::call, .shown = true}, {});
    epoch_->host_last = issued.task;
    return issued;
}

HostTimeline::Point HostTimeline::add_work(StreamId stream, const Task& task, Owner owner, bool launched) {
    owner.shown = true;
    owner.stream = stream;
    if (launched) {
        Owner start = owner;
        start.kind = SpanKind::launch;
        add_on_stream(
            stream, {.name = task.name, .kind = TaskKind::launch, .us = host_.task_gap_us}, start, {});
    }
    return add_on_stream(stream, task, owner, {});
}

LinkId HostTimeline::cores(std::uint32_t device, bool cube) {
    std::optional<LinkId>& link = (cube ? epoch_->cubes : epoch_->vectors)[device];
    if (!link) {
        link = epoch_->graph.add_link({cube ? "cube cores" : "vector cores", core_gb_per_s});
    }
    return *link;
}

HostTimeline::Point HostTimeline::kernel(StreamId stream, const Point& issued, const KernelLoad& load) {
    const double share = std::clamp(std::max(load.cube_share, load.vector_share), 1e-3, 1.0);
    const Picoseconds alone = picoseconds(load.us);
    Task task{.name = calls_[issued.call].name,
              .kind = TaskKind::compute,
              .flow = {.bytes = static_cast<std::uint64_t>(
                           std::llround(static_cast<double>(alone) * share * core_bytes_per_ps)),
                       .limit_gb_per_s = share * core_gb_per_s}};
    for (const bool cube : {true, false}) {
        if ((cube ? load.cube_share : load.vector_share) > 0) {
            task.flow.route.push_back(cores(device_of(stream), cube));
        }
    }
    return add_work(stream,
                    task,
                    {.call = issued.call, .kind = SpanKind::compute, .alone = alone, .issued = issued},
                    true);
}

HostTimeline::CopyTask HostTimeline::copy_task(const CopyLoad& load) {
    if (!load.from != !load.to) {
        const Direction direction = load.to ? Direction::to_device : Direction::to_host;
        const std::uint32_t device = load.to ? *load.to : load.from.value();
        return {host_copy(epoch_->fabric, device, direction, load.bytes, load.pinned),
                picoseconds(host_copy_us(node_, direction, load.bytes, load.pinned))};
    }
    if (!load.from || load.from == load.to) {
        return {{.name = "copy", .kind = TaskKind::copy, .us = load.in_device_us},
                picoseconds(load.in_device_us)};
    }
    const PathSpec& path = node_.hccs_near.read_dd;
    TaskGraph alone;
    Fabric links{node_, alone};
    Task task{.name = "copy",
              .kind = TaskKind::copy,
              .us = path.latency_us,
              .flow = {load.bytes, links.route(*load.from, load.to.value()), path.gb_per_s}};
    alone.add(alone.add_lane({"copy"}), task);
    task.flow.route = epoch_->fabric.route(*load.from, *load.to);
    return {task, node::run(alone).length};
}

HostTimeline::Point HostTimeline::copy(StreamId stream, const Point& issued, const CopyLoad& load) {
    const CopyTask copy = copy_task(load);
    // The time of a copy from or to a host holds its start; within a device it is a task as kernels are.
    return add_work(stream,
                    copy.task,
                    {.call = issued.call, .kind = SpanKind::copy, .alone = copy.alone, .issued = issued},
                    load.from == load.to);
}

void HostTimeline::copy_now(StreamId device_of, const HostCall& call, const CopyLoad& load) {
    const CopyTask copy = copy_task(load);
    epoch_->host_last = add(epoch_->host,
                            copy.task,
                            {.call = number_of(call),
                             .stream = device_of,
                             .kind = SpanKind::copy,
                             .alone = copy.alone,
                             .shown = true,
                             .on_host = true},
                            {})
                            .task;
}

void HostTimeline::pass(const HostCall& call, double us) {
    epoch_->host_last = add(epoch_->host,
                            {.name = call.name, .kind = TaskKind::host, .us = us},
                            {.call = number_of(call), .stream = {}, .kind = SpanKind::call, .shown = true},
                            {})
                            .task;
}

HostTimeline::Point HostTimeline::record(StreamId stream, const Point& issued) {
    return add_on_stream(stream,
                         {.name = "event", .kind = TaskKind::event},
                         {.call = issued.call, .stream = stream, .issued = issued},
                         {});
}

void HostTimeline::wait(StreamId stream, const Point& issued, const Point& event) {
    std::vector<TaskId> after;
    if (event.task && event.epoch == ends_.size()) {
        after.push_back(*event.task);
    }
    add_on_stream(stream,
                  {.name = "wait", .kind = TaskKind::event},
                  {.call = issued.call, .stream = stream, .issued = issued},
                  after);
}

void HostTimeline::synchronise_after(const std::vector<TaskId>& after, const HostCall& call, bool idle) {
    if (after.empty()) {
        return;  // nothing has come to them since the host waited last
    }
    const Task task{.name = call.name, .kind = TaskKind::host, .us = host_.sync_us};
    const std::uint32_t number = number_of(call);
    const Owner owner{.call = number, .stream = {}, .kind = SpanKind::synchronise, .shown = true};
    epoch_->host_last = add(epoch_->host, task, owner, after).task;
    if (idle) {
        close();
    }
}

void HostTimeline::synchronise(std::span<const StreamId> streams, const HostCall& call) {
    std::vector<TaskId> after;
    for (const StreamId stream : streams) {
        if (index(stream) < epoch_->last.size() && epoch_->last[index(stream)]) {
            after.push_back(*epoch_->last[index(stream)]);
        }
    }
    const auto busy = std::ranges::count_if(epoch_->last, [](const auto& last) { return last.has_value(); });
    synchronise_after(after, call, static_cast<std::size_t>(busy) == after.size());
}

void HostTimeline::synchronise(const Point& event, const HostCall& call) {
    const bool now = event.task && event.epoch == ends_.size();
    synchronise_after(now ? std::vector{*event.task} : std::vector<TaskId>{}, call, false);
}

const Schedule& HostTimeline::schedule() {
    if (!epoch_->schedule) {
        epoch_->schedule = node::run(epoch_->graph);
    }
    return *epoch_->schedule;
}

Picoseconds HostTimeline::time(const Point& point) {
    if (!point.task) {
        return 0;
    }
    return point.epoch < ends_.size() ? ends_[point.epoch][index(*point.task)]
                                      : base_ + schedule().end[index(*point.task)];
}

Picoseconds HostTimeline::now() {
    return epoch_->host_last ? base_ + schedule().end[index(*epoch_->host_last)] : base_;
}

Picoseconds HostTimeline::end_of(StreamId stream) {
    const bool used = index(stream) < epoch_->last.size() && epoch_->last[index(stream)];
    return used ? base_ + schedule().end[index(*epoch_->last[index(stream)])] : base_;
}

void HostTimeline::close() {
    const Schedule& ran = schedule();
    std::vector<bool> critical(ran.end.size());
    for (const TaskId task : critical_path(ran)) {
        critical[index(task)] = true;
    }
    std::vector<Picoseconds>& ends = ends_.emplace_back();
    for (const Picoseconds end : ran.end) {
        ends.push_back(base_ + end);
    }
    for (std::size_t i = 0; i < epoch_->owners.size(); ++i) {
        const Owner& owner = epoch_->owners[i];
        if (owner.shown) {
            const bool now = owner.issued.task && owner.issued.epoch + 1 == ends_.size();
            const bool before = owner.issued.task && !now;
            const Picoseconds called =
                now      ? base_ + ran.start[index(*owner.issued.task)]
                : before ? ends_[owner.issued.epoch][index(*owner.issued.task)] - picoseconds(host_.launch_us)
                         : base_ + ran.start[i];
            spans_.push_back({.call = owner.call,
                              .stream = owner.stream,
                              .kind = owner.kind,
                              .critical = critical[i],
                              .start = base_ + ran.start[i],
                              .end = base_ + ran.end[i],
                              .alone = owner.alone,
                              .issued = called,
                              .on_host = owner.on_host});
        }
    }
    base_ += ran.length;
    epoch_ = std::make_unique<Epoch>(node_);
}

void HostTimeline::finish() {
    if (epoch_->graph.size() > 0) {
        close();
    }
}

}  // namespace ascendsim::node
