// SPDX-License-Identifier: Apache-2.0
#include "app/serving/serve_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ascendsim::serving {
namespace {

using networks::llm::MemoryUse;
using nlohmann::ordered_json;

constexpr double gib = 1024.0 * 1024 * 1024;

std::string weights_name(const ServeConfig& config) {
    return config.weights == networks::llm::Weights::int8   ? "int8"
           : config.weights == networks::llm::Weights::int4 ? "w4a8"
                                                            : "half";
}

std::string cache_name(const ServeConfig& config) {
    return config.cache == networks::llm::Cache::int8 ? "int8" : "half";
}

std::string_view mode_name(const ServeConfig& config) {
    return config.piecewise                        ? "piecewise graph"
           : config.mode == node::IssueMode::graph ? "graph"
           : config.mode == node::IssueMode::queue ? "queue"
                                                   : "eager";
}

std::string load_text(const RequestPlan& plan) {
    switch (plan.arrivals) {
        case Arrivals::trace:
            return fmt::format("{} requests of a trace", plan.count);
        case Arrivals::closed:
            return fmt::format("{} requests of {} / {} tokens, {} at a time{}",
                               plan.count,
                               plan.prompt.mean,
                               plan.output.mean,
                               plan.concurrency,
                               plan.rate > 0 ? fmt::format(", {} a second at most", plan.rate) : "");
        case Arrivals::poisson:
            return fmt::format("{} requests of {} / {} tokens, {} a second",
                               plan.count,
                               plan.prompt.mean,
                               plan.output.mean,
                               plan.rate);
        case Arrivals::all:
            break;
    }
    return fmt::format(
        "{} requests of {} / {} tokens, all at once", plan.count, plan.prompt.mean, plan.output.mean);
}

std::string row(const char* name, const Distribution& of) {
    return fmt::format("  {:<18}{:>11.2f}{:>11.2f}{:>11.2f}{:>11.2f}   {:<22}{}\n",
                       name,
                       of.mean,
                       of.p50,
                       of.p90,
                       of.p99,
                       fmt::format("{:.2f} to {:.2f}", of.low, of.high),
                       fmt::format("{:.2f} to {:.2f}", of.of_p99.low, of.of_p99.high));
}

double sum_of(const std::map<std::string, double>& parts) {
    double sum = 0;
    for (const auto& [name, us] : parts) {
        sum += us;
    }
    return sum;
}

std::string parts_text(const ServedLoad& load) {
    std::vector<std::pair<std::string, double>> parts{load.parts_us.begin(), load.parts_us.end()};
    std::ranges::stable_sort(parts, std::ranges::greater{}, &std::pair<std::string, double>::second);
    const double all = sum_of(load.parts_us);
    const auto steps = static_cast<double>(std::max<std::size_t>(1, load.steps.size()));
    std::string text = "\nWhere the time of steps goes\n";
    for (const auto& [name, us] : parts) {
        text += fmt::format("  {:<18}{:>10.1f} %{:>11.3f} ms a step\n",
                            name == "launch"   ? "launches, gaps"
                            : name == "host"   ? "host, between"
                            : name == "stages" ? "other stages"
                                               : name,
                            all > 0 ? 100 * us / all : 0,
                            us / us_a_ms / steps);
    }
    return text;
}

std::string operators_text(const ServedLoad& load) {
    if (load.typical.empty()) {
        return {};
    }
    const ServedStep& step = load.steps[load.typical_step];
    const std::string what =
        step.prompt_tokens == 0
            ? fmt::format("A decoding step in the middle: {} sequences, {:.0f} keys each",
                          step.decoding,
                          step.shape.keys)
            : fmt::format("A step in the middle: {} tokens of prompts", step.prompt_tokens);
    std::string text = fmt::format(
        "\n{}, {:.3f} ms\n"
        "  {:<32}{:>8}{:>12}{:>12}\n",
        what,
        step.us / us_a_ms,
        "",
        "times",
        "us each",
        "ms in all");
    for (const OperatorTime& one : load.typical) {
        text += fmt::format(
            "  {:<32}{:>8}{:>12.2f}{:>12.3f}\n", one.name, one.times, one.us, one.us * one.times / us_a_ms);
    }
    return text;
}

std::string memory_text(const ServeRun& run) {
    const MemoryUse use = networks::llm::memory_of(run.config.deployment(), run.config.scheduler.max_tokens);
    const auto block = static_cast<double>(use.cache_of_token * run.config.cache_block);
    std::string text = fmt::format(
        "\nMemory of a device: weights {:.2f} GiB, activations {:.2f} GiB, cache {:.2f} GiB ({} tokens), of "
        "which at "
        "most {:.0f} % were in use\n",
        static_cast<double>(use.weights) / gib,
        static_cast<double>(use.activations) / gib,
        block * static_cast<double>(run.load.blocks) / gib,
        run.load.blocks * run.config.cache_block,
        100.0 * static_cast<double>(run.load.most_blocks) / static_cast<double>(run.load.blocks));
    if (run.load.preemptions > 0) {
        text += fmt::format("{} times a sequence lost its cache to others and was computed anew\n",
                            run.load.preemptions);
    }
    return text;
}

std::string where_requests_wait(const ServeFigures& figures) {
    const double prompt = figures.ttft_ms.mean - figures.queued_ms.mean;
    const double decoding = figures.e2e_ms.mean - figures.ttft_ms.mean;
    return fmt::format(
        "\nA request's time on average: {:.1f} ms queued, {:.1f} ms prompt, {:.1f} ms decoding\n",
        figures.queued_ms.mean,
        prompt,
        decoding);
}

ordered_json distribution_json(const Distribution& of) {
    return {{"mean", of.mean},
            {"low", of.low},
            {"high", of.high},
            {"p50", of.p50},
            {"p90", of.p90},
            {"p99", of.p99},
            {"p50_low", of.of_p50.low},
            {"p50_high", of.of_p50.high},
            {"p90_low", of.of_p90.low},
            {"p90_high", of.of_p90.high},
            {"p99_low", of.of_p99.low},
            {"p99_high", of.of_p99.high}};
}

ordered_json figures_json(const ServeFigures& figures) {
    return {{"ttft_ms", distribution_json(figures.ttft_ms)},
            {"tpot_ms", distribution_json(figures.tpot_ms)},
            {"e2e_ms", distribution_json(figures.e2e_ms)},
            {"queued_ms", distribution_json(figures.queued_ms)},
            {"output_tokens_per_s", figures.output_tokens_per_s},
            {"requests_per_s", figures.requests_per_s},
            {"mean_sequences", figures.mean_sequences},
            {"seconds", figures.seconds},
            {"joules_a_token", figures.joules_a_token},
            {"host_joules_a_token", figures.host_joules_a_token},
            {"copies", figures.copies}};
}

std::string change(double now, double before) {
    return before > 0 ? fmt::format("{:+.1f} %", 100 * (now / before - 1)) : std::string{"-"};
}

/// Behind a chip's name, the first of the values that are not its own.
std::string chip_values_text(const std::vector<std::string>& values) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, values.size()); ++i) {
        text += ", " + values[i];
    }
    return values.size() > most ? text + fmt::format(" and {} more", values.size() - most) : text;
}

}  // namespace

