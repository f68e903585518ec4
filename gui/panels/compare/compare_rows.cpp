// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/compare/compare_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gui/shell/format.hpp"

namespace ascendsim::gui {
namespace {

using analysis::Change;
using analysis::Comparison;

/// What is good for a figure: less of it, or more.
enum class Wish : std::uint8_t { less, more, none };

std::string number_text(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15) {
        return format_number(value, 0);
    }
    const double size = std::abs(value);
    return format_number(value, size < 1 ? 3 : size < 1000 ? 2 : 0);
}

Wish wish_for(const std::string& figure) {
    for (const char* good : {"efficiency", "tflops", "gbps", "hit_rate", "utilization", "rate"}) {
        if (figure.find(good) != std::string::npos) {
            return Wish::more;
        }
    }
    for (const char* bad : {"time", "cycles", "bubble", "bytes", "conflict", "wait"}) {
        if (figure.find(bad) != std::string::npos) {
            return Wish::less;
        }
    }
    return Wish::none;
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
    table.rows.push_back(row_of(comparison.time, Wish::less, number_text));
    table.rows.back().name = "time, \u00b5s";
    for (const Change& change : comparison.figures) {
        table.rows.push_back(row_of(change, wish_for(change.name), number_text));
    }
    lead_to(table, "panel.show_summary");
    return table;
}

ComparisonTable busy(const Comparison& comparison) {
    ComparisonTable table{
        "busy", "Busy cycles", "Cycles of one core on average; a click opens the causes of bubbles", {}};
    for (const Change& change : comparison.busy) {
        table.rows.push_back(row_of(change, Wish::none, cycles_text));
    }
    lead_to(table, "panel.show_bubbles");
    return table;
}

ComparisonTable waits(const Comparison& comparison) {
    ComparisonTable table{
        "waits", "Waits", "Cycles of one core on average; a click goes to the largest in A", {}};
    for (const Change& change : comparison.waits) {
        table.rows.push_back(row_of(change, Wish::less, cycles_text));
        table.rows.back().cause = reason_in(change.name);
    }
    return table;
}

ComparisonTable traffic(const Comparison& comparison) {
    ComparisonTable table{
        "traffic", "Traffic", "Bytes by route and level of memory; a click opens the curves", {}};
    for (const Change& change : comparison.traffic) {
        table.rows.push_back(row_of(change, Wish::less, bytes_text));
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
                              .hint = change.path,
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
    return {parameters(comparison),
            figures(comparison),
            waits(comparison),
            busy(comparison),
            traffic(comparison),
            lines(comparison)};
}

}  // namespace ascendsim::gui
