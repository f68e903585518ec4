// SPDX-License-Identifier: Apache-2.0
#include "app/training/training_html.hpp"

#include <fmt/format.h>

#include "app/report/html_report.hpp"
#include "app/report/svg_chart.hpp"
#include "app/report/svg_timeline.hpp"

namespace ascendsim::training {
namespace {

using report::ChartBar;
using report::ChartSeries;

constexpr double us_a_ms = 1e3;

std::string figure(const std::string& value, const std::string& what) {
    return fmt::format(
        "<div><b>{}</b><span>{}</span></div>", report::html_text(value), report::html_text(what));
}

std::string totals(const TrainingConfig& config, const TrainingFigures& figures) {
    const StepTimes& step = figures.step;
    return "<div class=\"figures\">" +
           figure(report::time_text(step.step_us), fmt::format("a step on {} devices", step.devices)) +
           figure(fmt::format("{:.5g}", step.samples_per_s), "samples a second") +
           figure(report::percent_text(step.mfu), "of the chips' peak (MFU)") +
           figure(fmt::format("{:.4g} J", step.joules), "a step, all devices") +
           figure(report::bytes_text(static_cast<double>(figures.memory.all())),
                  fmt::format("of {} on the fullest device",
                              report::bytes_text(static_cast<double>(config.chip.spec.hbm.bytes)))) +
           "</div>\n";
}

std::string parts_html(const StepTimes& step) {
    std::vector<ChartBar> bars;
    for (const auto& [name, us] : parts_of(step)) {
        bars.push_back(
            {name,
             us / us_a_ms,
             fmt::format("{}, {}", report::time_text(us), report::percent_text(us / step.step_us))});
    }
    return "<h2>Parts of the step, first stage</h2>\n" +
           report::svg_bars(bars, {.title = "Parts of the step", .x = "ms", .y = {}});
}

std::string timeline(const StepTimes& step) {
    std::vector<report::ChartSpan> spans;
    for (const StepSpan& span : step.spans) {
        spans.push_back({span.lane, span.name, span.start_us / us_a_ms, span.end_us / us_a_ms});
    }
    return "<h2>What stages and their networks do</h2>\n" +
           report::svg_spans(spans, {.title = "Timeline of the step", .x = "ms", .y = {}});
}

std::string memory(const TrainingFigures& figures) {
    constexpr double gib = 1024.0 * 1024 * 1024;
    std::vector<ChartSeries> kinds{
        {"weights", {}}, {"optimiser", {}}, {"gradients", {}}, {"activations", {}}, {"to work with", {}}};
    for (const MemoryMoment& moment : figures.memory_over_step) {
        const DeviceMemory& now = moment.memory;
        std::size_t kind = 0;
        for (const std::uint64_t bytes :
             {now.weights, now.optimiser, now.gradients, now.activations, now.working}) {
            kinds[kind++].points.emplace_back(moment.us / us_a_ms, static_cast<double>(bytes) / gib);
        }
    }
    return "<h2>Memory of a device of the first stage</h2>\n" +
           report::svg_stack(kinds, {.title = "Memory over the step", .x = "ms", .y = "GiB"});
}

std::string scaling(const TrainingFigures& figures) {
    if (figures.scaling.size() < 2) {
        return {};
    }
    ChartSeries efficiency{"efficiency, % of the first", {}};
    ChartSeries mfu{"MFU, %", {}};
    const double first = figures.scaling[0].samples_per_s / figures.scaling[0].devices;
    for (const StepTimes& one : figures.scaling) {
        efficiency.points.emplace_back(one.devices, 100 * one.samples_per_s / one.devices / first);
        mfu.points.emplace_back(one.devices, 100 * one.mfu);
    }
    return "<h2>Scaling, the same batch on each device</h2>\n" +
           report::svg_lines(
               {efficiency, mfu},
               {.title = "Efficiency by number of devices", .x = "devices", .y = "%", .log_x = true});
}

std::string inputs(const TrainingFigures& figures) {
    std::vector<ChartBar> bars;
    for (const InputRun& run : figures.inputs) {
        bars.push_back({run.mode.name, run.samples_per_s, fmt::format("{:.5g}/s", run.samples_per_s)});
    }
    return bars.empty() ? std::string{}
                        : "<h2>With inputs of the host: samples a second</h2>\n" +
                              report::svg_bars(bars, {.title = "Samples a second by mode", .x = {}, .y = {}});
}

std::string rungs(const std::vector<ClimbedRung>& ladder) {
    std::vector<ChartBar> rate;
    std::vector<ChartBar> energy;
    for (const ClimbedRung& rung : ladder) {
        const StepTimes& step = rung.figures.step;
        const double work = work_a_joule(rung.config, step);
        rate.push_back({rung.name,
                        step.samples_per_s,
                        rung.problem.empty() ? fmt::format("{:.5g}/s", step.samples_per_s) : rung.problem});
        energy.push_back({rung.name, work, fmt::format("{:.4g}", work)});
    }
    return ladder.empty() ? std::string{}
                          : "<h2>Ladder: samples a second</h2>\n" +
                                report::svg_bars(rate, {.title = "Ladder, rate", .x = {}, .y = {}}) +
                                "<h2>Ladder: work for each joule</h2>\n" +
                                report::svg_bars(energy, {.title = "Ladder, energy", .x = {}, .y = {}});
}

}  // namespace

std::string training_html(const TrainingConfig& config,
                          const TrainingFigures& figures,
                          const std::vector<ClimbedRung>& ladder) {
    std::string html = report::html_head(config.title) + "<h1>" + report::html_text(config.title) + "</h1>\n";
    html += fmt::format("<p class=\"sub\">{}</p>\n", report::html_text(layout_text(config, figures.step)));
    return html + totals(config, figures) + parts_html(figures.step) + timeline(figures.step) +
           memory(figures) + scaling(figures) + inputs(figures) + rungs(ladder) + report::html_foot();
}

}  // namespace ascendsim::training
