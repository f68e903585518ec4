// SPDX-License-Identifier: Apache-2.0
#include "app/serving/serve_html.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/report/html_report.hpp"
#include "app/report/svg_chart.hpp"
#include "app/report/svg_timeline.hpp"

namespace ascendsim::serving {
namespace {

using report::ChartBar;
using report::ChartSeries;

std::string figure(const std::string& value, const std::string& what) {
    return fmt::format(
        "<div><b>{}</b><span>{}</span></div>", report::html_text(value), report::html_text(what));
}

std::string totals(const ServeFigures& figures) {
    return "<div class=\"figures\">" +
           figure(fmt::format("{:.1f} ms", figures.ttft_ms.mean), "to the first token") +
           figure(fmt::format("{:.2f} ms", figures.tpot_ms.mean), "for each token after it") +
           figure(fmt::format("{:.1f} ms", figures.e2e_ms.p99), "whole requests, P99") +
           figure(fmt::format("{:.1f}", figures.output_tokens_per_s), "tokens of output a second") +
           figure(fmt::format("{:.3f}", figures.requests_per_s), "requests a second") +
           figure(fmt::format("{:.3g} J", figures.joules_a_token), "a token of output") + "</div>\n";
}

/// A value that changes by steps, at most `most` of them: of others in between, the largest stays.
ChartSeries thinned(ChartSeries series) {
    constexpr std::size_t most = 1000;
    const std::size_t group = (series.points.size() + most - 1) / most;
    if (group < 2) {
        return series;
    }
    ChartSeries few{series.name, {}};
    for (std::size_t at = 0; at < series.points.size(); at += group) {
        const auto end =
            series.points.begin() + static_cast<std::ptrdiff_t>(std::min(at + group, series.points.size()));
        const auto begin = series.points.begin() + static_cast<std::ptrdiff_t>(at);
        const auto largest =
            std::max_element(begin, end, [](const auto& a, const auto& b) { return a.second < b.second; });
        few.points.emplace_back(begin->first, largest->second);
    }
    return few;
}

/// How many requests are between two of their moments, over time.
ChartSeries requests_between(const ServedLoad& load,
                             const std::string& name,
                             double ServedRequest::*from,
                             double ServedRequest::*to) {
    std::vector<std::pair<double, int>> changes;
    for (const ServedRequest& request : load.requests) {
        changes.emplace_back(request.*from, 1);
        changes.emplace_back(request.*to, -1);
    }
    std::ranges::sort(changes);
    ChartSeries series{name, {}};
    int now = 0;
    for (const auto& [us, change] : changes) {
        now += change;
        series.points.emplace_back(us / us_a_second, now);
    }
    return thinned(std::move(series));
}

std::string over_time(const ServedLoad& load) {
    ChartSeries decoding{"sequences that decode in a step", {}};
    ChartSeries blocks{"blocks of the cache in use", {}};
    for (const ServedStep& step : load.steps) {
        decoding.points.emplace_back(step.start_us / us_a_second, static_cast<double>(step.decoding));
        blocks.points.emplace_back(step.start_us / us_a_second, static_cast<double>(step.cache_blocks));
    }
    const std::vector<ChartSeries> requests{
        requests_between(load, "waiting", &ServedRequest::arrival_us, &ServedRequest::scheduled_us),
        requests_between(load, "under way", &ServedRequest::scheduled_us, &ServedRequest::end_us),
        thinned(decoding)};
    return "<h2>Requests over time</h2>\n" +
           report::svg_lines(requests,
                             {.title = "Requests over time", .x = "s", .y = "requests", .steps = true}) +
           "<h2>The cache over time</h2>\n" +
           report::svg_lines({thinned(blocks)},
                             {.title = "Blocks of the cache over time",
                              .x = "s",
                              .y = "blocks",
                              .steps = true,
                              .height = 160});
}

/// The share of requests that are not above each value.
ChartSeries shares(const std::string& name, std::vector<double> values) {
    std::ranges::sort(values);
    ChartSeries series{name, {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
        series.points.emplace_back(values[i],
                                   100.0 * static_cast<double>(i + 1) / static_cast<double>(values.size()));
    }
    return thinned(std::move(series));
}

std::string latencies(const ServedLoad& load) {
    std::vector<double> first;
    std::vector<double> whole;
    std::vector<double> token;
    for (const ServedRequest& request : load.requests) {
        first.push_back(request.ttft_us() / us_a_ms);
        whole.push_back((request.end_us - request.arrival_us) / us_a_ms);
        token.push_back(request.tpot_us() / us_a_ms);
    }
    return "<h2>Latencies: % of requests that are not above a value</h2>\n" +
           report::svg_lines({shares("first token", first), shares("whole request", whole)},
                             {.title = "Latencies of requests", .x = "ms", .y = "%", .steps = true}) +
           report::svg_lines({shares("token after the first, mean of a request", token)},
                             {.title = "Time of a token", .x = "ms", .y = "%", .steps = true});
}

std::string parts(const ServedLoad& load) {
    double all = 0;
    for (const auto& [name, us] : load.parts_us) {
        all += us;
    }
    std::vector<ChartBar> bars;
    for (const auto& [name, us] : load.parts_us) {
        bars.push_back({name, us, fmt::format("{:.1f} %", all > 0 ? 100 * us / all : 0)});
    }
    std::ranges::stable_sort(bars, std::ranges::greater{}, &ChartBar::value);
    return "<h2>Where the time of steps goes</h2>\n" +
           report::svg_bars(bars, {.title = "Time of steps by part", .x = {}, .y = {}});
}

std::string bars_of(const std::string& heading,
                    const ServeRun& run,
                    const std::vector<Variant>& variants,
                    bool named) {
    if (variants.empty()) {
        return {};
    }
    std::vector<ChartBar> latency{
        {"as it is", run.figures.e2e_ms.p99, fmt::format("{:.1f} ms", run.figures.e2e_ms.p99)}};
    std::vector<ChartBar> rate{
        {"as it is", run.figures.requests_per_s, fmt::format("{:.2f}/s", run.figures.requests_per_s)}};
    for (const Variant& one : variants) {
        const std::string& name = named ? one.what : one.setting;
        if (!one.problem.empty()) {
            latency.push_back({name, 0, one.problem});
            continue;
        }
        latency.push_back({name, one.figures.e2e_ms.p99, fmt::format("{:.1f} ms", one.figures.e2e_ms.p99)});
        rate.push_back({name,
                        one.figures.requests_per_s,
                        fmt::format("{:.2f}/s, {:+.0f} %",
                                    one.figures.requests_per_s,
                                    100 * (one.figures.requests_per_s / run.figures.requests_per_s - 1))});
    }
    return fmt::format("<h2>{}: P99 of whole requests</h2>\n", heading) +
           report::svg_bars(latency, {.title = heading + ", P99", .x = {}, .y = {}}) +
           fmt::format("<h2>{}: requests a second</h2>\n", heading) +
           report::svg_bars(rate, {.title = heading + ", requests a second", .x = {}, .y = {}});
}

}  // namespace

std::string serve_html(const ServeRun& run,
                       const std::vector<Variant>& variants,
                       const std::vector<Variant>& rungs) {
    return report::html_head(run.config.title) + "<h1>" + report::html_text(run.config.title) + "</h1>\n" +
           "<p class=\"sub\">" + report::html_text(layout_text(run.config)) + "</p>\n" + totals(run.figures) +
           over_time(run.load) + latencies(run.load) + parts(run.load) + bars_of("Ladder", run, rungs, true) +
           bars_of("Other settings", run, variants, false) + report::html_foot();
}

}  // namespace ascendsim::serving
