// SPDX-License-Identifier: Apache-2.0
#include "app/networks/feasibility.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/networks/operator_lines.hpp"
#include "app/networks/training_report.hpp"

namespace ascendsim::report {
namespace {

using networks::PlannedNode;
using networks::Tensor;
using nlohmann::ordered_json;

constexpr double gib = 1024.0 * 1024 * 1024;

/// "layer1/layer1.0" of "/layer1/layer1.0/conv1/Conv": of a name with parts, those before the last, two at
/// most; else the kind of operator.
std::string module_of(const PlannedNode& node) {
    const std::string name = node.name.starts_with('/') ? node.name.substr(1) : node.name;
    const char between = name.find('/') != std::string::npos ? '/' : '.';
    const std::size_t last = name.rfind(between);
    if (last == std::string::npos || last == 0) {
        return node.op;
    }
    const std::size_t first = name.find(between);
    const std::size_t second = name.find(between, first + 1);
    return name.substr(0, std::min(second, last));
}

bool is_known_before(const PlannedNode& node) {
    return node.tasks.empty() && node.refusal.empty() && !node.results.empty() &&
           std::ranges::all_of(node.results, [](const Tensor& tensor) { return tensor.known(); });
}

/// What would make a part faster, by what its time goes to.
std::vector<std::string> recommendations_of(const Module& module, const ChipSpec& chip) {
    std::vector<std::string> texts;
    constexpr double much = 0.5;
    const double launches = module.time_us - module.core_us;
    if (module.time_us <= 0) {
        return texts;
    }
    if (launches > much * module.time_us) {
        texts.push_back(
            fmt::format("launches take {} of its time: join operators (--fuse all), or a larger batch",
                        percent_text(launches / module.time_us)));
    }
    const double bandwidth = module.hbm_bytes / (chip.hbm.gb_per_s * chip.hbm.efficiency * 1e3);
    const double arithmetic = module.flops / peak_flops(chip, isa::DataType::half) * 1e6;
    if (bandwidth > much * module.core_us && bandwidth > arithmetic) {
        texts.push_back(
            fmt::format("bound by memory ({} of HBM's rate): keep results in the unified buffer (--fuse ub)",
                        percent_text(bandwidth / module.core_us)));
    } else if (arithmetic > much * module.core_us) {
        texts.emplace_back("bound by arithmetic: join what follows products (--fuse graph), or fewer bits");
    } else if (arithmetic > 0 && launches <= much * module.time_us) {
        texts.push_back(
            fmt::format("neither arithmetic ({}) nor memory ({}) is busy: tilings (--fuse search)",
                        percent_text(arithmetic / module.core_us),
                        percent_text(bandwidth / module.core_us)));
    }
    if (module.result_bytes > 1e9) {
        texts.push_back(fmt::format("its results take {}: another layout of memory, or recomputing",
                                    bytes_text(module.result_bytes)));
    }
    return texts;
}

std::vector<Module> modules_of(const std::vector<Line>& lines, const ChipSpec& chip) {
    std::map<std::string, Module> modules;
    std::map<std::string, double> longest;
    for (const Line& line : lines) {
        if (is_known_before(*line.node) || !line.error.empty()) {
            continue;
        }
        Module& module = modules[module_of(*line.node)];
        ++module.operators;
        module.kernels += line.node->tasks.size();
        module.time_us += line.time_us;
        module.core_us += line.core_us;
        module.flops += line.flops;
        module.hbm_bytes += line.hbm_bytes;
        for (const Tensor& result : line.node->results) {
            module.result_bytes += line.node->tasks.empty() ? 0 : static_cast<double>(result.bytes());
        }
        double& most_us = longest[module_of(*line.node)];
        if (line.time_us > most_us) {
            most_us = line.time_us;
            module.limit = limit_of(line);
        }
    }
    std::vector<Module> sorted;
    for (auto& [name, module] : modules) {
        module.name = name;
        module.recommendations = recommendations_of(module, chip);
        if (module.time_us > 0) {
            sorted.push_back(std::move(module));
        }
    }
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &Module::time_us);
    return sorted;
}

/// Counts operators by who runs them, and names those that nobody does.
void count_operators(const std::vector<Line>& lines, Feasibility& of) {
    std::map<std::string, std::uint64_t> refused;
    std::map<std::string, std::uint64_t> hosted;
    for (const Line& line : lines) {
        if (is_known_before(*line.node)) {
            continue;
        }
        ++of.operators;
        if (!line.error.empty()) {
            ++of.refused;
            ++refused[fmt::format("{}: {}", line.node->op, line.error)];
        } else if (line.node->on_host) {
            ++of.on_host;
            ++hosted[line.node->op];
        }
    }
    for (const auto& [text, count] : refused) {
        of.challenges.push_back(
            {"refused", fmt::format("{} operator{} cannot run: {}", count, count == 1 ? "" : "s", text)});
    }
    for (const auto& [op, count] : hosted) {
        of.challenges.push_back(
            {"host", fmt::format("{} x {} runs on the AI CPU, and is not timed", count, op)});
    }
}

void add_needs(const NetworkRun& run, const ChipSpec& chip, Feasibility& of) {
    const double must = static_cast<double>(run.plan.weight_bytes + run.plan.input_bytes);
    double results = 0;
    if (!run.plan.nodes.empty()) {
        for (const Tensor& tensor : run.plan.nodes.back().results) {
            results += static_cast<double>(tensor.bytes());
        }
    }
    of.least_bytes = must + results;
    of.memory_bytes = must + static_cast<double>(run.memory.peak_bytes);
    of.capacity_bytes = static_cast<double>(chip.hbm.bytes);
    of.peak_tflops = peak_flops(chip, isa::DataType::half) / 1e12;
    of.hbm_gb_per_s = chip.hbm.gb_per_s * chip.hbm.efficiency;
}

/// What takes the time, where that is far from what the network needs at least.
void name_limits(const Feasibility& of, double core_us, std::vector<Challenge>& challenges) {
    const double arithmetic = of.peak_tflops > 0 ? of.flops / of.peak_tflops / 1e6 : 0;
    const double memory = of.hbm_gb_per_s > 0 ? of.hbm_bytes / of.hbm_gb_per_s / 1e3 : 0;
    constexpr double much = 0.25;
    const double launches = of.time_us - core_us;
    if (of.time_us <= 0) {
        return;
    }
    if (launches > much * of.time_us) {
        challenges.push_back({"launches",
                              fmt::format("launches take {} of the time; join operators, or a larger batch",
                                          percent_text(launches / of.time_us))});
    }
    if (memory > 2 * much * of.time_us) {
        challenges.push_back({"bandwidth",
                              fmt::format("HBM gives {:.0f} GB/s, {} of what it can: {:.1f} operations a "
                                          "byte that must move, where {:.0f} would "
                                          "balance",
                                          of.bandwidth_gb_per_s(),
                                          percent_text(of.bandwidth_gb_per_s() / of.hbm_gb_per_s),
                                          of.intensity(),
                                          of.ridge())});
    }
    if (arithmetic < much * of.time_us && of.intensity() > of.ridge()) {
        challenges.push_back(
            {"cube",
             fmt::format("the cubes are at {} of their peak, although there is arithmetic enough "
                         "for every byte",
                         percent_text(arithmetic / of.time_us))});
    }
}

void judge_precision(const NetworkRun& run, Feasibility& of) {
    if (run.numerics.is_null()) {
        return;
    }
    of.precision = run.numerics.value("passed", false) ? 1 : 0;
    if (of.precision < 1) {
        of.challenges.push_back(
            {"precision", "numbers are off by more than their tolerance, or are no numbers (overflow)"});
    }
}

/// The mean of what is known, of 100; nothing runs as it is if an operator is refused or memory is short.
void score(Feasibility& of) {
    double sum = of.support + of.memory + of.efficiency;
    double count = 3;
    if (of.precision >= 0) {
        sum += of.precision;
        ++count;
    }
    of.score = 100 * sum / count;
    constexpr double good = 0.5;
    of.verdict = of.refused > 0 || of.memory < 1 || of.operators == 0          ? "not as it is"
                 : of.efficiency < good || of.on_host > 0 || of.precision == 0 ? "feasible with work"
                                                                               : "feasible";
}

}  // namespace

