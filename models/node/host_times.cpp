// SPDX-License-Identifier: Apache-2.0
#include "models/node/host_times.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace ascendsim::node {
namespace {

/// What a device is at; the first that holds counts.
enum class Doing : std::uint8_t { computing, copy, launch, host, nothing };

Doing doing_of(SpanKind kind) {
    switch (kind) {
        case SpanKind::compute:
            return Doing::computing;
        case SpanKind::copy:
        case SpanKind::communicate:
            return Doing::copy;
        case SpanKind::launch:
            return Doing::launch;
        case SpanKind::call:
        case SpanKind::synchronise:
            return Doing::host;
    }
    return Doing::nothing;
}

bool concerns(const HostTimeline& timeline, const ProgramSpan& span, std::uint32_t device) {
    return !span.stream || timeline.device_of(*span.stream) == device;
}

/// Sweeps over the spans of one device and its host.
DeviceTimes sweep(const HostTimeline& timeline, std::uint32_t device, std::vector<CallTimes>& calls) {
    struct Border {
        Picoseconds at;
        bool begins;
        Doing doing;
        std::uint32_t call;
    };

    std::vector<Border> borders;
    for (const ProgramSpan& span : timeline.spans()) {
        if (span.start < span.end && concerns(timeline, span, device)) {
            borders.push_back({span.start, true, doing_of(span.kind), span.call});
            borders.push_back({span.end, false, doing_of(span.kind), span.call});
        }
    }
    borders.push_back({timeline.length(), false, Doing::nothing, 0});
    std::ranges::stable_sort(borders, {}, &Border::at);
    std::array<std::int64_t, 5> under_way{};
    std::array<Picoseconds, 5> sums{};
    Picoseconds now = 0;
    std::uint32_t host_call = 0;  // the host does one thing at a time
    for (const Border& border : borders) {
        const auto first = std::ranges::find_if(under_way, [](std::int64_t count) { return count > 0; });
        const std::size_t most =
            first == under_way.end() ? std::size_t{4} : static_cast<std::size_t>(first - under_way.begin());
        sums[most] += border.at - now;
        if (most == static_cast<std::size_t>(Doing::host)) {
            calls[host_call].waited += border.at - now;
        }
        now = border.at;
        under_way[static_cast<std::size_t>(border.doing)] += border.begins ? 1 : -1;
        if (border.begins && border.doing == Doing::host) {
            host_call = border.call;
        }
    }
    return {device, sums[0], sums[1], sums[2], sums[3], sums[4]};
}

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

HostTimes times_of(const HostTimeline& timeline) {
    HostTimes times{
        .length = timeline.length(), .collectives = collectives_of(timeline), .devices = {}, .calls = {}};
    times.calls.resize(timeline.calls().size());
    std::map<std::uint32_t, bool> devices;
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
        if (span.stream) {
            devices[timeline.device_of(*span.stream)] = true;
        }
    }
    for (CallTimes& call : times.calls) {
        call.critical += timeline.inner_critical(call.call);
    }
    for (const auto& [device, works] : devices) {
        times.devices.push_back(sweep(timeline, device, times.calls));
    }
    return times;
}

}  // namespace ascendsim::node
