// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/validation/report.hpp"

namespace ascendsim::validation {
namespace {

using report::Style;
using report::Tone;

using Filter = std::function<bool(const JudgedRow&)>;

std::string per_cent(double share) {
    return fmt::format("{:.1f}", 100 * share);
}

std::string line_of(const std::string& title, std::size_t rows, const Fit& fit) {
    if (fit.cases == 0) {
        return fmt::format("  {:<22}{:>6}{:>6}\n", title, rows, 0);
    }
    return fmt::format("  {:<22}{:>6}{:>6}{:>9}{:>9}{:>9}{:>9}{:>9}\n",
                       title,
                       rows,
                       fit.cases,
                       per_cent(fit.mape),
                       per_cent(fit.median_ape),
                       per_cent(fit.p90_ape),
                       fmt::format("{:+.1f}", 100 * fit.bias),
                       fit.cases > 1 ? fmt::format("{:.2f}", fit.kendall) : std::string{});
}

std::string table(const Validation& validation, const Style& style) {
    std::string text = toned(style,
                             Tone::dim,
                             fmt::format("  {:<22}{:>6}{:>6}{:>9}{:>9}{:>9}{:>9}{:>9}\n",
                                         "",
                                         "rows",
                                         "ran",
                                         "mean %",
                                         "median %",
                                         "P90 %",
                                         "bias %",
                                         "Kendall"));
    for (const SourceClass which : {SourceClass::known_source, SourceClass::black_box}) {
        const auto add = [&](const std::string& title, const Filter& filter) {
            const std::size_t rows = validation.count(filter);
            if (rows > 0) {
                text += line_of(title, rows, validation.fit_of(filter));
            }
        };
        const bool known = which == SourceClass::known_source;
        text += toned(style, Tone::strong, known ? "known source\n" : "black box\n");
        for (const std::string& family : validation.families()) {
            add(family, [&](const JudgedRow& row) { return row.which == which && row.family == family; });
        }
        add("calibrated on", [&](const JudgedRow& row) { return row.which == which && row.calibrated; });
        add("not calibrated on", [&](const JudgedRow& row) { return row.which == which && !row.calibrated; });
        add("all", [&](const JudgedRow& row) { return row.which == which; });
    }
    return text;
}

std::string worst(const Validation& validation, const Style& style) {
    constexpr std::size_t most = 10;
    std::string text;
    for (const SourceClass which : {SourceClass::known_source, SourceClass::black_box}) {
        const std::vector<const JudgedRow*> rows = validation.worst(most, which);
        if (rows.empty()) {
            continue;
        }
        text += toned(style, Tone::strong, fmt::format("\nworst of {}\n", name(which)));
        for (const JudgedRow* row : rows) {
            text += fmt::format("  {:<11}{:>10.2f} us measured{:>10.2f} simulated{:>8.0f} %  {} {} {}\n",
                                row->measurement.id,
                                row->us().measured,
                                row->us().simulated,
                                100 * row->us().error(),
                                row->measurement.kernel,
                                row->measurement.shape,
                                row->measurement.dtype);
            text += toned(style, Tone::dim, fmt::format("{:13}{}\n", "", row->cause));
        }
    }
    return text;
}

std::string pipes(const Validation& validation, const Style& style) {
    std::string text;
    for (const SourceClass which : {SourceClass::known_source, SourceClass::black_box}) {
        const std::map<std::string, std::vector<TimePair>> by_pipe = validation.pipes_of(which);
        if (!by_pipe.empty()) {
            text += toned(style, Tone::strong, fmt::format("\nbusy time of pipes, {}\n", name(which)));
        }
        for (const auto& [pipe, pairs] : by_pipe) {
            text += line_of(pipe, pairs.size(), fit(pairs));
        }
    }
    return text;
}

std::string left_out(const Validation& validation, const Style& style) {
    std::map<std::string, std::vector<std::string>> reasons;
    for (const JudgedRow& row : validation.rows) {
        if (!row.ran()) {
            reasons[row.why_not].push_back(row.measurement.id);
        }
    }
    if (reasons.empty()) {
        return {};
    }
    std::vector<std::pair<std::string, std::vector<std::string>>> list{reasons.begin(), reasons.end()};
    std::ranges::stable_sort(list, std::greater{}, [](const auto& one) { return one.second.size(); });
    std::string text = toned(style, Tone::strong, "\nnot run\n");
    constexpr std::size_t most = 20;
    for (std::size_t i = 0; i < std::min(most, list.size()); ++i) {
        const std::vector<std::string>& ids = list[i].second;
        text += fmt::format(
            "  {:>4}  {} ({}{})\n", ids.size(), list[i].first, ids.front(), ids.size() > 1 ? ", …" : "");
    }
    return text;
}

/// Black boxes whose operator a library has: by its own kernel, and by ours.
std::string published(const Validation& validation, const Style& style) {
    std::string text;
    std::vector<TimePair> own;
    std::vector<TimePair> stand_ins;
    for (const JudgedRow& row : validation.rows) {
        if (row.published.empty()) {
            continue;
        }
        const std::string ours =
            row.ran() ? fmt::format("{:.2f} us, {:+.0f} %", row.us().simulated, 100 * row.us().error())
                      : std::string{"none"};
        const std::string theirs = row.published_ran() ? fmt::format("{:.2f} us, {:+.0f} %",
                                                                     row.published_pair().simulated,
                                                                     100 * row.published_pair().error())
                                                       : row.published_why_not;
        text += fmt::format("  {:<11}{:<24}{:>10.2f} us measured; published kernel: {}; ours: {}\n",
                            row.measurement.id,
                            row.published,
                            row.measured_us.value_or(0),
                            theirs,
                            ours);
        if (row.published_ran()) {
            own.push_back(row.published_pair());
        }
        if (row.published_ran() && row.ran()) {
            stand_ins.push_back(row.us());
        }
    }
    if (text.empty()) {
        return {};
    }
    return toned(style, Tone::strong, "\nblack boxes by the library's kernels\n") + text +
           line_of("published kernels", own.size(), fit(own)) +
           line_of("ours, of these", stand_ins.size(), fit(stand_ins));
}

/// Measured across, simulated up, both logarithmic: a dot where rows lie, a digit or * where several do.
std::string scatter(const Validation& validation, const Style& style) {
    constexpr int width = 64;
    constexpr int height = 20;
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const JudgedRow& row : validation.rows) {
        if (row.ran()) {
            least = std::min({least, row.us().measured, row.us().simulated});
            most = std::max({most, row.us().measured, row.us().simulated});
        }
    }
    if (most <= least) {
        return {};
    }
    const double span = std::log(most / least);
    const auto at = [&](double us, int cells) {
        return std::clamp(static_cast<int>(std::log(us / least) / span * cells), 0, cells - 1);
    };
    std::vector<std::vector<int>> counts(height, std::vector<int>(width, 0));
    for (const JudgedRow& row : validation.rows) {
        if (row.ran()) {
            counts[static_cast<std::size_t>(at(row.us().simulated, height))]
                  [static_cast<std::size_t>(at(row.us().measured, width))]++;
        }
    }
    std::string text =
        toned(style, Tone::strong, "\nsimulated over measured time, logarithmic; the line is equality\n");
    for (std::size_t y = height; y-- > 0;) {
        std::string line;
        for (std::size_t x = 0; x < width; ++x) {
            const int count = counts[y][x];
            const bool equal = static_cast<int>(x) * height / width == static_cast<int>(y);
            line += count == 0   ? (equal ? "/" : " ")
                    : count == 1 ? "."
                    : count < 10 ? std::to_string(count)
                                 : "*";
        }
        text += "  |" + line + "\n";
    }
    return text + fmt::format("   {:-<{}}\n   {:<{}}{:>12}\n",
                              "",
                              width,
                              report::time_text(least),
                              width - 12,
                              report::time_text(most));
}

}  // namespace

std::string validation_text(const Validation& validation, const Style& style) {
    return table(validation, style) + published(validation, style) + pipes(validation, style) +
           worst(validation, style) + left_out(validation, style) + scatter(validation, style) +
           fmt::format("\n{} rows of {}, {} simulations in {:.0f} s\n",
                       validation.rows.size(),
                       validation.data,
                       validation.simulations,
                       validation.wall_s);
}

}  // namespace ascendsim::validation
