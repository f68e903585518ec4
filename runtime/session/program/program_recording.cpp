// SPDX-License-Identifier: Apache-2.0
// The machine around a host program's chips, as tracks of its recording.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "models/node/host_times.hpp"
#include "models/node/machine_tracks.hpp"
#include "runtime/session/program/program_streams.hpp"

namespace ascendsim::runtime {
namespace {

using nlohmann::json;
using node::CopyWay;
using node::HostTimeline;
using node::MachineSpan;
using node::MachineTracks;
using node::ProgramSpan;
using node::SpanKind;
using record::Reason;
using record::TrackKind;
using record::TrackPath;
using record::TrackSegment;

/// Spans that tracks show, the first of a program.
constexpr std::size_t most_machine_spans = 1'000'000;
constexpr std::size_t most_link_tracks = 1024;

std::uint64_t cycle_at(node::Picoseconds time, double ghz) {
    constexpr double ps_a_ns = 1e3;
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(time) / ps_a_ns * ghz));
}

/// A program's spans on their way to tracks.
class ProgramTracks {
public:
    ProgramTracks(const HostTimeline& timeline, double ghz, const std::vector<std::filesystem::path>& files)
        : timeline_{timeline},
          ghz_{ghz},
          tracks_{[&timeline](std::uint64_t span) -> std::optional<std::uint64_t> {
              return timeline.spans()[span].gate;
          }} {
        for (std::uint32_t call = 0; call < timeline.calls().size(); ++call) {
            labels_.push_back(node::label_of(timeline, call));
            places_.push_back(whole_place(timeline.calls()[call].where, files));
        }
        const std::size_t shown = std::min(most_machine_spans, timeline.spans().size());
        for (std::size_t i = 0; i < shown; ++i) {
            add(i);
        }
        for (const auto& [key, track] : numbers_) {
            if (std::get<0>(key) == Kind::stream) {
                tracks_.fill_waits(track);
            }
        }
        add_engines();
        add_links();
    }

    void write(record::Recorder& to) { tracks_.write(to); }

private:
    enum class Kind : std::uint8_t { thread, launcher, stream };

    /// The place with the way to its file, as spans of kernels have it.
    static std::string whole_place(const std::string& where,
                                   const std::vector<std::filesystem::path>& files) {
        const std::string name = node::file_and_line(where).first;
        for (const std::filesystem::path& file : files) {
            if (file.filename() == name) {
                return (std::filesystem::absolute(file).parent_path() / where).string();
            }
        }
        return where;
    }

    std::size_t track(Kind kind, std::size_t number, std::uint32_t device) {
        const auto known = numbers_.find({kind, number});
        if (known != numbers_.end()) {
            return known->second;
        }
        const auto at = static_cast<std::uint32_t>(number);
        const TrackPath host{{TrackKind::host}};
        const std::size_t added =
            tracks_.add(kind == Kind::thread ? host / TrackSegment{TrackKind::thread, at}
                        : kind == Kind::launcher
                            ? host / TrackSegment{TrackKind::thread, fmt::format("launcher {}", at)}
                            : TrackPath{{TrackKind::device, device}} / TrackSegment{TrackKind::stream, at});
        numbers_[{kind, number}] = added;
        return added;
    }

    [[nodiscard]] MachineSpan drawn(std::size_t i) const {
        const ProgramSpan& span = timeline_.spans()[i];
        const std::string& label = labels_[span.call];
        const bool launch = span.kind == SpanKind::launch;
        MachineSpan result{.start = cycle_at(span.start, ghz_),
                           .end = cycle_at(span.end, ghz_),
                           .what = span.kind == SpanKind::call ? "call of " + label
                                   : launch                    ? "launch of " + label
                                                               : label,
                           .place = places_[span.call],
                           .reason = launch ? Reason::launch : Reason::none,
                           .task = i};
        if (span.gate) {
            const ProgramSpan& gate = timeline_.spans()[*span.gate];
            result.gate = *span.gate;
            result.gate_on_host = !gate.stream || gate.on_host;
        }
        return result;
    }

