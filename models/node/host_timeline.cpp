// SPDX-License-Identifier: Apache-2.0
#include "models/node/host_timeline.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.hpp"

namespace ascendsim::node {
namespace {

/// Kernels cross their device's cores as flows cross a link: a byte is a thousandth of a picosecond of all
/// cores, so that a kernel's time is exact to less than one picosecond.
constexpr double core_gb_per_s = 1e6;
constexpr double core_bytes_per_ps = 1e3;

CopyWay way_of(const CopyLoad& load) {
    if (!load.from != !load.to) {
        return load.to ? CopyWay::to_device : CopyWay::to_host;
    }
    return !load.from || load.from == load.to ? CopyWay::within : CopyWay::between;
}

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
        case SpanKind::communicate:
            return "communicate";
    }
    return "";
}

HostTimeline::Epoch::Epoch(const NodeSpec& node, Executor& executor)
    : live{graph, &executor}, fabric{node, graph}, hosts(1), cubes(node.size()), vectors(node.size()) {
    hosts.front().lane = graph.add_lane({"host"});
}

HostTimeline::HostTimeline(NodeSpec node, HostSpec host, const HostIssue& how)
    : node_{std::move(node)},
      host_{std::move(host)},
      jittered_{how.jitter, how.seed},
      mode_{how.mode},
      epoch_{std::make_unique<Epoch>(node_, static_cast<Executor&>(*this))} {}

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
    return {static_cast<std::uint32_t>(past_.size()), task, call};
}

HostTimeline::Point HostTimeline::add(LaneId lane,
                                      const Task& task,
                                      const Owner& owner,
                                      const std::vector<TaskId>& after) {
    const TaskId id = epoch_->graph.add(lane, task, after);
    epoch_->owners.push_back(owner);
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
    if (owner.issued.task && owner.issued.epoch == past_.size()) {
        after.push_back(*owner.issued.task);
    }
    const Point added = add(*lane, task, owner, after);
    epoch_->last[index(stream)] = added.task;
    return added;
}

HostTimeline::Host& HostTimeline::host_now() {
    Epoch& epoch = *epoch_;
    epoch.hosts.resize(std::max(epoch.hosts.size(), index(thread_) + 1));
    Host& host = epoch.hosts[index(thread_)];
    if (!host.lane) {
        host.lane = epoch.graph.add_lane({"host thread " + std::to_string(index(thread_))});
    }
    return host;
}

HostTimeline::Point HostTimeline::add_on_host(const Task& task, Owner owner, std::vector<TaskId> after) {
    Host& host = host_now();
    after.insert(after.end(), host.after.begin(), host.after.end());
    host.after.clear();
    owner.thread = thread_;
    owner.shown = true;
    const Point added = add(*host.lane, task, owner, after);
    host.last = added.task;
    if (has_threads()) {
        clocks_[index(thread_)] += epoch_->graph.time(*added.task);
    }
    return added;
}

/// What the second thread of a task queue does for a call. Calls of all kinds pass it in order.
HostTimeline::Point HostTimeline::add_on_launcher(const Point& call, double us) {
    Host& host = host_now();
    if (!host.launcher) {
        host.launcher = epoch_->graph.add_lane({"launcher " + std::to_string(index(thread_))});
    }
    return add(*host.launcher,
               {.name = calls_[call.call].name, .kind = TaskKind::host, .us = us},
               {.call = call.call, .stream = {}, .shown = us > 0, .thread = thread_, .launcher = true},
               {*call.task});
}

HostTimeline::IssueTimes HostTimeline::issue_times(IssuedWork work, bool in_graph) {
    const bool kernel = work == IssuedWork::kernel;
    switch (mode_) {
        case IssueMode::launch:
            break;
        case IssueMode::eager:
            return {jittered_(kernel ? host_.eager_us : host_.launch_us), {}};
        case IssueMode::triton:
            return {jittered_(kernel ? host_.triton_us : host_.launch_us), {}};
        case IssueMode::queue:
            return kernel ? IssueTimes{jittered_(std::max(0.0, host_.eager_us - host_.queue_us)),
                                       jittered_(host_.queue_us)}
                          : IssueTimes{jittered_(host_.launch_us), 0.0};
        case IssueMode::graph:
            return {in_graph ? 0.0 : jittered_(host_.launch_us), {}};
    }
    return {jittered_(host_.launch_us), {}};
}

HostTimeline::Point HostTimeline::issue(const HostCall& call, IssuedWork work) {
    const bool in_graph = mode_ == IssueMode::graph && std::exchange(host_now().in_graph, true);
    const IssueTimes times = issue_times(work, in_graph);
    const Task task{.name = call.name, .kind = TaskKind::host, .us = times.host_us};
    Point issued = add_on_host(task,
                               {.call = number_of(call),
                                .stream = {},
                                .kind = SpanKind::call,
                                .launches = work == IssuedWork::kernel});
    const std::optional<TaskId> made = issued.task;
    if (times.launcher_us) {
        issued = add_on_launcher(issued, *times.launcher_us);
    }
    issued.made = made;
    issued.in_graph = in_graph;
    issued.thread = thread_;
    return issued;
}

