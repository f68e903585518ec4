// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "app/steps/step_report.hpp"
#include "models/node/transfers.hpp"

namespace ascendsim::steps {
namespace {

using node::Picoseconds;
using node::TaskId;
using node::TaskKind;

using node::Busy;
using node::Cause;
using node::Doing;

/// What each rank did when.
class Ranks {
public:
    Ranks(const StepProgram& program, const StepRun& run)
        : program_{program}, run_{run}, ranks_(program.ranks) {
        for (std::size_t i = 0; i < run.owner.size(); ++i) {
            if (run.owner[i]) {
                add(TaskId{static_cast<std::uint32_t>(i)}, run.placed[*run.owner[i]]);
            }
        }
        for (std::size_t i = 0; i < run.placed.size(); ++i) {
            const PlacedTask& placed = run.placed[i];
            if (entry(placed).kind == StepKind::collective && placed.rank == 0) {
                add_collective(i);
            }
        }
    }

    [[nodiscard]] RankTimes times(std::uint32_t rank) const;

private:
    [[nodiscard]] const StepTask& entry(const PlacedTask& placed) const {
        return program_.tasks[placed.entry];
    }

    /// Causes of the same words are one, blamed on the first task.
    [[nodiscard]] std::uint32_t cause(const std::string& what, const std::string& place) {
        const auto [known, added] = numbers_.try_emplace(what, static_cast<std::uint32_t>(causes_.size()));
        if (added) {
            causes_.push_back({what, place});
        }
        return known->second;
    }

    void add(TaskId task, const PlacedTask& placed) {
        const Picoseconds start = run_.schedule.start[node::index(task)];
        const Picoseconds end = run_.schedule.end[node::index(task)];
        const StepTask& of = entry(placed);
        if (start == end || run_.graph.kind(task) == TaskKind::communication) {
            return;
        }
        const TaskKind kind = run_.graph.kind(task);
        if (kind == TaskKind::host) {
            const bool sync = of.kind == StepKind::sync;
            const std::string what = sync                        ? "synchronisation"
                                     : of.kind == StepKind::host ? "host: " + of.name
                                                                 : "host: calls of " + of.name;
            ranks_[placed.rank].push_back({start, end, Doing::host, cause(what, of.place)});
        } else {
            const Doing doing = kind == TaskKind::compute  ? Doing::computing
                                : kind == TaskKind::launch ? Doing::launch
                                                           : Doing::copy;
            ranks_[placed.rank].push_back({start, end, doing, cause("launch of " + of.name, of.place)});
        }
    }

    /// A rank communicates from the arrival of the last rank on; until then it waits for that one.
    void add_collective(std::size_t first) {
        std::vector<Picoseconds> arrivals;
        for (std::uint32_t rank = 0; rank < program_.ranks; ++rank) {
            const std::size_t call = node::index(*run_.placed[first + rank].issue);
            arrivals.push_back(run_.schedule.end[call + 1]);  // the event behind the call, on the stream
        }
        const auto last = std::ranges::max_element(arrivals);
        const auto late = static_cast<std::uint32_t>(last - arrivals.begin());
        const std::uint32_t wait =
            cause("waits for rank " + std::to_string(late), entry(run_.placed[first]).place);
        for (std::uint32_t rank = 0; rank < program_.ranks; ++rank) {
            const Picoseconds end = run_.schedule.end[node::index(*run_.placed[first + rank].work)];
            ranks_[rank].push_back({arrivals[rank], *last, Doing::rank_wait, wait});
            ranks_[rank].push_back({*last, end, Doing::communication, wait});
        }
    }

