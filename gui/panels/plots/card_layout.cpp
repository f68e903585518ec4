// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/plots/card_layout.hpp"

#include <algorithm>
#include <cmath>

#include "gui/canvas/format.hpp"
#include "gui/timeview/plot_marks.hpp"

namespace ascendsim::gui {
namespace {

using analysis::PlotBar;
using analysis::PlotKind;
using analysis::PlotSeries;
using analysis::RecordedPlot;

float widest(const FontSet& fonts, const std::vector<PlotBar>& bars, std::string PlotBar::*words) {
    float width = 0;
    for (const PlotBar& bar : bars) {
        width = std::max(width, fonts.measure(bar.*words, TextStyle::small).x);
    }
    return std::ceil(width);
}

double largest_bar(const RecordedPlot& plot) {
    double largest = 1e-12;
    for (const PlotBar& bar : plot.bars) {
        largest = std::max(largest, bar.value);
    }
    return largest;
}

/// The x that all series reach over; of a logarithmic axis those above zero.
std::pair<double, double> reach_of(const RecordedPlot& plot) {
    double from = 1e300;
    double to = -1e300;
    for (const PlotSeries& series : plot.series) {
        for (const auto& [x, y] : series.points) {
            if (!plot.log_x || x > 0) {
                from = std::min(from, x);
                to = std::max(to, x);
            }
        }
    }
    if (!(to >= from)) {
        return {1, 2};
    }
    return to > from ? std::pair{from, to} : std::pair{from, from + std::max(1.0, std::abs(from))};
}

}  // namespace

float PlotScale::operator()(double value) const {
    const double low = log ? std::log2(from) : from;
    const double high = log ? std::log2(to) : to;
    const double at = log ? std::log2(std::max(value, 1e-300)) : value;
    const double share = high > low ? std::clamp((at - low) / (high - low), 0.0, 1.0) : 0;
    return begin + static_cast<float>(share) * (end - begin);
}

double PlotScale::value(float place) const {
    const double share = end == begin ? 0 : static_cast<double>((place - begin) / (end - begin));
    return log ? std::exp2(std::log2(from) + share * (std::log2(to) - std::log2(from)))
               : from + share * (to - from);
}

std::vector<double> PlotScale::ticks(int most) const {
    std::vector<double> values;
    if (log) {
        const double low = std::ceil(std::log2(from) - 1e-9);
        const double high = std::log2(to) + 1e-9;
        const double step = std::max(1.0, std::ceil((high - low) / std::max(1, most)));
        for (double at = low; at <= high; at += step) {
            values.push_back(std::exp2(at));
        }
        return values;
    }
    const double step = tick_step(to - from, std::max(1, most));
    const double first = std::ceil(from / step - 1e-9);
    const double last = std::floor(to / step + 1e-9);
    // Of numbers so large that one more is the same there are as many as there is room for.
    const auto count = static_cast<int>(std::clamp(last - first, -1.0, 2.0 * std::max(1, most)));
    for (int i = 0; i <= count; ++i) {
        values.push_back((first + i) * step);
    }
    return values;
}

int legend_lines(const FontSet& fonts, const RecordedPlot& plot, float width) {
    const float gap = std::round(22 * fonts.scale());
    float left = 0;
    int lines = plot.series.empty() || (plot.series.size() == 1 && plot.series[0].name.empty()) ? 0 : 1;
    for (const PlotSeries& series : plot.series) {
        const float wide = fonts.measure(series.name, TextStyle::small).x + gap;
        if (left > 0 && left + wide > width) {
            ++lines;
            left = 0;
        }
        left += wide;
    }
    return lines;
}

CardLayout lay_out_card(const FontSet& fonts, const RecordedPlot& plot, Rect box) {
    CardLayout card;
    const float scale = fonts.scale();
    const float pad = std::round(10 * scale);
    const Rect inside = box.shrunk(pad);
    card.line = std::ceil(fonts.line_height(TextStyle::small));
    const float head = std::ceil(fonts.line_height(TextStyle::bold));
    card.title = {inside.left, inside.top, inside.right, inside.top + head};
    const float top = card.title.bottom + std::round(4 * scale);
    if (plot.kind == PlotKind::bars) {
        card.plot = {inside.left, top, inside.right, inside.bottom};
        card.name_width = std::min(widest(fonts, plot.bars, &PlotBar::name), inside.width() * 0.4F);
        card.text_width = std::min(widest(fonts, plot.bars, &PlotBar::text), inside.width() * 0.4F);
        const float left = inside.left + card.name_width + std::round(8 * scale);
        const float right = inside.right - card.text_width - std::round(8 * scale);
        card.x = {0, largest_bar(plot), left, std::max(left + 1, right), false};
        return card;
    }
    const float legend = static_cast<float>(legend_lines(fonts, plot, inside.width())) * card.line;
    card.legend = {inside.left, inside.bottom - legend, inside.right, inside.bottom};
    card.x_labels = {inside.left, card.legend.top - 2 * card.line, inside.right, card.legend.top};
    const double highest = top_of(plot);
    float labels = 0;
    for (const double tick : PlotScale{0, highest}.ticks(5)) {
        labels = std::max(labels, fonts.measure(plot_figure(tick), TextStyle::small).x);
    }
    const float left = inside.left + std::ceil(labels) + std::round(6 * scale);
    card.plot = whole_pixels({left,
                              top + card.line,
                              inside.right,
                              std::max(top + card.line + 1, card.x_labels.top - std::round(4 * scale))});
    const auto [from, to] = reach_of(plot);
    card.x = {from, to, card.plot.left, card.plot.right, plot.log_x};
    card.y = {0, highest, card.plot.bottom, card.plot.top, false};
    return card;
}

}  // namespace ascendsim::gui
