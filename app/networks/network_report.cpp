// SPDX-License-Identifier: Apache-2.0
#include "app/networks/network_report.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "app/networks/compression/compression.hpp"
#include "app/networks/fusion_report.hpp"
#include "app/networks/network_energy.hpp"
#include "app/networks/operator_lines.hpp"
#include "app/networks/stability.hpp"
#include "app/networks/training_report.hpp"
#include "networks/training/training.hpp"

namespace ascendsim::report {
namespace {

using networks::PlannedNode;
using networks::TaskResult;
using nlohmann::ordered_json;

/// The sum as the network's time only where every operator is in it.
std::string verdict(const std::vector<Line>& lines, double time_us) {
    const std::size_t refused = refused_of(lines);
    return refused == 0 ? time_text(time_us)
                        : fmt::format("incomplete, {} of {} operators cannot run; the others take {}",
                                      refused,
                                      lines.size(),
                                      time_text(time_us));
}

void print_totals(std::ostream& out,
                  const NetworkRun& run,
                  const std::vector<Line>& lines,
                  const Style& style) {
    const Line total = total_of(lines);
    const auto idle = static_cast<std::size_t>(std::ranges::count_if(
        lines, [](const Line& line) { return line.node->tasks.empty() && line.error.empty(); }));
    fmt::print(out,
               "{}\n\n",
               toned(style,
                     Tone::strong,
                     fmt::format("{} on {}: {}", run.name, run.chip, verdict(lines, total.time_us))));
    fmt::print(out,
               "  operators   {} in {} kernel{}; {} are views or folded and take no time\n",
               lines.size() - refused_of(lines),
               kernels_of(lines),
               kernels_of(lines) == 1 ? "" : "s",
               idle);
    fmt::print(out,
               "  time        kernels {}, launches {} ({})\n",
               time_text(total.core_us),
               time_text(total.time_us - total.core_us),
               percent_text(share(total.time_us - total.core_us, total.time_us)));
    constexpr double us_a_s = 1e6;
    fmt::print(out,
               "  work        {:.4g} GFLOP, {:.4g} TFLOPS\n",
               total.flops / 1e9,
               share(total.flops, total.time_us / us_a_s) / 1e12);
    fmt::print(out,
               "  traffic     HBM {}, between cores and L2 {}\n",
               bytes_text(total.hbm_bytes),
               bytes_text(total.moved_bytes));
    if (!run.training.is_null()) {  // which tells of memory by its kinds
        fmt::print(out, "\n");
        return;
    }
    fmt::print(out,
               "  memory      weights {}, inputs {}, between operators {} at most (in '{}'), {} as placed, "
               "{} without "
               "reuse\n\n",
               bytes_text(static_cast<double>(run.plan.weight_bytes)),
               bytes_text(static_cast<double>(run.plan.input_bytes)),
               bytes_text(static_cast<double>(run.memory.peak_bytes)),
               run.memory.peak_node,
               bytes_text(static_cast<double>(run.memory.plan_bytes)),
               bytes_text(static_cast<double>(run.memory.all_bytes)));
}

void print_numerics(std::ostream& out, const ordered_json& numerics) {
    if (numerics.is_null()) {
        return;
    }
    fmt::print(out,
               "  numbers     {} elements compared with float64, operator by operator: {}\n",
               numerics["checked"].get<std::uint64_t>(),
               numerics["passed"] == true
                   ? "all within their kernels' tolerances"
                   : fmt::format("{} outside", numerics["failures"].get<std::uint64_t>()));
    if (numerics.contains("fused_against_apart") && !numerics["fused_against_apart"].empty()) {
        const ordered_json& all = numerics["fused_against_apart"];
        const auto closer = std::ranges::count_if(all, [](const ordered_json& one) {
            return one["fused_error"].is_number() && one["fused_error"] <= one["apart_error"];
        });
        fmt::print(
            out,
            "              joined results as close to float64 as apart, or closer: {} of {}; all within "
            "the tolerance\n",
            closer,
            all.size());
    }
    if (const std::string first = numerics["first_failure"]; !first.empty()) {
        fmt::print(out, "              first: {}\n", first);
    }
    fmt::print(out, "\n");
}

void print_energy(std::ostream& out, const NetworkRun& run) {
    if (const auto energy = energy_of(run)) {
        constexpr double millijoules = 1e3;
        fmt::print(out,
                   "  energy      {:.4g} mJ ± {:.2g}, {:.0f} W on average, limit {:.0f} W{}\n",
                   millijoules * energy->joules,
                   millijoules * energy->spread,
                   energy->average_w,
                   energy->limit_w,
                   energy->limited_us
                       ? fmt::format("; slowed down to it, it takes {}", time_text(*energy->limited_us))
                       : "");
        if (const auto host = host_energy_of(run)) {
            fmt::print(
                out,
                "              beside it the host {:.4g} mJ ± {:.2g}: {} of calls, and its share of an "
                "idle server\n",
                millijoules * host->joules,
                millijoules * host->spread,
                time_text(host->busy_us));
        }
        fmt::print(out, "\n");
    }
}

void print_kinds(std::ostream& out, const std::vector<Line>& lines, double time_us) {
    const std::map<std::string, Kind> kinds = kinds_of(lines);
    std::vector<std::pair<std::string, Kind>> sorted{kinds.begin(), kinds.end()};
    std::ranges::stable_sort(
        sorted, std::ranges::greater{}, [](const auto& kind) { return kind.second.time_us; });
    fmt::print(
        out, "  {:<22}{:>7}{:>9}{:>12}{:>8}  {:>10}\n", "kind", "count", "kernels", "time", "share", "HBM");
    for (const auto& [op, kind] : sorted) {
        fmt::print(out,
                   "  {:<22}{:>7}{:>9}{:>12}{:>8}  {:>10}  {}\n",
                   op,
                   kind.count,
                   kind.tasks,
                   time_text(kind.time_us),
                   percent_text(share(kind.time_us, time_us)),
                   bytes_text(kind.hbm_bytes),
                   bar(share(kind.time_us, time_us), 20));
    }
}

void print_longest(std::ostream& out, std::vector<Line> lines, double time_us) {
    constexpr std::size_t most = 15;
    std::ranges::stable_sort(lines, std::ranges::greater{}, &Line::time_us);
    lines.resize(std::min(most, lines.size()));
    fmt::print(
        out, "\n  {:<12}{:<28}{:>11}{:>8}  {:<18}{}\n", "operator", "", "time", "share", "limit", "kernel");
    for (const Line& line : lines) {
        if (line.time_us > 0) {
            fmt::print(out,
                       "  {:<12.11}{:<28.27}{:>11}{:>8}  {:<18}{}\n",
                       line.node->op,
                       title(*line.node),
                       time_text(line.time_us),
                       percent_text(share(line.time_us, time_us)),
                       limit_of(line),
                       line.problem);
        }
    }
}

void print_notes(std::ostream& out, const std::vector<Line>& lines) {
    std::map<std::string, std::map<std::string, std::size_t>> refused;
    std::map<std::string, std::map<std::string, std::size_t>> notes;
    for (const Line& line : lines) {
        if (!line.error.empty()) {
            ++refused[line.error][line.node->op];
        } else if (!line.node->note.empty()) {
            ++notes[line.node->note][line.node->op];
        }
    }
    for (const auto& [heading, of] :
         {std::pair{"cannot run, and are not in the sums", &refused}, std::pair{"notes", &notes}}) {
        if (!of->empty()) {
            fmt::print(out, "\n  {}\n", heading);
        }
        for (const auto& [text, operators] : *of) {
            for (const auto& [op, count] : operators) {
                fmt::print(out, "    {} x {}: {}\n", count, op, text);
            }
        }
    }
}

/// Of inference, all are forward.
std::string_view phase_word(const PlannedNode& node) {
    return networks::name(networks::phase_of(node.outputs.empty() ? "" : node.outputs.front()));
}

ordered_json operator_json(const Line& line) {
    ordered_json shapes = ordered_json::array();
    for (const networks::Tensor& tensor : line.node->results) {
        shapes.push_back({{"type", isa::name(tensor.type)}, {"shape", tensor.shape}});
    }
    ordered_json kernels = ordered_json::array();
    for (const networks::Task& task : line.node->tasks) {
        kernels.push_back(networks::kernel_name(task));
    }
    return {{"name", title(*line.node)},
            {"kind", line.node->op},
            {"phase", phase_word(*line.node)},
            {"outputs", std::move(shapes)},
            {"kernels", std::move(kernels)},
            {"time_us", line.time_us},
            {"core_us", line.core_us},
            {"limit", limit_of(line)},
            {"flops", line.flops},
            {"hbm_bytes", line.hbm_bytes},
            {"moved_bytes", line.moved_bytes},
            {"note", line.node->note},
            {"error", line.error}};
}

}  // namespace

void print_network(std::ostream& out, const NetworkRun& run, const Style& style) {
    const std::vector<Line> lines = lines_of(run.plan, run.results);
    print_totals(out, run, lines, style);
    if (!run.training.is_null()) {
        print_training(out, run.training);
    }
    if (!run.stability.is_null()) {
        print_stability(out, run.stability);
    }
    if (!run.compression.is_null()) {
        print_compression(out, run.compression);
    }
    print_energy(out, run);
    print_numerics(out, run.numerics);
    const double time_us = total_of(lines).time_us;
    print_kinds(out, lines, time_us);
    print_longest(out, lines, time_us);
    if (!run.fusion.is_null()) {
        print_fusion(out, run.fusion, style);
    }
    print_notes(out, lines);
}

ordered_json to_json(const NetworkRun& run) {
    const std::vector<Line> lines = lines_of(run.plan, run.results);
    const Line total = total_of(lines);
    ordered_json json{{"network", run.name}, {"chip", run.chip}};
    json["complete"] = refused_of(lines) == 0;
    json["totals"] = {{"time_us", total.time_us},
                      {"core_us", total.core_us},
                      {"launch_us", total.time_us - total.core_us},
                      {"flops", total.flops},
                      {"hbm_bytes", total.hbm_bytes},
                      {"moved_bytes", total.moved_bytes},
                      {"operators", lines.size()},
                      {"kernels", kernels_of(lines)}};
    if (const auto energy = energy_of(run)) {
        json["energy"] = to_json(*energy);
        if (const auto host = host_energy_of(run)) {
            json["energy"]["host"] = {
                {"joules", host->joules}, {"spread_joules", host->spread}, {"busy_us", host->busy_us}};
        }
    }
    json["memory"] = {{"weight_bytes", run.plan.weight_bytes},
                      {"input_bytes", run.plan.input_bytes},
                      {"peak_bytes", run.memory.peak_bytes},
                      {"peak_operator", run.memory.peak_node},
                      {"placed_bytes", run.memory.plan_bytes},
                      {"without_reuse_bytes", run.memory.all_bytes}};
    json["kinds"] = ordered_json::object();
    for (const auto& [op, kind] : kinds_of(lines)) {
        json["kinds"][op] = {{"count", kind.count},
                             {"kernels", kind.tasks},
                             {"time_us", kind.time_us},
                             {"share", share(kind.time_us, total.time_us)},
                             {"hbm_bytes", kind.hbm_bytes}};
    }
    json["operators"] = ordered_json::array();
    json["refused"] = ordered_json::array();
    const std::vector<double> joules = joules_of_operators(run);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Line& line = lines[i];
        json["operators"].push_back(operator_json(line));
        if (!joules.empty()) {
            json["operators"].back()["joules"] = joules[i];
        }
        if (!line.error.empty()) {
            json["refused"].push_back(
                {{"name", title(*line.node)}, {"kind", line.node->op}, {"reason", line.error}});
        }
    }
    if (!run.training.is_null()) {
        json["training"] = run.training;
    }
    if (!run.stability.is_null()) {
        json["stability"] = run.stability;
    }
    if (!run.compression.is_null()) {
        json["compression"] = run.compression;
    }
    if (!run.fusion.is_null()) {
        json["fusion"] = run.fusion;
    }
    if (!run.numerics.is_null()) {
        json["numerics"] = run.numerics;
    }
    return json;
}

