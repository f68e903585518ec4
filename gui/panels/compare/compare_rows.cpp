// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/compare/compare_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gui/canvas/format.hpp"
#include "gui/canvas/theme.hpp"
#include "gui/document/traffic_series.hpp"

namespace ascendsim::gui {
namespace {

using analysis::Change;
using analysis::Comparison;

constexpr std::string_view unknown = "\u2014";

/// What is good for a figure: less of it, or more.
enum class Wish : std::uint8_t { less, more, none };

std::string number_text(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15) {
        return format_number(value, 0);
    }
    const double size = std::abs(value);
    return format_number(value, size < 1 ? 3 : size < 1000 ? 2 : 0);
}

/// What is said of a figure of the analysis.
struct FigureWords {
    std::string_view figure;
    std::string_view label;
    std::string_view meaning;
    Wish wish = Wish::none;
    bool share = false;  ///< shown in percent
};

constexpr std::array figure_words{
    FigureWords{"time_us", "time, \u00b5s", "From the launch to the end of the last core", Wish::less},
    FigureWords{"efficiency",
                "of speed of light",
                "The least time the problem needs on the chip over the time it took",
                Wish::more,
                true},
    FigureWords{"speed_of_light_us",
                "speed of light, \u00b5s",
                "The least time the problem needs on this chip, whatever the schedule",
                Wish::less},
    FigureWords{"tflops", "arithmetic, TFLOP/s", "Operations of the problem over the run time", Wish::more},
    FigureWords{
        "bubbles.fraction", "bubbles", "Share of the time of all pipes that were waiting", Wish::less, true},
    FigureWords{"memory.achieved_gbps",
                "global memory, GB/s",
                "Bytes to and from global memory over the run time",
                Wish::more},
    FigureWords{"memory.l2_hit_rate",
                "from L2",
                "Share of the bytes of global memory that L2 served",
                Wish::more,
                true},
    FigureWords{"launch_cycles",
                "launch, cycles",
                "Before the first core begins and after the last ends",
                Wish::less}};

FigureWords words_for(const std::string& figure) {
    const auto found = std::ranges::find(figure_words, figure, &FigureWords::figure);
    return found == figure_words.end() ? FigureWords{figure, figure, ""} : *found;
}

/// "MTE2" for "mte2", "MTE2 of aic" for "aic_mte2"; what is no pipe's name stays as it is.
std::string pipe_words(const std::string& unit) {
    const Theme& labels = theme(ThemeName::dark);
    const std::size_t end = unit.find('_');
    const std::string pipe = end == std::string::npos ? unit : unit.substr(end + 1);
    const auto found = std::ranges::find(labels.pipes, pipe, &PipeStyle::pipe);
    if (found == labels.pipes.end()) {
        return unit;
    }
    return end == std::string::npos ? std::string{found->label}
                                    : fmt::format("{} of {}", found->label, unit.substr(0, end));
}

/// What the row's numbers are, in full.
void explain(ComparisonRow& row, std::string_view what, std::string_view unit) {
    const std::string behind = unit.empty() ? std::string{} : fmt::format(" {}", unit);
    row.hint = fmt::format("{}\nB, before: {}{}\nA, now: {}{}\nchange from B to A: {}{}",
                           what.empty() ? row.name : fmt::format("{}: {}", row.name, what),
                           row.before,
                           behind,
                           row.after,
                           behind,
                           row.change,
                           row.noise ? ", below the threshold" : "");
}

ComparisonRow row_of(const Change& change, Wish wish, std::string (*text)(double)) {
    const double difference = change.difference();
    ComparisonRow row{.name = change.name,
                      .before = text(change.a),
                      .after = text(change.b),
                      .change = relative_text(change),
                      .verdict = Verdict::neutral,
                      .noise = !change.significant,
                      .hint = {},
                      .cause = {},
                      .find = {},
                      .command = {}};
    if (change.significant && wish != Wish::none && difference != 0) {
        row.verdict = (difference < 0) == (wish == Wish::less) ? Verdict::better : Verdict::worse;
    }
    return row;
}

std::string bytes_text(double bytes) {
    return format_bytes(static_cast<std::uint64_t>(std::max(0.0, bytes)));
}

std::string cycles_text(double cycles) {
    return format_number(cycles, 0);
}

/// "mte2 flag_buffer" names a reason at its end.
std::optional<record::Reason> reason_in(const std::string& name) {
    const std::size_t blank = name.rfind(' ');
    const auto found =
        std::ranges::find(record::reason_names, name.substr(blank == name.npos ? 0 : blank + 1));
    return found == record::reason_names.end()
               ? std::nullopt
               : std::optional{static_cast<record::Reason>(found - record::reason_names.begin())};
}

/// Lets a click on a row that leads nowhere else open a view.
void lead_to(ComparisonTable& table, const std::string& command) {
    for (ComparisonRow& row : table.rows) {
        row.command = command;
    }
}

ComparisonTable figures(const Comparison& comparison) {
    ComparisonTable table{"figures", "Figures", "What the run achieved; a click opens the summary", {}};
    std::vector<Change> all{comparison.time};
    all.insert(all.end(), comparison.figures.begin(), comparison.figures.end());
    for (const Change& change : all) {
        const FigureWords words = words_for(change.name);
        if (change.a == 0 && change.b == 0) {
            continue;  // of neither run: a network has no speed of light of its own
        }
        ComparisonRow row = row_of(change, words.wish, words.share ? format_percent : number_text);
        row.name = words.label;
        if (!change.known_a) {
            row.before = unknown;
        }
        if (!change.known_b) {
            row.after = unknown;
        }
        if (!change.known()) {
            row.change = unknown;
            row.verdict = Verdict::neutral;
        }
        explain(row, words.meaning, "");
        table.rows.push_back(std::move(row));
    }
    lead_to(table, "panel.show_summary");
    return table;
}

ComparisonTable busy(const Comparison& comparison) {
    ComparisonTable table{
        "busy", "Busy cycles", "Cycles of one core on average; a click opens the causes of bubbles", {}};
    for (const Change& change : comparison.busy) {
        table.rows.push_back(row_of(change, Wish::none, cycles_text));
        table.rows.back().name = pipe_words(change.name);
        explain(table.rows.back(), "how long it worked, one core on average", "cycles");
    }
    lead_to(table, "panel.show_bubbles");
    return table;
}

ComparisonTable waits(const Comparison& comparison) {
    ComparisonTable table{
        "waits", "Waits", "Cycles of one core on average; a click goes to the largest in A", {}};
    for (const Change& change : comparison.waits) {
        ComparisonRow row = row_of(change, Wish::less, cycles_text);
        row.cause = reason_in(change.name);
        std::string_view meaning = "how long it waited";
        if (row.cause) {
            const CauseStyle& cause = theme(ThemeName::dark).cause(*row.cause);
            row.name =
                fmt::format("{} {}", pipe_words(change.name.substr(0, change.name.rfind(' '))), cause.label);
            meaning = cause.meaning;
        }
        explain(row, meaning, "cycles of one core on average");
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string route_words(const std::string& route) {
    const auto found = std::ranges::find(analysis::route_names, route);
    if (found != analysis::route_names.end()) {
        return std::string{
            curve_label(first_route_curve + static_cast<std::size_t>(found - analysis::route_names.begin()))};
    }
    return route == "hbm_read" ? "HBM, read" : route == "hbm_write" ? "HBM, written" : route;
}

ComparisonTable traffic(const Comparison& comparison) {
    ComparisonTable table{
        "traffic", "Traffic", "Bytes by route and level of memory; a click opens the curves", {}};
    for (const Change& change : comparison.traffic) {
        table.rows.push_back(row_of(change, Wish::less, bytes_text));
        table.rows.back().name = route_words(change.name);
        explain(table.rows.back(), "bytes that went this way in the whole run", "");
    }
    lead_to(table, "panel.show_traffic");
    return table;
}

ComparisonTable lines(const Comparison& comparison) {
    ComparisonTable table{
        "lines", "Lines", "Cycles of all cores, busy and waiting; a click finds the line", {}};
    for (const analysis::LineChange& line : comparison.lines) {
        const Change both{.name = fmt::format("{}  {}", line.source, line.pipe),
                          .a = line.busy.a + line.wait.a,
                          .b = line.busy.b + line.wait.b,
                          .significant = line.busy.significant || line.wait.significant};
        ComparisonRow row = row_of(both, Wish::less, cycles_text);
        row.hint = fmt::format("{}\nbusy {} \u2192 {} cycles\nwaiting {} \u2192 {} cycles",
                               line.instruction,
                               cycles_text(line.busy.a),
                               cycles_text(line.busy.b),
                               cycles_text(line.wait.a),
                               cycles_text(line.wait.b));
        row.find = line.source;
        table.rows.push_back(std::move(row));
    }
    return table;
}

ComparisonTable parameters(const Comparison& comparison) {
    ComparisonTable table{
        "parameters", "Changed", "Parameters that differ between the runs; a click opens the knobs", {}};
    for (const analysis::ParameterChange& change : comparison.parameters) {
        table.rows.push_back({.name = change.path,
                              .before = change.a.empty() ? "\u2014" : change.a,
                              .after = change.b.empty() ? "\u2014" : change.b,
                              .change = {},
                              .verdict = Verdict::neutral,
                              .noise = false,
                              .hint = fmt::format("{}\nB, before: {}\nA, now: {}",
                                                  change.path,
                                                  change.a.empty() ? "not given" : change.a,
                                                  change.b.empty() ? "not given" : change.b),
                              .cause = {},
                              .find = {},
                              .command = {}});
    }
    lead_to(table, "panel.show_parameters");
    return table;
}

}  // namespace

std::string relative_text(const Change& change) {
    if (change.a == 0) {
        return change.b == 0 ? "=" : "new";
    }
    if (change.b == 0) {
        return "gone";
    }
    const double percent = change.relative() * 100;
    if (change.difference() == 0) {
        return "=";
    }
    constexpr double most_percent = 999;
    return std::abs(percent) > most_percent ? fmt::format("\u00d7{:.1f}", change.b / change.a)
                                            : fmt::format("{:+.1f} %", percent);
}

std::vector<ComparisonTable> comparison_tables(const Comparison& comparison) {
    std::vector<ComparisonTable> tables{parameters(comparison),
                                        figures(comparison),
                                        waits(comparison),
                                        busy(comparison),
                                        traffic(comparison),
                                        lines(comparison)};
    if (comparison.wrong_a.empty() && comparison.wrong_b.empty()) {
        return tables;
    }
    for (ComparisonTable& table : tables) {  // numbers of parts of runs: no change says anything
        for (ComparisonRow& row : table.rows) {
            row.verdict = Verdict::neutral;
            row.noise = false;
            row.change = row.change.empty() ? std::string{} : "\u2014";
            row.hint.resize(std::min(row.hint.size(), row.hint.find("\nchange from B to A")));
        }
    }
    return tables;
}

}  // namespace ascendsim::gui
