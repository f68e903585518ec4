// SPDX-License-Identifier: Apache-2.0
#include "models/node/host_times.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace ascendsim::node {
namespace {

/// Looks at each device of a program: what it does, and what holds it up meanwhile.
class Devices {
public:
    explicit Devices(const HostTimeline& timeline) : timeline_{timeline} {
        for (const ProgramSpan& span : timeline.spans()) {
            if (span.stream) {
                threads_[timeline.device_of(*span.stream)].insert(span.thread);
            }
            if (span.meeting) {
                const ProgramSpan*& last = last_of_.try_emplace(*span.meeting, &span).first->second;
                last = span.start > last->start ? &span : last;
            }
        }
    }

    /// Adds to `calls` the time in which the device did nothing and the host was at them.
    DeviceTimes times(std::uint32_t device, std::vector<CallTimes>& calls) {
        std::vector<Busy> busy;
        for (const ProgramSpan& span : timeline_.spans()) {
            if (span.stream && timeline_.device_of(*span.stream) == device) {
                add_work(span, busy);
            } else if ((!span.stream || span.on_host) && threads_.at(device).contains(span.thread)) {
                const bool waits = span.kind == SpanKind::synchronise;
                busy.push_back({span.start,
                                span.end,
                                Doing::host,
                                cause(waits ? "synchronisation, " : "host: call of ", span.call)});
            }
        }
        const Occupation all = occupation_of(busy, timeline_.length(), causes_.size());
        for (std::size_t i = 0; i < all.causes.size(); ++i) {
            if (of_host_[i]) {
                calls[*of_host_[i]].waited += all.causes[i];
            }
        }
        return {.device = device,
                .computing = all[Doing::computing],
                .communication = all[Doing::communication],
                .copies = all[Doing::copy],
                .launching = all[Doing::launch],
                .waiting = all[Doing::rank_wait] + all[Doing::stream_wait],
                .host = all[Doing::host],
                .free = all[Doing::nothing],
                .idle = free_time(all, causes_)};
    }

    [[nodiscard]] std::vector<std::uint32_t> devices() const {
        std::vector<std::uint32_t> devices;
        for (const auto& [device, threads] : threads_) {
            devices.push_back(device);
        }
        return devices;
    }

private:
    std::uint32_t cause(const std::string& before, std::uint32_t call) {
        const auto [known, added] =
            numbers_.try_emplace({before, call}, static_cast<std::uint32_t>(causes_.size()));
        if (added) {
            const HostCall& of = timeline_.calls()[call];
            causes_.push_back({before + of.name, of.where});
            const bool host = before.starts_with("host") || before.starts_with("sync");
            of_host_.push_back(host ? std::optional{call} : std::nullopt);
        }
        return known->second;
    }

    void add_work(const ProgramSpan& span, std::vector<Busy>& busy) {
        switch (span.kind) {
            case SpanKind::compute:
                add_dependency(span, busy);
                busy.push_back({span.start, span.end, Doing::computing});
                return;
            case SpanKind::launch:
                add_dependency(span, busy);
                busy.push_back({span.start, span.end, Doing::launch, cause("launch of ", span.call)});
                return;
            case SpanKind::copy:
                add_dependency(span, busy);
                busy.push_back({span.start, span.end, Doing::copy});
                return;
            case SpanKind::communicate:
                add_collective(span, busy);
                return;
            case SpanKind::call:
            case SpanKind::synchronise:
                return;
        }
    }

    /// A rank communicates from the arrival of the last one on.
    void add_collective(const ProgramSpan& span, std::vector<Busy>& busy) {
        add_dependency(span, busy);
        const ProgramSpan& last = span.meeting ? *last_of_.at(*span.meeting) : span;
        const Picoseconds all_there = std::clamp(last.start, span.start, span.end);
        if (span.start < all_there) {
            const std::uint32_t late = timeline_.device_of(last.stream.value());
            busy.push_back(
                {span.start,
                 all_there,
                 Doing::rank_wait,
                 cause("waits for device " + std::to_string(late) + ", which comes later to ", last.call)});
        }
        busy.push_back({all_there, span.end, Doing::communication});
    }

