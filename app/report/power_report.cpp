// SPDX-License-Identifier: Apache-2.0
#include "app/report/power_report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/report/svg_plot.hpp"

namespace ascendsim::report {
namespace {

/// The watts of `columns` stretches: means of those that fall together.
std::vector<double> fewer(const std::vector<double>& watts, std::size_t columns) {
    std::vector<double> result;
    for (std::size_t i = 0; i < std::min(columns, watts.size()); ++i) {
        const std::size_t count = std::min(columns, watts.size());
        const std::size_t begin = i * watts.size() / count;
        const std::size_t end = (i + 1) * watts.size() / count;
        double sum = 0;
        for (std::size_t at = begin; at < end; ++at) {
            sum += watts[at];
        }
        result.push_back(sum / static_cast<double>(end - begin));
    }
    return result;
}

}  // namespace

std::string power_text(const analysis::PowerCurve& curve, const Style& style) {
    constexpr std::array<std::string_view, 8> bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    constexpr std::size_t most_columns = 80;
    const std::vector<double> watts = fewer(curve.watts, std::min(most_columns, style.width - 4));
    const double top = std::max(curve.peak_w, 1.0);
    std::string line;
    for (const double each : watts) {
        const auto place = static_cast<std::size_t>(each / top * static_cast<double>(bars.size() - 1) + 0.5);
        line += bars.at(std::min(place, bars.size() - 1));
    }
    std::string text =
        fmt::format("\n{}\n  {}\n  idle {:.0f} W, at most {:.1f} W over {}, ±{}; limit {:.0f} W\n",
                    toned(style, Tone::strong, "Power over time"),
                    line,
                    curve.idle_w,
                    curve.peak_w,
                    time_text(curve.stretch_us),
                    percent_text(curve.spread),
                    curve.limit_w);
    if (curve.above_us > 0) {
        text += toned(
            style,
            Tone::fair,
            fmt::format("  above the limit for {}: a chip that slows down there takes {} instead of {}\n",
                        time_text(curve.above_us),
                        time_text(curve.limited_us),
                        time_text(curve.run_us)));
    }
    return text;
}

std::string power_plot(const analysis::PowerCurve& curve) {
    LinePlot plot{.title = "Power over time", .x_label = "us", .y_label = "W", .series = {}};
    PlotSeries& series = plot.series.emplace_back();
    series.name = "power";
    series.steps = true;
    for (std::size_t i = 0; i < curve.watts.size(); ++i) {
        series.points.emplace_back(static_cast<double>(i) * curve.stretch_us, curve.watts[i]);
    }
    if (!curve.watts.empty()) {
        series.points.emplace_back(curve.run_us, curve.watts.back());
    }
    if (curve.limit_w > 0 &&
        curve.peak_w > curve.limit_w / 2) {  // else the curve would be flat at the bottom
        plot.limit = curve.limit_w;
        plot.limit_name = fmt::format("limit {:.0f} W", curve.limit_w);
    }
    return svg_plot(plot);
}

}  // namespace ascendsim::report
