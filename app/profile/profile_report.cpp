// SPDX-License-Identifier: Apache-2.0
#include "app/profile/profile_report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/report/html_report.hpp"
#include "app/report/svg_timeline.hpp"
#include "sim/base/csv_cell.hpp"

namespace ascendsim::profile {
namespace {

using nlohmann::ordered_json;
using report::HtmlTable;
using report::Tone;

constexpr std::size_t most_lines = 20;
constexpr std::size_t most_gaps = 10;

double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

std::string what_of(const ComparedOperator& one) {
    return one.shapes.empty() ? one.type : fmt::format("{} {} {}", one.type, one.shapes, one.types);
}

std::string devices_text(const ProfileComparison& comparison, const report::Style& style) {
    std::string text;
    for (const DeviceTime& device : comparison.starvation.devices) {
        text += "\n" + toned(style, Tone::strong, device.rank) + "\n";
        const std::array<std::pair<std::string_view, double>, 3> parts{
            {{"computing", device.computing_us},
             {"communication not overlapped", device.communication_us},
             {"free", device.free_us}}};
        for (const auto& [name, us] : parts) {
            text += fmt::format("  {:>12}  {:>7}  {}\n",
                                report::time_text(us),
                                report::percent_text(share(us, device.span_us)),
                                name);
        }
    }
    return text;
}

std::string gaps_text(const ProfileComparison& comparison, const report::Style& style) {
    const Starvation& of = comparison.starvation;
    std::string text;
    if (!of.causes.empty()) {
        text += "\n" + toned(style, Tone::strong, "Where the device starved, by cause") + "\n";
    }
    for (std::size_t i = 0; i < std::min(most_gaps, of.causes.size()); ++i) {
        text += fmt::format("  {:>12}  {:>7} x  {}\n",
                            report::time_text(of.causes[i].us),
                            of.causes[i].count,
                            of.causes[i].cause);
    }
    if (!of.gaps.empty()) {
        text += "  Longest gaps\n";
    }
    for (std::size_t i = 0; i < std::min(most_gaps, of.gaps.size()); ++i) {
        const Gap& gap = of.gaps[i];
        text += fmt::format("  {:>12}  before {}: {}\n", report::time_text(gap.us), gap.next, gap.cause);
    }
    for (const std::string& note : of.notes) {
        text += "  " + note + "\n";
    }
    return text;
}

std::string operators_text(const ProfileComparison& comparison, const report::Style& style) {
    std::string text;
    std::size_t shown = 0;
    for (const ComparedOperator& one : comparison.operators) {
        if (!one.simulated_us || shown++ >= most_lines) {
            continue;
        }
        if (shown == 1) {
            text += "\n" + toned(style, Tone::strong, "Operators, most lost first") + "\n";
            text += toned(style,
                          Tone::dim,
                          fmt::format("  {:>12}{:>8}{:>12}{:>12}\n", "lost", "times", "real", "simulated"));
        }
        const double mean = one.real_us / static_cast<double>(one.count);
        text += fmt::format("  {:>12}{:>8}{:>12}{:>12}  {}{}\n",
                            fmt::format("{:.2f} us", one.lost_us()),
                            one.count,
                            report::time_text(mean),
                            report::time_text(*one.simulated_us),
                            what_of(one),
                            one.assumed.empty() ? "" : " (assumed: " + one.assumed + ")");
    }
    return text + (shown > most_lines ? fmt::format("  and {} more\n", shown - most_lines) : "");
}

std::string refused_text(const ProfileComparison& comparison, const report::Style& style) {
    std::string text;
    std::size_t shown = 0;
    for (const ComparedOperator& one : comparison.operators) {
        if (one.simulated_us || shown++ >= most_lines) {
            continue;
        }
        text += shown == 1 ? "\n" + toned(style, Tone::strong, "Not simulated") + "\n" : "";
        text += fmt::format("  {:>12}{:>8} x  {}: {}\n",
                            report::time_text(one.real_us),
                            one.count,
                            what_of(one),
                            one.refused);
    }
    return text + (shown > most_lines ? fmt::format("  and {} more\n", shown - most_lines) : "");
}

std::string steps_text(const ProfileComparison& comparison, const report::Style& style) {
    if (comparison.steps.empty()) {
        return {};
    }
    std::string text = "\n" + toned(style, Tone::strong, "Steps, as the profile has them") + "\n";
    text += toned(style,
                  Tone::dim,
                  fmt::format("  {:>8}{:>8}{:>14}{:>14}{:>14}{:>14}\n",
                              "device",
                              "step",
                              "stage",
                              "computing",
                              "communication",
                              "free"));
    for (std::size_t i = 0; i < std::min(most_lines, comparison.steps.size()); ++i) {
        const ProfiledStep& step = comparison.steps[i];
        text += fmt::format("  {:>8}{:>8}{:>14}{:>14}{:>14}{:>14}\n",
                            step.device,
                            step.step,
                            report::time_text(step.stage),
                            report::time_text(step.computing),
                            report::time_text(step.communication_not_overlapped),
                            report::time_text(step.free));
    }
    return text;
}

ordered_json operator_json(const ComparedOperator& one) {
    ordered_json json{{"type", one.type},
                      {"name", one.name},
                      {"shapes", one.shapes},
                      {"types", one.types},
                      {"place", one.place},
                      {"count", one.count},
                      {"real_us", one.real_us},
                      {"least_us", one.least_us},
                      {"most_us", one.most_us},
                      {"simulated_us", nullptr},
                      {"lost_us", nullptr},
                      {"refused", one.refused},
                      {"assumed", one.assumed},
                      {"account", one.account},
                      {"command", one.command}};
    if (one.simulated_us) {
        json["simulated_us"] = *one.simulated_us;
        json["lost_us"] = one.lost_us();
    }
    return json;
}

HtmlTable operators_table(const ProfileComparison& comparison) {
    HtmlTable table{.heading = "Operators, most lost first",
                    .columns = {"operator", "times", "real", "simulated", "lost", "assumed"},
                    .rows = {}};
    for (const ComparedOperator& one : comparison.operators) {
        if (one.simulated_us) {
            table.rows.push_back({what_of(one),
                                  report::count_text(one.count),
                                  report::time_text(one.real_us / static_cast<double>(one.count)),
                                  report::time_text(*one.simulated_us),
                                  fmt::format("{:.2f} us", one.lost_us()),
                                  one.assumed});
        }
    }
    return table;
}

HtmlTable not_simulated_table(const ProfileComparison& comparison) {
    HtmlTable table{.heading = "Not simulated", .columns = {"operator", "times", "time", "why"}, .rows = {}};
    for (const ComparedOperator& one : comparison.operators) {
        if (!one.simulated_us) {
            table.rows.push_back(
                {what_of(one), report::count_text(one.count), report::time_text(one.real_us), one.refused});
        }
    }
    return table;
}

HtmlTable causes_table(const ProfileComparison& comparison) {
    HtmlTable table{.heading = "Where the device starved", .columns = {"cause", "gaps", "time"}, .rows = {}};
    for (const GapCause& cause : comparison.starvation.causes) {
        table.rows.push_back({cause.cause, report::count_text(cause.count), report::time_text(cause.us)});
    }
    return table;
}

HtmlTable devices_table(const ProfileComparison& comparison) {
    HtmlTable table{.heading = "Devices",
                    .columns = {"device", "span", "computing", "communication not overlapped", "free"},
                    .rows = {}};
    for (const DeviceTime& device : comparison.starvation.devices) {
        table.rows.push_back({device.rank,
                              report::time_text(device.span_us),
                              report::time_text(device.computing_us),
                              report::time_text(device.communication_us),
                              report::time_text(device.free_us)});
    }
    return table;
}

}  // namespace

std::string profile_text(const ProfileComparison& comparison, const report::Style& style) {
    std::string text = fmt::format(
        "Profile of {}, simulated on the {}\n", fmt::join(comparison.files, ", "), comparison.chip);
    if (!comparison.operators.empty()) {
        text += fmt::format("\n  Tasks      {}\n", report::time_text(comparison.real_us()));
        text += fmt::format("  Compared   {}, {} of it; in the simulation {}\n",
                            report::time_text(comparison.compared_us()),
                            report::percent_text(share(comparison.compared_us(), comparison.real_us())),
                            report::time_text(comparison.simulated_us()));
        if (const std::optional<double> error = comparison.mean_error()) {
            text += fmt::format("  A kind of task is {} off on average\n", report::percent_text(*error));
        }
    }
    for (const std::string& note : comparison.notes) {
        text += "  " + toned(style, Tone::fair, note) + "\n";
    }
    return text + operators_text(comparison, style) + refused_text(comparison, style) +
           devices_text(comparison, style) + gaps_text(comparison, style) + steps_text(comparison, style);
}

ordered_json to_json(const ProfileComparison& comparison) {
    ordered_json json{{"chip", comparison.chip},
                      {"files", comparison.files},
                      {"totals",
                       {{"real_us", comparison.real_us()},
                        {"compared_us", comparison.compared_us()},
                        {"simulated_us", comparison.simulated_us()},
                        {"lost_us", comparison.compared_us() - comparison.simulated_us()},
                        {"mean_error", nullptr}}},
                      {"operators", ordered_json::array()},
                      {"devices", ordered_json::array()},
                      {"causes", ordered_json::array()},
                      {"gaps", ordered_json::array()},
                      {"steps", ordered_json::array()},
                      {"notes", comparison.notes}};
    if (const std::optional<double> error = comparison.mean_error()) {
        json["totals"]["mean_error"] = *error;
    }
    for (const ComparedOperator& one : comparison.operators) {
        json["operators"].push_back(operator_json(one));
    }
    for (const DeviceTime& device : comparison.starvation.devices) {
        json["devices"].push_back({{"device", device.rank},
                                   {"span_us", device.span_us},
                                   {"computing_us", device.computing_us},
                                   {"communication_not_overlapped_us", device.communication_us},
                                   {"overlapped_us", device.overlapped_us},
                                   {"free_us", device.free_us}});
    }
    for (const GapCause& cause : comparison.starvation.causes) {
        json["causes"].push_back({{"cause", cause.cause}, {"count", cause.count}, {"us", cause.us}});
    }
    constexpr std::size_t most = 1000;
    for (std::size_t i = 0; i < std::min(most, comparison.starvation.gaps.size()); ++i) {
        const Gap& gap = comparison.starvation.gaps[i];
        json["gaps"].push_back({{"start_us", gap.start_us},
                                {"us", gap.us},
                                {"host_us", gap.host_us},
                                {"launch_us", gap.launch_us},
                                {"cause", gap.cause},
                                {"next", gap.next}});
    }
    for (const std::string& note : comparison.starvation.notes) {
        json["notes"].push_back(note);
    }
    for (const ProfiledStep& step : comparison.steps) {
        json["steps"].push_back({{"device", step.device},
                                 {"step", step.step},
                                 {"computing_us", step.computing},
                                 {"communication_not_overlapped_us", step.communication_not_overlapped},
                                 {"overlapped_us", step.overlapped},
                                 {"free_us", step.free},
                                 {"stage_us", step.stage},
                                 {"bubble_us", step.bubble}});
    }
    return json;
}

std::string profile_csv(const ProfileComparison& comparison) {
    std::string text =
        "type,shapes,types,count,real_us,least_us,most_us,simulated_us,lost_us,refused,assumed\n";
    for (const ComparedOperator& one : comparison.operators) {
        text += fmt::format("{},{},{},{},{:.10g},{:.10g},{:.10g},{},{},{},{}\n",
                            csv_cell(one.type),
                            csv_cell(one.shapes),
                            csv_cell(one.types),
                            one.count,
                            one.real_us,
                            one.least_us,
                            one.most_us,
                            one.simulated_us ? fmt::format("{:.10g}", *one.simulated_us) : "",
                            one.simulated_us ? fmt::format("{:.10g}", one.lost_us()) : "",
                            csv_cell(one.refused),
                            csv_cell(one.assumed));
    }
    return text;
}

std::string profile_html(const ProfileComparison& comparison) {
    std::string page = report::html_head("Profile and simulation");
    page += fmt::format("<h1>Profile and simulation</h1>\n<p class=\"sub\">{} · {}</p>\n",
                        report::html_text(fmt::format("{}", fmt::join(comparison.files, ", "))),
                        report::html_text(comparison.chip));
    page += fmt::format(
        "<div class=\"figures\"><div><b>{}</b><span>all tasks</span></div><div><b>{}</b><span>of them "
        "compared</span></div><div><b>{}</b><span>the same, simulated</span></div></div>\n",
        report::time_text(comparison.real_us()),
        report::time_text(comparison.compared_us()),
        report::time_text(comparison.simulated_us()));
    for (const std::vector<std::string>* notes : {&comparison.notes, &comparison.starvation.notes}) {
        for (const std::string& note : *notes) {
            page += "<p class=\"sub\">" + report::html_text(note) + "</p>\n";
        }
    }
    for (const HtmlTable& table : {devices_table(comparison),
                                   causes_table(comparison),
                                   operators_table(comparison),
                                   not_simulated_table(comparison)}) {
        page += table.rows.empty() ? std::string{} : html(table);
    }
    return page + report::html_foot();
}

}  // namespace ascendsim::profile
