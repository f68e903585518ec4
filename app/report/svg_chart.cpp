// SPDX-License-Identifier: Apache-2.0
#include "app/report/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "app/report/style.hpp"
#include "app/report/svg_timeline.hpp"

namespace ascendsim::report {
namespace {

constexpr std::array<std::string_view, 8> colours{
    "#2f6fde", "#e08a1e", "#3a9d5d", "#b3261e", "#8256c8", "#1597a5", "#a0792b", "#777b88"};

std::string_view colour_of(std::size_t series) {
    return colours[series % colours.size()];
}

constexpr double left_margin = 70;
constexpr double right_margin = 16;
constexpr double top_margin = 8;
constexpr double bottom_margin = 36;

/// 1, 2 or 5 times a power of ten, of which about `wanted` fit the range.
double step_of(double range, int wanted) {
    const double rough = range / wanted;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double digit = rough / power;
    return power * (digit > 5 ? 10 : digit > 2 ? 5 : digit > 1 ? 2 : 1);
}

/// From values to places in the picture.
class Scale {
public:
    Scale(double from, double to, double begin, double end, bool log)
        : from_{log ? std::log2(from) : from},
          to_{log ? std::log2(to) : to},
          begin_{begin},
          end_{end},
          log_{log} {
        if (!(to_ > from_)) {
            to_ = from_ + 1;
        }
    }

    [[nodiscard]] double operator()(double value) const {
        const double at = log_ ? std::log2(value) : value;
        return begin_ + (at - from_) / (to_ - from_) * (end_ - begin_);
    }

    [[nodiscard]] std::vector<double> ticks(int wanted) const {
        std::vector<double> values;
        const double step =
            log_ ? std::max(1.0, std::ceil((to_ - from_) / wanted)) : step_of(to_ - from_, wanted);
        for (double at = std::ceil(from_ / step) * step; at <= to_ + step * 1e-9; at += step) {
            values.push_back(log_ ? std::exp2(at) : at);
        }
        return values;
    }

private:
    double from_;
    double to_;
    double begin_;
    double end_;
    bool log_;
};

std::string head(const ChartOptions& options, double height) {
    return fmt::format(
        "<svg viewBox=\"0 0 {} {:.0f}\" width=\"{}\" height=\"{:.0f}\" role=\"img\" aria-label=\"{}\" "
        "font-family=\"system-ui,sans-serif\" font-size=\"11\" fill=\"currentColor\"><title>{}</title>\n",
        options.width,
        height,
        options.width,
        height,
        html_text(options.title),
        html_text(options.title));
}

std::string legend(const std::vector<std::string>& names) {
    std::string html = "<ul class=\"legend\">";
    for (std::size_t i = 0; i < names.size(); ++i) {
        html += fmt::format(
            "<li><span style=\"background:{}\"></span>{}</li>", colour_of(i), html_text(names[i]));
    }
    return html + "</ul>\n";
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
    return fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, html_text(text));
}

std::string rule(double x1, double y1, double x2, double y2) {
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#8885\" fill=\"none\"/>\n", x1, y1, x2, y2);
}

/// The x axis with its name, and the y axis with lines across.
std::string axes(const ChartOptions& options, const Scale& x, const Scale& y, double bottom) {
    std::string svg;
    const double right = options.width - right_margin;
    for (const double value : y.ticks(5)) {
        svg += rule(left_margin, y(value), right, y(value));
        svg += text_at(left_margin - 6, y(value) + 4, "end", figure_text(value));
    }
    for (const double value : x.ticks(10)) {
        svg += rule(x(value), bottom, x(value), bottom + 4);
        svg += text_at(x(value), bottom + 16, "middle", figure_text(value));
    }
    svg += text_at(right, bottom + 30, "end", options.x);
    return svg + text_at(left_margin, bottom + 30, "start", options.y);
}

struct Range {
    double from = std::numeric_limits<double>::infinity();
    double to = -std::numeric_limits<double>::infinity();

