// SPDX-License-Identifier: Apache-2.0
#include "app/steps/step_recording.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/analysis/machine/recorded_clock.hpp"
#include "app/steps/step_plots.hpp"
#include "sim/process/file_text.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::steps {
namespace {

using node::TaskId;
using record::Reason;
using record::TrackKind;
using record::TrackPath;

/// A span of a track before it is written, and the task whose end let it start.
struct Drawn {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::string what;
    std::string place;
    Reason reason = Reason::none;
    std::optional<TaskId> gate{};
    std::uint64_t bytes = 0;
};

/// One track with its spans, in order of time.
struct Track {
    TrackPath path;
    std::vector<Drawn> spans;
};

/// "file:line" taken apart.
std::pair<std::string, std::uint32_t> file_and_line(const std::string& place) {
    const std::size_t colon = place.rfind(':');
    std::uint32_t line = 0;
    if (colon != std::string::npos) {
        std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
    }
    return {place.substr(0, colon), line};
}

constexpr std::size_t most_tasks = 2'000'000;  // with spans, and as many of flows over links

/// How many ranks have tracks, from the first on: of very many tasks not all, which bounds file and memory.
std::uint32_t recorded_ranks(const StepProgram& program, const StepRun& run) {
    const std::size_t each = std::max<std::size_t>(1, run.graph.size() / std::max(1U, program.ranks));
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>(most_tasks / each, 1, std::max(1U, program.ranks)));
}

class StepTracks {
public:
    StepTracks(const StepProgram& program, const StepRun& run, double ghz)
        : program_{program}, run_{run}, clock_{ghz}, ranks_{recorded_ranks(program, run)} {
        tracks_.resize(run.graph.lanes().size());
        for (std::size_t i = 0; i < run.lanes.size(); ++i) {
            tracks_[i].path = path_of(run.lanes[i]);
        }
        place_.resize(run.graph.size());
        add_tasks();
        add_collectives();
        for (Track& track : tracks_) {
            std::ranges::stable_sort(track.spans, {}, &Drawn::start);
            fill_waits(track);
        }
        number_spans();
        add_links();
    }

    void write(record::Recorder& to) const {
        std::vector<std::uint32_t> lanes(tracks_.size());
        for (std::size_t i = 0; i < tracks_.size(); ++i) {
            if (!tracks_[i].spans.empty()) {
                lanes[i] = to.lane(tracks_[i].path);
            }
        }
        std::map<std::string, std::string> files;  // whose texts stay while the recorder looks at them
        for (std::size_t i = 0; i < tracks_.size(); ++i) {
            for (const Drawn& span : tracks_[i].spans) {
                const auto [file, line] = file_and_line(span.place);
                const char* const name =
                    file.empty() ? "" : files.try_emplace(file, file).first->second.c_str();
                record::Span written{.issue = span.start,
                                     .start = span.start,
                                     .end = span.end,
                                     .complete = span.end,
                                     .op = to.op(span.what),
                                     .site = file.empty() ? 0 : to.site(name, line),
                                     .reason = span.reason,
                                     .bytes = static_cast<std::uint32_t>(
                                         std::min<std::uint64_t>(span.bytes, ~std::uint32_t{0}))};
                if (const auto culprit = culprit_of(span)) {
                    written.culprit = {lanes[culprit->first], culprit->second};
                }
                to.span(lanes[i], written);
            }
        }
    }

private:
    [[nodiscard]] TrackPath path_of(const StepLane& lane) const {
        const std::uint32_t server = lane.rank / program_.node.devices.per_server;
        const TrackPath machine{{TrackKind::node, server}};
        const TrackPath device = machine / record::TrackSegment{TrackKind::device, lane.rank};
        switch (lane.kind) {
            case StepLane::Kind::host:
            case StepLane::Kind::launcher: {
                const std::string name = fmt::format("rank {} {}", lane.rank, lane.name);
                return machine / record::TrackSegment{TrackKind::host} /
                       record::TrackSegment{TrackKind::thread, name.substr(0, TrackPath::longest_name)};
            }
            case StepLane::Kind::stream:
            case StepLane::Kind::engine:
            case StepLane::Kind::transfer:
                break;
        }
        return device / record::TrackSegment{TrackKind::stream, lane.name.substr(0, TrackPath::longest_name)};
    }

