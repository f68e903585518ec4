// SPDX-License-Identifier: Apache-2.0
#include "app/steps/step_recording.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/analysis/machine/recorded_clock.hpp"
#include "app/steps/step_plots.hpp"
#include "models/node/machine_tracks.hpp"
#include "sim/process/file_text.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::steps {
namespace {

using node::MachineSpan;
using node::MachineTracks;
using node::TaskId;
using record::Reason;
using record::TrackKind;
using record::TrackPath;

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
        : program_{program},
          run_{run},
          clock_{ghz},
          ranks_{recorded_ranks(program, run)},
          tracks_{[&run](std::uint64_t task) { return number(run.schedule.gate[task]); }} {
        for (const StepLane& lane : run.lanes) {
            tracks_.add(path_of(lane));
        }
        add_tasks();
        add_collectives();
        for (std::size_t i = 0; i < run.lanes.size(); ++i) {
            if (path_of(run.lanes[i]).has(TrackKind::device)) {
                tracks_.fill_waits(i);
            }
        }
        add_links();
    }

    void write(record::Recorder& to) { tracks_.write(to); }

private:
    [[nodiscard]] static std::optional<std::uint64_t> number(std::optional<TaskId> task) {
        return task ? std::optional<std::uint64_t>{node::index(*task)} : std::nullopt;
    }

    [[nodiscard]] bool on_host(std::optional<TaskId> task) const {
        if (!task) {
            return false;
        }
        const StepLane::Kind kind = run_.lanes[node::index(run_.graph.lane(*task))].kind;
        return kind == StepLane::Kind::host || kind == StepLane::Kind::launcher;
    }

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
            tracks_.add(lane,
                        {.start = start,
                         .end = end,
                         .what = launch ? "launch of " + of.name : of.name,
                         .place = of.place,
                         .reason = launch ? Reason::launch : Reason::none,
                         .task = i,
                         .gate = number(run_.schedule.gate[i]),
                         .gate_on_host = on_host(run_.schedule.gate[i]),
                         .bytes = of.bytes});
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
            const std::optional<TaskId> gate = run_.schedule.gate[node::index(ready)];
            tracks_.add(node::index(run_.graph.lane(*placed.work)),
                        {.start = start,
                         .end = end,
                         .what = of.name,
                         .place = of.place,
                         .task = node::index(*placed.work),
                         .gate = number(gate),
                         .gate_on_host = on_host(gate),
                         .bytes = of.bytes});
        }
    }

    /// Links are busy while any flow crosses them.
    void add_links() {
        std::map<std::size_t, std::vector<MachineSpan>> links;
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
            tracks_.add_link(run_.graph.links()[link].name, std::move(flows));
        }
    }

    const StepProgram& program_;
    const StepRun& run_;
    analysis::RecordedClock clock_;
    std::uint32_t ranks_;   // that have tracks
    MachineTracks tracks_;  // lanes of the graph, then links
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
        const std::string name = node::file_and_line(task.place).first;
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