Feasibility feasibility_of(const NetworkRun& run,
                           const ChipSpec& chip,
                           double target_us,
                           const std::string& problem) {
    Feasibility of{.network = run.name, .chip = chip.name, .verdict = {}, .challenges = {}, .modules = {}};
    const std::vector<Line> lines = lines_of(run.plan, run.results);
    const Line total = total_of(lines);
    of.time_us = total.time_us;
    of.flops = total.flops;
    of.hbm_bytes = total.hbm_bytes;
    if (!problem.empty()) {
        of.challenges.push_back({"refused", problem});
        ++of.refused;
    }
    count_operators(lines, of);
    add_needs(run, chip, of);
    const double runs = static_cast<double>(of.operators) -
                        static_cast<double>(problem.empty() ? of.refused : 0) -
                        0.5 * static_cast<double>(of.on_host);
    of.support = of.operators == 0 || !problem.empty() ? 0 : runs / static_cast<double>(of.operators);
    of.memory = std::min(1.0, of.capacity_bytes / std::max(1.0, of.memory_bytes));
    if (of.memory < 1) {
        of.challenges.push_back({"memory",
                                 fmt::format("it needs {:.2f} GiB and {} has {:.2f}: {:.2f} GiB too much",
                                             of.memory_bytes / gib,
                                             chip.name,
                                             of.capacity_bytes / gib,
                                             (of.memory_bytes - of.capacity_bytes) / gib)});
    }
    const double least = std::max(of.flops / of.peak_tflops / 1e6, of.least_bytes / of.hbm_gb_per_s / 1e3);
    of.efficiency = of.time_us > 0 ? std::min(1.0, least / of.time_us) : 0;
    name_limits(of, total.core_us, of.challenges);
    judge_precision(run, of);
    if (target_us > 0 && of.time_us > target_us) {
        of.challenges.push_back(
            {"target",
             fmt::format("{} where {} is wanted{}",
                         time_text(of.time_us),
                         time_text(target_us),
                         least > target_us ? "; the chip's arithmetic and memory alone take longer" : "")});
    }
    of.modules = modules_of(lines, chip);
    score(of);
    return of;
}

