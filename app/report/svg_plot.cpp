// SPDX-License-Identifier: Apache-2.0
#include "app/report/svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "app/report/style.hpp"
#include "app/report/svg_timeline.hpp"

namespace ascendsim::report {
namespace {

// Pixels.
constexpr double plot_width = 900;
constexpr double plot_height = 260;
constexpr double plot_left = 70;
constexpr double plot_top = 26;
constexpr double plot_right = 20;
constexpr double plot_bottom = 44;
constexpr double range_height = 26;
constexpr double range_left = 220;

constexpr std::array<std::string_view, 6> plot_colours{
    "#3f78c9", "#d9803a", "#4f9d5b", "#a35bb5", "#c4484a", "#7a7a80"};

std::string svg_begin(double width, double height, const std::string& title) {
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" )"
        R"(role="img" font-family="sans-serif" font-size="11"><title>{2}</title>)",
        width,
        height,
        html_text(title));
}

std::string svg_label(double x, double y, std::string_view anchor, std::string_view text) {
    return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" fill="#777" text-anchor="{}">{}</text>)",
                       x,
                       y,
                       anchor,
                       html_text(text));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view look) {
    return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" {}/>)", x1, y1, x2, y2, look);
}

std::string svg_tick(double value) {
    return fmt::format("{:.6g}", value);
}

class LinePicture {
public:
    explicit LinePicture(const LinePlot& plot) : plot_{plot} {
        bool first = true;
        for (const PlotSeries& series : plot.series) {
            for (const auto& [x, y] : series.points) {
                if (!shows(x)) {
                    continue;
                }
                low_ = first ? at(x) : std::min(low_, at(x));
                high_ = first ? at(x) : std::max(high_, at(x));
                most_ = std::max(most_, y);
                first = false;
            }
        }
        empty_ = first;
        most_ = std::max(most_, plot.limit.value_or(0));
        most_ = most_ > 0 ? most_ * 1.05 : 1;
        if (high_ <= low_) {
            low_ -= 0.5;
            high_ += 0.5;
        }
    }

    std::string draw() {
        if (empty_) {
            return {};
        }
        svg_ =
            svg_begin(plot_left + plot_width + plot_right, plot_top + plot_height + plot_bottom, plot_.title);
        draw_axes();
        for (std::size_t i = 0; i < plot_.series.size(); ++i) {
            draw_series(plot_.series[i], plot_colours.at(i % plot_colours.size()));
        }
        if (plot_.limit) {
            const double y = down(*plot_.limit);
            svg_ += svg_line(
                plot_left, y, plot_left + plot_width, y, R"(stroke="#c4484a" stroke-dasharray="6 4")");
            svg_ += svg_label(plot_left + plot_width, y - 4, "end", plot_.limit_name);
        }
        return svg_ + "</svg>\n";
    }

private:
    [[nodiscard]] bool shows(double x) const { return !plot_.log_x || x > 0; }

    [[nodiscard]] double at(double x) const { return plot_.log_x ? std::log2(x) : x; }

    [[nodiscard]] double across(double x) const {
        return plot_left + (at(x) - low_) / (high_ - low_) * plot_width;
    }

    [[nodiscard]] double down(double y) const { return plot_top + plot_height * (1 - y / most_); }

    void draw_axes() {
        constexpr int most_ticks = 6;
        constexpr std::string_view faint = R"(stroke="#8884")";
        const double step = tick_step(most_, most_ticks);
        for (double y = 0; y <= most_; y += step) {
            svg_ += svg_line(plot_left, down(y), plot_left + plot_width, down(y), faint);
            svg_ += svg_label(plot_left - 6, down(y) + 4, "end", svg_tick(y));
        }
        const double bottom = plot_top + plot_height;
        for (const double x : ticks()) {
            svg_ += svg_line(across(x), bottom, across(x), bottom + 4, faint);
            svg_ += svg_label(across(x), bottom + 16, "middle", svg_tick(x));
        }
        svg_ += svg_label(plot_left + plot_width / 2, bottom + 34, "middle", plot_.x_label);
        svg_ += svg_label(plot_left, 14, "start", plot_.y_label);
    }

    /// Of powers the points themselves, as far as they stand apart.
    [[nodiscard]] std::vector<double> ticks() const {
        constexpr int most_ticks = 10;
        constexpr double apart = 40;  // pixels
        std::vector<double> result;
        if (plot_.log_x) {
            std::vector<double> all;
            for (const PlotSeries& series : plot_.series) {
                for (const auto& [x, y] : series.points) {
                    if (shows(x)) {
                        all.push_back(x);
                    }
                }
            }
            std::ranges::sort(all);
            for (const double x : all) {
                if (result.empty() || across(x) - across(result.back()) >= apart) {
                    result.push_back(x);
                }
            }
            return result;
        }
        const double step = tick_step(high_ - low_, most_ticks);
        for (double x = std::ceil(low_ / step) * step; x <= high_; x += step) {
            result.push_back(std::abs(x) < step / 1000 ? 0 : x);
        }
        return result;
    }

    void draw_series(const PlotSeries& series, std::string_view colour) {
        std::string path;
        double last = 0;
        for (const auto& [x, y] : series.points) {
            if (!shows(x)) {
                continue;
            }
            if (series.steps && !path.empty()) {
                path += fmt::format(" {:.2f},{:.2f}", across(x), down(last));
            }
            path += fmt::format(" {:.2f},{:.2f}", across(x), down(y));
            last = y;
        }
        svg_ += fmt::format(
            R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="1.6"/>)", path, colour);
        for (const auto& [x, y] : series.points) {
            if (series.markers && shows(x)) {
                svg_ += fmt::format(
                    R"(<circle cx="{:.2f}" cy="{:.2f}" r="3" fill="{}"><title>{}</title></circle>)",
                    across(x),
                    down(y),
                    colour,
                    html_text(fmt::format("{} {:g}: {} {:g}", plot_.x_label, x, series.name, y)));
            }
        }
        if (plot_.series.size() > 1) {
            const double place = plot_left + plot_width - 10 - 150 * legends_++;
            svg_ += fmt::format(R"(<text x="{:.1f}" y="14" fill="{}" text-anchor="end">{}</text>)",
                                place,
                                colour,
                                html_text(series.name));
        }
    }

    const LinePlot& plot_;
    double low_ = 0;
    double high_ = 0;
    double most_ = 0;
    bool empty_ = true;
    int legends_ = 0;
    std::string svg_;
};

}  // namespace