    const StepProgram& program_;
    const StepRun& run_;
    std::vector<Cause> causes_;
    std::unordered_map<std::string, std::uint32_t> numbers_;  // of causes
    std::vector<std::vector<Busy>> ranks_;
};

RankTimes Ranks::times(std::uint32_t rank) const {
    const node::Occupation all = node::occupation_of(ranks_[rank], run_.schedule.length, causes_.size());
    return {.parts = {{"computing", all[Doing::computing]},
                      {"communication not overlapped", all[Doing::communication]},
                      {"copies not overlapped", all[Doing::copy]},
                      {"free", all.free()}},
            .free = node::free_time(all, causes_),
            .communication = all.communication};
}

/// Device time of an entry with nothing beside it.
double alone_us(const StepProgram& program, const StepTask& task) {
    switch (task.kind) {
        case StepKind::kernel:
        case StepKind::host:
            return task.us;
        case StepKind::copy:
            return node::host_copy_us(program.node,
                                      task.to_device ? node::Direction::to_device : node::Direction::to_host,
                                      task.bytes,
                                      task.pinned);
        case StepKind::collective: {
            node::Collective call{.kind = task.collective, .bytes = task.bytes, .ranks = {}};
            for (std::uint32_t rank = 0; rank < program.ranks; ++rank) {
                call.ranks.push_back(rank);
            }
            return node::collective_us(program.node, call);
        }
        case StepKind::sync:
            return 0;
    }
    return 0;
}

std::vector<EntryTimes> entry_times(const StepProgram& program, const StepRun& run) {
    std::vector<EntryTimes> entries;
    for (const StepTask& task : program.tasks) {
        entries.push_back({.name = task.name, .device_us = alone_us(program, task)});
    }
    const auto start = [&](TaskId task) { return run.schedule.start[node::index(task)]; };
    const auto end = [&](TaskId task) { return run.schedule.end[node::index(task)]; };
    for (const PlacedTask& placed : run.placed) {
        EntryTimes& entry = entries[placed.entry];
        ++entry.calls;
        const TaskId last = placed.work ? *placed.work : *placed.issue;
        entry.with_launch_us += node::microseconds(end(last) - start(*placed.issue));
        const bool collective = program.tasks[placed.entry].kind == StepKind::collective;
        const Picoseconds begin = collective ? run.schedule.end[node::index(*placed.issue) + 1] : start(last);
        entry.contended_us += node::microseconds(end(last) - begin);
    }
    for (EntryTimes& entry : entries) {
        const double calls = static_cast<double>(std::max<std::uint64_t>(1, entry.calls));
        entry.with_launch_us /= calls;
        entry.contended_us /= calls;
    }
    return entries;
}

void add_critical(const StepProgram& program, const StepRun& run, StepFigures& figures) {
    std::map<std::string, Picoseconds> sums;
    for (const TaskId task : node::critical_path(run.schedule)) {
        const Picoseconds time = run.schedule.end[node::index(task)] - run.schedule.start[node::index(task)];
        const std::optional<std::size_t> owner = run.owner[node::index(task)];
        const std::size_t entry = run.placed[owner.value()].entry;
        figures.entries[entry].critical_us += node::microseconds(time);
        const TaskKind kind = run.graph.kind(task);
        const bool call = kind == TaskKind::host && program.tasks[entry].kind != StepKind::host &&
                          program.tasks[entry].kind != StepKind::sync;
        sums[(call                       ? "call of "
              : kind == TaskKind::launch ? "launch of "
                                         : "") +
             program.tasks[entry].name] += time;
    }
    for (const auto& [what, time] : sums) {
        figures.critical.push_back({what, time});
    }
    std::ranges::stable_sort(figures.critical, std::greater{}, &Share::time);
}

/// What all calls of kernels did, and what crossed links.
analysis::EnergyUse use_of(const StepProgram& program, const StepRun& run, StepEnergy& energy) {
    analysis::EnergyUse all{.us = node::microseconds(run.schedule.length) * program.ranks};
    for (const PlacedTask& placed : run.placed) {
        const StepTask& task = program.tasks[placed.entry];
        if (task.use) {
            all.add_work(*task.use);
        }
        energy.unknown += task.kind == StepKind::kernel && !task.use ? 1U : 0U;
    }
    double moved = 0;
    for (std::uint32_t i = 0; i < run.graph.size(); ++i) {
        if (const node::Flow* const flow = run.graph.flow(TaskId{i})) {
            all.link_bytes += static_cast<double>(flow->bytes);
            moved += static_cast<double>(flow->bytes) * node::memory_ends(run.graph, *flow);
        }
    }
    all.hbm_bytes += moved;
    if (const auto alone =
            analysis::energy_of({{"power", program.power}}, {.us = all.us, .hbm_bytes = moved})) {
        energy.transfer_hbm = alone->part("hbm").joules;
    }
    return all;
}

/// How long the hosts' threads are busy, all together.
Picoseconds host_busy(const StepRun& run) {
    Picoseconds busy = 0;
    for (std::uint32_t i = 0; i < run.graph.size(); ++i) {
        busy += run.graph.kind(TaskId{i}) == TaskKind::host ? run.graph.time(TaskId{i}) : 0;
    }
    return busy;
}

std::optional<StepEnergy> energy_of(const StepProgram& program, const StepRun& run) {
    if (!program.power.is_object()) {
        return std::nullopt;
    }
    StepEnergy energy;
    const std::optional<analysis::Energy> devices =
        analysis::energy_of({{"power", program.power}}, use_of(program, run, energy));
    if (!devices) {
        return std::nullopt;
    }
    energy.devices = *devices;
    energy.idle = devices->part("idle").joules;
    energy.links = devices->part("link").joules;
    for (const analysis::EnergyPart& part : devices->parts) {
        energy.kernels += part.name == "idle" || part.name == "link" ? 0
                          : part.name == "hbm"                       ? part.joules - energy.transfer_hbm
                                                                     : part.joules;
    }
    energy.host =
        node::host_energy(program.node, program.host, host_busy(run), run.schedule.length, program.ranks);
    energy.joules = devices->joules + energy.host.joules;
    energy.spread = std::hypot(devices->spread, energy.host.spread);
    energy.limit_w = devices->limit_w;
    energy.average_w = devices->average_w;
    return energy;
}

}  // namespace

StepFigures figures_of(const StepProgram& program, const StepRun& run) {
    StepFigures figures{.step_us = node::microseconds(run.schedule.length),
                        .ranks = {},
                        .entries = {},
                        .critical = {},
                        .energy = {}};
    const Ranks ranks{program, run};
    for (std::uint32_t rank = 0; rank < program.ranks; ++rank) {
        figures.ranks.push_back(ranks.times(rank));
    }
    figures.entries = entry_times(program, run);
    add_critical(program, run, figures);
    figures.energy = energy_of(program, run);
    return figures;
}

}  // namespace ascendsim::steps
