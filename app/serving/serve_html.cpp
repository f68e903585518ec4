// SPDX-License-Identifier: Apache-2.0
#include "app/serving/serve_html.hpp"

#include <fmt/format.h>

#include "app/report/html_report.hpp"
#include "app/report/svg_chart.hpp"
#include "app/report/svg_timeline.hpp"
#include "app/serving/serve_plots.hpp"

namespace ascendsim::serving {
namespace {

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
           figure(fmt::format("{:.3g} J", figures.joules_a_token), "a token of output, devices") +
           figure(fmt::format("{:.3g} J", figures.host_joules_a_token), "a token of output, hosts") +
           "</div>\n";
}

}  // namespace

std::string serve_html(const ServeRun& run,
                       const std::vector<Variant>& variants,
                       const std::vector<Variant>& rungs) {
    return report::html_head(run.config.title) + "<h1>" + report::html_text(run.config.title) + "</h1>\n" +
           "<p class=\"sub\">" + report::html_text(layout_text(run.config)) + "</p>\n" + totals(run.figures) +
           report::plots_html(serve_plots(run, variants, rungs)) + report::html_foot();
}

}  // namespace ascendsim::serving
