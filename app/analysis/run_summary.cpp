// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "app/analysis/lane_use.hpp"
#include "app/analysis/machine/recorded_values.hpp"
#include "app/analysis/network_figures.hpp"
#include "app/analysis/pipe_units.hpp"
#include "app/analysis/quotes.hpp"
#include "app/analysis/recorded_sums.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::analysis {

namespace {

using record::Lane;
using record::Reason;
using record::Recording;

/// What the lanes of a recording add up to in a window, and where from.
struct Source {
    const Recording& recording;  // its spans are not asked for
    const std::vector<record::LaneSums>& sums;
    std::vector<std::uint64_t> core_starts;  // by core

    Source(const Recording& head, const std::vector<record::LaneSums>& lane_sums)
        : recording{head}, sums{lane_sums} {
        for (std::uint32_t lane = 0; lane < sums.size(); ++lane) {
            const std::optional<std::uint32_t> core = recording.lane(lane).core_index;
            if (!core) {
                continue;
            }
            core_starts.resize(std::max<std::size_t>(core_starts.size(), *core + std::size_t{1}),
                               ~std::uint64_t{0});
            if (sums[lane].any()) {
                core_starts[*core] = std::min(core_starts[*core], sums[lane].start());
            }
        }
    }

    /// What a lane of a core did.
    [[nodiscard]] record::Occupancy cycles(std::uint32_t lane, std::uint64_t to) const {
        return {sums[lane].cycles(core_starts[recording.lane(lane).core_index.value()], to)};
    }
};

void add_lane(PipeUse& use, const RunSummary& summary, const Source& source, std::uint32_t number) {
    const record::LaneSums& sums = source.sums[number];
    ++use.lanes;
    use.cycles += source.cycles(number, summary.to);
    use.instructions += sums.instructions;
    use.work += sums.work;
    use.bytes += sums.bytes;
    use.conflict_cycles += sums.conflict_cycles;
}

void add_to(PipeUse& all, const PipeUse& use) {
    all.lanes += use.lanes;
    all.instructions += use.instructions;
    all.work += use.work;
    all.bytes += use.bytes;
    all.conflict_cycles += use.conflict_cycles;
    all.cycles += use.cycles;
}

void add_pipes(RunSummary& summary, const Source& source, const std::vector<PipeUnit>& units) {
    std::set<std::uint32_t> cores;
    double most = -1;
    for (const PipeUnit& unit : units) {
        PipeUse use{.name = unit.name, .pipe = unit.pipe, .cores = unit.cores, .cycles = {}};
        for (const std::uint32_t number : unit.lanes) {
            add_lane(use, summary, source, number);
            cores.insert(source.recording.lane(number).core_index.value());
        }
        const bool scalar = unit.pipe == name(Pipe::scalar);
        if (const double share = scalar ? -0.5 : use.utilization(); share > most) {
            most = share;
            summary.main_pipe = use.name;
        }
        if (summary.all_cores.empty() || summary.all_cores.back().pipe != unit.pipe) {
            summary.all_cores.push_back({.name = unit.pipe, .pipe = unit.pipe, .cores = {}, .cycles = {}});
        }
        add_to(summary.all_cores.back(), use);
        summary.pipes.push_back(use);
    }
    summary.cores_used = static_cast<std::uint32_t>(cores.size());
}

// Sums waits by reason and by what was waited for.
class BubbleCounter {
public:
    explicit BubbleCounter(const Source& source) : source_{source} {}

    void add(std::uint32_t number, std::uint64_t to) {
        const record::Occupancy cycles = source_.cycles(number, to);
        for (std::size_t reason = 1; reason < waits_.size(); ++reason) {
            waits_[reason].cycles += cycles.cycles[reason];
        }
        std::vector<record::CauseSum> causes = source_.sums[number].causes;
        std::ranges::sort(causes, {}, &record::CauseSum::first);
        for (const record::CauseSum& cause : causes) {
            const std::uint32_t op = record::op_of_what(cause.what);
            pipes_.try_emplace(op, source_.recording.lane(cause.culprit_lane).path.leaf());
            waits_[static_cast<std::size_t>(cause.reason)].causes[key_of(cause.what)] += cause.cycles;
        }
    }

    [[nodiscard]] std::vector<Bubble> result() const {
        std::vector<Bubble> bubbles;
        for (std::size_t reason = 0; reason < waits_.size(); ++reason) {
            if (waits_[reason].cycles > 0) {
                bubbles.push_back({.reason = static_cast<Reason>(reason),
                                   .cycles = waits_[reason].cycles,
                                   .top = top(waits_[reason])});
            }
        }
        std::ranges::stable_sort(bubbles, std::ranges::greater{}, &Bubble::cycles);
        return bubbles;
    }

private:
    // Cycles by instruction and place: the name's number in the low half, the site's in the high half.
    struct Waits {
        std::uint64_t cycles = 0;
        std::unordered_map<std::uint64_t, std::uint64_t> causes;
    };

    [[nodiscard]] static std::uint64_t key_of(std::uint32_t what) {
        return record::op_of_what(what) | std::uint64_t{record::site_of_what(what)} << 32U;
    }

