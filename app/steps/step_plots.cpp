// SPDX-License-Identifier: Apache-2.0
#include "app/steps/step_plots.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>

#include "app/analysis/energy_prices.hpp"
#include "app/analysis/machine/amounts_over_time.hpp"
#include "app/report/style.hpp"
#include "models/node/host_energy.hpp"

namespace ascendsim::steps {
namespace {

using analysis::LinkPlace;
using analysis::PlotBar;
using analysis::PlotKind;
using analysis::PlotSeries;
using analysis::RecordedPlot;
using node::LinkEnd;
using node::Picoseconds;
using node::TaskId;

/// Links of one kind, all together.
std::string link_kind(const node::Link& link) {
    using Kind = LinkEnd::Kind;
    if (link.from.kind == Kind::host) {
        return "host to device";
    }
    if (link.to.kind == Kind::host) {
        return "device to host";
    }
    return link.from.kind == Kind::network || link.to.kind == Kind::network ? "network" : "between devices";
}

std::vector<RecordedPlot> traffic_plots(const StepRun& run) {
    std::map<std::string, analysis::AmountsOverTime> kinds;
    for (std::uint32_t i = 0; i < run.graph.size(); ++i) {
        const node::Flow* const flow = run.graph.flow(TaskId{i});
        if (flow == nullptr || flow->route.empty()) {
            continue;
        }
        const node::Link& link = run.graph.links()[node::index(flow->route.front())];
        kinds.try_emplace(link_kind(link), node::microseconds(run.schedule.length))
            .first->second.add(static_cast<double>(flow->bytes),
                               node::microseconds(run.schedule.start[i] + run.graph.time(TaskId{i})),
                               node::microseconds(run.schedule.end[i]));
    }
    if (kinds.empty()) {
        return {};
    }
    RecordedPlot plot{
        .title = "Links",
        .note = "Bytes on their way over all links of a kind; each is counted on its first link",
        .kind = PlotKind::stack,
        .y = "GB/s",
        .over_time = true,
        .steps = true};
    constexpr double gb = 1e-9;
    for (const auto& [name, parts] : kinds) {
        plot.series.push_back(parts.rates(name, gb, 0, true));
    }
    return {std::move(plot)};
}

double cost_of(const nlohmann::json& power, const char* group) {
    const auto found = power.find(group);
    return found == power.end() || !found->is_object() ? 0 : found->value("cost", 0.0);
}

/// Watts of a device, on average over all; nothing if no kernel's energy is known.
std::vector<RecordedPlot> power_plots(const StepProgram& program,
                                      const StepRun& run,
                                      const StepFigures& figures) {
    if (!figures.energy || !program.power.is_object() || program.ranks == 0) {
        return {};
    }
    analysis::AmountsOverTime joules{node::microseconds(run.schedule.length)};
    analysis::AmountsOverTime host{node::microseconds(run.schedule.length)};
    bool known = false;
    const auto prices = analysis::prices_of({{"power", program.power}});
    for (const PlacedTask& placed : run.placed) {
        const std::optional<analysis::EnergyUse>& use = program.tasks[placed.entry].use;
        if (placed.work && use && prices) {
            const std::size_t task = node::index(*placed.work);
            joules.add(prices->of(*use),
                       node::microseconds(run.schedule.start[task]),
                       node::microseconds(run.schedule.end[task]));
            known = true;
        }
    }
    if (!known && figures.energy->unknown > 0) {
        return {};
    }
    constexpr double j_a_pj = 1e-12;
    const double link = j_a_pj * cost_of(program.power, "link");
    const double hbm = j_a_pj * cost_of(program.power, "hbm");
    for (std::uint32_t i = 0; i < run.graph.size(); ++i) {
        const double start = node::microseconds(run.schedule.start[i]);
        const double worked = start + node::microseconds(run.graph.time(TaskId{i}));
        if (const node::Flow* const flow = run.graph.flow(TaskId{i})) {
            joules.add((link + hbm * node::memory_ends(run.graph, *flow)) * static_cast<double>(flow->bytes),
                       worked,
                       node::microseconds(run.schedule.end[i]));
        }
        if (run.graph.kind(TaskId{i}) == node::TaskKind::host) {
            host.add(program.host.core_w * (worked - start) * 1e-6, start, worked);
        }
    }
    RecordedPlot plot{
        .title = "Power",
        .note = fmt::format("What a device draws, and its share of the host, on average over {}{}",
                            program.ranks,
                            figures.energy->unknown == 0
                                ? ""
                                : fmt::format("; {} calls of kernels with stated times are not in it",
                                              figures.energy->unknown)),
        .y = "W",
        .over_time = true,
        .steps = true};
    if (figures.energy->limit_w > 0) {
        plot.limit = figures.energy->limit_w;
    }
    plot.series.push_back(joules.rates("device", 1.0 / program.ranks, cost_of(program.power, "idle"), false));
    plot.series.push_back(host.rates(
        "host", 1.0 / program.ranks, program.host.idle_w / program.node.devices.per_server, false));
    return {std::move(plot)};
}

std::vector<PlotBar> bars_of(const std::vector<Share>& shares, double step_us) {
    constexpr std::size_t most = 20;
    std::vector<PlotBar> bars;
    for (const Share& share : shares) {
        const double us = node::microseconds(share.time);
        if (us > 0 && bars.size() < most) {
            bars.push_back(
                {share.what,
                 us,
                 fmt::format("{}, {}", report::time_text(us), report::percent_text(us / step_us))});
        }
    }
    return bars;
}

RecordedPlot bar_plot(std::string title, std::string note, std::vector<PlotBar> bars) {
    return {.title = std::move(title),
            .note = std::move(note),
            .kind = PlotKind::bars,
            .x = "us",
            .bars = std::move(bars)};
}

RecordedPlot times_plot(const StepFigures& figures) {
    RecordedPlot plot = bar_plot("Tasks: from the host's call to the end, of one call",
                                 "On average over calls and ranks; in brackets alone on the device",
                                 {});
    constexpr std::size_t most = 24;
    for (const EntryTimes& entry : figures.entries) {
        if (entry.with_launch_us > 0 && plot.bars.size() < most) {
            plot.bars.push_back({entry.name,
                                 entry.with_launch_us,
                                 fmt::format("{} ({})",
                                             report::time_text(entry.with_launch_us),
                                             report::time_text(entry.device_us))});
        }
    }
    return plot;
}

/// Free time of each rank; of many the freest stand for all.
RecordedPlot ranks_plot(const StepFigures& figures) {
    RecordedPlot plot =
        bar_plot("Ranks by free time", "How long the device neither computes nor communicates", {});
    for (std::size_t rank = 0; rank < figures.ranks.size(); ++rank) {
        Picoseconds free = 0;
        for (const Share& cause : figures.ranks[rank].free) {
            free += cause.time;
        }
        const double us = node::microseconds(free);
        plot.bars.push_back(
            {fmt::format("rank {}", rank),
             us,
             fmt::format("{}, {}", report::time_text(us), report::percent_text(us / figures.step_us))});
    }
    constexpr std::size_t most = 32;
    if (plot.bars.size() > most) {
        plot.title += fmt::format(": {} of {}", most, plot.bars.size());
        std::ranges::stable_sort(plot.bars, std::greater{}, &PlotBar::value);
        plot.bars.resize(most);
    }
    return plot;
}

std::optional<LinkPlace> place_of(const LinkEnd& end) {
    switch (end.kind) {
        case LinkEnd::Kind::none:
            return std::nullopt;
        case LinkEnd::Kind::device:
            return LinkPlace{analysis::LinkEnd::device, end.number};
        case LinkEnd::Kind::host:
            return LinkPlace{analysis::LinkEnd::host, end.number};
        case LinkEnd::Kind::network:
            return LinkPlace{analysis::LinkEnd::network, 0};
    }
    return std::nullopt;
}

}  // namespace

std::vector<RecordedPlot> step_plots(const StepProgram& program,
                                     const StepRun& run,
                                     const StepFigures& figures) {
    std::vector<RecordedPlot> plots = traffic_plots(run);
    for (RecordedPlot& plot : power_plots(program, run, figures)) {
        plots.push_back(std::move(plot));
    }
    const auto add = [&plots](RecordedPlot plot) {
        if (!plot.bars.empty()) {
            plots.push_back(std::move(plot));
        }
    };
    if (figures.ranks.empty() || !(figures.step_us > 0)) {
        return plots;
    }
    const std::size_t rank = slowest_rank(figures);
    add(bar_plot(fmt::format("Where the step went, rank {}", rank),
                 "Computing, and what nothing hides; these add up to the step",
                 bars_of(figures.ranks[rank].parts, figures.step_us)));
    add(bar_plot(fmt::format("Free time by cause, rank {}", rank),
                 "What the device waited for while it did nothing",
                 bars_of(figures.ranks[rank].free, figures.step_us)));
    add(bar_plot("Critical path",
                 "The chain of tasks that decides the step; these add up to it",
                 bars_of(figures.critical, figures.step_us)));
    add(times_plot(figures));
    if (figures.ranks.size() > 1) {
        add(ranks_plot(figures));
    }
    return plots;
}

analysis::MachineLayout machine_layout(const StepProgram& program, const StepRun& run) {
    const std::uint32_t per_server = program.node.devices.per_server;
    analysis::MachineLayout machine{.title = program.node.title,
                                    .servers = (program.ranks + per_server - 1) / per_server,
                                    .per_server = std::min(per_server, program.ranks),
                                    .links = {}};
    for (const node::Link& link : run.graph.links()) {
        const auto from = place_of(link.from);
        const auto to = place_of(link.to);
        if (from && to) {
            machine.links.push_back(
                {.track = "link:" + link.name, .from = *from, .to = *to, .gb_per_s = link.gb_per_s});
        }
    }
    return machine;
}

}  // namespace ascendsim::steps