std::string feasibility_text(const Feasibility& of, const Style& style) {
    std::string text =
        toned(style,
              of.verdict == "feasible"       ? Tone::good
              : of.verdict == "not as it is" ? Tone::poor
                                             : Tone::fair,
              fmt::format("{} on {}: {}, {:.0f} of 100", of.network, of.chip, of.verdict, of.score));
    text += fmt::format(
        "\n\n  {:<12}{:>8}  {} of {} operators are kernels, {} run on the AI CPU, {} not at all\n",
        "support",
        percent_text(of.support),
        of.operators - of.on_host - std::min(of.refused, of.operators),
        of.operators,
        of.on_host,
        of.refused);
    text += fmt::format("  {:<12}{:>8}  {} of {}\n",
                        "memory",
                        percent_text(of.memory),
                        bytes_text(of.memory_bytes),
                        bytes_text(of.capacity_bytes));
    text += fmt::format("  {:<12}{:>8}  {} for {:.4g} GFLOP and {}\n",
                        "efficiency",
                        percent_text(of.efficiency),
                        time_text(of.time_us),
                        of.flops / 1e9,
                        bytes_text(of.least_bytes));
    text += fmt::format("  {:<12}{:>8}  {}\n",
                        "precision",
                        of.precision < 0 ? "-" : percent_text(of.precision),
                        of.precision < 0 ? "not computed: --functional" : "of float16 against float64");
    text += fmt::format(
        "\n  {:.1f} operations a byte that must move; {} balances at {:.0f}. HBM moves {} at {:.0f} of "
        "{:.0f} GB/s\n",
        of.intensity(),
        of.chip,
        of.ridge(),
        bytes_text(of.hbm_bytes),
        of.bandwidth_gb_per_s(),
        of.hbm_gb_per_s);
    for (const Challenge& one : of.challenges) {
        text += fmt::format("\n  {}: {}", toned(style, Tone::strong, one.code), one.text);
    }
    text += fmt::format("\n\n  {:<28}{:>6}{:>9}{:>12}{:>8}{:>12}  {}\n",
                        "module",
                        "ops",
                        "kernels",
                        "time",
                        "share",
                        "HBM",
                        "limit");
    constexpr std::size_t most = 20;
    for (std::size_t i = 0; i < of.modules.size() && i < most; ++i) {
        const Module& one = of.modules[i];
        text += fmt::format("  {:<28}{:>6}{:>9}{:>12}{:>8}{:>12}  {}\n",
                            left(one.name, 28),
                            one.operators,
                            one.kernels,
                            time_text(one.time_us),
                            percent_text(share(one.time_us, of.time_us)),
                            bytes_text(one.hbm_bytes),
                            one.limit);
        for (const std::string& what : one.recommendations) {
            text += fmt::format("    - {}\n", what);
        }
    }
    return text;
}

ordered_json feasibility_json(const Feasibility& of) {
    ordered_json json{
        {"network", of.network},
        {"chip", of.chip},
        {"score", of.score},
        {"verdict", of.verdict},
        {"scores",
         {{"support", of.support},
          {"memory", of.memory},
          {"efficiency", of.efficiency},
          {"precision", of.precision < 0 ? ordered_json(nullptr) : ordered_json(of.precision)}}},
        {"needs",
         {{"time_us", of.time_us},
          {"flops", of.flops},
          {"least_bytes", of.least_bytes},
          {"hbm_bytes", of.hbm_bytes},
          {"intensity", of.intensity()},
          {"ridge", of.ridge()},
          {"bandwidth_gb_per_s", of.bandwidth_gb_per_s()},
          {"memory_bytes", of.memory_bytes},
          {"capacity_bytes", of.capacity_bytes}}},
        {"operators", {{"all", of.operators}, {"on_host", of.on_host}, {"refused", of.refused}}},
        {"challenges", ordered_json::array()},
        {"modules", ordered_json::array()}};
    for (const Challenge& one : of.challenges) {
        json["challenges"].push_back({{"code", one.code}, {"text", one.text}});
    }
    for (const Module& one : of.modules) {
        json["modules"].push_back({{"name", one.name},
                                   {"operators", one.operators},
                                   {"kernels", one.kernels},
                                   {"time_us", one.time_us},
                                   {"core_us", one.core_us},
                                   {"flops", one.flops},
                                   {"hbm_bytes", one.hbm_bytes},
                                   {"result_bytes", one.result_bytes},
                                   {"limit", one.limit},
                                   {"recommendations", one.recommendations}});
    }
    return json;
}

}  // namespace ascendsim::report