void print_batches(std::ostream& out, const std::vector<BatchRun>& runs, const Style& style) {
    constexpr double us_a_s = 1e6;
    fmt::print(out,
               "{}\n\n",
               toned(style, Tone::strong, fmt::format("{} on {}", runs.at(0).run.name, runs[0].run.chip)));
    fmt::print(out,
               "  {:>7}{:>12}{:>14}{:>12}{:>10}{:>12}{:>10}{:>12}\n",
               "batch",
               "time",
               "an element",
               "elements/s",
               "launches",
               "HBM",
               "TFLOPS",
               "tensors");
    for (const BatchRun& one : runs) {
        const std::vector<Line> lines = lines_of(one.run.plan, one.run.results);
        const Line total = total_of(lines);
        const auto batch = static_cast<double>(one.batch);
        const std::size_t refused = refused_of(lines);
        fmt::print(out,
                   "  {:>7}{:>12}{:>14}{:>12.5g}{:>10}{:>12}{:>10.3g}{:>12}{}\n",
                   one.batch,
                   time_text(total.time_us),
                   time_text(total.time_us / batch),
                   share(batch, total.time_us / us_a_s),
                   percent_text(share(total.time_us - total.core_us, total.time_us)),
                   bytes_text(total.hbm_bytes),
                   share(total.flops, total.time_us) / us_a_s,
                   bytes_text(static_cast<double>(one.run.memory.peak_bytes)),
                   refused == 0
                       ? ""
                       : fmt::format("  incomplete: {} of {} operators cannot run", refused, lines.size()));
    }
    print_notes(out, lines_of(runs.back().run.plan, runs.back().run.results));
}