HostTimeline::Point HostTimeline::add_work(StreamId stream, const Task& task, Owner owner, bool launched) {
    owner.shown = true;
    owner.stream = stream;
    if (launched) {
        Owner start = owner;
        start.kind = SpanKind::launch;
        add_on_stream(stream,
                      {.name = task.name,
                       .kind = TaskKind::launch,
                       .us = owner.issued.in_graph ? host_.graph_task_us : host_.task_gap_us},
                      start,
                      {});
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

HostTimeline::Point HostTimeline::kernel(StreamId stream, const Point& issued, std::uint64_t number) {
    const Point added =
        add_work(stream,
                 {.name = calls_[issued.call].name, .kind = TaskKind::compute},
                 {.call = issued.call, .kind = SpanKind::compute, .issued = issued, .kernel = number},
                 true);
    epoch_->kernels[number] = *added.task;
    epoch_->live.leave_to_executor(*added.task);
    return added;
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

/// What a copy from pageable memory would be from pinned memory.
void HostTimeline::note_pinned(TaskId task, const CopyLoad& load) {
    if (!load.pinned && !load.from != !load.to) {
        CopyLoad pinned = load;
        pinned.pinned = true;
        epoch_->pinned[task] = copy_task(pinned).task;
    }
}

HostTimeline::Point HostTimeline::copy(StreamId stream,
                                       const Point& issued,
                                       const CopyLoad& load,
                                       std::function<void()> effect) {
    const CopyTask copy = copy_task(load);
    // The time of a copy from or to a host holds its start; within a device it is a task as kernels are.
    const Point added = add_work(stream,
                                 copy.task,
                                 {.call = issued.call,
                                  .kind = SpanKind::copy,
                                  .alone = copy.alone,
                                  .issued = issued,
                                  .way = way_of(load)},
                                 load.from == load.to);
    note_pinned(*added.task, load);
    if (effect) {
        epoch_->effects[*added.task] = [effect = std::move(effect)](Picoseconds /*now*/) { effect(); };
    }
    return added;
}

std::vector<HostTimeline::Point> HostTimeline::collective(const std::vector<Rank>& ranks,
                                                          const Collective& what,
                                                          const std::function<void()>& effect) {
    std::vector<std::vector<TaskId>> after(ranks.size());
    std::vector<TaskId> results;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        after[i].push_back(ranks[i].arrived.task.value());
    }
    const std::uint32_t call = ranks.front().issued.call;
    if (ranks.size() > 1) {
        results = add_collective(epoch_->fabric, what, after);
        epoch_->owners.resize(epoch_->graph.size(), {.call = call, .stream = {}, .inner = true});
    }
    const Picoseconds alone = ranks.size() > 1 ? picoseconds(collective_us(node_, what)) : 0;
    const auto moved = std::make_shared<bool>(false);
    std::vector<Point> ends;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const Rank& rank = ranks[i];
        ends.push_back(add_on_stream(rank.stream,
                                     {.name = calls_[rank.issued.call].name, .kind = TaskKind::event},
                                     {.call = rank.issued.call,
                                      .stream = rank.stream,
                                      .kind = SpanKind::communicate,
                                      .alone = alone,
                                      .issued = rank.issued,
                                      .shown = true,
                                      .from = rank.arrived.task,
                                      .meeting = meetings_},
                                     results.empty() ? after[i] : std::vector{results[i]}));
        epoch_->effects[*ends.back().task] = [moved, effect, ended = rank.ended](Picoseconds now) {
            if (!std::exchange(*moved, true)) {
                effect();
            }
            if (ended) {
                ended(now);
            }
        };
    }
    ++meetings_;
    return ends;
}

HostTimeline::Point HostTimeline::copy_now(StreamId device_of, const HostCall& call, const CopyLoad& load) {
    const CopyTask copy = copy_task(load);
    const Picoseconds before = has_threads() ? clocks_[index(thread_)] : 0;
    const Point copied = add_on_host(copy.task,
                                     {.call = number_of(call),
                                      .stream = device_of,
                                      .kind = SpanKind::copy,
                                      .alone = copy.alone,
                                      .on_host = true,
                                      .way = way_of(load)});
    note_pinned(*copied.task, load);
    host_now().in_graph = false;
    if (has_threads()) {
        clocks_[index(thread_)] = before;  // until it has come to its end
    } else {
        hold_host();
    }
    return copied;
}

void HostTimeline::pass(const HostCall& call, double us, bool blocks) {
    add_on_host({.name = call.name, .kind = TaskKind::host, .us = us},
                {.call = number_of(call), .stream = {}, .kind = SpanKind::call, .blocks = blocks});
}

HostTimeline::Point HostTimeline::record(StreamId stream, const Point& issued, std::function<void()> effect) {
    const Point added = add_on_stream(stream,
                                      {.name = "event", .kind = TaskKind::event},
                                      {.call = issued.call, .stream = stream, .issued = issued},
                                      {});
    if (effect) {
        epoch_->effects[*added.task] = [effect = std::move(effect)](std::uint64_t) { effect(); };
    }
    return added;
}

HostTimeline::Point HostTimeline::arrive(StreamId stream, const HostCall& call) {
    const std::uint32_t number = number_of(call);
    return add_on_stream(stream,
                         {.name = call.name, .kind = TaskKind::event, .us = node_.collective.kernel_us},
                         {.call = number, .stream = stream, .inner = true},
                         {});
}

void HostTimeline::wait(StreamId stream, const Point& issued, const Point& event) {
    std::vector<TaskId> after;
    if (event.task && event.epoch == past_.size()) {
        after.push_back(*event.task);
    }
    add_on_stream(stream,
                  {.name = "wait", .kind = TaskKind::event},
                  {.call = issued.call, .stream = stream, .issued = issued},
                  after);
}

void HostTimeline::synchronise_after(const std::vector<TaskId>& after, const HostCall& call, bool idle) {
    host_now().in_graph = false;
    if (after.empty()) {
        return;  // nothing has come to them since the host waited last
    }
    add_on_host({.name = call.name, .kind = TaskKind::host, .us = jittered_(host_.sync_us)},
                {.call = number_of(call), .stream = {}, .kind = SpanKind::synchronise},
                after);
    if (has_threads()) {
        return;
    }
    hold_host();
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
    const bool now = event.task && event.epoch == past_.size();
    synchronise_after(now ? std::vector{*event.task} : std::vector<TaskId>{}, call, false);
}

/// What the host waits for comes to pass.
void HostTimeline::hold_host() {
    if (runs()) {
        epoch_->live.run_to(*epoch_->hosts.front().last);
    }
}

void HostTimeline::start(TaskId task, Picoseconds now) {
    runner_->start(epoch_->owners[index(task)].kernel, base_ + now);
}

bool HostTimeline::busy() const {
    return runs() && runner_->busy();
}

std::vector<Executor::Ended> HostTimeline::go_on(std::optional<Picoseconds> until) {
    std::vector<Executor::Ended> result;
    for (const KernelRunner::Ended& one :
         runner_->go_on(until ? std::optional{base_ + *until} : std::nullopt)) {
        if (!one.kernel) {
            result.push_back({std::nullopt, one.at - base_});
            continue;
        }
        const auto kernel = epoch_->kernels.extract(*one.kernel);
        epoch_->owners[index(kernel.mapped())].beside = one.beside;
        result.push_back({kernel.mapped(), one.at - base_});
    }
    return result;
}

void HostTimeline::ended(TaskId task, Picoseconds now) {
    if (const auto effect = epoch_->effects.find(task); effect != epoch_->effects.end()) {
        const Effect what = std::move(effect->second);
        epoch_->effects.erase(effect);
        what(base_ + now);
    }
    if (watcher_) {
        const Owner& owner = epoch_->owners[index(task)];
        watcher_(point(task, owner.call), owner.stream);
    }
}

/// When a task will end, as things are: what the host does later does not change it.
Picoseconds HostTimeline::ahead(TaskId task) const {
    if (epoch_->live.ended(task)) {
        return base_ + epoch_->live.schedule().end[index(task)];
    }
    check(!runs(), "a time that is still to come");
    LiveSchedule live = epoch_->live;
    live.run_to(task);
    return base_ + live.schedule().end[index(task)];
}

Picoseconds HostTimeline::time(const Point& point) {
    if (!point.task) {
        return 0;
    }
    return point.epoch < past_.size() ? past_[point.epoch].ends[index(*point.task)] : ahead(*point.task);
}

bool HostTimeline::knows(const Point& point) const {
    return !point.task || point.epoch < past_.size() || !runs() || epoch_->live.ended(*point.task);
}

bool HostTimeline::comes(const Point& point, Picoseconds time) {
    if (!point.task || point.epoch < past_.size()) {
        return this->time(point) <= time;
    }
    return runs() ? epoch_->live.run_to(*point.task, time - base_) : ahead(*point.task) <= time;
}

bool HostTimeline::comes(StreamId stream, Picoseconds time) {
    const bool used = index(stream) < epoch_->last.size() && epoch_->last[index(stream)];
    return !used || comes(point(*epoch_->last[index(stream)], 0), time);
}

Picoseconds HostTimeline::now() {
    if (has_threads()) {
        return clocks_[index(thread_)];
    }
    const std::optional<TaskId>& last = epoch_->hosts.front().last;
    if (!last) {
        return base_;
    }
    epoch_->live.run_to(*last);
    return ahead(*last);
}

Picoseconds HostTimeline::end_of(StreamId stream) {
    const bool used = index(stream) < epoch_->last.size() && epoch_->last[index(stream)];
    return used ? ahead(*epoch_->last[index(stream)]) : base_;
}

}  // namespace ascendsim::node
