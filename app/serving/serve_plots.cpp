// SPDX-License-Identifier: Apache-2.0
#include "app/serving/serve_plots.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "app/analysis/energy_prices.hpp"
#include "app/analysis/machine/amounts_over_time.hpp"
#include "app/report/style.hpp"
#include "app/serving/engine.hpp"
#include "sim/config/fields.hpp"

namespace ascendsim::serving {
namespace {

using analysis::PlotBar;
using analysis::PlotKind;
using analysis::PlotSeries;
using analysis::RecordedPlot;
using analysis::thinned;

constexpr std::size_t most_replicas = 6;  // with a curve of their own

/// How many requests are between two of their moments, over time.
PlotSeries requests_between(const ServedLoad& load,
                            const std::string& name,
                            double ServedRequest::*from,
                            double ServedRequest::*to) {
    std::vector<std::pair<double, int>> changes;
    for (const ServedRequest& request : load.requests) {
        changes.emplace_back(request.*from, 1);
        changes.emplace_back(request.*to, -1);
    }
    std::ranges::sort(changes);
    PlotSeries series{name, {}};
    int now = 0;
    for (const auto& [us, change] : changes) {
        now += change;
        series.points.emplace_back(us, now);
    }
    return thinned(std::move(series));
}

RecordedPlot over_time(std::string title, std::string note, std::string unit) {
    return {.title = std::move(title),
            .note = std::move(note),
            .x = "us",
            .y = std::move(unit),
            .over_time = true,
            .steps = true};
}

/// A figure of the steps, each replica by itself as long as they are few.
std::vector<PlotSeries> of_steps(const ServedLoad& load,
                                 const std::string& name,
                                 std::uint64_t ServedStep::*figure) {
    std::map<std::uint32_t, PlotSeries> replicas;
    for (const ServedStep& step : load.steps) {
        if (step.replica < most_replicas) {
            replicas[step.replica].points.emplace_back(step.start_us, static_cast<double>(step.*figure));
        }
    }
    std::vector<PlotSeries> all;
    for (auto& [number, series] : replicas) {
        series.name = replicas.size() == 1 ? name : fmt::format("{}, replica {}", name, number);
        series.points.emplace_back(load.end_us, 0);
        all.push_back(thinned(std::move(series)));
    }
    return all;
}

/// The share of requests that are not above each value.
PlotSeries shares_below(const std::string& name, std::vector<double> values) {
    std::ranges::sort(values);
    PlotSeries series{name, {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
        series.points.emplace_back(values[i],
                                   100.0 * static_cast<double>(i + 1) / static_cast<double>(values.size()));
    }
    return thinned(std::move(series));
}

/// Says what of_steps() leaves out.
std::string note_of_steps(const ServedLoad& load, std::string note) {
    std::set<std::uint32_t> replicas;
    for (const ServedStep& step : load.steps) {
        replicas.insert(step.replica);
    }
    return replicas.size() <= most_replicas
               ? note
               : fmt::format("{}; the first {} of {} schedulers", note, most_replicas, replicas.size());
}

void add_over_time(const ServedLoad& load, std::vector<RecordedPlot>& plots) {
    RecordedPlot requests = over_time("Requests over time", "Requests by what they wait for", "requests");
    requests.series = {
        requests_between(load, "waiting", &ServedRequest::arrival_us, &ServedRequest::scheduled_us),
        requests_between(load, "under way", &ServedRequest::scheduled_us, &ServedRequest::end_us)};
    plots.push_back(std::move(requests));
    RecordedPlot tokens =
        over_time("Batches over time", note_of_steps(load, "Sequences that decode in a step"), "sequences");
    tokens.series = of_steps(load, "decoding", &ServedStep::decoding);
    plots.push_back(std::move(tokens));
    RecordedPlot prompts = over_time(
        "Prompts over time", note_of_steps(load, "Tokens of prompts that a step computes"), "tokens");
    prompts.series = of_steps(load, "tokens of prompts", &ServedStep::prompt_tokens);
    plots.push_back(std::move(prompts));
    RecordedPlot cache = over_time("The cache over time",
                                   note_of_steps(load, "Blocks of the paged cache in use, of a device"),
                                   "blocks");
    cache.series = of_steps(load, "in use", &ServedStep::cache_blocks);
    cache.limit = static_cast<double>(load.blocks);
    plots.push_back(std::move(cache));
}

/// Watts of all devices and of the hosts beside them.
void add_power(const ServeRun& run, std::vector<RecordedPlot>& plots) {
    PowerSpec power = run.config.power;
    const auto prices = analysis::prices_of({{"power", to_json(fields_of(power))}});
    if (!prices || !(run.load.end_us > 0)) {
        return;
    }
    const double link = power.link.cost * 1e-12;  // pJ a byte
    analysis::AmountsOverTime devices{run.load.end_us};
    analysis::AmountsOverTime hosts{run.load.end_us};
    for (const ServedStep& step : run.load.steps) {
        const double end = step.start_us + step.us;
        devices.add(prices->of(energy_use(step.work)) + link * step.work.link_bytes, step.start_us, end);
        hosts.add(run.config.host.core_w * step.host_busy_us / us_a_second, step.start_us, end);
    }
    const double count = run.config.devices();
    RecordedPlot plot = over_time(
        "Power",
        fmt::format("What {:.0f} devices draw, and their share of hosts; work is spread over its step",
                    count),
        "W");
    plot.series = {
        devices.rates("devices", 1, prices->idle_w * count, false),
        hosts.rates("hosts", 1, run.config.host.idle_w * count / run.config.node.devices.per_server, false)};
    if (prices->limit_w > 0) {
        plot.limit = prices->limit_w * count;
    }
    plots.push_back(std::move(plot));
}

void add_latencies(const ServeRun& run, std::vector<RecordedPlot>& plots) {
    std::vector<double> first;
    std::vector<double> whole;
    std::vector<double> token;
    for (const ServedRequest& request : run.load.requests) {
        first.push_back(request.ttft_us() / us_a_ms);
        whole.push_back((request.end_us - request.arrival_us) / us_a_ms);
        token.push_back(request.tpot_us() / us_a_ms);
    }
    RecordedPlot latencies{.title = "Latencies: % of requests that are not above a value",
                           .note = "From a request's arrival to its first token, and to its last",
                           .x = "ms",
                           .y = "%",
                           .steps = true};
    latencies.series = {shares_below("first token", first), shares_below("whole request", whole)};
    RecordedPlot tokens{.title = "Time of a token: % of requests that are not above a value",
                        .note = "Mean time of a request's tokens behind the first",
                        .x = "ms",
                        .y = "%",
                        .steps = true};
    tokens.series = {shares_below("token after the first, mean of a request", token)};
    plots.push_back(std::move(latencies));
    plots.push_back(std::move(tokens));
    RecordedPlot percentiles{.title = "Percentiles of requests", .kind = PlotKind::bars, .x = "ms"};
    const auto add = [&percentiles](const char* name, double ms) {
        percentiles.bars.push_back({name, ms, report::time_text(ms * us_a_ms)});
    };
    const ServeFigures& figures = run.figures;
    add("queued, P50", figures.queued_ms.p50);
    add("queued, P99", figures.queued_ms.p99);
    add("first token, P50", figures.ttft_ms.p50);
    add("first token, P90", figures.ttft_ms.p90);
    add("first token, P99", figures.ttft_ms.p99);
    add("whole request, P50", figures.e2e_ms.p50);
    add("whole request, P90", figures.e2e_ms.p90);
    add("whole request, P99", figures.e2e_ms.p99);
    plots.push_back(std::move(percentiles));
}

void add_parts(const ServedLoad& load, std::vector<RecordedPlot>& plots) {
    double all = 0;
    for (const auto& [name, us] : load.parts_us) {
        all += us;
    }
    RecordedPlot parts{.title = "Where the time of steps goes",
                       .note = "Kernels by part, exchanges, gaps before kernels, the host between steps",
                       .kind = PlotKind::bars};
    for (const auto& [name, us] : load.parts_us) {
        parts.bars.push_back({name, us, fmt::format("{:.1f} %", all > 0 ? 100 * us / all : 0)});
    }
    std::ranges::stable_sort(parts.bars, std::ranges::greater{}, &PlotBar::value);
    plots.push_back(std::move(parts));
    const bool decodes = load.typical.empty() || load.steps[load.typical_step].prompt_tokens == 0;
    RecordedPlot typical{.title = decodes ? "A decoding step in the middle" : "A step in the middle",
                         .note = "Operators of the step that half of such steps are not longer than",
                         .kind = PlotKind::bars,
                         .x = "us"};
    for (const OperatorTime& one : load.typical) {
        const double us = one.us * one.times;
        typical.bars.push_back({one.name, us, fmt::format("{}, {} x", report::time_text(us), one.times)});
    }
    std::ranges::stable_sort(typical.bars, std::ranges::greater{}, &PlotBar::value);
    constexpr std::size_t most_operators = 20;
    typical.bars.resize(std::min(typical.bars.size(), most_operators));
    plots.push_back(std::move(typical));
}

void add_variants(const std::string& heading,
                  const ServeRun& run,
                  const std::vector<Variant>& variants,
                  bool named,
                  std::vector<RecordedPlot>& plots) {
    if (variants.empty()) {
        return;
    }
    RecordedPlot latency{.title = heading + ": P99 of whole requests", .kind = PlotKind::bars};
    RecordedPlot rate{.title = heading + ": requests a second", .kind = PlotKind::bars};
    latency.bars = {{"as it is", run.figures.e2e_ms.p99, fmt::format("{:.1f} ms", run.figures.e2e_ms.p99)}};
    rate.bars = {
        {"as it is", run.figures.requests_per_s, fmt::format("{:.2f}/s", run.figures.requests_per_s)}};
    for (const Variant& one : variants) {
        const std::string& name = named ? one.what : one.setting;
        if (!one.problem.empty()) {
            latency.bars.push_back({name, 0, one.problem});
            continue;
        }
        latency.bars.push_back(
            {name, one.figures.e2e_ms.p99, fmt::format("{:.1f} ms", one.figures.e2e_ms.p99)});
        rate.bars.push_back(
            {name,
             one.figures.requests_per_s,
             fmt::format("{:.2f}/s, {:+.0f} %",
                         one.figures.requests_per_s,
                         100 * (one.figures.requests_per_s / run.figures.requests_per_s - 1))});
    }
    plots.push_back(std::move(latency));
    plots.push_back(std::move(rate));
}

}  // namespace

std::vector<RecordedPlot> serve_plots(const ServeRun& run,
                                      const std::vector<Variant>& variants,
                                      const std::vector<Variant>& rungs) {
    std::vector<RecordedPlot> plots;
    add_over_time(run.load, plots);
    add_power(run, plots);
    add_variants("Ladder", run, rungs, true, plots);
    add_variants("Other settings", run, variants, false, plots);
    add_latencies(run, plots);
    add_parts(run.load, plots);
    return plots;
}

}  // namespace ascendsim::serving