    void add_tasks() {
        for (std::uint32_t i = 0; i < run_.graph.size(); ++i) {
            const TaskId task{i};
            const std::size_t lane = node::index(run_.graph.lane(task));
            const std::uint64_t start = clock_.of_ps(run_.schedule.start[i]);
            const std::uint64_t end = clock_.of_ps(run_.schedule.end[i]);
            if (!run_.owner[i] || start == end || run_.lanes[lane].kind == StepLane::Kind::transfer ||
                run_.lanes[lane].rank >= ranks_) {
                continue;
            }
            const StepTask& of = program_.tasks[run_.placed[*run_.owner[i]].entry];
            const bool launch = run_.graph.kind(task) == node::TaskKind::launch;
            tracks_[lane].spans.push_back({.start = start,
                                           .end = end,
                                           .what = launch ? "launch of " + of.name : of.name,
                                           .place = of.place,
                                           .reason = launch ? Reason::launch : Reason::none,
                                           .gate = run_.schedule.gate[i],
                                           .bytes = of.bytes});
            owners_.push_back({lane, task});
        }
    }

    /// A collective holds its stream from its call's arrival to its end.
    void add_collectives() {
        for (const PlacedTask& placed : run_.placed) {
            const StepTask& of = program_.tasks[placed.entry];
            if (of.kind != StepKind::collective || !placed.work || !placed.issue || placed.rank >= ranks_) {
                continue;
            }
            const TaskId ready{static_cast<std::uint32_t>(node::index(*placed.issue)) + 1};
            const std::uint64_t start = clock_.of_ps(run_.schedule.end[node::index(ready)]);
            const std::uint64_t end = clock_.of_ps(run_.schedule.end[node::index(*placed.work)]);
            if (end > start) {
                const std::size_t lane = node::index(run_.graph.lane(*placed.work));
                tracks_[lane].spans.push_back({.start = start,
                                               .end = end,
                                               .what = of.name,
                                               .place = of.place,
                                               .gate = run_.schedule.gate[node::index(ready)],
                                               .bytes = of.bytes});
                collective_ends_[node::index(*placed.work)] = {lane, start};
            }
        }
    }

    /// What lies between two spans of a device is a wait for what let the second one start.
    void fill_waits(Track& track) {
        if (track.spans.empty() || !track.path.has(TrackKind::device)) {
            return;
        }
        std::vector<Drawn> all;
        std::uint64_t now = 0;
        for (Drawn& span : track.spans) {
            if (span.start > now && span.gate) {
                const std::size_t lane = node::index(run_.graph.lane(*span.gate));
                const StepLane::Kind kind = run_.lanes[lane].kind;
                const bool host = kind == StepLane::Kind::host || kind == StepLane::Kind::launcher;
                all.push_back({.start = now,
                               .end = span.start,
                               .what = host ? "waits for the host" : "waits for another stream",
                               .place = span.place,
                               .reason = host ? Reason::issue : Reason::flag_data,
                               .gate = span.gate});
            }
            now = span.end;
            all.push_back(std::move(span));
        }
        track.spans = std::move(all);
    }

    /// Where each task's span stands on its track.
    void number_spans() {
        std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> by_start;
        for (std::size_t lane = 0; lane < tracks_.size(); ++lane) {
            for (std::size_t i = 0; i < tracks_[lane].spans.size(); ++i) {
                const Drawn& span = tracks_[lane].spans[i];
                if (span.reason == Reason::none || span.reason == Reason::launch) {
                    by_start[{lane, span.start}] = i;
                }
            }
        }
        for (const auto& [lane, task] : owners_) {
            const auto at = by_start.find({lane, clock_.of_ps(run_.schedule.start[node::index(task)])});
            if (at != by_start.end()) {
                place_[node::index(task)] = {lane, at->second};
            }
        }
        for (const auto& [task, start] : collective_ends_) {
            if (const auto at = by_start.find(start); at != by_start.end()) {
                place_[task] = {start.first, at->second};
            }
        }
    }

    /// The span that a wait waited for: that of its gate, or of what let that event happen.
    [[nodiscard]] std::optional<std::pair<std::size_t, std::uint64_t>> culprit_of(const Drawn& span) const {
        if (span.reason != Reason::issue && span.reason != Reason::flag_data) {
            return std::nullopt;
        }
        std::optional<TaskId> gate = span.gate;
        while (gate && !place_[node::index(*gate)]) {
            gate = run_.schedule.gate[node::index(*gate)];
        }
        return gate ? place_[node::index(*gate)] : std::nullopt;
    }

