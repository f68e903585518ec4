// SPDX-License-Identifier: Apache-2.0
#include "app/report/network_words.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace ascendsim::report {

namespace {

using analysis::NetworkFigures;

double part_of(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

void print_kinds_of(std::ostream& out, const NetworkFigures& figures, const Style& style) {
    constexpr std::size_t most = 12;
    fmt::print(out, "\n{}\n", toned(style, Tone::strong, "Kinds of operators, the longest first"));
    for (std::size_t i = 0; i < std::min(most, figures.kinds.size()); ++i) {
        const analysis::NetworkKind& kind = figures.kinds[i];
        const double share = part_of(kind.time_us, figures.time_us);
        fmt::print(
            out,
            "  {} {} {} {}  {}\n",
            left(kind.kind, 32),
            bar(share, 20),
            right(percent_text(share), 7),
            right(time_text(kind.time_us), 12),
            toned(style,
                  Tone::dim,
                  fmt::format("{} in {} kernel{}", kind.count, kind.kernels, kind.kernels == 1 ? "" : "s")));
    }
}

void print_operators(std::ostream& out, const NetworkFigures& figures, const Style& style) {
    constexpr std::size_t most = 12;
    fmt::print(out, "\n{}\n", toned(style, Tone::strong, "Operators, the longest first"));
    const std::vector<std::size_t> order = analysis::by_time(figures.graph);
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
        const analysis::NetworkNode& node = figures.graph.nodes[order[i]];
        fmt::print(out,
                   "  {} {} {} {}  {}\n",
                   left(node.kind, 16),
                   left(node.name, 28),
                   right(percent_text(part_of(node.time_us, figures.time_us)), 7),
                   right(time_text(node.time_us), 12),
                   node.limit);
    }
    if (order.size() > most) {
        fmt::print(out, "  … and {} more\n", order.size() - most);
    }
}

}  // namespace

void print_network_figures(std::ostream& out, const NetworkFigures& figures, const Style& style) {
    print_kinds_of(out, figures, style);
    print_operators(out, figures, style);
    fmt::print(out, "\n{}\n", toned(style, Tone::strong, "Totals"));
    fmt::print(out,
               "  time     kernels {}, launches {} ({})\n",
               time_text(figures.core_us),
               time_text(figures.launch_us()),
               percent_text(part_of(figures.launch_us(), figures.time_us)));
    if (figures.before) {
        fmt::print(out,
                   "  fusion   {} without, {} with it\n",
                   time_text(figures.before->time_us),
                   time_text(figures.graph.time_us));
    }
    fmt::print(out,
               "  traffic  HBM {}, between cores and L2 {}\n",
               bytes_text(figures.hbm_bytes),
               bytes_text(figures.moved_bytes));
    fmt::print(out,
               "  memory   weights {}, inputs {}, between operators {} at most (in '{}')\n",
               bytes_text(figures.weight_bytes),
               bytes_text(figures.input_bytes),
               bytes_text(figures.peak_bytes),
               figures.peak_operator);
}

namespace {

void print_shares_of(std::ostream& out,
                     std::string_view heading,
                     const std::vector<analysis::StepShare>& shares,
                     double step_us,
                     const Style& style) {
    constexpr std::size_t most = 12;
    if (shares.empty()) {
        return;
    }
    fmt::print(out, "\n{}\n", toned(style, Tone::strong, heading));
    for (std::size_t i = 0; i < std::min(most, shares.size()); ++i) {
        const analysis::StepShare& share = shares[i];
        const double part = part_of(share.us, step_us);
        fmt::print(out,
                   "  {} {} {} {}  {}\n",
                   left(share.what, 44),
                   bar(part, 20),
                   right(percent_text(part), 7),
                   right(time_text(share.us), 12),
                   toned(style, Tone::dim, share.place));
    }
}

}  // namespace

void print_step_figures(std::ostream& out, const analysis::RecordedStep& step, const Style& style) {
    if (!step.ranks.empty()) {
        const std::size_t rank = analysis::slowest_rank(step);
        const analysis::StepRank& slowest = step.ranks[rank];
        print_shares_of(out,
                        fmt::format("Where the {} went, {} {} of {}",
                                    analysis::whole_of(step),
                                    analysis::part_of(step),
                                    rank,
                                    step.ranks.size()),
                        slowest.parts,
                        step.step_us,
                        style);
        print_shares_of(out,
                        fmt::format("Free time by cause, {} {}", analysis::part_of(step), rank),
                        slowest.bubbles,
                        step.step_us,
                        style);
    }
    print_shares_of(out, "Critical path", step.critical, step.step_us, style);
    if (!step.advice.empty()) {
        fmt::print(out, "\n{}\n", toned(style, Tone::strong, "What was tried"));
    }
    for (const analysis::StepTrial& trial : step.advice) {
        fmt::print(out,
                   "  -{} {}{}\n",
                   left(percent_text(trial.gain), 8),
                   trial.text,
                   !step.program || trial.place.empty() ? "" : ", " + trial.place);
    }
}

void print_report_figures(std::ostream& out, const analysis::RecordedReport& report, const Style& style) {
    fmt::print(out, "\n{}\n", toned(style, Tone::strong, "Figures"));
    for (const analysis::ReportFigure& figure : report.figures) {
        fmt::print(out, "  {} {}\n", left(figure.name, 20), figure.value);
    }
}

}  // namespace ascendsim::report
