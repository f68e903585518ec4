// SPDX-License-Identifier: Apache-2.0
// What a recording tells of a host program's time.
#include <algorithm>

#include "models/node/host_energy.hpp"
#include "models/node/host_times.hpp"
#include "runtime/session/program/program_streams.hpp"

namespace ascendsim::runtime {
namespace {

using nlohmann::json;
using node::HostTimeline;
using node::HostTimes;
using node::microseconds;

/// Spans that a recording keeps, the first of a program: some 100 B each.
constexpr std::size_t most_spans = 20'000;

json devices_json(const HostTimes& times) {
    json devices = json::array();
    for (const node::DeviceTimes& device : times.devices) {
        json bubbles = json::array();
        for (const node::Share& cause : device.idle) {
            bubbles.push_back(
                {{"cause", cause.what}, {"us", microseconds(cause.time)}, {"place", cause.place}});
        }
        devices.push_back({{"device", device.device},
                           {"computing_us", microseconds(device.computing)},
                           {"communication_us", microseconds(device.communication)},
                           {"copies_us", microseconds(device.copies)},
                           {"launching_us", microseconds(device.launching)},
                           {"waiting_us", microseconds(device.waiting)},
                           {"host_us", microseconds(device.host)},
                           {"free_us", microseconds(device.free)},
                           {"bubbles", std::move(bubbles)}});
    }
    return devices;
}

json calls_json(const HostTimeline& timeline, const HostTimes& times) {
    json calls = json::array();
    for (const node::CallTimes& call : times.calls) {
        calls.push_back({{"name", timeline.calls()[call.call].name},
                         {"place", timeline.calls()[call.call].where},
                         {"kind", node::name(call.kind)},
                         {"count", call.count},
                         {"device_us", microseconds(call.device)},
                         {"contended_us", microseconds(call.contended)},
                         {"with_launch_us", microseconds(call.with_launch)},
                         {"critical_us", microseconds(call.critical)},
                         {"device_waited_us", microseconds(call.waited)}});
    }
    return calls;
}

json collectives_json(const HostTimeline& timeline, const HostTimes& times) {
    json collectives = json::array();
    for (const node::CollectiveTimes& one : times.collectives) {
        json ranks = json::array();
        for (const node::CollectiveTimes::Rank& rank : one.ranks) {
            ranks.push_back(
                {{"device", rank.device}, {"waited_us", microseconds(rank.waited)}, {"last", rank.last}});
        }
        collectives.push_back({{"name", timeline.calls()[one.call].name},
                               {"place", timeline.calls()[one.call].where},
                               {"count", one.count},
                               {"ranks", std::move(ranks)}});
    }
    return collectives;
}

/// What takes energy besides the chips' kernels. A thread that waits for a copy is not busy.
json energy_json(const HostTimeline& timeline, const HostTimes& times) {
    node::Picoseconds busy = 0;
    for (const node::ProgramSpan& span : timeline.spans()) {
        busy += span.stream ? 0 : span.end - span.start;
    }
    const node::HostEnergy host = node::host_energy(timeline.node(),
                                                    timeline.host(),
                                                    busy,
                                                    times.length,
                                                    static_cast<std::uint32_t>(times.devices.size()));
    return {{"host_busy_us", host.busy_us},
            {"host_joules", host.joules},
            {"host_spread_joules", host.spread},
            {"link_bytes", timeline.link_bytes()},
            {"transfer_memory_bytes", timeline.transfer_memory_bytes()}};
}

json spans_json(const HostTimeline& timeline) {
    json spans = json::array();
    for (std::size_t i = 0; i < std::min(most_spans, timeline.spans().size()); ++i) {
        const node::ProgramSpan& span = timeline.spans()[i];
        json one{{"call", span.call},
                 {"kind", node::name(span.kind)},
                 {"start_us", microseconds(span.start)},
                 {"us", microseconds(span.end - span.start)}};
        if (span.thread != node::ThreadId{} && !span.stream) {
            one["thread"] = node::index(span.thread);
        }
        if (span.launcher) {
            one["launcher"] = true;
        }
        if (span.stream) {
            one["device"] = timeline.device_of(*span.stream);
            one["stream"] = node::index(*span.stream);
        }
        spans.push_back(std::move(one));
    }
    return spans;
}

}  // namespace

bool ProgramStreams::worked() const {
    return std::ranges::any_of(timeline_.spans(), [](const node::ProgramSpan& span) {
        return span.kind == node::SpanKind::compute || span.kind == node::SpanKind::copy ||
               span.kind == node::SpanKind::communicate;
    });
}

json ProgramStreams::figures() const {
    const HostTimes times = node::times_of(timeline_);
    return {{"node", timeline_.node().name},
            {"host", timeline_.host().name},
            {"total_us", microseconds(times.length)},
            {"devices", devices_json(times)},
            {"calls", calls_json(timeline_, times)},
            {"collectives", collectives_json(timeline_, times)},
            {"energy", energy_json(timeline_, times)},
            {"advice", advice_json()},
            {"spans", spans_json(timeline_)},
            {"spans_left_out", timeline_.spans().size() - std::min(most_spans, timeline_.spans().size())}};
}

}  // namespace ascendsim::runtime