    /// What has come to its stream and waits for another device's stream.
    void add_dependency(const ProgramSpan& span, std::vector<Busy>& busy) {
        const ProgramSpan* const gate = span.gate ? &timeline_.spans()[*span.gate] : nullptr;
        if (gate == nullptr || !gate->stream || gate->on_host || span.on_host ||
            timeline_.device_of(*gate->stream) == timeline_.device_of(*span.stream) ||
            span.arrived >= span.start) {
            return;
        }
        const std::string whose = "waits for device " + std::to_string(timeline_.device_of(*gate->stream)) +
                                  ", stream " + std::to_string(index(*gate->stream)) + ": ";
        busy.push_back({span.arrived, span.start, Doing::stream_wait, cause(whose, gate->call)});
    }

    const HostTimeline& timeline_;
    std::map<std::uint32_t, std::set<ThreadId>> threads_;  // that give work to each device
    std::map<std::uint32_t, const ProgramSpan*> last_of_;  // rank to come, by meeting
    std::vector<Cause> causes_;
    std::vector<std::optional<std::uint32_t>> of_host_;  // the call that a cause is of, if the host makes it
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> numbers_;  // of causes
};

/// Takes the ranks of one collective.
void add_ranks(const HostTimeline& timeline,
               const std::vector<const ProgramSpan*>& spans,
               std::map<std::uint32_t, CollectiveTimes>& all) {
    const auto [first, last] = std::ranges::minmax_element(spans, {}, &ProgramSpan::start);
    CollectiveTimes& of = all[spans.front()->call];
    of.call = spans.front()->call;
    ++of.count;
    for (const ProgramSpan* span : spans) {
        const std::uint32_t device = timeline.device_of(span->stream.value());
        auto rank = std::ranges::find(of.ranks, device, &CollectiveTimes::Rank::device);
        if (rank == of.ranks.end()) {
            rank = of.ranks.insert(rank, {.device = device});
        }
        rank->waited += (*last)->start - span->start;
        rank->last += span == *last && (*first)->start < span->start ? 1U : 0U;
    }
}

std::vector<CollectiveTimes> collectives_of(const HostTimeline& timeline) {
    std::map<std::uint32_t, std::vector<const ProgramSpan*>> meetings;
    for (const ProgramSpan& span : timeline.spans()) {
        if (span.meeting) {
            meetings[*span.meeting].push_back(&span);
        }
    }
    std::map<std::uint32_t, CollectiveTimes> all;
    for (const auto& [meeting, spans] : meetings) {
        add_ranks(timeline, spans, all);
    }
    std::vector<CollectiveTimes> result;
    for (auto& [call, times] : all) {
        std::ranges::sort(times.ranks, {}, &CollectiveTimes::Rank::device);
        result.push_back(std::move(times));
    }
    return result;
}

}  // namespace

std::string label_of(const HostTimeline& timeline, std::uint32_t call) {
    const HostCall& of = timeline.calls()[call];
    const bool alone = std::ranges::count(timeline.calls(), of.name, &HostCall::name) == 1;
    return alone || of.where.empty() ? of.name : of.name + ", " + of.where;
}

HostTimes times_of(const HostTimeline& timeline) {
    HostTimes times{
        .length = timeline.length(), .collectives = collectives_of(timeline), .devices = {}, .calls = {}};
    times.calls.resize(timeline.calls().size());
    for (std::size_t i = 0; i < times.calls.size(); ++i) {
        times.calls[i].call = static_cast<std::uint32_t>(i);
    }
    for (const ProgramSpan& span : timeline.spans()) {
        CallTimes& call = times.calls[span.call];
        const Picoseconds time = span.end - span.start;
        call.critical += span.critical ? time : 0;
        if (span.kind == SpanKind::compute || span.kind == SpanKind::copy ||
            span.kind == SpanKind::communicate) {
            call.kind = span.kind;
            call.device += span.alone;
            call.contended += time;
            call.with_launch += span.end - span.issued;
            ++call.count;
        } else if (span.kind == SpanKind::synchronise) {
            call.kind = span.kind;
            ++call.count;
        }
    }
    for (CallTimes& call : times.calls) {
        call.critical += timeline.inner_critical(call.call);
    }
    Devices devices{timeline};
    for (const std::uint32_t device : devices.devices()) {
        times.devices.push_back(devices.times(device, times.calls));
    }
    return times;
}

}  // namespace ascendsim::node
