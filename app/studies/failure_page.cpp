// SPDX-License-Identifier: Apache-2.0
#include "app/studies/failure_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/analysis/advice/explain.hpp"
#include "app/report/compare_report.hpp"
#include "app/report/html_report.hpp"
#include "app/report/style.hpp"
#include "app/report/svg_timeline.hpp"
#include "app/report/words.hpp"

namespace ascendsim::study {

namespace {

using report::html_text;
using report::HtmlTable;

constexpr std::size_t most_causes = 20;

HtmlTable failures_of(const CheckedRun& run) {
    HtmlTable table{.heading = "What failed", .columns = {"check", "found", "where"}, .rows = {}};
    for (const CheckLine& line : run.lines) {
        if (!line.passed) {
            table.rows.push_back({line.name,
                                  line.text,
                                  line.line == 0 ? line.file : fmt::format("{}:{}", line.file, line.line)});
        }
    }
    return table;
}

std::string signed_figure(double value) {
    return (value > 0 ? "+" : "") + report::figure_text(value);
}

/// The unit in which a figure that tells why is compared with others.
enum class Unit : std::uint8_t { cycles_of_core, bytes, count, none };

/// Of sums over cores the mean of one: runs may use different numbers of them. None for figures that the
/// failure itself is told by, as the time, and for those that are not better or worse by being more.
Unit unit_of(std::string_view path) {
    if (path.starts_with("waits.") || path.ends_with(".busy_cycles")) {
        return Unit::cycles_of_core;
    }
    return path.ends_with("_bytes")                               ? Unit::bytes
           : path.ends_with(".instructions") || path == "hazards" ? Unit::count
                                                                  : Unit::none;
}

/// Baseline and this run by a figure, in its unit.
struct FigureChange {
    std::string path;
    double before = 0;
    double now = 0;
};

/// What grew of one unit, the most first: only more of it can have made the run worse.
std::vector<FigureChange> grown_figures(const CheckedRun& run, Unit unit) {
    const auto cores = std::ranges::find(run.drifts, "cores_used", &Drift::path);
    const bool of_core = unit == Unit::cycles_of_core && cores != run.drifts.end();
    const double cores_before = of_core ? std::max(1.0, cores->before) : 1;
    const double cores_now = of_core ? std::max(1.0, cores->now) : 1;
    std::vector<FigureChange> changes;
    for (const Drift& drift : run.drifts) {
        const FigureChange change{drift.path, drift.before / cores_before, drift.now / cores_now};
        constexpr double least = 1e-6;
        if (unit_of(drift.path) == unit && change.now - change.before > least * change.before) {
            changes.push_back(change);
        }
    }
    std::ranges::stable_sort(changes, std::ranges::greater{}, [](const FigureChange& change) {
        return change.now - change.before;
    });
    changes.resize(std::min(changes.size(), most_causes));
    return changes;
}

std::string drifts_of(const CheckedRun& run) {
    std::string text;
    for (const auto& [unit, heading] :
         {std::pair{Unit::cycles_of_core, "Causes: cycles of a core that grew, the most first"},
          {Unit::bytes, "Causes: bytes that grew, the most first"},
          {Unit::count, "Causes: counts that grew, the most first"}}) {
        HtmlTable table{
            .heading = heading, .columns = {"figure", "baseline", "now", "difference", "change"}, .rows = {}};
        for (const FigureChange& change : grown_figures(run, unit)) {
            const double difference = change.now - change.before;
            table.rows.push_back({change.path,
                                  report::figure_text(change.before),
                                  report::figure_text(change.now),
                                  signed_figure(difference),
                                  change.before > 0
                                      ? fmt::format("{:+.2f} %", 100 * difference / change.before)
                                      : std::string{"new"}});
        }
        text += table.rows.empty() ? std::string{} : report::html(table);
    }
    return text;
}

HtmlTable blame_of(const analysis::Explanation& all, const record::Recording& recording) {
    HtmlTable table{.heading = "Causes: what the critical path is made of",
                    .columns = {"what", "cycles", "share"},
                    .rows = {}};
    for (const analysis::Root& root : all.path.roots) {
        if (table.rows.size() == most_causes) {
            break;
        }
        const std::string what =
            root.pipe.empty()
                ? std::string{analysis::name(root.kind)}
                : fmt::format("{} on {}", report::instruction(recording, root.op, root.site), root.pipe);
        table.rows.push_back({what,
                              report::count_text(root.cycles),
                              report::percent_text(static_cast<double>(root.cycles) /
                                                   static_cast<double>(all.path.cycles()))});
    }
    return table;
}

void write_alone(std::ostream& out, const record::Recording& recording) {
    const analysis::Explanation all = analysis::explain(recording, analysis::Explained::without_blame);
    out << "<p>" << html_text(all.verdict) << "</p>\n<h2>Timeline</h2>\n"
        << report::svg_timeline(
               recording,
               {.from = all.summary.from, .to = all.summary.to, .most_lanes = 48, .title = all.summary.title})
        << report::svg_legend({&recording}) << report::html(blame_of(all, recording));
}

void write_both(std::ostream& out, const record::Recording& before, const record::Recording& now) {
    const analysis::Comparison comparison = analysis::compare(before, now);
    std::optional<analysis::ChangedRegion> region = analysis::changed_region(before, now);
    const bool slower = comparison.b.cycles > comparison.a.cycles;
    if (region && (region->slip > 0) != slower) {
        region.reset();  // what both have in common did not cost the time: show all of both
    }
    out << "<p>A is the baseline, B this run. " << html_text(comparison.verdict) << "</p>\n";
    if (region) {
        out << fmt::format(
            "<p>The timelines show where the schedules differ most: {} cycles {} within {} cycles.</p>\n",
            report::count_text(static_cast<std::uint64_t>(std::abs(region->slip))),
            region->slip < 0 ? "gained" : "lost",
            report::count_text(region->length));
    }
    report::write_comparison_part(out, comparison, before, now, region);
}

}  // namespace

std::string failure_page(const CheckedRun& run,
                         const record::Recording* before,
                         const record::Recording* now,
                         const std::filesystem::path& recording) {
    std::ostringstream out;
    out << report::html_head(run.label + " failed") << "<h1>" << html_text(run.label) << " failed</h1>\n"
        << report::html(failures_of(run));
    if (now != nullptr) {
        out << "<h2>Look closer</h2>\n<pre>" << html_text(fmt::format("ascendsim gui {}", recording.string()))
            << "\n"
            << html_text(fmt::format("ascendsim explain {}", recording.string())) << "</pre>\n";
    }
    out << drifts_of(run);
    if (now != nullptr && before != nullptr) {
        write_both(out, *before, *now);
    } else if (now != nullptr) {
        if (!run.drifts.empty()) {
            out << "<p>The baseline has figures but no recording here, so the timeline below shows "
                   "this run alone. To see both, one above the other, run the same command with "
                   "<code>--update --recordings</code> at a commit that still agrees with the "
                   "baseline, and keep the <code>.rec</code> file that it writes beside the "
                   "figures.</p>\n";
        }
        write_alone(out, *now);
    }
    out << report::html_foot();
    return out.str();
}

}  // namespace ascendsim::study
