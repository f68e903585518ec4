// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "app/benchmark/benchmark_recording.hpp"
#include "app/benchmark/benchmark_report.hpp"
#include "app/report/html_report.hpp"
#include "app/report/svg_plot.hpp"
#include "app/report/svg_timeline.hpp"

namespace ascendsim::benchmark {
namespace {

using report::HtmlTable;

std::string throughput_plot(const Benchmark& benchmark) {
    if (benchmark.plan.over.empty()) {
        return {};
    }
    report::LinePlot plot{.title = "Throughput over " + benchmark.plan.over,
                          .x_label = benchmark.plan.over,
                          .y_label = "items/s",
                          .log_x = true,
                          .series = {}};
    for (const Case& one : benchmark.cases) {
        if (one.iteration.count == 0) {
            continue;
        }
        const std::string name = series_of(benchmark, one);
        auto at = std::ranges::find(plot.series, name, &report::PlotSeries::name);
        if (at == plot.series.end()) {
            plot.series.push_back({.name = name, .points = {}, .markers = true});
            at = plot.series.end() - 1;
        }
        at->points.emplace_back(place_of(one), one.items_per_s());
    }
    for (report::PlotSeries& series : plot.series) {
        std::ranges::sort(series.points);
    }
    return svg_plot(plot);
}

std::string percentile_plot(const Benchmark& benchmark) {
    std::vector<report::PlotRange> rows;
    for (const Case& one : benchmark.cases) {
        const Statistics& of = one.iteration;
        if (of.count > 0) {
            rows.push_back({.name = one.label,
                            .low = of.min,
                            .begin = of.p50,
                            .end = of.p90,
                            .high = of.max,
                            .marks = {{"P50", of.p50}, {"P90", of.p90}, {"P99", of.p99}}});
        }
    }
    return report::svg_ranges("Percentiles of iterations", "us an iteration", rows);
}

std::string iterations_plot(const Case& one) {
    report::LinePlot plot{
        .title = one.label, .x_label = "iteration", .y_label = "us, " + one.label, .series = {}};
    report::PlotSeries& all = plot.series.emplace_back();
    all.name = "iteration";
    all.steps = true;
    for (const Iteration& iteration : one.iterations) {
        all.points.emplace_back(static_cast<double>(all.points.size()), iteration.us);
    }
    return svg_plot(plot);
}

HtmlTable cases_table(const Benchmark& benchmark) {
    HtmlTable table{.heading = "Cases, us an iteration",
                    .columns = {"case",
                                "items",
                                "mean",
                                "std",
                                "P50",
                                "P90",
                                "P99",
                                "outliers",
                                "P99 of all",
                                "device",
                                "items/s",
                                ""},
                    .rows = {}};
    for (const Case& one : benchmark.cases) {
        const Statistics& of = one.iteration;
        std::vector<std::string> row{one.label, report::figure_text(one.items)};
        for (const double figure : {of.mean, of.std, of.p50, of.p90, of.p99}) {
            row.push_back(fmt::format("{:.2f}", figure));
        }
        row.push_back(fmt::format("{} of {}", of.outliers, of.count));
        row.push_back(fmt::format("{:.2f}", of.p99_of_all));
        row.push_back(fmt::format("{:.2f}", one.device.p50));
        row.push_back(fmt::format("{:.6g}", one.items_per_s()));
        row.push_back(one.error);
        table.rows.push_back(std::move(row));
    }
    return table;
}

HtmlTable changes_table(const std::vector<Change>& changes) {
    constexpr double percent = 100;
    HtmlTable table{.heading = "Against the baseline",
                    .columns = {"case", "figure", "before", "now", "change", ""},
                    .rows = {}};
    for (const Change& change : changes) {
        table.rows.push_back({change.label,
                              change.path,
                              fmt::format("{:.6g}", change.before),
                              fmt::format("{:.6g}", change.now),
                              fmt::format("{:+.2f} %", percent * change.relative()),
                              change.worse ? "worse" : ""});
    }
    return table;
}

}  // namespace

double place_of(const Case& one) {
    double value = 0;
    if (!one.values.empty()) {
        const std::string& text = one.values.back().second;
        const char* const end = text.data() + text.size();
        if (const auto [stop, error] = std::from_chars(text.data(), end, value);
            error == std::errc{} && stop == end) {
            return value;
        }
    }
    return one.items;
}

std::string series_of(const Benchmark& benchmark, const Case& one) {
    std::string name;
    const std::size_t variants =
        one.values.size() - (benchmark.plan.over.empty() || one.values.empty() ? 0 : 1);
    for (std::size_t i = 0; i < variants; ++i) {
        name += (name.empty() ? "" : ", ") + one.values[i].second;
    }
    return name.empty() ? "items/s" : name;
}

std::string benchmark_html(const Benchmark& benchmark,
                           const std::vector<Change>& changes,
                           const std::vector<LimitState>& broken) {
    const BenchmarkPlan& plan = benchmark.plan;
    std::string page = report::html_head(benchmark.title);
    page += fmt::format("<h1>{}</h1>\n<p class=\"sub\">{}</p>\n",
                        report::html_text(benchmark.title),
                        report::html_text(benchmark.machine));
    page += fmt::format(
        "<p class=\"sub\">{} cycle(s) of {} waited, {} warm-up, {} active iterations; host jitter: {}; seed "
        "{}; samples beyond {} times the distance of the quartiles count as outliers</p>\n",
        plan.repeat,
        plan.wait,
        plan.warm_up,
        plan.active,
        report::html_text(text_of(plan.jitter)),
        plan.seed,
        plan.fence);
    for (const LimitState& limit : broken) {
        page += fmt::format("<p class=\"bad\">{}: {}</p>\n",
                            report::html_text(limit.label),
                            report::html_text(limit.sentence));
    }
    if (const std::string plot = throughput_plot(benchmark); !plot.empty()) {
        page += "<h2>Throughput</h2>\n" + plot;
    }
    page +=
        "<h2>Percentiles</h2>\n<p class=\"sub\">Line: least to most; box: P50 to P90; marks: P50, P90, "
        "P99</p>\n";
    page += percentile_plot(benchmark) + html(cases_table(benchmark));
    if (!changes.empty()) {
        page += html(changes_table(changes));
    }
    constexpr std::size_t most_plots = 12;
    page += "<h2>Iterations</h2>\n";
    for (std::size_t i = 0; i < std::min(most_plots, benchmark.cases.size()); ++i) {
        page += iterations_plot(benchmark.cases[i]);
    }
    return page + report::html_foot();
}

}  // namespace ascendsim::benchmark