    [[nodiscard]] Cause top(const Waits& waits) const {
        std::uint64_t best = 0;
        std::uint64_t most = 0;
        for (const auto& [key, cycles] : waits.causes) {
            if (cycles > most || (cycles == most && key < best)) {
                best = key;
                most = cycles;
            }
        }
        if (most == 0) {
            return {};
        }
        const auto op = static_cast<std::uint32_t>(best);
        return {
            .op = op, .site = static_cast<std::uint32_t>(best >> 32U), .pipe = pipes_.at(op), .cycles = most};
    }

    const Source& source_;
    std::array<Waits, record::reason_count> waits_;
    std::unordered_map<std::uint32_t, std::string> pipes_;  // by name's number
};

void add_bubbles(RunSummary& summary, const Source& source, const std::vector<PipeUnit>& units) {
    BubbleCounter counter{source};
    for (const PipeUnit& unit : units) {
        for (const std::uint32_t number : unit.lanes) {
            if (unit.name == summary.main_pipe) {
                counter.add(number, summary.to);
            }
        }
    }
    summary.bubbles = counter.result();
}

// One row for each pipe that a line gave work to: an instruction's issue on the scalar unit is not the
// instruction.
void add_lines(RunSummary& summary, const Source& source) {
    struct Line {
        LineCost cost;
        std::uint64_t most = 0;
    };

    std::map<std::pair<std::uint32_t, std::string>, Line> lines;  // by site and pipe
    for (std::uint32_t lane = 0; lane < source.sums.size(); ++lane) {
        const std::vector<record::SiteSum>& sites = source.sums[lane].sites;
        if (!source.recording.lane(lane).core_index) {
            continue;
        }
        const std::string pipe{source.recording.lane(lane).path.pipe()};
        const std::size_t known = std::min(sites.size(), source.recording.sites().size());
        for (std::uint32_t site = 0; site < known; ++site) {
            if (sites[site].count == 0) {
                continue;
            }
            Line& line = lines[{site, pipe}];
            line.cost.site = site;
            line.cost.pipe = pipe;
            line.cost.count += sites[site].count;
            line.cost.busy_cycles += sites[site].busy_cycles;
            line.cost.wait_cycles += sites[site].wait_cycles;
            if (sites[site].longest > line.most) {
                line.most = sites[site].longest;
                line.cost.op = sites[site].op;
            }
        }
    }
    for (const auto& [key, line] : lines) {
        summary.lines.push_back(line.cost);
    }
    std::ranges::stable_sort(summary.lines, std::ranges::greater{}, [](const LineCost& line) {
        return std::pair{line.busy_cycles, line.wait_cycles};
    });
}

/// What one execution did that takes energy.
EnergyUse energy_use(const RunSummary& summary) {
    const double executions = static_cast<double>(summary.executions);
    EnergyUse use{.us = summary.time_us};
    for (const PipeUse& pipe : summary.all_cores) {
        const double busy = static_cast<double>(pipe.cycles.busy()) / executions;
        use.cube_cycles += pipe.pipe == name(Pipe::cube) ? busy : 0;
        use.vector_cycles += pipe.pipe == name(Pipe::vector) ? busy : 0;
        use.scalar_cycles += pipe.pipe == name(Pipe::scalar) ? busy : 0;
    }
    for (const RouteTraffic& route : summary.traffic.routes) {
        const auto number =
            static_cast<std::size_t>(std::ranges::find(route_names, route.name) - route_names.begin());
        use.local_bytes += number < gm_route_count ? 0 : static_cast<double>(route.bytes) / executions;
    }
    use.l2_bytes = static_cast<double>(summary.traffic.gm_bytes()) / executions;
    use.hbm_bytes = static_cast<double>(summary.traffic.hbm_bytes()) / executions;
    return use;
}

std::string text_of(const nlohmann::json& values, const char* key) {
    const auto found = values.find(key);
    return found != values.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

void add_events(RunSummary& summary, const Recording& recording) {
    for (const nlohmann::json& event : recording.events()) {
        const std::string kind = event.is_object() ? text_of(event, "kind") : std::string{};
        if (kind == "launch") {
            const auto at = [&](const char* key) { return event.value(key, std::uint64_t{0}); };
            if (at("start") >= summary.from && at("end") <= summary.to) {
                summary.launch_head_cycles += at("first_core") - at("start");
                summary.launch_cycles += at("first_core") - at("start") + at("end") - at("cores_end");
            }
        } else if (kind == "failure") {
            summary.error = text_of(event, "message");
        } else if (kind == "hazard" || kind == "race") {
            const auto found = event.find("hazard");
            summary.hazards.push_back(found != event.end() && found->is_object() ? *found : event);
        } else {
            summary.notes.push_back(event);
        }
    }
}

void add_totals(RunSummary& summary, const nlohmann::json& totals) {
    if (!totals.is_object()) {
        return;
    }
    summary.numerics = totals.value("numerics", nlohmann::json{});
    summary.simulator = totals.value("simulator", nlohmann::json{});
    summary.arithmetic_cycles = totals.value("arithmetic_cycles", std::uint64_t{0});
    if (const auto perturb = totals.find("perturb"); perturb != totals.end()) {
        summary.perturb = *perturb;
    }
    if (const auto hazards = totals.find("hazards"); hazards != totals.end() && hazards->is_array()) {
        for (const nlohmann::json& hazard : *hazards) {
            summary.hazards.push_back(hazard);
        }
    }
}

}  // namespace

const PipeUse* RunSummary::find(std::string_view pipe) const {
    for (const auto* list : {&pipes, &all_cores}) {
        const auto found = std::ranges::find(*list, pipe, &PipeUse::name);
        if (found != list->end()) {
            return &*found;
        }
    }
    return nullptr;
}

std::optional<double> RunSummary::arithmetic_share() const {
    const auto scalar = std::ranges::find(all_cores, name(Pipe::scalar), &PipeUse::name);
    if (arithmetic_cycles == 0 || scalar == all_cores.end() || scalar->cycles.busy() == 0) {
        return std::nullopt;
    }
    // Of a run that failed, what was issued last was not timed.
    return std::min(1.0, static_cast<double>(arithmetic_cycles) / static_cast<double>(scalar->cycles.busy()));
}

std::optional<double> RunSummary::profiler_us(const PipeUse& use) const {
    if (!use.active_cycles || use.lanes == 0 || executions == 0 || clock_ghz <= 0) {
        return std::nullopt;
    }
    const double each = static_cast<double>(*use.active_cycles) / static_cast<double>(use.lanes) /
                        static_cast<double>(executions);
    return each / clock_ghz / 1e3;
}

double RunSummary::bubble_fraction() const {
    const PipeUse* const use = find(main_pipe);
    return use == nullptr ? 0 : 1 - use->utilization();
}

Reported reported(const Recording& recording) {
    Reported result{.to = recording.cycles()};
    const nlohmann::json& totals = recording.totals();
    if (!totals.is_object() || !totals.contains("executions") || !totals["executions"].is_array()) {
        return result;
    }
    std::uint64_t count = 0;
    for (const nlohmann::json& execution : totals["executions"]) {
        if (execution.value("warm_up", false)) {
            continue;
        }
        result.from = count == 0 ? execution.value("start", result.from) : result.from;
        result.to = execution.value("end", result.to);
        ++count;
    }
    result.executions = std::max<std::uint64_t>(1, count);
    return result;
}

RunSummary summarise(const Recording& recording) {
    const Reported window = reported(recording);
    RunSummary summary = summarise(recording, sums_of(recording, window.from, window.to));
    note_active(summary, active_cycles_of(recording, window.from));
    return summary;
}

RunSummary summarise(const Recording& recording, const std::vector<record::LaneSums>& sums) {
    const ChipNumbers chip{recording.metadata()};
    RunSummary summary;
    summary.scenario = text_of(recording.metadata(), "scenario");
    summary.title = text_of(recording.metadata(), "title");
    summary.mode = text_of(recording.metadata(), "mode");
    summary.chip = chip.name();
    summary.complete = recording.complete();
    const Reported window = reported(recording);
    summary.from = window.from;
    summary.to = window.to;
    summary.executions = window.executions;
    const double cycles =
        static_cast<double>(window.to - window.from) / static_cast<double>(window.executions);
    summary.cycles = static_cast<std::uint64_t>(std::llround(cycles));
    summary.clock_ghz = chip.clock_ghz();
    summary.time_us = chip.us(cycles);
    const std::vector<PipeUnit> units = pipe_units(recording, sums);
    const Source source{recording, sums};
    add_pipes(summary, source, units);
    add_bubbles(summary, source, units);
    add_lines(summary, source);
    add_events(summary, recording);
    add_totals(summary, recording.totals());
    quote_sources(summary.hazards, recording.metadata());
    summary.auto_sync = auto_sync_of(recording);
    summary.traffic = traffic_of(recording, chip, sums);
    summary.l2 = start_of_l2(recording, summary.traffic, chip);
    const auto work_on = [&](Pipe pipe) {
        const PipeUse* const use = summary.find(name(pipe));
        return use == nullptr ? 0.0 : static_cast<double>(use->work) / static_cast<double>(window.executions);
    };
    const Work work = work_of(recording.metadata(), work_on(Pipe::cube), work_on(Pipe::vector));
    summary.flops = work.cube_flops + work.vector_flops;
    if (!is_network(recording)) {  // the bounds of a network are not those of the sum of its work
        summary.bounds = bounds_of(work, summary.traffic, window.executions, chip);
        if (!summary.complete) {
            summary.bounds = {};  // the problem's, of which only a part has been done
        }
    }
    if (!summary.complete && recording.metadata().contains("work")) {
        summary.flops = 0;  // likewise, unless it is what the pipes did so far
    }
    const EnergyUse use = energy_use(summary);
    summary.energy = energy_of(recording.metadata(), use);
    if (window.executions == 1) {  // as those of host programs are
        summary.program_energy =
            program_energy_of(recording.metadata(), recorded_timeline(recording.totals()), use);
    }
    return summary;
}

}  // namespace ascendsim::analysis