std::string layout_text(const ServeConfig& config) {
    std::string text = fmt::format(
        "{} device{} of {}", config.devices(), config.devices() == 1 ? "" : "s", config.node.name);
    text += fmt::format(" ({}{}): tensor {}, replicas {}",
                        config.chip.name,
                        chip_values_text(config.chip_values),
                        config.layout.tensor,
                        config.layout.replicas);
    text += config.layout.pipeline > 1 ? fmt::format(", {} stages", config.layout.pipeline) : "";
    text += config.layout.expert_parallel ? ", experts shared by all" : "";
    if (config.prompts) {
        text += fmt::format(", and prompts alone: tensor {}, replicas {}",
                            config.prompts->layout.tensor,
                            config.prompts->layout.replicas);
    }
    return text + fmt::format("; {} weights, {} cache, {} mode",
                              weights_name(config),
                              cache_name(config),
                              mode_name(config));
}

std::string serve_text(const ServeRun& run) {
    const ServeFigures& figures = run.figures;
    std::string text = fmt::format(
        "{}\n{}\n{}\n\n", run.config.title, layout_text(run.config), load_text(run.config.requests));
    text += fmt::format("  {:<18}{:>11}{:>11}{:>11}{:>11}   {:<22}{}\n",
                        "ms",
                        "mean",
                        "P50",
                        "P90",
                        "P99",
                        "mean, 95 %",
                        "P99, 95 %");
    text += row("first token", figures.ttft_ms);
    text += row("token after it", figures.tpot_ms);
    text += row("whole request", figures.e2e_ms);
    text += row("queued", figures.queued_ms);
    text += fmt::format(
        "\n{:.1f} tokens/s, {:.3f} requests/s in {:.2f} s; {:.1f} sequences decode at a time, {} steps\n",
        figures.output_tokens_per_s,
        figures.requests_per_s,
        figures.seconds,
        figures.mean_sequences,
        run.load.steps.size());
    text += fmt::format(
        "{:.3g} J a token of output by devices, {:.0f} W each on average, idle time included; "
        "{:.3g} J by hosts (± {:.0f} %), {:.1f} threads busy on average\n",
        figures.joules_a_token,
        run.load.joules / std::max(1e-9, run.load.end_us / us_a_second) / run.config.devices(),
        figures.host_joules_a_token,
        run.load.host.joules > 0 ? 100 * run.load.host.spread / run.load.host.joules : 0,
        run.load.host.busy_us / std::max(1e-3, run.load.end_us));
    if (run.load.drafted > 0) {
        text += fmt::format("{} of {} drafted tokens were accepted\n", run.load.accepted, run.load.drafted);
    }
    return text + where_requests_wait(figures) + parts_text(run.load) + operators_text(run.load) +
           memory_text(run);
}

