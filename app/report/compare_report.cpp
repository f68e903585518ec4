// SPDX-License-Identifier: Apache-2.0
#include "app/report/compare_report.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "app/analysis/faults.hpp"
#include "app/report/html_report.hpp"
#include "app/report/svg_timeline.hpp"

namespace ascendsim::report {

namespace {

using analysis::Change;
using analysis::Comparison;
using analysis::LineChange;

constexpr std::size_t most_rows = 12;
constexpr std::size_t most_parameters = 20;

std::string cycles_text(double value) {
    return count_text(static_cast<std::uint64_t>(value + 0.5));
}

std::string signed_percent(const Change& change) {
    if (change.a == change.b) {
        return "same";
    }
    return change.a == 0 ? "new" : fmt::format("{:+.1f} %", change.relative() * 100);
}

using ValueText = std::function<std::string(double)>;

HtmlTable table_of(std::string heading,
                   const std::vector<Change>& changes,
                   const ValueText& text,
                   bool only_significant) {
    HtmlTable table{.heading = std::move(heading), .columns = {"", "A", "B", "change"}, .rows = {}};
    for (const Change& change : changes) {
        if (table.rows.size() == most_rows) {
            break;
        }
        if (!only_significant || change.significant) {
            const bool wait = change.name.find(' ') != std::string::npos;
            table.rows.push_back({wait ? analysis::in_words(change.name) : change.name,
                                  text(change.a),
                                  text(change.b),
                                  signed_percent(change)});
        }
    }
    return table;
}

HtmlTable lines_of(const Comparison& comparison) {
    HtmlTable table{.heading = "Source lines, cycles of all cores",
                    .columns = {"", "busy A", "busy B", "waiting A", "waiting B"},
                    .rows = {}};
    for (const LineChange& line : comparison.lines) {
        if (table.rows.size() == most_rows) {
            break;
        }
        if (line.busy.significant || line.wait.significant) {
            const std::string moved =
                line.source_in_b.empty() ? "" : fmt::format(", B: {}", line.source_in_b);
            table.rows.push_back({fmt::format("{} at {}{}", line.instruction, line.source, moved),
                                  cycles_text(line.busy.a),
                                  cycles_text(line.busy.b),
                                  cycles_text(line.wait.a),
                                  cycles_text(line.wait.b)});
        }
    }
    return table;
}

HtmlTable parameters_of(const Comparison& comparison) {
    HtmlTable table{.heading = "What is different", .columns = {"", "A", "B"}, .rows = {}};
    for (const analysis::ParameterChange& change : comparison.parameters) {
        if (table.rows.size() == most_parameters) {
            table.rows.push_back(
                {fmt::format("… and {} more", comparison.parameters.size() - most_parameters), "", ""});
            break;
        }
        table.rows.push_back(
            {change.path, change.a.empty() ? "-" : change.a, change.b.empty() ? "-" : change.b});
    }
    return table;
}

bool is_wrong(const Comparison& comparison) {
    return !analysis::faults_of(comparison.a).empty() || !analysis::faults_of(comparison.b).empty() ||
           !comparison.a.complete || !comparison.b.complete;
}

/// Of runs with a fault only what is different: their speed is no speed of that kernel.
std::vector<HtmlTable> tables(const Comparison& comparison) {
    if (is_wrong(comparison)) {
        return {parameters_of(comparison)};
    }
    return {parameters_of(comparison),
            table_of("Figures", comparison.figures, figure_text, false),
            table_of("Busy, cycles of one core", comparison.busy, cycles_text, false),
            table_of("Waits, cycles of one core", comparison.waits, cycles_text, true),
            table_of("Traffic", comparison.traffic, bytes_text, false),
            lines_of(comparison)};
}

std::string divergence_text(const Comparison& comparison) {
    if (!comparison.divergence) {
        return "The schedules are the same.";
    }
    const analysis::Divergence& at = *comparison.divergence;
    const auto side = [](const std::string& what, std::uint64_t cycle) {
        return what.empty() ? std::string{"nothing more"}
                            : fmt::format("{} from cycle {}", what, count_text(cycle));
    };
    return fmt::format("The schedules part on {} {}, span {} ({}): A does {}; B does {}.",
                       at.core,
                       at.pipe,
                       at.index,
                       at.program ? "another instruction" : "the same instruction at another time",
                       side(at.what_a, at.cycle_a),
                       side(at.what_b, at.cycle_b));
}

void print(std::ostream& out, const HtmlTable& table, const Style& style) {
    if (table.rows.empty()) {
        return;
    }
    std::vector<std::size_t> widths(table.columns.size());
    const auto widen = [&](const std::vector<std::string>& row) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], columns(row[i]));
        }
    };
    widen(table.columns);
    std::ranges::for_each(table.rows, widen);
    const std::size_t widest = std::max<std::size_t>(24, (style.width - 26) / (widths.size() - 1) - 2);
    std::size_t others = 2;
    for (std::size_t i = 1; i < widths.size(); ++i) {
        widths[i] = std::min(widths[i], widest);
        others += widths[i] + 2;
    }
    widths[0] = std::min(widths[0], style.width > others + 12 ? style.width - others : std::size_t{12});
    const auto line = [&](const std::vector<std::string>& row) {
        std::string text = "  " + left(row[0], widths[0]);
        for (std::size_t i = 1; i < row.size(); ++i) {
            text += "  " + right(row[i], widths[i]);
        }
        return text;
    };
    fmt::print(out,
               "\n{}\n{}\n",
               toned(style, Tone::strong, table.heading),
               toned(style, Tone::dim, line(table.columns)));
    for (const std::vector<std::string>& row : table.rows) {
        fmt::print(out, "{}\n", line(row));
    }
}