    void add(std::size_t i) {
        const ProgramSpan& span = timeline_.spans()[i];
        if (!span.stream || span.on_host) {
            const Kind kind = span.launcher ? Kind::launcher : Kind::thread;
            tracks_.add(track(kind, node::index(span.thread), 0), drawn(i));
        } else {
            tracks_.add(track(Kind::stream, node::index(*span.stream), timeline_.device_of(*span.stream)),
                        drawn(i));
        }
        if (span.stream && (span.kind == SpanKind::copy || span.kind == SpanKind::communicate)) {
            engines_[{timeline_.device_of(*span.stream), engine_of(span)}].push_back(i);
        }
    }

    static std::string_view engine_of(const ProgramSpan& span) {
        if (span.kind == SpanKind::communicate) {
            return "collectives";
        }
        switch (span.way) {
            case CopyWay::to_device:
                return "copies to the device";
            case CopyWay::to_host:
                return "copies to the host";
            case CopyWay::between:
                return "copies between devices";
            case CopyWay::within:
                break;
        }
        return "copies within the device";
    }

    /// What streams and threads copy and exchange once more, by what does it. Some may overlap: they share
    /// it.
    void add_engines() {
        for (auto& [engine, spans] : engines_) {
            std::ranges::stable_sort(spans, {}, [this](std::size_t i) { return timeline_.spans()[i].start; });
            const std::size_t track = tracks_.add(TrackPath{{TrackKind::device, engine.first}} /
                                                  TrackSegment{TrackKind::stream, engine.second});
            std::uint64_t now = 0;
            for (const std::size_t i : spans) {
                MachineSpan span = drawn(i);
                span.task = std::nullopt;
                span.start = std::max(span.start, now);
                now = std::max(now, span.end);
                tracks_.add(track, std::move(span));
            }
        }
    }

    void add_links() {
        std::map<std::uint32_t, std::vector<MachineSpan>> links;
        for (const node::ProgramFlow& flow : timeline_.flows()) {
            const std::uint64_t start = cycle_at(flow.start, ghz_);
            const std::uint64_t end = cycle_at(flow.end, ghz_);
            if (start < end && (links.contains(flow.link) || links.size() < most_link_tracks)) {
                links[flow.link].push_back(
                    {.start = start, .end = end, .what = {}, .place = {}, .bytes = flow.bytes});
            }
        }
        for (auto& [link, flows] : links) {
            tracks_.add_link(timeline_.links()[link].name, std::move(flows));
        }
    }

    const HostTimeline& timeline_;
    double ghz_;
    MachineTracks tracks_;
    std::vector<std::string> labels_;  // by call
    std::vector<std::string> places_;
    std::map<std::tuple<Kind, std::size_t>, std::size_t> numbers_;  // of tracks
    std::map<std::pair<std::uint32_t, std::string_view>, std::vector<std::size_t>> engines_;
};

std::string words_of(const node::LinkEnd& end) {
    switch (end.kind) {
        case node::LinkEnd::Kind::device:
            return fmt::format("device {}", end.number);
        case node::LinkEnd::Kind::host:
            return fmt::format("host {}", end.number);
        case node::LinkEnd::Kind::none:
        case node::LinkEnd::Kind::network:
            break;
    }
    return "network";
}

/// As MachineLayout reads it: the servers whose devices did something, and the links that were crossed.
json machine_json(const HostTimeline& timeline, const node::HostTimes& times) {
    std::uint32_t devices = 1;
    for (const node::DeviceTimes& device : times.devices) {
        devices = std::max(devices, device.device + 1);
    }
    json links = json::array();
    for (const node::Link& link : timeline.links()) {
        links.push_back({{"track", "link:" + link.name},
                         {"from", words_of(link.from)},
                         {"to", words_of(link.to)},
                         {"gb_per_s", link.gb_per_s}});
        for (const node::LinkEnd& end : {link.from, link.to}) {
            devices = std::max(devices, end.kind == node::LinkEnd::Kind::network ? 1 : end.number + 1);
        }
    }
    const std::uint32_t per_server = timeline.node().devices.per_server;
    return {{"title", timeline.node().title.empty() ? timeline.node().name : timeline.node().title},
            {"servers", (devices + per_server - 1) / per_server},
            {"per_server", std::min(per_server, devices)},
            {"links", std::move(links)}};
}

