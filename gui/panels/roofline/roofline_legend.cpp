// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/roofline/roofline_legend.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gui/panels/roofline/log_plot.hpp"
#include "gui/panels/roofline/roofline_marks.hpp"

namespace ascendsim::gui {
namespace {

/// From one line to the next, pixels.
float step_of(std::size_t rows, const PanelContext& context, Rect legend) {
    const float line = context.fonts.line_height(TextStyle::small);
    const float fitting = std::floor(legend.height() / static_cast<float>(std::max<std::size_t>(1, rows)));
    return std::clamp(fitting, line, std::round(line + 4 * context.scale()));
}

/// How many rows are shown; one place is kept for the line that counts the others.
std::size_t shown(std::size_t rows, const PanelContext& context, Rect legend) {
    const auto places =
        static_cast<std::size_t>(std::max(0.0F, legend.height() / step_of(rows, context, legend)));
    return rows <= places ? rows : std::max<std::size_t>(1, places) - 1;
}

}  // namespace

std::vector<LegendRow> legend_rows(const PanelContext& context, const RooflineLines& lines) {
    const Roofline& whole = *lines.whole;
    const Theme& theme = context.theme;
    std::vector<LegendRow> rows;
    rows.push_back({theme.text,
                    "\u25c6 run",
                    fmt::format("{} of {}", rate_text(whole.gops), rate_text(whole.peak_gops))});
    if (lines.part != nullptr) {
        rows.push_back({theme.panel,
                        context.view.range ? "\u25c7 selection" : "\u25c7 window",
                        rate_text(lines.part->gops)});
    }
    if (lines.before != nullptr) {
        rows.push_back(
            {theme.run_b,
             "\u25a1 run B, before",
             fmt::format("{} of {}", rate_text(lines.before->gops), rate_text(lines.before->peak_gops))});
    }
    for (const Roof& roof : whole.roofs) {
        rows.push_back(
            {colour_of(theme, roof),
             roof.name,
             fmt::format(
                 "{} of {:.0f} GB/s", format_percent(roof.used_gb_per_s / roof.gb_per_s), roof.gb_per_s),
             &roof});
    }
    return rows;
}

Rect legend_box(const PanelContext& context, Rect box) {
    const float width = std::min(std::round(330 * context.scale()), std::round(box.width() * 0.45F));
    return {box.right - width, box.top, box.right, box.bottom};
}

const LegendRow* legend_row_at(const std::vector<LegendRow>& rows,
                               const PanelContext& context,
                               Rect legend,
                               Point point) {
    if (!legend.contains(point)) {
        return nullptr;
    }
    const auto row = static_cast<std::size_t>((point.y - legend.top) / step_of(rows.size(), context, legend));
    return row < shown(rows.size(), context, legend) ? &rows[row] : nullptr;
}

void draw_legend(Canvas& canvas,
                 Rect legend,
                 const PanelContext& context,
                 const std::vector<LegendRow>& rows,
                 const std::vector<const Roof*>& lit) {
    const Theme& theme = context.theme;
    const float step = step_of(rows.size(), context, legend);
    const float gap = std::round(8 * context.scale());
    const std::size_t count = shown(rows.size(), context, legend);
    Rect line{legend.left, legend.top, legend.right, legend.top + step};
    for (std::size_t n = 0; n < count; ++n) {
        const LegendRow& row = rows[n];
        if (row.roof != nullptr && std::ranges::find(lit, row.roof) != lit.end()) {
            canvas.fill(line, theme.hover);
        }
        canvas.fill({line.left, line.top + 3, line.left + 4, line.bottom - 4}, row.chip);
        const Rect words{line.left + 12, line.top, line.right, line.bottom};
        const float value = canvas.measure(row.value, TextStyle::small).x;
        canvas.text_in({words.left, words.top, std::max(words.left, words.right - value - gap), words.bottom},
                       theme.text,
                       row.name,
                       Align::left,
                       TextStyle::small);
        canvas.text_in(words, theme.text_dim, row.value, Align::right, TextStyle::small);
        line.top += step;
        line.bottom += step;
    }
    if (count < rows.size()) {
        canvas.text_in({line.left + 12, line.top, line.right, line.bottom},
                       theme.text_dim,
                       fmt::format("{} more: enlarge this view", rows.size() - count),
                       Align::left,
                       TextStyle::small);
    }
}

}  // namespace ascendsim::gui