    void add(double value) {
        from = std::min(from, value);
        to = std::max(to, value);
    }
};

std::string path_of(const ChartSeries& one, const ChartOptions& options, const Scale& x, const Scale& y) {
    std::string path;
    double before = 0;
    for (const auto& [at, value] : one.points) {
        if (path.empty()) {
            path = fmt::format("M{:.1f} {:.1f}", x(at), y(value));
        } else {
            path += options.steps ? fmt::format("L{:.1f} {:.1f}", x(at), y(before)) : std::string{};
            path += fmt::format("L{:.1f} {:.1f}", x(at), y(value));
        }
        before = value;
    }
    return path;
}

}  // namespace

std::string svg_lines(const std::vector<ChartSeries>& series, const ChartOptions& options) {
    Range over_x;
    Range over_y;
    std::vector<std::string> names;
    for (const ChartSeries& one : series) {
        for (const auto& [at, value] : one.points) {
            over_x.add(at);
            over_y.add(value);
        }
        names.push_back(one.name);
    }
    if (!(over_x.from <= over_x.to)) {
        return {};
    }
    const double bottom = options.height - bottom_margin;
    const Scale x{over_x.from, over_x.to, left_margin, options.width - right_margin, options.log_x};
    const Scale y{std::min(options.least_y, over_y.from), over_y.to, bottom, top_margin, false};
    std::string svg = head(options, options.height) + axes(options, x, y, bottom);
    for (std::size_t i = 0; i < series.size(); ++i) {
        svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n",
                           path_of(series[i], options, x, y),
                           colour_of(i));
        constexpr std::size_t few = 64;
        for (const auto& [at, value] :
             series[i].points.size() > few ? decltype(series[i].points){} : series[i].points) {
            svg += fmt::format(
                "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}: {}</title></circle>\n",
                x(at),
                y(value),
                colour_of(i),
                figure_text(at),
                figure_text(value));
        }
    }
    return svg + "</svg>\n" + legend(names);
}

std::string svg_stack(const std::vector<ChartSeries>& series, const ChartOptions& options) {
    if (series.empty() || series[0].points.empty()) {
        return {};
    }
    const std::size_t count = series[0].points.size();
    std::vector<double> below(count, 0);
    std::vector<double> all(count, 0);
    std::vector<std::string> names;
    for (const ChartSeries& one : series) {
        for (std::size_t i = 0; i < count; ++i) {
            all[i] += one.points[i].second;
        }
        names.push_back(one.name);
    }
    const double bottom = options.height - bottom_margin;
    const auto& along = series[0].points;
    const Scale x{along.front().first, along.back().first, left_margin, options.width - right_margin, false};
    const Scale y{0, *std::ranges::max_element(all), bottom, top_margin, false};
    std::string svg = head(options, options.height) + axes(options, x, y, bottom);
    for (std::size_t s = 0; s < series.size(); ++s) {
        std::string up;
        std::string back;
        for (std::size_t i = 0; i < count; ++i) {
            const double end = i + 1 < count ? along[i + 1].first : along[i].first;
            const double top = below[i] + series[s].points[i].second;
            up += fmt::format("{}{:.1f} {:.1f}L{:.1f} {:.1f}",
                              i == 0 ? "M" : "L",
                              x(along[i].first),
                              y(top),
                              x(end),
                              y(top));
            back.insert(
                0,
                fmt::format(
                    "L{:.1f} {:.1f}L{:.1f} {:.1f}", x(end), y(below[i]), x(along[i].first), y(below[i])));
            below[i] = top;
        }
        svg += fmt::format("<path d=\"{}{}Z\" fill=\"{}\"><title>{}</title></path>\n",
                           up,
                           back,
                           colour_of(s),
                           html_text(names[s]));
    }
    return svg + "</svg>\n" + legend(names);
}

std::string svg_bars(const std::vector<ChartBar>& bars, const ChartOptions& options) {
    if (bars.empty()) {
        return {};
    }
    constexpr double row = 24;
    constexpr double names = 260;
    constexpr double behind = 200;  // room for texts
    double most = 0;
    for (const ChartBar& bar : bars) {
        most = std::max(most, bar.value);
    }
    const Scale x{0, most > 0 ? most : 1, names, options.width - behind, false};
    std::string svg = head(options, row * static_cast<double>(bars.size()) + top_margin);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double y = top_margin + row * static_cast<double>(i);
        svg += text_at(names - 8, y + 13, "end", bars[i].name);
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"17\" rx=\"2\" fill=\"{}\"/>\n",
            names,
            y,
            x(bars[i].value) - names,
            colour_of(0));
        svg += text_at(x(bars[i].value) + 6, y + 13, "start", bars[i].text);
    }
    return svg + "</svg>\n";
}

