// SPDX-License-Identifier: Apache-2.0
#include "app/report/html_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/analysis/faults.hpp"
#include "app/report/auto_sync_words.hpp"
#include "app/report/power_report.hpp"
#include "app/report/style.hpp"
#include "app/report/svg_timeline.hpp"
#include "app/report/words.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::report {

namespace {

using analysis::RunSummary;
using record::Recording;

constexpr std::string_view style_sheet = R"(
body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1160px;padding:0 1em;color:#1c1c1e;background:#fff}
h1{font-size:1.4em;margin:0}h2{font-size:1.1em;margin:1.6em 0 .4em}.sub{color:#666}
table{border-collapse:collapse;margin:.4em 0}td,th{padding:.15em .8em;text-align:right;border-bottom:1px solid #8883}
td:first-child,th:first-child{text-align:left;padding-left:0}th{font-weight:600;color:#666}
.figures{display:flex;flex-wrap:wrap;gap:.8em;margin:1em 0}.figures div{border:1px solid #8884;border-radius:6px;padding:.5em .9em}
.figures b{display:block;font-size:1.25em}.figures span{color:#666;font-size:.85em}
.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2em 1.2em;font-size:.85em;color:#666}
.legend span{display:inline-block;width:.9em;height:.9em;border-radius:2px;margin-right:.4em;vertical-align:-.1em}
.bad{color:#b3261e}svg{max-width:100%;height:auto}
@media(prefers-color-scheme:dark){body{background:#161618;color:#e6e6e8}.sub,th,.figures span,.legend{color:#9a9aa0}}
)";

std::string figure(std::string_view value, std::string_view what) {
    return fmt::format("<div><b>{}</b><span>{}</span></div>", html_text(value), html_text(what));
}

std::string figures(const RunSummary& summary) {
    std::string html{"<div class=\"figures\">"};
    html += figure(time_text(summary.time_us), count_text(summary.cycles) + " cycles");
    const analysis::Bounds& bounds = summary.bounds;
    if (!bounds.limiter.empty()) {
        html += figure(percent_text(bounds.efficiency(summary.time_us)),
                       fmt::format("of the speed of light, {}, limited by {}",
                                   time_text(bounds.speed_of_light_us()),
                                   bounds.limiter));
    }
    if (summary.flops > 0) {
        html += figure(fmt::format("{:.2f}", summary.tflops()), "TFLOPS");
    }
    if (!summary.main_pipe.empty()) {
        html += figure(percent_text(summary.bubble_fraction()),
                       fmt::format("bubbles of {}, the busiest pipe", summary.main_pipe));
    }
    if (summary.traffic.gm_bytes() > 0) {
        html += figure(fmt::format("{:.0f} GB/s", summary.achieved_gbps()),
                       fmt::format("global memory, {} from L2", percent_text(summary.traffic.l2_hit_rate())));
    }
    return html + "</div>\n";
}

HtmlTable bounds_table(const RunSummary& summary) {
    HtmlTable table{
        .heading = "Bounds", .columns = {"resource", "at least", "of the time", "arithmetic"}, .rows = {}};
    for (const analysis::Bound& bound : summary.bounds.all) {
        const double share = summary.time_us > 0 ? bound.us / summary.time_us : 0;
        table.rows.push_back({bound.resource, time_text(bound.us), percent_text(share), bound.arithmetic});
    }
    return table;
}

HtmlTable pipes_table(const RunSummary& summary) {
    HtmlTable table{.heading = "Pipes", .columns = {"pipe", "cores", "busy"}, .rows = {}};
    std::vector<std::size_t> reasons;
    for (std::size_t reason = 1; reason < record::reason_count; ++reason) {
        const auto waits = [&](const analysis::PipeUse& use) { return use.cycles.cycles[reason] != 0; };
        if (std::ranges::any_of(summary.pipes, waits)) {
            reasons.push_back(reason);
            table.columns.emplace_back(record::reason_names[reason]);
        }
    }
    for (const analysis::PipeUse& use : summary.pipes) {
        std::vector<std::string> row{use.name, std::to_string(use.lanes), percent_text(use.utilization())};
        for (const std::size_t reason : reasons) {
            const double share = static_cast<double>(use.cycles.cycles[reason]) /
                                 static_cast<double>(std::max<std::uint64_t>(1, use.cycles.total()));
            row.push_back(use.cycles.cycles[reason] == 0 ? "" : percent_text(share));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

HtmlTable bubbles_table(const RunSummary& summary, const Recording& recording) {
    HtmlTable table{.heading = fmt::format("Bubbles of {}", summary.main_pipe),
                    .columns = {"reason", "cycles", "share", "mostly for"},
                    .rows = {}};
    const analysis::PipeUse* const main = summary.find(summary.main_pipe);
    for (const analysis::Bubble& bubble : summary.bubbles) {
        const double share = static_cast<double>(bubble.cycles) / static_cast<double>(main->cycles.total());
        const std::string cause =
            bubble.top.cycles == 0
                ? ""
                : fmt::format(
                      "{} on {}", instruction(recording, bubble.top.op, bubble.top.site), bubble.top.pipe);
        table.rows.push_back({std::string{record::label(bubble.reason)},
                              count_text(bubble.cycles),
                              percent_text(share),
                              cause});
    }
    return table;
}

HtmlTable traffic_table(const RunSummary& summary) {
    HtmlTable table{
        .heading = "Traffic",
        .columns = {"route", "bytes", "transfers", "B/cycle and core while active", "of peak", "limited by"},
        .rows = {}};
    for (const analysis::RouteTraffic& route : summary.traffic.routes) {
        const double peak = route.peak_bytes_per_cycle;
        table.rows.push_back({std::string{route.name},
                              bytes_text(static_cast<double>(route.bytes)),
                              count_text(route.transfers),
                              fmt::format("{:.1f}", route.active_rate()),
                              peak > 0 ? percent_text(route.active_rate() / peak) : "",
                              std::string{record::label(route.limiter())}});
    }
    return table;
}

HtmlTable lines_table(const RunSummary& summary, const Recording& recording) {
    constexpr std::size_t most = 40;
    HtmlTable table{.heading = "Source lines",
                    .columns = {"instruction", "pipe", "times", "busy cycles", "waiting cycles"},
                    .rows = {}};
    for (const analysis::LineCost& line : summary.lines) {
        if (table.rows.size() == most) {
            break;
        }
        table.rows.push_back({instruction(recording, line.op, line.site),
                              line.pipe,
                              count_text(line.count),
                              count_text(line.busy_cycles),
                              count_text(line.wait_cycles)});
    }
    return table;
}

HtmlTable inserted_table(const RunSummary& summary) {
    constexpr std::size_t most = 40;
    HtmlTable table{.heading = "Synchronisation inserted by the compiler",
                    .columns = {"before", "what", "times", "needless on the chip", "cycles"},
                    .rows = {}};
    for (const analysis::InsertedAt& each :
         summary.auto_sync ? summary.auto_sync->places : std::vector<analysis::InsertedAt>{}) {
        if (table.rows.size() < most) {
            table.rows.push_back({place({each.file, each.line}),
                                  inserted_words(each),
                                  count_text(each.count),
                                  count_text(each.spare),
                                  count_text(each.cycles)});
        }
    }
    return table;
}

HtmlTable hazards_table(const RunSummary& summary, const std::string& heading, std::string_view severity) {
    HtmlTable table{.heading = heading, .columns = {"what"}, .rows = {}};
    for (const nlohmann::json* hazard : analysis::hazards_of(summary, severity)) {
        for (const std::string& line : hazard_lines(*hazard)) {
            table.rows.push_back({line});
        }
    }
    return table;
}

}  // namespace

std::string html_head(const std::string& title) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>{}</title><style>{}</style></head><body>\n",
        html_text(title),
        style_sheet);
}

std::string html_foot() {
    return "</body></html>\n";
}

std::string html(const HtmlTable& table) {
    if (table.rows.empty()) {
        return {};
    }
    std::string text = fmt::format("<h2>{}</h2>\n<table><tr>", html_text(table.heading));
    for (const std::string& column : table.columns) {
        text += fmt::format("<th>{}</th>", html_text(column));
    }
    text += "</tr>\n";
    for (const std::vector<std::string>& row : table.rows) {
        text += "<tr>";
        for (const std::string& cell : row) {
            text += fmt::format("<td>{}</td>", html_text(cell));
        }
        text += "</tr>\n";
    }
    return text + "</table>\n";
}

void write_html(std::ostream& out, const RunSummary& summary, const Recording& recording) {
    const std::string title =
        recording.metadata().value("problem", summary.title.empty() ? summary.scenario : summary.title);
    out << html_head(title) << "<h1>" << html_text(title) << "</h1>\n";
    out << fmt::format("<p class=\"sub\">{} · {} cores · {} GHz · {}</p>\n",
                       html_text(summary.chip),
                       summary.cores_used,
                       summary.clock_ghz,
                       html_text(summary.mode));
    if (const std::string setting = auto_sync_setting(summary); !setting.empty()) {
        out << "<p class=\"sub\">" << html_text(setting) << "</p>\n";
    }
    if (!summary.error.empty() || !summary.complete) {
        out << "<p class=\"bad\">"
            << html_text(summary.error.empty() ? "The run did not end." : summary.error) << "</p>\n";
    }
    for (const std::string& output : analysis::wrong_outputs(summary.numerics)) {
        out << "<p class=\"bad\">The numbers are wrong: " << html_text(output) << "</p>\n";
    }
    out << figures(summary) << "<h2>Timeline</h2>\n"
        << svg_timeline(recording, {.from = summary.from, .to = summary.to, .title = title})
        << svg_legend({&recording});
    constexpr std::size_t stretches = 400;
    if (const auto power = analysis::power_curve(recording, summary, stretches)) {
        out << "<h2>Power</h2>\n"
            << power_plot(*power)
            << (power->above_us > 0
                    ? fmt::format("<p class=\"bad\">Above the limit for {}: a chip that slows "
                                  "down there takes {} instead of {}.</p>\n",
                                  time_text(power->above_us),
                                  time_text(power->limited_us),
                                  time_text(power->run_us))
                    : std::string{});
    }
    for (const HtmlTable& table :
         {bounds_table(summary),
          pipes_table(summary),
          bubbles_table(summary, recording),
          traffic_table(summary),
          lines_table(summary, recording),
          inserted_table(summary),
          hazards_table(summary, "Hazards", "error"),
          hazards_table(summary, "Hazards that are allowed", "allowed"),
          hazards_table(summary, "Notes", "note"),
          hazards_table(summary, "Flags and barriers that order nothing", "waste")}) {
        out << html(table);
    }
    out << html_foot();
}

}  // namespace ascendsim::report
