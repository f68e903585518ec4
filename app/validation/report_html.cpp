// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/report/html_report.hpp"
#include "app/report/svg_timeline.hpp"
#include "app/validation/report.hpp"

namespace ascendsim::validation {
namespace {

using report::html_text;
using report::HtmlTable;

/// Logarithmic axes of the same length in both directions.
class Axes {
public:
    explicit Axes(const Validation& validation) {
        double least = std::numeric_limits<double>::infinity();
        double most = 0;
        for (const JudgedRow& row : validation.rows) {
            if (row.ran()) {
                least = std::min({least, row.us().measured, row.us().simulated});
                most = std::max({most, row.us().measured, row.us().simulated});
            }
        }
        first_ = most > 0 ? std::floor(std::log10(least)) : 0;
        last_ = most > 0 ? std::max(std::ceil(std::log10(most)), first_ + 1) : 1;
    }

    [[nodiscard]] double x(double us) const { return margin + share(us) * length; }

    [[nodiscard]] double y(double us) const { return margin + (1 - share(us)) * length; }

    [[nodiscard]] std::string lines() const {
        std::string svg;
        for (double decade = first_; decade <= last_; ++decade) {
            const double us = std::pow(10, decade);
            svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}M{:.1f} {:.1f}H{:.1f}\"/>",
                               x(us),
                               margin,
                               margin + length,
                               margin,
                               y(us),
                               margin + length);
            svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                               x(us),
                               margin + length + 16,
                               label(us));
            svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                               margin - 6,
                               y(us) + 4,
                               label(us));
        }
        return svg;
    }

    /// Where simulated is `factor` times measured.
    [[nodiscard]] std::string diagonal(double factor, const char* style) const {
        const double low = std::pow(10, first_) * std::max(1.0, 1 / factor);
        const double high = std::pow(10, last_) / std::max(1.0, factor);
        return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n",
                           style,
                           x(low),
                           y(low * factor),
                           x(high),
                           y(high * factor));
    }

    static constexpr double margin = 64;
    static constexpr double length = 560;

private:
    [[nodiscard]] double share(double us) const { return (std::log10(us) - first_) / (last_ - first_); }

    [[nodiscard]] static std::string label(double us) {
        return us < 1     ? fmt::format("{:g} ns", us * 1e3)
               : us < 1e3 ? fmt::format("{:g} us", us)
               : us < 1e6 ? fmt::format("{:g} ms", us / 1e3)
                          : fmt::format("{:g} s", us / 1e6);
    }

    double first_ = 0;
    double last_ = 1;
};

std::string shown(const std::optional<double>& us) {
    return us ? fmt::format("{:.2f}", *us) : std::string{};
}

HtmlTable summary(const Validation& validation, SourceClass which) {
    HtmlTable table{.heading = which == SourceClass::known_source ? "Known source" : "Black box",
                    .columns = {"family", "rows", "ran", "mean %", "median %", "P90 %", "bias %", "Kendall"},
                    .rows = {}};
    const auto add = [&](const std::string& title, const std::function<bool(const JudgedRow&)>& filter) {
        const Fit fit = validation.fit_of(filter);
        table.rows.push_back({title,
                              std::to_string(validation.count(filter)),
                              std::to_string(fit.cases),
                              fmt::format("{:.1f}", 100 * fit.mape),
                              fmt::format("{:.1f}", 100 * fit.median_ape),
                              fmt::format("{:.1f}", 100 * fit.p90_ape),
                              fmt::format("{:+.1f}", 100 * fit.bias),
                              fmt::format("{:.2f}", fit.kendall)});
    };
    for (const std::string& family : validation.families()) {
        const auto filter = [&](const JudgedRow& row) { return row.which == which && row.family == family; };
        if (validation.count(filter) > 0) {
            add(family, filter);
        }
    }
    add("all", [&](const JudgedRow& row) { return row.which == which; });
    return table;
}

}  // namespace

std::string scatter_svg(const Validation& validation) {
    const Axes axes{validation};
    constexpr double size = Axes::length + 2 * Axes::margin;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {0:.0f}\" width=\"{0:.0f}\" "
        "height=\"{0:.0f}\" "
        "font-family=\"sans-serif\" "
        "font-size=\"12\">\n<style>.grid{{stroke:#8884;fill:none}}.same{{stroke:#888;fill:none}}"
        ".band{{stroke:#888;stroke-dasharray:4 "
        "4;fill:none}}text{{fill:#777}}.known_source{{fill:#2a6fdb;fill-opacity:.75}}"
        ".black_box{{fill:#d9822b;fill-opacity:.65}}</style>\n",
        size);
    constexpr double band = 1.4;  // rows beyond it want a diagnosis
    svg += axes.lines() + axes.diagonal(1, "same") + axes.diagonal(band, "band") +
           axes.diagonal(1 / band, "band");
    for (const JudgedRow& row : validation.rows) {
        if (row.ran()) {
            svg += fmt::format(
                "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"><title>{} {} {}: {:.4g} us "
                "measured, {:.4g} simulated</title></circle>\n",
                name(row.which),
                axes.x(row.us().measured),
                axes.y(row.us().simulated),
                html_text(row.measurement.id),
                html_text(row.measurement.kernel),
                html_text(row.measurement.shape),
                row.us().measured,
                row.us().simulated);
        }
    }
    svg += fmt::format(
        "<circle class=\"known_source\" cx=\"80\" cy=\"80\" r=\"5\"/><text x=\"92\" y=\"84\">known "
        "source</text>"
        "<circle class=\"black_box\" cx=\"80\" cy=\"100\" r=\"5\"/><text x=\"92\" y=\"104\">black "
        "box</text>\n");
    svg += fmt::format(
        "<text x=\"{0:.0f}\" y=\"{1:.0f}\" text-anchor=\"middle\">measured</text><text "
        "transform=\"translate(14 {0:.0f}) rotate(-90)\" text-anchor=\"middle\">simulated</text></svg>\n",
        size / 2,
        size - 20);
    return svg;
}

std::string validation_html(const Validation& validation) {
    std::string page = report::html_head("AscendSim against published measurements");
    page += fmt::format("<h1>Simulated against measured time</h1><p class=\"sub\">{} rows of {}</p>\n",
                        validation.rows.size(),
                        html_text(validation.data));
    page += scatter_svg(validation);
    page += html(summary(validation, SourceClass::known_source));
    page += html(summary(validation, SourceClass::black_box));
    HtmlTable rows{.heading = "Rows",
                   .columns = {"id",
                               "class",
                               "kernel",
                               "shape",
                               "type",
                               "measured us",
                               "simulated us",
                               "error %",
                               "why not, or what was assumed"},
                   .rows = {}};
    for (const JudgedRow& row : validation.rows) {
        const Measurement& given = row.measurement;
        rows.rows.push_back({given.id,
                             std::string{name(row.which)},
                             given.kernel,
                             given.shape,
                             given.dtype,
                             shown(row.measured_us),
                             shown(row.simulated_us),
                             row.ran() ? fmt::format("{:+.0f}", 100 * row.us().error()) : std::string{},
                             row.ran() ? row.assumed : row.why_not});
    }
    return page + html(rows) + report::html_foot();
}

}  // namespace ascendsim::validation