std::string svg_spans(const std::vector<ChartSpan>& spans, const ChartOptions& options) {
    Range over;
    std::vector<std::string> lanes;
    std::vector<std::string> names;
    const auto place = [](std::vector<std::string>& all, const std::string& name) {
        const auto found = std::ranges::find(all, name);
        const auto at = static_cast<std::size_t>(found - all.begin());
        if (found == all.end()) {
            all.push_back(name);
        }
        return at;
    };
    for (const ChartSpan& span : spans) {
        over.add(span.from);
        over.add(span.to);
        static_cast<void>(place(lanes, span.lane));
        static_cast<void>(place(names, span.name));
    }
    if (spans.empty()) {
        return {};
    }
    constexpr double row = 18;
    constexpr double lane_names = 90;
    const double bottom = top_margin + row * static_cast<double>(lanes.size());
    const Scale x{over.from, over.to, lane_names, options.width - right_margin, false};
    std::string svg = head(options, bottom + bottom_margin);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        svg += text_at(lane_names - 6, top_margin + row * static_cast<double>(i) + 12, "end", lanes[i]);
    }
    for (const double value : x.ticks(10)) {
        svg += rule(x(value), bottom, x(value), bottom + 4) +
               text_at(x(value), bottom + 16, "middle", figure_text(value));
    }
    svg += text_at(options.width - right_margin, bottom + 30, "end", options.x);
    for (const ChartSpan& span : spans) {
        svg += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"14\" fill=\"{}\"><title>{}: {} to "
            "{}</title></rect>\n",
            x(span.from),
            top_margin + row * static_cast<double>(place(lanes, span.lane)),
            x(span.to) - x(span.from),
            colour_of(place(names, span.name)),
            html_text(span.name),
            figure_text(span.from),
            figure_text(span.to));
    }
    return svg + "</svg>\n" + legend(names);
}

namespace {

std::string bars_html(const analysis::RecordedPlot& plot) {
    std::vector<ChartBar> bars;
    for (const analysis::PlotBar& bar : plot.bars) {
        bars.push_back({bar.name, bar.value, bar.text});
    }
    return svg_bars(bars, {.title = plot.title, .x = plot.x, .y = {}});
}

}  // namespace

std::string plot_html(const analysis::RecordedPlot& plot) {
    const std::string head = fmt::format("<h2>{}</h2>\n", html_text(plot.title));
    if (plot.kind == analysis::PlotKind::bars) {
        return plot.bars.empty() ? std::string{} : head + bars_html(plot);
    }
    double last = 0;
    for (const analysis::PlotSeries& series : plot.series) {
        last = std::max(last, series.points.empty() ? 0 : series.points.back().first);
    }
    constexpr double us_a_second = 1e6;
    constexpr double us_a_ms = 1e3;
    const bool seconds = plot.over_time && last >= us_a_second;
    const double unit = !plot.over_time ? 1 : seconds ? us_a_second : us_a_ms;
    std::vector<ChartSeries> lines;
    for (const analysis::PlotSeries& series : plot.series) {
        ChartSeries& line = lines.emplace_back(ChartSeries{series.name, {}});
        for (const auto& [x, y] : series.points) {
            line.points.emplace_back(x / unit, y);
        }
    }
    const ChartOptions options{.title = plot.title,
                               .x = !plot.over_time ? plot.x
                                    : seconds       ? "s"
                                                    : "ms",
                               .y = plot.y,
                               .log_x = plot.log_x,
                               .steps = plot.steps};
    const std::string picture =
        plot.kind == analysis::PlotKind::stack ? svg_stack(lines, options) : svg_lines(lines, options);
    return picture.empty() ? picture : head + picture;
}

std::string plots_html(const std::vector<analysis::RecordedPlot>& plots) {
    std::string html;
    for (const analysis::RecordedPlot& plot : plots) {
        html += plot_html(plot);
    }
    return html;
}

}  // namespace ascendsim::report