std::string variants_text(const ServeRun& run, const std::vector<Variant>& variants) {
    std::size_t width = 24;
    for (const Variant& one : variants) {
        width = std::max(width, one.setting.size() + 2);
    }
    std::string text = fmt::format("\n  {:<{}}{:>14}{:>10}{:>14}{:>10}{:>14}{:>10}\n",
                                   "setting",
                                   width,
                                   "first token",
                                   "",
                                   "token",
                                   "",
                                   "tokens/s",
                                   "");
    const auto line = [&](const std::string& name, const ServeFigures& figures) {
        text += fmt::format("  {:<{}}{:>11.2f} ms{:>10}{:>11.2f} ms{:>10}{:>14.1f}{:>10}\n",
                            name,
                            width,
                            figures.ttft_ms.mean,
                            change(figures.ttft_ms.mean, run.figures.ttft_ms.mean),
                            figures.tpot_ms.mean,
                            change(figures.tpot_ms.mean, run.figures.tpot_ms.mean),
                            figures.output_tokens_per_s,
                            change(figures.output_tokens_per_s, run.figures.output_tokens_per_s));
    };
    line("as it is", run.figures);
    for (const Variant& one : variants) {
        if (one.problem.empty()) {
            line(one.setting, one.figures);
        } else {
            text += fmt::format("  {:<{}}{}\n", one.setting, width, one.problem);
        }
    }
    return text;
}

std::string ladder_text(const ServeRun& run, const std::vector<Variant>& rungs) {
    std::size_t width = 12;
    for (const Variant& one : rungs) {
        width = std::max(width, one.what.size() + 2);
    }
    std::string text = fmt::format(
        "\nThe ladder: each rung with what those above it changed\n  "
        "{:<{}}{:>10}{:>12}{:>11}{:>10}{:>11}{:>10}{:>9}\n",
        "",
        width,
        "P50 ms",
        "P99 ms",
        "requests/s",
        "",
        "tokens/s",
        "J/token",
        "copies");
    const auto line = [&](const std::string& name, const ServeFigures& figures) {
        text += fmt::format("  {:<{}}{:>10.1f}{:>12.1f}{:>11.2f}{:>10}{:>11.1f}{:>10.3g}{:>7.1f} %\n",
                            name,
                            width,
                            figures.e2e_ms.p50,
                            figures.e2e_ms.p99,
                            figures.requests_per_s,
                            change(figures.requests_per_s, run.figures.requests_per_s),
                            figures.output_tokens_per_s,
                            figures.joules_a_token,
                            100 * figures.copies);
    };
    line("as it is", run.figures);
    for (const Variant& one : rungs) {
        if (one.problem.empty()) {
            line(one.what, one.figures);
        } else {
            text += fmt::format("  {:<{}}{}\n", one.what, width, one.problem);
        }
    }
    return text;
}

