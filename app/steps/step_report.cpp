// SPDX-License-Identifier: Apache-2.0
#include "app/steps/step_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ascendsim::steps {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_shares = 8;

double share_of(node::Picoseconds time, const StepFigures& figures) {
    return figures.step_us > 0 ? 100 * node::microseconds(time) / figures.step_us : 0;
}

std::string list_of(const std::vector<Share>& shares, const StepFigures& figures) {
    std::string text;
    for (std::size_t i = 0; i < std::min(shares.size(), most_shares); ++i) {
        text += fmt::format("  {:>12.2f} us {:>6.1f} %  {}{}\n",
                            node::microseconds(shares[i].time),
                            share_of(shares[i].time, figures),
                            shares[i].what,
                            shares[i].place.empty() ? "" : ", " + shares[i].place);
    }
    return text;
}

std::string times_of_entries(const StepFigures& figures) {
    std::string text = fmt::format("\nTasks, us a call\n  {:<24}{:>8}{:>12}{:>12}{:>14}{:>16}\n",
                                   "",
                                   "calls",
                                   "device",
                                   "contended",
                                   "with launch",
                                   "critical, all");
    for (const EntryTimes& entry : figures.entries) {
        text += fmt::format("  {:<24}{:>8}{:>12.2f}{:>12.2f}{:>14.2f}{:>16.2f}\n",
                            entry.name,
                            entry.calls,
                            entry.device_us,
                            entry.contended_us,
                            entry.with_launch_us,
                            entry.critical_us);
    }
    return text;
}

std::string energy_text(const StepFigures& figures) {
    if (!figures.energy) {
        return {};
    }
    const StepEnergy& energy = *figures.energy;
    std::string kernels;
    for (const analysis::EnergyPart& part : energy.devices.parts) {
        const double joules = part.joules - (part.name == "hbm" ? energy.transfer_hbm : 0);
        if (part.name != "idle" && part.name != "link" && joules > 0) {
            kernels += fmt::format("{}{} {:.4g}", kernels.empty() ? " (" : ", ", part.name, joules);
        }
    }
    kernels += kernels.empty() ? "" : ")";
    return fmt::format(
        "\nEnergy  {:.4g} J ± {:.2g} J: idle chips {:.4g} J, kernels {:.4g} J{}, links {:.4g} J and HBM "
        "{:.4g} J of transfers, host {:.4g} "
        "J; {:.1f} W a device on average, limit {:.0f} W{}\n",
        energy.joules,
        energy.spread,
        energy.idle,
        energy.kernels,
        kernels,
        energy.links,
        energy.transfer_hbm,
        energy.host.joules,
        energy.average_w,
        energy.limit_w,
        energy.unknown == 0
            ? ""
            : fmt::format("; {} calls of kernels with stated times are not in it", energy.unknown));
}

std::string advice_text(const std::vector<StepAdvice>& advice, const StepFigures& figures) {
    std::string text = advice.empty() ? "" : "\nAdvice; each was tried alone\n";
    for (std::size_t i = 0; i < std::min(advice.size(), most_shares); ++i) {
        const StepAdvice& one = advice[i];
        text += fmt::format("  {:>8}  {}{}: {:.2f} us instead of {:.2f} us ({})\n",
                            fmt::format("-{:.1f} %", 100 * one.gain),
                            one.text,
                            one.place.empty() ? "" : ", " + one.place,
                            one.step_us,
                            figures.step_us,
                            one.change);
    }
    return text;
}

ordered_json shares_json(const std::vector<Share>& shares) {
    ordered_json result = ordered_json::object();
    for (const Share& share : shares) {
        result[share.what] = node::microseconds(share.time);
    }
    return result;
}

}  // namespace

std::size_t slowest_rank(const StepFigures& figures) {
    const auto most = std::ranges::max_element(figures.ranks, {}, [](const RankTimes& rank) {
        return rank.parts.empty() ? node::Picoseconds{0} : rank.parts.front().time;
    });
    return most == figures.ranks.end() ? 0 : static_cast<std::size_t>(most - figures.ranks.begin());
}