double tick_step(double most, int ticks) {
    if (!(most > 0) || !std::isfinite(most) || ticks < 1) {
        return 1;
    }
    const double power = std::pow(10.0, std::floor(std::log10(most / ticks)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (most / (factor * power) <= ticks) {
            return factor * power;
        }
    }
    constexpr double ten = 10;
    return ten * power;
}

std::string svg_plot(const LinePlot& plot) {
    return LinePicture{plot}.draw();
}

std::string svg_ranges(const std::string& title,
                       const std::string& x_label,
                       const std::vector<PlotRange>& rows) {
    if (rows.empty()) {
        return {};
    }
    constexpr int most_ticks = 8;
    double most = 0;
    for (const PlotRange& row : rows) {
        most = std::max(most, row.high);
    }
    most = most > 0 ? most * 1.02 : 1;
    const double bottom = 8 + range_height * static_cast<double>(rows.size());
    const double width = plot_width + plot_left - range_left;
    const auto across = [&](double x) { return range_left + x / most * width; };
    std::string svg = svg_begin(plot_left + plot_width + plot_right, bottom + plot_bottom, title);
    for (double x = 0; x <= most; x += tick_step(most, most_ticks)) {
        svg += svg_line(across(x), 4, across(x), bottom, R"(stroke="#8884")");
        svg += svg_label(across(x), bottom + 16, "middle", svg_tick(x));
    }
    svg += svg_label(range_left + width / 2, bottom + 34, "middle", x_label);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PlotRange& row = rows[i];
        const double middle = 8 + range_height * (static_cast<double>(i) + 0.5);
        svg += svg_label(range_left - 8, middle + 4, "end", left(row.name, 34));
        svg += svg_line(across(row.low), middle, across(row.high), middle, R"(stroke="#3f78c9")");
        svg += fmt::format(
            R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="12" fill="#3f78c9" fill-opacity="0.35"/>)",
            across(row.begin),
            middle - 6,
            std::max(1.0, across(row.end) - across(row.begin)));
        for (const auto& [name, value] : row.marks) {
            svg += fmt::format(
                R"(<rect x="{:.1f}" y="{:.1f}" width="2" height="16" fill="#d9803a"><title>{}</title></rect>)",
                across(value) - 1,
                middle - 8,
                html_text(fmt::format("{} {:g}", name, value)));
        }
    }
    return svg + "</svg>\n";
}

}  // namespace ascendsim::report
