// SPDX-License-Identifier: Apache-2.0
#include "app/training/training_html.hpp"

#include <fmt/format.h>

#include "app/report/html_report.hpp"
#include "app/report/svg_chart.hpp"
#include "app/report/svg_timeline.hpp"
#include "app/training/training_plots.hpp"

namespace ascendsim::training {
namespace {

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
           figure(fmt::format("{:.4g} J", step.host.joules), "a step, their hosts") +
           figure(report::bytes_text(static_cast<double>(figures.memory.all())),
                  fmt::format("of {} on the fullest device",
                              report::bytes_text(static_cast<double>(config.chip.spec.hbm.bytes)))) +
           "</div>\n";
}

std::string timeline(const StepTimes& step) {
    std::vector<report::ChartSpan> spans;
    for (const StepSpan& span : step.spans) {
        spans.push_back({span.lane, span.name, span.start_us / us_a_ms, span.end_us / us_a_ms});
    }
    return "<h2>What stages and their networks do</h2>\n" +
           report::svg_spans(spans, {.title = "Timeline of the step", .x = "ms", .y = {}});
}

}  // namespace

std::string training_html(const TrainingConfig& config,
                          const TrainingFigures& figures,
                          const std::vector<ClimbedRung>& ladder) {
    std::string html = report::html_head(config.title) + "<h1>" + report::html_text(config.title) + "</h1>\n";
    html += fmt::format("<p class=\"sub\">{}</p>\n", report::html_text(layout_text(config, figures.step)));
    return html + totals(config, figures) + timeline(figures.step) +
           report::plots_html(training_plots(config, figures, ladder)) + report::html_foot();
}

}  // namespace ascendsim::training
