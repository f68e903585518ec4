// SPDX-License-Identifier: Apache-2.0
// What is kept of a stretch of a host program, once all of it has run.
#include <algorithm>
#include <map>

#include "models/node/host_energy.hpp"
#include "models/node/host_timeline.hpp"

namespace ascendsim::node {
namespace {

constexpr std::size_t most_flows = 1'000'000;  // over links, that are kept of a program

}  // namespace

/// Without `critical`, which the whole epoch decides.
ProgramSpan HostTimeline::span_of(std::size_t task) const {
    const Owner& owner = epoch_->owners[task];
    const Schedule& ran = epoch_->live.schedule();
    const std::optional<TaskId>& made = owner.issued.made;
    const bool before = made && owner.issued.epoch < past_.size();
    const Picoseconds called = before ? past_[owner.issued.epoch].starts[index(*made)]
                               : made ? base_ + ran.start[index(*made)]
                                      : base_ + (owner.from ? ran.end[index(*owner.from)] : ran.start[task]);
    const bool found = owner.kind == SpanKind::compute && owner.alone == 0;  // by the runner
    return {.call = owner.call,
            .stream = owner.stream,
            .thread = owner.stream && !owner.on_host ? owner.issued.thread : owner.thread,
            .launcher = owner.launcher,
            .kind = owner.kind,
            .start = base_ + (owner.from ? ran.end[index(*owner.from)] : ran.start[task]),
            .end = base_ + ran.end[task],
            .alone = found ? ran.end[task] - ran.start[task] : owner.alone,
            .issued = called,
            .on_host = owner.on_host,
            .beside = owner.beside,
            .meeting = owner.meeting,
            .way = owner.way};
}

/// The task whose end let a span's task start, or that of the event from which on it takes part.
std::optional<TaskId> HostTimeline::gate_of(std::size_t task) const {
    const Owner& owner = epoch_->owners[task];
    return epoch_->live.schedule().gate[owner.from ? index(*owner.from) : task];
}

/// Tells each span what it waited for: the last task with a span in the chain of events and steps before it.
void HostTimeline::tell_gates(const std::vector<std::optional<std::uint32_t>>& span_of_task) {
    const Schedule& ran = epoch_->live.schedule();
    for (std::size_t task = 0; task < span_of_task.size(); ++task) {
        if (!span_of_task[task]) {
            continue;
        }
        ProgramSpan& span = spans_[*span_of_task[task]];
        std::optional<TaskId> gate = gate_of(task);
        while (gate && !span_of_task[index(*gate)]) {
            gate = ran.gate[index(*gate)];
        }
        span.gate = gate ? span_of_task[index(*gate)] : std::nullopt;
        const Owner& owner = epoch_->owners[task];
        const bool here = owner.issued.task && owner.issued.epoch == past_.size();
        span.arrived = here ? base_ + ran.end[index(*owner.issued.task)] : base_;
    }
}

/// Bytes that crossed links between devices and hosts; cores, which kernels share, are no links.
void HostTimeline::take_flows() {
    const TaskGraph& graph = epoch_->graph;
    const Schedule& ran = epoch_->live.schedule();
    std::vector<std::optional<std::uint32_t>> numbers;
    for (const Link& link : graph.links()) {
        std::optional<std::uint32_t> number;
        if (link.from.kind != LinkEnd::Kind::none) {
            auto known = std::ranges::find(links_, link.name, &Link::name);
            if (known == links_.end()) {
                known = links_.insert(known, link);
            }
            number = static_cast<std::uint32_t>(known - links_.begin());
        }
        numbers.push_back(number);
    }
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        const Flow* const flow = graph.flow(TaskId{i});
        if (flow == nullptr) {
            continue;
        }
        if (std::ranges::any_of(flow->route, [&](LinkId link) { return numbers[index(link)].has_value(); })) {
            link_bytes_ += flow->bytes;
            memory_bytes_ += flow->bytes * memory_ends(graph, *flow);
        }
        if (flows_.size() >= most_flows) {
            continue;
        }
        for (const LinkId link : flow->route) {
            const Picoseconds start = base_ + ran.start[i] + graph.time(TaskId{i});
            if (const std::optional<std::uint32_t> number = numbers[index(link)];
                number && start < base_ + ran.end[i]) {
                flows_.push_back({*number, start, base_ + ran.end[i], flow->bytes});
            }
        }
    }
}

/// What would be shorter with changes of the program.
void HostTimeline::try_changes() {
    if (mode_ == IssueMode::graph || mode_ == IssueMode::queue) {
        return;
    }
    std::vector<HostTask> tasks;
    for (const Owner& owner : epoch_->owners) {
        HostTask task{.role = HostRole::other, .call = owner.call, .blocks = owner.on_host || owner.blocks};
        if (owner.launches) {
            task.role = HostRole::kernel_call;
        } else if (owner.kind == SpanKind::synchronise) {
            task.role = HostRole::wait;
        } else if (owner.kind == SpanKind::launch && owner.shown && !owner.issued.in_graph) {
            task.role = HostRole::kernel_start;
        } else if (owner.kind == SpanKind::compute) {
            task.role = HostRole::kernel;
        } else if (owner.kind == SpanKind::copy && owner.way == CopyWay::to_device) {
            task.role = HostRole::copy_to_device;
        }
        tasks.push_back(task);
    }
    trials_.add(epoch_->graph, epoch_->live.schedule(), tasks, epoch_->pinned, host_);
}

void HostTimeline::close() {
    epoch_->live.run_all();
    const Schedule& ran = epoch_->live.schedule();
    std::vector<bool> critical(ran.end.size());
    for (const TaskId task : critical_path(ran)) {
        critical[index(task)] = true;
    }
    Times times;
    for (std::size_t i = 0; i < ran.end.size(); ++i) {
        times.starts.push_back(base_ + ran.start[i]);
        times.ends.push_back(base_ + ran.end[i]);
    }
    std::vector<std::optional<std::uint32_t>> span_of_task(epoch_->owners.size());
    for (std::size_t i = 0; i < epoch_->owners.size(); ++i) {
        const Owner& owner = epoch_->owners[i];
        if (owner.shown) {
            span_of_task[i] = static_cast<std::uint32_t>(spans_.size());
            spans_.push_back(span_of(i));
            spans_.back().critical = critical[i] && !owner.from;
        }
        if (owner.inner && critical[i]) {
            inner_critical_.resize(std::max<std::size_t>(inner_critical_.size(), owner.call + 1));
            inner_critical_[owner.call] += ran.end[i] - ran.start[i];
        }
    }
    tell_gates(span_of_task);
    take_flows();
    try_changes();
    past_.push_back(std::move(times));
    base_ += ran.length;
    epoch_ = std::make_unique<Epoch>(node_, static_cast<Executor&>(*this));
}

/// A kernel that never ran alone is taken to need the shortest time seen of its call.
void HostTimeline::settle_alone() {
    std::map<std::uint32_t, Picoseconds> shortest;
    for (const ProgramSpan& span : spans_) {
        if (span.kind == SpanKind::compute) {
            const auto known = shortest.try_emplace(span.call, span.alone).first;
            known->second = std::min(known->second, span.alone);
        }
    }
    for (ProgramSpan& span : spans_) {
        if (span.beside) {
            span.alone = shortest.at(span.call);
        }
    }
}

void HostTimeline::finish() {
    if (epoch_->graph.size() > 0) {
        close();
    }
    settle_alone();
}

}  // namespace ascendsim::node
