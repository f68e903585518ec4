// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/plots/plot_card.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "gui/canvas/elide.hpp"
#include "gui/panels/plots/card_layout.hpp"
#include "gui/timeview/plot_marks.hpp"

namespace ascendsim::gui {
namespace {

using analysis::PlotBar;
using analysis::PlotKind;
using analysis::PlotSeries;
using analysis::RecordedPlot;

void draw_card_axes(Canvas& canvas, const RecordedPlot& plot, const CardLayout& card, const Theme& theme) {
    const float scale = canvas.fonts().scale();
    const int rows = static_cast<int>(card.plot.height() / (2.2F * card.line));
    for (const double tick : card.y.ticks(std::clamp(rows, 1, 5))) {
        const float y = std::round(card.y(tick));
        canvas.fill({card.plot.left, y, card.plot.right, y + 1}, theme.grid);
        canvas.text_in(
            {card.title.left, y - card.line / 2, card.plot.left - std::round(4 * scale), y + card.line / 2},
            theme.text_dim,
            plot_figure(tick),
            Align::right,
            TextStyle::small);
    }
    const float top = card.x_labels.top;
    float free = card.title.left;
    for (const double tick : card.x.ticks(static_cast<int>(card.plot.width() / (64 * scale)))) {
        const float x = std::round(card.x(tick));
        const std::string words = plot_figure(tick);
        const float wide = canvas.measure(words, TextStyle::small).x;
        canvas.fill({x, card.plot.bottom, x + 1, card.plot.bottom + std::round(3 * scale)}, theme.text_faint);
        const float left = std::round(std::clamp(x - wide / 2, card.title.left, card.title.right - wide));
        if (left >= free) {
            canvas.text({left, top}, theme.text_dim, words, TextStyle::small);
            free = left + wide + std::round(6 * scale);
        }
    }
    canvas.fill({card.plot.left, card.plot.bottom, card.plot.right, card.plot.bottom + 1}, theme.text_faint);
    const Rect names{card.title.left, top + card.line, card.title.right, top + 2 * card.line};
    canvas.text_in(names, theme.text_faint, plot.x, Align::right, TextStyle::small);
    canvas.text({card.title.left, card.plot.top - card.line - std::round(3 * scale)},
                theme.text_faint,
                plot.y,
                TextStyle::small);
}

/// The line's points on whole pixels, as a line that holds each value until the next if asked to.
std::vector<Point> line_of(const PlotSeries& series, const CardLayout& card, const RecordedPlot& plot) {
    std::vector<Point> line;
    for (const auto& [x, y] : series.points) {
        if (plot.log_x && x <= 0) {
            continue;
        }
        const Point place{std::round(card.x(x)), std::round(card.y(y))};
        if (!line.empty() && plot.steps && place.y != line.back().y) {
            line.push_back({place.x, line.back().y});
        }
        if (line.empty() || place != line.back()) {
            line.push_back(place);
        }
    }
    return line;
}

void draw_series(Canvas& canvas, const RecordedPlot& plot, const CardLayout& card, const Theme& theme) {
    constexpr std::size_t few = 24;  // points that are marked
    const float thick = std::max(1.5F, std::round(2 * canvas.fonts().scale()));
    for (std::size_t n = 0; n < plot.series.size(); ++n) {
        const Pixel colour = theme.series(n);
        const std::vector<Point> line = line_of(plot.series[n], card, plot);
        if (line.size() > 1) {
            canvas.polyline(line, colour, thick);
        }
        const float dot = std::round(3 * canvas.fonts().scale());
        if (line.size() == 1 || (!plot.steps && plot.series[n].points.size() <= few)) {
            for (const Point at : line) {
                canvas.fill({at.x - dot, at.y - dot, at.x + dot, at.y + dot}, colour);
            }
        }
    }
}

/// Layers on top of each other, in columns of one pixel.
void draw_layers(Canvas& canvas, const RecordedPlot& plot, const CardLayout& card, const Theme& theme) {
    std::vector<double> low(static_cast<std::size_t>(std::max(0.0F, card.plot.width())), 0.0);
    for (std::size_t n = 0; n < plot.series.size(); ++n) {
        const Pixel colour = theme.series(n);
        for (std::size_t column = 0; column < low.size(); ++column) {
            const float x = card.plot.left + static_cast<float>(column);
            const double value = std::max(0.0, value_at(plot.series[n], card.x.value(x), plot.steps));
            const float bottom = std::round(card.y(low[column]));
            low[column] += value;
            canvas.fill({x, std::round(card.y(low[column])), x + 1, bottom}, mix(theme.panel, colour, 0.7F));
        }
    }
}

void draw_legend(Canvas& canvas, const RecordedPlot& plot, const CardLayout& card, const Theme& theme) {
    const float gap = std::round(22 * canvas.fonts().scale());
    const float chip = std::round(8 * canvas.fonts().scale());
    float left = card.legend.left;
    float top = card.legend.top;
    for (std::size_t n = 0; n < plot.series.size() && card.legend.height() > 0; ++n) {
        const std::string& name = plot.series[n].name;
        const float wide = canvas.measure(name, TextStyle::small).x + gap;
        if (left > card.legend.left && left + wide > card.legend.right) {
            left = card.legend.left;
            top += card.line;
        }
        const float middle = std::round(top + card.line / 2);
        canvas.fill({left, middle - chip / 2, left + chip, middle + chip / 2}, theme.series(n));
        const float words = left + chip + std::round(5 * canvas.fonts().scale());
        canvas.text({words, top},
                    theme.text_dim,
                    without_middle(canvas.fonts(), name, TextStyle::small, card.legend.right - words),
                    TextStyle::small);
        left += wide;
    }
}

float bar_height(const CardLayout& card) {
    return std::round(card.line * 1.35F);
}

void draw_bars(Canvas& canvas, const RecordedPlot& plot, const CardLayout& card, const Theme& theme) {
    const float height = bar_height(card);
    const float gap = std::round(8 * canvas.fonts().scale());
    float top = card.plot.top;
    for (const PlotBar& bar : plot.bars) {
        const Rect row{card.plot.left, top, card.plot.right, top + height};
        canvas.text_in({row.left, row.top, row.left + card.name_width + 1, row.bottom},
                       theme.text,
                       without_middle(canvas.fonts(), bar.name, TextStyle::small, card.name_width),
                       Align::left,
                       TextStyle::small);
        const float end = std::round(card.x(bar.value));
        canvas.fill({std::round(card.x.begin), row.top + 2, std::max(end, card.x.begin + 1), row.bottom - 2},
                    mix(theme.panel, theme.accent, 0.7F));
        const float left = std::max(end, card.x.begin + 1) + gap / 2;
        canvas.text_in({left, row.top, std::max(left, row.right), row.bottom},
                       theme.text_dim,
                       without_middle(canvas.fonts(), bar.text, TextStyle::small, row.right - left),
                       Align::left,
                       TextStyle::small);
        top += height;
    }
}

/// The x of the points nearest to a place, if any series has one.
std::optional<double> nearest_x(const RecordedPlot& plot, const CardLayout& card, float place) {
    std::optional<double> best;
    const double wanted = card.x.value(std::clamp(place, card.plot.left, card.plot.right));
    for (const PlotSeries& series : plot.series) {
        const auto after =
            std::ranges::lower_bound(series.points, wanted, {}, &std::pair<double, double>::first);
        for (auto at = after == series.points.begin() ? after : after - 1;
             at != series.points.end() && at <= after;
             ++at) {
            const auto distance = [&](double x) { return std::abs(card.x(x) - place); };
            if (!best || distance(at->first) < distance(*best)) {
                best = at->first;
            }
        }
    }
    return best;
}

}  // namespace

float card_height(const FontSet& fonts, const RecordedPlot& plot, float width) {
    const float scale = fonts.scale();
    const float pad = 2 * std::round(10 * scale);
    const float line = std::ceil(fonts.line_height(TextStyle::small));
    const float head = std::ceil(fonts.line_height(TextStyle::bold)) + std::round(4 * scale);
    if (plot.kind == PlotKind::bars) {
        return pad + head + static_cast<float>(plot.bars.size()) * std::round(line * 1.35F);
    }
    const auto legend = static_cast<float>(legend_lines(fonts, plot, width - pad));
    return pad + head + std::round(170 * scale) + (3 + legend) * line;
}

void draw_card(
    Canvas& canvas, const RecordedPlot& plot, Rect box, std::optional<Point> pointer, const Theme& theme) {
    const CardLayout card = lay_out_card(canvas.fonts(), plot, box);
    canvas.fill(box, theme.panel);
    canvas.outline(box, theme.border);
    canvas.push_clip(box);
    canvas.text_in(card.title,
                   theme.text,
                   without_middle(canvas.fonts(), plot.title, TextStyle::bold, card.title.width()),
                   Align::left,
                   TextStyle::bold);
    if (plot.kind == PlotKind::bars) {
        draw_bars(canvas, plot, card, theme);
        canvas.pop_clip();
        return;
    }
    draw_card_axes(canvas, plot, card, theme);
    if (plot.kind == PlotKind::stack) {
        draw_layers(canvas, plot, card, theme);
    } else {
        draw_series(canvas, plot, card, theme);
    }
    if (plot.limit && *plot.limit <= card.y.to) {
        draw_limit(canvas,
                   card.plot,
                   std::round(card.y(*plot.limit)),
                   fmt::format("limit {}", plot_figure(*plot.limit)),
                   theme);
    }
    if (pointer && card.plot.contains(*pointer)) {
        if (const std::optional<double> x = nearest_x(plot, card, pointer->x)) {
            const float at = std::round(card.x(*x));
            canvas.fill({at, card.plot.top, at + 1, card.plot.bottom}, theme.guide);
        }
    }
    draw_legend(canvas, plot, card, theme);
    canvas.pop_clip();
}

std::string card_hint(const FontSet& fonts, const RecordedPlot& plot, Rect box, Point pointer) {
    const CardLayout card = lay_out_card(fonts, plot, box);
    if (card.title.contains(pointer)) {
        return plot.note.empty() ? plot.title : plot.title + "\n" + plot.note;
    }
    if (!card.plot.contains(pointer)) {
        return {};
    }
    if (plot.kind == PlotKind::bars) {
        const auto n = static_cast<std::size_t>((pointer.y - card.plot.top) / bar_height(card));
        return n < plot.bars.size() ? fmt::format("{}: {}",
                                                  plot.bars[n].name,
                                                  plot.bars[n].text.empty() ? plot_figure(plot.bars[n].value)
                                                                            : plot.bars[n].text)
                                    : std::string{};
    }
    const std::optional<double> x = nearest_x(plot, card, pointer.x);
    if (!x) {
        return {};
    }
    std::string words = fmt::format("{} {}", plot_figure(*x), plot.x);
    for (const PlotSeries& series : plot.series) {
        words += fmt::format("\n{}{}{} {}",
                             series.name,
                             series.name.empty() ? "" : ": ",
                             plot_figure(value_at(series, *x, plot.steps)),
                             plot.y);
    }
    return words;
}

}  // namespace ascendsim::gui