/// What ran: of two problems each its own, else the scenario's title.
std::string title_of(const Comparison& comparison, bool b) {
    const analysis::RunSummary& run = b ? comparison.b : comparison.a;
    const auto problem =
        std::ranges::find(comparison.parameters, "problem", &analysis::ParameterChange::path);
    std::string text = run.title.empty() ? run.scenario : run.title;
    if (problem != comparison.parameters.end()) {
        text = b ? problem->b : problem->a;
    }
    return fmt::format("{} on {}, {}", text, run.chip, time_text(run.time_us));
}

}  // namespace

void print_comparison(std::ostream& out, const Comparison& comparison, const Style& style) {
    const bool slower = comparison.time.b > comparison.time.a;
    const bool wrong = is_wrong(comparison);
    const Tone tone = wrong                          ? Tone::poor
                      : !comparison.time.significant ? Tone::strong
                      : slower                       ? Tone::poor
                                                     : Tone::good;
    fmt::print(out, "{}\n", toned(style, tone, comparison.verdict));
    fmt::print(out, "  A  {}\n  B  {}\n", title_of(comparison, false), title_of(comparison, true));
    for (const HtmlTable& table : tables(comparison)) {
        print(out, table, style);
    }
    if (!wrong) {
        fmt::print(out, "\n{}\n", divergence_text(comparison));
    }
}

void write_comparison_part(std::ostream& out,
                           const Comparison& comparison,
                           const record::Recording& a,
                           const record::Recording& b,
                           const std::optional<analysis::ChangedRegion>& region) {
    out << fmt::format("<p class=\"sub\">A: {}<br>B: {}</p>\n",
                       html_text(title_of(comparison, false)),
                       html_text(title_of(comparison, true)));
    const std::uint64_t whole =
        std::max(comparison.a.to - comparison.a.from, comparison.b.to - comparison.b.from);
    const analysis::ChangedRegion shown = region.value_or(
        analysis::ChangedRegion{.from_a = comparison.a.from, .from_b = comparison.b.from, .length = whole});
    const auto options = [&](const char* name, std::uint64_t from) {
        return SvgOptions{.from = from, .to = from + shown.length, .most_lanes = 24, .title = name};
    };
    const bool dense = is_dense(a, options("A", shown.from_a)) || is_dense(b, options("B", shown.from_b));
    const auto timeline = [&](const char* name, std::uint64_t from, const record::Recording& recording) {
        SvgOptions one = options(name, from);
        one.dense = dense;  // both in one style, or one cannot be held against the other
        out << "<h2>" << name << "</h2>\n" << svg_timeline(recording, one);
    };
    timeline("A", shown.from_a, a);
    timeline("B", shown.from_b, b);
    out << svg_legend({&a, &b}) << "<p>" << html_text(divergence_text(comparison)) << "</p>\n";
    for (const HtmlTable& table : tables(comparison)) {
        out << html(table);
    }
}

void write_comparison_html(std::ostream& out,
                           const Comparison& comparison,
                           const record::Recording& a,
                           const record::Recording& b) {
    out << html_head("Comparison of two runs") << "<h1>" << html_text(comparison.verdict) << "</h1>\n";
    write_comparison_part(out, comparison, a, b, std::nullopt);
    out << html_foot();
}

}  // namespace ascendsim::report