    /// Links are busy while any flow crosses them.
    void add_links() {
        std::map<std::size_t, std::vector<Drawn>> links;
        std::size_t drawn = 0;
        for (std::uint32_t i = 0; i < run_.graph.size() && drawn < most_tasks; ++i) {
            const node::Flow* const flow = run_.graph.flow(TaskId{i});
            if (flow == nullptr) {
                continue;
            }
            const std::uint64_t start = clock_.of_ps(run_.schedule.start[i] + run_.graph.time(TaskId{i}));
            const std::uint64_t end = clock_.of_ps(run_.schedule.end[i]);
            for (const node::LinkId link : flow->route) {
                if (end > start) {
                    ++drawn;
                    links[node::index(link)].push_back(
                        {.start = start, .end = end, .what = {}, .place = {}, .bytes = flow->bytes});
                }
            }
        }
        constexpr std::size_t most_links = 1024;
        for (auto& [link, flows] : links) {
            if (tracks_.size() >= run_.graph.lanes().size() + most_links) {
                break;
            }
            const std::string& name = run_.graph.links()[link].name;
            std::ranges::stable_sort(flows, {}, &Drawn::start);
            Track track{.path = TrackPath{{TrackKind::link, name.substr(0, TrackPath::longest_name)}},
                        .spans = {}};
            std::size_t together = 0;
            for (const Drawn& flow : flows) {
                const bool follows = track.spans.empty() || flow.start >= track.spans.back().end;
                together = follows ? 1 : together + 1;
                if (follows) {
                    track.spans.push_back(flow);
                } else {
                    Drawn& last = track.spans.back();
                    last.end = std::max(last.end, flow.end);
                    last.bytes += flow.bytes;
                }
                Drawn& last = track.spans.back();
                last.what = together == 1 ? "1 flow" : fmt::format("{} flows", together);
            }
            tracks_.push_back(std::move(track));
        }
    }

    const StepProgram& program_;
    const StepRun& run_;
    analysis::RecordedClock clock_;
    std::uint32_t ranks_;        // that have tracks
    std::vector<Track> tracks_;  // lanes of the graph, then links
    std::vector<std::pair<std::size_t, TaskId>> owners_;
    std::map<std::size_t, std::pair<std::size_t, std::uint64_t>> collective_ends_;  // lane and start by task
    std::vector<std::optional<std::pair<std::size_t, std::uint64_t>>> place_;       // of each task's span
};

}  // namespace

void write_step_recording(const std::filesystem::path& file,
                          const StepProgram& program,
                          const StepRun& run,
                          const StepFigures& figures,
                          const std::vector<StepAdvice>& advice,
                          const KernelRecordings& kernels) {
    const double ghz = kernels.clock_ghz;
    record::Recorder recorder{file};
    nlohmann::json sources = nlohmann::json::object();
    for (const StepTask& task : program.tasks) {
        const std::string name = file_and_line(task.place).first;
        if (!name.empty() && !sources.contains(name)) {
            sources[name] = process::text_of(name);
        }
    }
    nlohmann::json data = analysis::recorded_head(program.title, program.chip, analysis::RecordedClock{ghz});
    data["sources"] = std::move(sources);
    data["machine"] = analysis::to_json(machine_layout(program, run));
    data["plots"] = analysis::to_json(step_plots(program, run, figures));
    data["step"] = step_json(program, figures, advice);
    recorder.metadata(data);
    StepTracks{program, run, ghz}.write(recorder);
    if (const std::uint32_t ranks = recorded_ranks(program, run); ranks < program.ranks) {
        recorder.event(
            {{"kind", "note"},
             {"text",
              fmt::format(
                  "the first {} of {} ranks have tracks; figures are of all", ranks, program.ranks)}});
    }
    const std::size_t cores = write_step_cores(recorder, program, run, kernels);
    recorder.finish({{"outcome", "complete"},
                     {"cycles", analysis::RecordedClock{ghz}.of_ps(run.schedule.length)},
                     {"time_us", figures.step_us},
                     {"cores_used", cores}});
}

}  // namespace ascendsim::steps
