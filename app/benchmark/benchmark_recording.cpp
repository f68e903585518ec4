// SPDX-License-Identifier: Apache-2.0
#include "app/benchmark/benchmark_recording.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "app/analysis/machine/recorded_clock.hpp"
#include "app/analysis/machine/recorded_report.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::benchmark {
namespace {

using analysis::PlotKind;
using analysis::PlotSeries;
using analysis::RecordedPlot;

constexpr std::size_t most_cases = 64;  // with tracks and bars

RecordedPlot throughput_of(const Benchmark& benchmark) {
    RecordedPlot plot{.title = "Throughput over " + benchmark.plan.over,
                      .note = "Items of an iteration by its mean time",
                      .x = benchmark.plan.over,
                      .y = "items/s",
                      .log_x = true};
    for (const Case& one : benchmark.cases) {
        if (one.iteration.count == 0) {
            continue;
        }
        const std::string name = series_of(benchmark, one);
        auto at = std::ranges::find(plot.series, name, &PlotSeries::name);
        if (at == plot.series.end()) {
            at = plot.series.insert(at, {name, {}});
        }
        at->points.emplace_back(place_of(one), one.items_per_s());
    }
    for (PlotSeries& series : plot.series) {
        std::ranges::sort(series.points);
    }
    return plot;
}

RecordedPlot percentiles_of(const Benchmark& benchmark) {
    RecordedPlot plot{
        .title = "Percentiles of iterations", .note = "Without outliers", .kind = PlotKind::bars, .x = "us"};
    for (const Case& one : benchmark.cases) {
        const Statistics& of = one.iteration;
        if (of.count == 0 || plot.bars.size() > 3 * (most_cases - 1)) {
            continue;
        }
        for (const auto& [name, us] : {std::pair{"P50", of.p50}, {"P90", of.p90}, {"P99", of.p99}}) {
            plot.bars.push_back({fmt::format("{}, {}", one.label, name), us, report::time_text(us)});
        }
    }
    return plot;
}

/// Of each case the share of iterations that do not take longer, outliers too.
RecordedPlot shares_of(const Benchmark& benchmark) {
    RecordedPlot plot{.title = "Iterations: % that do not take longer than a time",
                      .note = "All that were measured, outliers too",
                      .x = "us",
                      .y = "%",
                      .steps = true};
    constexpr std::size_t most = 8;
    for (const Case& one : benchmark.cases) {
        if (one.iterations.empty() || plot.series.size() == most) {
            continue;
        }
        std::vector<double> times;
        std::ranges::transform(one.iterations, std::back_inserter(times), &Iteration::us);
        std::ranges::sort(times);
        PlotSeries series{one.label, {}};
        for (std::size_t i = 0; i < times.size(); ++i) {
            series.points.emplace_back(
                times[i], 100.0 * static_cast<double>(i + 1) / static_cast<double>(times.size()));
        }
        plot.series.push_back(thinned(std::move(series)));
    }
    return plot;
}

std::uint64_t cycle_of(double us) {
    return analysis::RecordedClock{}.of_us(us);
}

/// A track of iterations and one of the device's part of each; returns where the last one ends.
std::uint64_t add_case(record::Recorder& recorder, const Case& one, std::size_t number) {
    using record::TrackKind;
    const record::TrackPath path{{TrackKind::other, fmt::format("case:{}", number)}};
    const std::uint32_t all = recorder.lane(path / record::TrackSegment{TrackKind::stream, "iterations"});
    const std::uint32_t device = recorder.lane(path / record::TrackSegment{TrackKind::stream, "device"});
    std::uint64_t now = 0;
    const auto put = [&](std::uint32_t lane, std::uint64_t from, std::uint64_t to, const std::string& what) {
        if (to > from) {
            recorder.span(lane,
                          {.issue = from, .start = from, .end = to, .complete = to, .op = recorder.op(what)});
        }
    };
    for (const Iteration& iteration : one.iterations) {
        const std::uint64_t end = now + cycle_of(iteration.us);
        put(all, now, end, one.label);
        put(device, end - std::min(end - now, cycle_of(iteration.device_us)), end, "on the device");
        now = end;
    }
    return now;
}

analysis::RecordedReport report_of(const Benchmark& benchmark) {
    analysis::RecordedReport report{
        .verdict = fmt::format("{} cases on {}", benchmark.cases.size(), benchmark.machine), .figures = {}};
    for (const Case& one : benchmark.cases) {
        report.figures.push_back(
            {one.label,
             one.error.empty() ? report::time_text(one.iteration.mean) : one.error,
             one.error.empty() ? fmt::format("Mean of an iteration without outliers; {:.6g} items/s, P99 {}",
                                             one.items_per_s(),
                                             report::time_text(one.iteration.p99))
                               : one.error});
    }
    return report;
}

}  // namespace

std::vector<RecordedPlot> benchmark_plots(const Benchmark& benchmark) {
    std::vector<RecordedPlot> plots;
    if (!benchmark.plan.over.empty()) {
        plots.push_back(throughput_of(benchmark));
    }
    plots.push_back(percentiles_of(benchmark));
    plots.push_back(shares_of(benchmark));
    return plots;
}

void write_benchmark_recording(const std::filesystem::path& file, const Benchmark& benchmark) {
    record::Recorder recorder{file};
    nlohmann::json data =
        analysis::recorded_head(benchmark.title, benchmark.machine, analysis::RecordedClock{});
    data["plots"] = analysis::to_json(benchmark_plots(benchmark));
    data["report"] = analysis::to_json(report_of(benchmark));
    recorder.metadata(data);
    std::uint64_t cycles = 0;
    for (std::size_t i = 0; i < std::min(most_cases, benchmark.cases.size()); ++i) {
        cycles = std::max(cycles, add_case(recorder, benchmark.cases[i], i + 1));
    }
    recorder.finish({{"outcome", "complete"},
                     {"cycles", cycles},
                     {"time_us", static_cast<double>(cycles) * 1e-3},
                     {"cores_used", 0}});
}

}  // namespace ascendsim::benchmark