/// Links of one kind; those that come from a network carry what was counted on the way there.
std::string_view kind_of(const node::Link& link) {
    using Kind = node::LinkEnd::Kind;
    if (link.from.kind == Kind::host) {
        return "host to device";
    }
    if (link.from.kind != Kind::device) {
        return {};
    }
    return link.to.kind == Kind::host ? "device to host" : "between devices";
}

/// GB/s of all links of a kind over the program's time, in parts of equal length, as RecordedPlot has them.
json links_plot(const HostTimeline& timeline) {
    constexpr std::size_t parts = 1000;
    const double part = static_cast<double>(std::max<node::Picoseconds>(1, timeline.length())) / parts;  // ps
    std::map<std::string_view, std::vector<double>> kinds;  // bytes
    for (const node::ProgramFlow& flow : timeline.flows()) {
        const std::string_view kind = kind_of(timeline.links()[flow.link]);
        if (kind.empty()) {
            continue;
        }
        std::vector<double>& bytes = kinds.try_emplace(kind, parts).first->second;
        const double begin = static_cast<double>(flow.start) / part;
        const double end = static_cast<double>(flow.end) / part;
        for (auto at = static_cast<std::size_t>(begin); at < parts && static_cast<double>(at) < end; ++at) {
            const auto here = static_cast<double>(at);
            bytes[at] += static_cast<double>(flow.bytes) * (std::min(end, here + 1) - std::max(begin, here)) /
                         (end - begin);
        }
    }
    json series = json::array();
    for (const auto& [kind, bytes] : kinds) {
        json x = json::array();
        json y = json::array();
        for (std::size_t at = 0; at < parts; ++at) {
            constexpr double gb_per_s = 1e3;  // of a byte a ps
            x.push_back(static_cast<double>(at) * part * 1e-6);
            y.push_back(bytes[at] / part * gb_per_s);
        }
        series.push_back({{"name", kind}, {"x", std::move(x)}, {"y", std::move(y)}});
    }
    return {{"title", "Links"},
            {"note", "Bytes on their way over all links of a kind"},
            {"kind", "stack"},
            {"y_label", "GB/s"},
            {"over_time", true},
            {"steps", true},
            {"series", std::move(series)}};
}

json rank_json(const node::DeviceTimes* device, node::Picoseconds length) {
    if (device == nullptr) {
        return {{"parts", {{"free", node::microseconds(length)}}}, {"bubbles", json::array()}};
    }
    json bubbles = json::array();
    for (const node::Share& cause : device->idle) {
        bubbles.push_back(
            {{"cause", cause.what}, {"us", node::microseconds(cause.time)}, {"place", cause.place}});
    }
    return {
        {"parts",
         {{"computing", node::microseconds(device->computing)},
          {"communication not overlapped", node::microseconds(device->communication)},
          {"copies not overlapped", node::microseconds(device->copies)},
          {"free", node::microseconds(device->launching + device->waiting + device->host + device->free)}}},
        {"bubbles", std::move(bubbles)}};
}

/// The critical path by task, as far as it is known which one: within collectives by call.
json critical_json(const HostTimeline& timeline) {
    std::map<std::string, node::Picoseconds> sums;
    std::vector<std::string> labels;
    for (std::uint32_t call = 0; call < timeline.calls().size(); ++call) {
        labels.push_back(node::label_of(timeline, call));
    }
    for (const ProgramSpan& span : timeline.spans()) {
        if (span.critical) {
            const std::string& label = labels[span.call];
            sums[(span.kind == SpanKind::call     ? "call of "
                  : span.kind == SpanKind::launch ? "launch of "
                                                  : "") +
                 label] += span.end - span.start;
        }
    }
    for (std::uint32_t call = 0; call < timeline.calls().size(); ++call) {
        if (const node::Picoseconds inner = timeline.inner_critical(call)) {
            sums[labels[call]] += inner;
        }
    }
    json result = json::object();
    for (const auto& [what, time] : sums) {
        result[what] = node::microseconds(time);
    }
    return result;
}