ordered_json serve_json(const ServeRun& run, const std::vector<Variant>& variants) {
    const MemoryUse use = networks::llm::memory_of(run.config.deployment(), run.config.scheduler.max_tokens);
    ordered_json json{{"title", run.config.title},
                      {"model",
                       {{"name", run.config.model.name},
                        {"parameters", run.config.model.parameters()},
                        {"active_parameters", run.config.model.active_parameters()}}},
                      {"node", run.config.node.name},
                      {"chip", run.config.chip.name},
                      {"chip_values", run.config.chip_values},
                      {"mode", mode_name(run.config)},
                      {"weights", weights_name(run.config)},
                      {"cache", cache_name(run.config)},
                      {"layout",
                       {{"tensor", run.config.layout.tensor},
                        {"pipeline", run.config.layout.pipeline},
                        {"replicas", run.config.layout.replicas},
                        {"expert_parallel", run.config.layout.expert_parallel}}},
                      {"requests", run.load.requests.size()},
                      {"figures", figures_json(run.figures)},
                      {"memory",
                       {{"weight_bytes", use.weights},
                        {"activation_bytes", use.activations},
                        {"cache_bytes_of_token", use.cache_of_token},
                        {"cache_blocks", run.load.blocks},
                        {"most_cache_blocks", run.load.most_blocks}}},
                      {"steps", run.load.steps.size()},
                      {"preemptions", run.load.preemptions},
                      {"drafted", run.load.drafted},
                      {"accepted", run.load.accepted},
                      {"joules", run.load.joules},
                      {"host_joules", run.load.host.joules},
                      {"host_spread_joules", run.load.host.spread},
                      {"host_busy_us", run.load.host.busy_us},
                      {"parts_us", run.load.parts_us}};
    for (const OperatorTime& one : run.load.typical) {
        json["typical_step"].push_back(
            {{"name", one.name}, {"part", one.part}, {"times", one.times}, {"us", one.us}});
    }
    for (const Variant& one : variants) {
        ordered_json entry{{"setting", one.setting}, {"what", one.what}};
        if (one.problem.empty()) {
            entry["figures"] = figures_json(one.figures);
        } else {
            entry["problem"] = one.problem;
        }
        json["variants"].push_back(std::move(entry));
    }
    return json;
}

std::string serve_csv(const ServeRun& run) {
    std::string text =
        "request,prompt,output,replica,arrival_us,scheduled_us,first_us,end_us,ttft_us,tpot_us,preempted\n";
    for (std::size_t i = 0; i < run.load.requests.size(); ++i) {
        const ServedRequest& one = run.load.requests[i];
        text += fmt::format("{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{}\n",
                            i,
                            one.prompt,
                            one.output,
                            one.replica,
                            one.arrival_us,
                            one.scheduled_us,
                            one.first_us,
                            one.end_us,
                            one.ttft_us(),
                            one.tpot_us(),
                            one.preempted);
    }
    return text;
}

ordered_json serve_trace(const ServeRun& run) {
    ordered_json events = ordered_json::array();
    for (const ServedStep& step : run.load.steps) {
        const std::string name = step.prompt_tokens == 0
                                     ? fmt::format("decode {}", step.decoding)
                                     : fmt::format("prompt {}, decode {}", step.prompt_tokens, step.decoding);
        events.push_back({{"name", name},
                          {"ph", "X"},
                          {"ts", step.start_us},
                          {"dur", step.us},
                          {"pid", step.replica},
                          {"tid", 0}});
        events.push_back({{"name", "cache blocks"},
                          {"ph", "C"},
                          {"ts", step.start_us},
                          {"pid", step.replica},
                          {"args", {{"blocks", step.cache_blocks}}}});
        events.push_back({{"name", "sequences"},
                          {"ph", "C"},
                          {"ts", step.start_us},
                          {"pid", step.replica},
                          {"args", {{"decoding", step.decoding}}}});
    }
    return {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}};
}

}  // namespace ascendsim::serving
