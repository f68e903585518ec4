// SPDX-License-Identifier: Apache-2.0
#include "app/studies/failure_page.hpp"

#include <cmath>
#include <sstream>

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

HtmlTable drifts_of(const CheckedRun& run) {
    HtmlTable table{.heading = "Causes: figures that changed, the largest change first",
                    .columns = {"figure", "baseline", "now", "difference", "change"},
                    .rows = {}};
    for (const Drift& drift : run.drifts) {
        if (table.rows.size() == most_causes) {
            break;
        }
        if (std::abs(drift.relative()) > 1e-6) {
            table.rows.push_back({drift.path,
                                  report::figure_text(drift.before),
                                  report::figure_text(drift.now),
                                  signed_figure(drift.now - drift.before),
                                  fmt::format("{:+.2f} %", 100 * drift.relative())});
        }
    }
    return table;
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
    out << report::html(drifts_of(run));
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