json tasks_json(const HostTimeline& timeline, const node::HostTimes& times) {
    json tasks = json::array();
    for (const node::CallTimes& call : times.calls) {
        if (call.count == 0) {
            continue;
        }
        const double each = 1.0 / static_cast<double>(call.count);
        tasks.push_back({{"name", node::label_of(timeline, call.call)},
                         {"problem", timeline.calls()[call.call].where},
                         {"calls", call.count},
                         {"device_us", each * node::microseconds(call.device)},
                         {"contended_us", each * node::microseconds(call.contended)},
                         {"with_launch_us", each * node::microseconds(call.with_launch)},
                         {"critical_us", node::microseconds(call.critical)}});
    }
    return tasks;
}

}  // namespace

json ProgramStreams::recorded_metadata() const {
    const node::HostTimes times = node::times_of(timeline_);
    json ranks = json::array();
    for (const node::DeviceTimes& device : times.devices) {
        while (ranks.size() < device.device) {
            ranks.push_back(rank_json(nullptr, times.length));
        }
        ranks.push_back(rank_json(&device, times.length));
    }
    json plots = json::array();
    if (!timeline_.flows().empty()) {
        plots.push_back(links_plot(timeline_));
    }
    return {{"machine", machine_json(timeline_, times)},
            {"plots", std::move(plots)},
            {"step",
             {{"program", true},
              {"node", timeline_.node().name},
              {"host", timeline_.host().name},
              {"step_us", node::microseconds(times.length)},
              {"ranks", std::move(ranks)},
              {"tasks", tasks_json(timeline_, times)},
              {"critical_path", critical_json(timeline_)},
              {"advice", advice_json()}}}};
}

json ProgramStreams::advice_json() const {
    constexpr double least_gain = 0.002;
    json advice = json::array();
    const double length = node::microseconds(timeline_.length());
    for (const node::HostTrial& trial : timeline_.trials()) {
        const double saved = node::microseconds(trial.saved);
        if (saved < least_gain * length) {
            continue;
        }
        const std::string& name = timeline_.calls()[trial.call].name;
        const bool all = trial.change == node::HostChange::capture;
        std::string text;
        std::string change;
        switch (trial.change) {
            case node::HostChange::capture:
                text = "capture the kernels in a graph: no host call for each";
                change = "aclmdlRICaptureBegin to aclmdlRICaptureEnd, aclmdlRIExecuteAsync";
                break;
            case node::HostChange::fuse:
                text = fmt::format("fuse the launches of '{}' that follow each other into one", name);
                change = "one kernel that does what they do";
                break;
            case node::HostChange::overlap:
                text = fmt::format("overlap the copy '{}': bring the next data while kernels run", name);
                change = "aclrtMemcpyAsync on a stream of its own, two buffers";
                break;
            case node::HostChange::pin:
                text = fmt::format("let the host's memory of the copy '{}' be pinned", name);
                change = "aclrtMallocHost";
                break;
        }
        advice.push_back({{"text", std::move(text)},
                          {"change", std::move(change)},
                          {"place", all ? "" : timeline_.calls()[trial.call].where},
                          {"step_us", length - saved},
                          {"gain", saved / length}});
    }
    return advice;
}

void ProgramStreams::record(record::Recorder& to,
                            double clock_ghz,
                            const std::vector<std::filesystem::path>& files) const {
    ProgramTracks{timeline_, clock_ghz, files}.write(to);
}

json ProgramStreams::axis(double clock_ghz) const {
    std::vector<node::Picoseconds> kernels;  // in the order in which the program submitted them
    for (const ProgramSpan& span : timeline_.spans()) {
        if (span.kind == SpanKind::compute) {
            kernels.push_back(span.start);
        }
    }
    json from = json::array();
    json by = json::array();
    std::uint64_t last = 0;
    std::size_t executed = 0;
    for (const ProgramDevices::Started& started : devices_.starts()) {
        std::optional<node::Picoseconds> at = started.at;
        if (!at && executed < kernels.size()) {
            at = kernels[executed++];
        }
        if (!at) {
            continue;
        }
        const std::uint64_t cycle = cycle_at(*at, clock_ghz);
        last = std::max(last, cycle - std::min(cycle, started.cycle));  // what follows never comes before
        if (by.empty() || by.back() != last) {
            from.push_back(started.cycle);
            by.push_back(last);
        }
    }
    return {{"from", std::move(from)},
            {"by", std::move(by)},
            {"length", cycle_at(timeline_.length(), clock_ghz)}};
}

}  // namespace ascendsim::runtime
