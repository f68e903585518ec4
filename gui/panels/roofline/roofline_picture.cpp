// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/roofline/roofline_picture.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "gui/panels/roofline/log_plot.hpp"
#include "gui/panels/roofline/roofline_legend.hpp"
#include "gui/panels/roofline/roofline_marks.hpp"

namespace ascendsim::gui {
namespace {

/// The stretch that holds every ridge and every point, with some room around.
LogPlot make_plot(const RooflineLines& lines, Rect box, float label) {
    const Roofline& data = *lines.whole;
    double x_low = 1e9;
    double x_high = 1e-9;
    for (const Roof& roof : data.roofs) {
        const double ridge = data.peak_gops / roof.gb_per_s;
        x_low = std::min({x_low, ridge, roof.intensity > 0 ? roof.intensity : ridge});
        x_high = std::max({x_high, ridge, roof.intensity});
    }
    const double top = std::max(data.peak_gops, data.gops);
    double low = data.gops > 0 ? std::min(data.gops, top / 10) : top / 10;
    if (lines.part != nullptr && lines.part->gops > 0) {
        low = std::min(low, lines.part->gops);
    }
    if (lines.before != nullptr && lines.before->gops > 0) {
        low = std::min(low, lines.before->gops);
        for (const RooflineArrow& arrow : arrows_of(lines)) {
            x_low = std::min(x_low, arrow.before->intensity);
            x_high = std::max(x_high, arrow.before->intensity);
        }
    }
    const double y_low = std::log10(low / 3);
    // The label of the highest roof stands above it, where no other line is.
    const double room = std::min(0.5F, label / std::max(1.0F, box.height()));
    const double with_label = (std::log10(top) - y_low * room) / (1 - room);
    return {box, std::log10(x_low / 3), std::log10(x_high * 2), y_low, with_label};
}

float label_height(const PanelContext& context) {
    return context.fonts.line_height(TextStyle::small) + std::round(3 * context.scale());
}

Rect plot_area(const PanelContext& context, Rect box) {
    const float scale = context.scale();
    return whole_pixels({box.left + std::round(82 * scale),
                         box.top + std::round(6 * scale),
                         legend_box(context, box).left - std::round(16 * scale),
                         box.bottom - std::round(32 * scale)});
}

void draw_intensities(Canvas& canvas, const LogPlot& plot, const PanelContext& context) {
    const Theme& theme = context.theme;
    const Rect& box = plot.box;
    float free = box.left;  // of labels
    for (const double x : log_ticks(plot.x_low, plot.x_high)) {
        const float place = plot.at(x, 1).x;
        canvas.fill({place, box.top, place + 1, box.bottom}, theme.grid);
        const std::string label = intensity_text(x);
        const float half = canvas.measure(label, TextStyle::small).x / 2;
        const float middle = std::clamp(place, box.left + half, std::max(box.left + half, box.right - half));
        if (middle - half >= free) {
            canvas.text({std::round(middle - half), box.bottom + 3}, theme.text_dim, label, TextStyle::small);
            free = middle + half + std::round(6 * context.scale());
        }
    }
}

void draw_rates(Canvas& canvas, const LogPlot& plot, const PanelContext& context) {
    const Theme& theme = context.theme;
    const Rect& box = plot.box;
    const float line = context.fonts.line_height(TextStyle::small);
    float free = box.bottom + line;  // of labels, upwards
    for (const double y : log_ticks(plot.y_low, plot.y_high)) {
        const float place = plot.at(1, y).y;
        canvas.fill({box.left, place, box.right, place + 1}, theme.grid);
        if (place + line / 2 <= free) {
            canvas.text_in({box.left - std::round(78 * context.scale()),
                            place - line / 2,
                            box.left - 6,
                            place + line / 2},
                           theme.text_dim,
                           rate_text(y),
                           Align::right,
                           TextStyle::small);
            free = place - line / 2;
        }
    }
}

void draw_axes(Canvas& canvas, const LogPlot& plot, const PanelContext& context) {
    const Rect& box = plot.box;
    const float line = context.fonts.line_height(TextStyle::small);
    draw_intensities(canvas, plot, context);
    draw_rates(canvas, plot, context);
    canvas.text_in({box.left, box.bottom + line, box.right, box.bottom + 2 * line + 2},
                   context.theme.text_faint,
                   "operations per byte",
                   Align::centre,
                   TextStyle::small);
    canvas.outline(box, context.theme.border);
}

bool is_lit(const std::vector<const Roof*>& lit, const Roof& roof) {
    return std::ranges::find(lit, &roof) != lit.end();
}

void draw_roofs(Canvas& canvas,
                const LogPlot& plot,
                const PanelContext& context,
                const Roofline& data,
                const std::vector<const Roof*>& lit) {
    for (const Roof& roof : data.roofs) {
        const double ridge = data.peak_gops / roof.gb_per_s;
        const double low = std::pow(10, plot.x_low);
        canvas.line(plot.at(low, low * roof.gb_per_s),
                    plot.at(ridge, data.peak_gops),
                    with_alpha(colour_of(context.theme, roof), is_lit(lit, roof) ? 255 : 200),
                    is_lit(lit, roof) ? 3.0F : 1.5F);
    }
    const Point from = plot.at(std::pow(10, plot.x_low), data.peak_gops);
    canvas.fill({from.x, from.y, plot.box.right, from.y + 2}, context.theme.text_dim);
}

/// Hollow marks of a part stand around those of the run, so that both show where they are in one place.
void draw_marks(Canvas& canvas,
                const LogPlot& plot,
                const PanelContext& context,
                const RooflineLines& lines,
                const std::vector<RooflineMark>& marks) {
    const float scale = context.scale();
    if (lines.part != nullptr) {
        for (RooflineMark& mark : marks_of(plot, *lines.part, scale)) {
            mark.reach += std::round(4 * scale);
            draw_mark(canvas, mark, context.theme, false);
        }
    }
    std::vector<const RooflineMark*> order;
    for (const RooflineMark& mark : marks) {
        order.push_back(&mark);
    }
    std::ranges::stable_sort(order, std::ranges::greater{}, &RooflineMark::reach);  // the small ones on top
    for (const RooflineMark* mark : order) {
        draw_mark(canvas, *mark, context.theme, true);
    }
}

}  // namespace

std::optional<LogPlot> roofline_plot(const PanelContext& context, Rect box, const RooflineLines& lines) {
    const Rect area = plot_area(context, box);
    if (area.width() < 60 || area.height() < 40) {
        return std::nullopt;
    }
    return make_plot(lines, area, label_height(context));
}

std::string peak_label(const Roofline& line) {
    return fmt::format("{} {}", line.peak_name, rate_text(line.peak_gops));
}

Rect peak_label_box(const LogPlot& plot,
                    const PanelContext& context,
                    const Roofline& line,
                    const std::vector<RooflineMark>& marks) {
    const float width = std::ceil(context.fonts.measure(peak_label(line), TextStyle::small).x);
    const float pad = std::round(8 * context.scale());
    const float bottom = plot.at(1, line.peak_gops).y;
    const float least = plot.box.left + pad;
    Rect box{0, bottom - label_height(context) + 1, 0, bottom};
    for (float left = plot.box.right - pad - width; left >= least; left -= pad) {
        box.left = left;
        box.right = left + width;
        if (std::ranges::none_of(
                marks, [&](const RooflineMark& mark) { return !intersect(mark.box(), box).empty(); })) {
            return box;
        }
    }
    box.left = std::max(least, plot.box.right - pad - width);
    box.right = box.left + width;
    return box;
}

void draw_roofline(Canvas& canvas,
                   Rect box,
                   const PanelContext& context,
                   const RooflineLines& lines,
                   const std::vector<const Roof*>& lit) {
    if (const std::optional<LogPlot> plot = roofline_plot(context, box, lines)) {
        const std::vector<RooflineMark> marks = marks_of(*plot, *lines.whole, context.scale());
        draw_axes(canvas, *plot, context);
        canvas.push_clip(plot->box);
        draw_roofs(canvas, *plot, context, *lines.whole, lit);
        draw_arrows(canvas, *plot, context, lines);
        draw_marks(canvas, *plot, context, lines, marks);
        const Rect label = peak_label_box(*plot, context, *lines.whole, marks);
        canvas.text(
            {label.left, label.top}, context.theme.text_dim, peak_label(*lines.whole), TextStyle::small);
        canvas.pop_clip();
    }
    draw_legend(canvas, legend_box(context, box), context, legend_rows(context, lines), lit);
}

}  // namespace ascendsim::gui