ordered_json to_json(const std::vector<BatchRun>& runs) {
    constexpr double us_a_s = 1e6;
    ordered_json json{
        {"network", runs.at(0).run.name}, {"chip", runs[0].run.chip}, {"batches", ordered_json::array()}};
    for (const BatchRun& one : runs) {
        const double time_us = total_of(lines_of(one.run.plan, one.run.results)).time_us;
        const auto batch = static_cast<double>(one.batch);
        ordered_json entry{{"batch", one.batch},
                           {"us_per_element", time_us / batch},
                           {"elements_per_s", share(batch, time_us / us_a_s)}};
        entry.update(to_json(one.run));
        json["batches"].push_back(std::move(entry));
    }
    return json;
}

ordered_json chrome_trace(const NetworkRun& run) {
    ordered_json events = ordered_json::array();
    auto result = run.results.begin();
    double now = 0;
    for (const PlannedNode& node : run.plan.nodes) {
        const double begin = now;
        for (const networks::Task& task : node.tasks) {
            const double gap = result->time_us - result->core_us;
            events.push_back({{"name", networks::kernel_name(task)},
                              {"ph", "X"},
                              {"pid", 0},
                              {"tid", "kernels"},
                              {"ts", now + gap},
                              {"dur", result->core_us},
                              {"args", {{"problem", result->problem}, {"busiest", result->busiest}}}});
            now += result->time_us;
            ++result;
        }
        if (!node.tasks.empty()) {
            events.push_back({{"name", title(node)},
                              {"ph", "X"},
                              {"pid", 0},
                              {"tid", "operators"},
                              {"ts", begin},
                              {"dur", now - begin},
                              {"args", {{"kind", node.op}}}});
        }
    }
    return {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
}

}  // namespace ascendsim::report