std::string step_text(const StepProgram& program,
                      const StepFigures& figures,
                      const std::vector<StepAdvice>& advice) {
    std::string text = fmt::format("{}\n{} · {} rank{} · host {}\n\n  Step  {:.2f} us\n",
                                   program.title,
                                   program.node.title,
                                   program.ranks,
                                   program.ranks == 1 ? "" : "s",
                                   program.host.name,
                                   figures.step_us);
    std::vector<std::size_t> shown{0};
    if (const std::size_t slow = slowest_rank(figures); slow != 0) {
        shown.push_back(slow);
    }
    for (const std::size_t rank : shown) {
        text += fmt::format("\nWhere the step went, rank {}\n", rank);
        text += list_of(figures.ranks[rank].parts, figures);
        if (!figures.ranks[rank].free.empty()) {
            text += "  Free, by cause\n" + list_of(figures.ranks[rank].free, figures);
        }
    }
    return text + "\nCritical path\n" + list_of(figures.critical, figures) + times_of_entries(figures) +
           energy_text(figures) + advice_text(advice, figures);
}

ordered_json step_json(const StepProgram& program,
                       const StepFigures& figures,
                       const std::vector<StepAdvice>& advice) {
    ordered_json result{{"title", program.title},
                        {"node", program.node.name},
                        {"host", program.host.name},
                        {"step_us", figures.step_us},
                        {"ranks", ordered_json::array()},
                        {"tasks", ordered_json::array()},
                        {"critical_path", shares_json(figures.critical)}};
    for (const RankTimes& rank : figures.ranks) {
        ordered_json bubbles = ordered_json::array();
        for (const Share& cause : rank.free) {
            bubbles.push_back(
                {{"cause", cause.what}, {"us", node::microseconds(cause.time)}, {"place", cause.place}});
        }
        result["ranks"].push_back({{"parts", shares_json(rank.parts)},
                                   {"free", shares_json(rank.free)},
                                   {"bubbles", std::move(bubbles)}});
    }
    for (std::size_t i = 0; i < figures.entries.size(); ++i) {
        const EntryTimes& entry = figures.entries[i];
        result["tasks"].push_back({{"name", entry.name},
                                   {"problem", program.tasks[i].problem},
                                   {"calls", entry.calls},
                                   {"device_us", entry.device_us},
                                   {"contended_us", entry.contended_us},
                                   {"with_launch_us", entry.with_launch_us},
                                   {"critical_us", entry.critical_us}});
    }
    if (figures.energy) {
        const StepEnergy& energy = *figures.energy;
        ordered_json parts = ordered_json::object();
        for (const analysis::EnergyPart& part : energy.devices.parts) {
            parts[std::string{part.name}] = {{"joules", part.joules}, {"spread_joules", part.spread}};
        }
        parts["host"] = {{"joules", energy.host.joules}, {"spread_joules", energy.host.spread}};
        result["energy"] = {{"joules", energy.joules},
                            {"spread_joules", energy.spread},
                            {"idle_joules", energy.idle},
                            {"kernel_joules", energy.kernels},
                            {"link_joules", energy.links},
                            {"transfer_hbm_joules", energy.transfer_hbm},
                            {"host_joules", energy.host.joules},
                            {"host_busy_us", energy.host.busy_us},
                            {"parts", std::move(parts)},
                            {"unknown_calls", energy.unknown},
                            {"average_w", energy.average_w},
                            {"limit_w", energy.limit_w}};
    }
    result["advice"] = ordered_json::array();
    for (const StepAdvice& one : advice) {
        result["advice"].push_back({{"text", one.text},
                                    {"change", one.change},
                                    {"place", one.place},
                                    {"step_us", one.step_us},
                                    {"gain", one.gain}});
    }
    return result;
}

std::string step_trace(const StepProgram& program, const StepRun& run) {
    ordered_json events = ordered_json::array();
    for (std::size_t i = 0; i < run.owner.size(); ++i) {
        const node::Picoseconds start = run.schedule.start[i];
        const node::Picoseconds end = run.schedule.end[i];
        if (!run.owner[i] || start == end) {
            continue;
        }
        const node::TaskId task{static_cast<std::uint32_t>(i)};
        const PlacedTask& placed = run.placed[*run.owner[i]];
        events.push_back({{"name", program.tasks[placed.entry].name},
                          {"cat", node::name(run.graph.kind(task))},
                          {"ph", "X"},
                          {"pid", placed.rank},
                          {"tid", run.graph.lanes()[node::index(run.graph.lane(task))].name},
                          {"ts", node::microseconds(start)},
                          {"dur", node::microseconds(end - start)}});
    }
    return ordered_json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}}.dump() + "\n";
}

}  // namespace ascendsim::steps
