// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/roofline/roofline_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "gui/panels/roofline/log_plot.hpp"

namespace ascendsim::gui {
namespace {

LogPlot make_plot(const RooflineLines& lines, Rect box) {
    const Roofline& data = *lines.whole;
    double x_low = 1e9;
    double x_high = 1e-9;
    for (const Roof& roof : data.roofs) {
        const double ridge = data.peak_gops / roof.gb_per_s;
        x_low = std::min({x_low, ridge, roof.intensity > 0 ? roof.intensity : ridge});
        x_high = std::max({x_high, ridge, roof.intensity});
    }
    const double top = std::max(data.peak_gops, data.gops);
    // A decade of roofs below the lowest point tells enough; more leaves the points at the upper edge.
    double low = data.gops > 0 ? std::min(data.gops, top / 30) : top / 30;
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
    return {box,
            std::floor(std::log10(x_low / 2)),
            std::ceil(std::log10(x_high * 2)),
            std::floor(std::log10(low / 2)),
            std::ceil(std::log10(top * 1.2))};
}

Rect plot_area(const PanelContext& context, Rect box) {
    const float scale = context.scale();
    return whole_pixels({box.left + std::round(64 * scale),
                         box.top + std::round(6 * scale),
                         box.right - legend_width(context, box) - std::round(16 * scale),
                         box.bottom - std::round(32 * scale)});
}

void draw_axes(Canvas& canvas, const LogPlot& plot, const PanelContext& context) {
    const Theme& theme = context.theme;
    const Rect& box = plot.box;
    const float line = context.fonts.line_height(TextStyle::small);
    for (double x = plot.x_low; x <= plot.x_high; ++x) {
        const float place = plot.at(std::pow(10, x), 1).x;
        canvas.fill({place, box.top, place + 1, box.bottom}, theme.grid);
        const std::string label = power_text(x);
        const float half = canvas.measure(label, TextStyle::small).x / 2;
        const float middle = std::clamp(place, box.left + half, std::max(box.left + half, box.right - half));
        canvas.text({std::round(middle - half), box.bottom + 3}, theme.text_dim, label, TextStyle::small);
    }
    for (double y = plot.y_low; y <= plot.y_high; ++y) {
        const float place = plot.at(1, std::pow(10, y)).y;
        canvas.fill({box.left, place, box.right, place + 1}, theme.grid);
        canvas.text_in(
            {box.left - std::round(60 * context.scale()), place - line / 2, box.left - 6, place + line / 2},
            theme.text_dim,
            rate_text(std::pow(10, y)),
            Align::right,
            TextStyle::small);
    }
    canvas.text_in({box.left, box.bottom + line, box.right, box.bottom + 2 * line + 2},
                   theme.text_faint,
                   "operations per byte",
                   Align::centre,
                   TextStyle::small);
    canvas.outline(box, theme.border);
}

Pixel colour_of(const Theme& theme, const Roof& roof) {
    return roof.pipe == "hbm"         ? theme.accent
           : roof.pipe == "l2_reads"  ? theme.l2_reads
           : roof.pipe == "l2_writes" ? theme.l2_writes
                                      : theme.pipe(roof.pipe).colour;
}

/// From where run B stood to where run A stands, for every way of bytes.
void draw_arrows(Canvas& canvas,
                 const LogPlot& plot,
                 const PanelContext& context,
                 const RooflineLines& lines) {
    const float size = std::round(4 * context.scale());
    for (const RooflineArrow& arrow : arrows_of(lines)) {
        const Point from = plot.at(arrow.before->intensity, lines.before->gops);
        const Point to = plot.at(arrow.now->intensity, lines.whole->gops);
        const Pixel colour = colour_of(context.theme, *arrow.now);
        canvas.outline({from.x - size, from.y - size, from.x + size + 1, from.y + size + 1}, colour);
        if (std::abs(from.x - to.x) + std::abs(from.y - to.y) > 2 * size) {
            canvas.line(from, to, colour, std::max(1.0F, context.scale()));
            canvas.arrow_head(from, to, colour, std::round(8 * context.scale()));
        }
    }
}

void draw_roofs(Canvas& canvas, const LogPlot& plot, const PanelContext& context, const Roofline& data) {
    for (const Roof& roof : data.roofs) {
        const double ridge = data.peak_gops / roof.gb_per_s;
        const double low = std::pow(10, plot.x_low);
        canvas.line(plot.at(low, low * roof.gb_per_s),
                    plot.at(ridge, data.peak_gops),
                    with_alpha(colour_of(context.theme, roof), 200),
                    1.5F);
    }
    const Point from = plot.at(std::pow(10, plot.x_low), data.peak_gops);
    canvas.fill({from.x, from.y, plot.box.right, from.y + 2}, context.theme.text_dim);
    canvas.text({from.x + 8, from.y + 4},
                context.theme.text_dim,
                fmt::format("{} {}", data.peak_name, rate_text(data.peak_gops)),
                TextStyle::small);
}

void draw_points(Canvas& canvas,
                 const LogPlot& plot,
                 const PanelContext& context,
                 const Roofline& whole,
                 const Roofline* part) {
    const float size = std::round(5 * context.scale());
    const auto dot = [&](const Roof& roof, double gops, bool filled) {
        const Point p = plot.at(roof.intensity, gops);
        const std::array diamond{
            Point{p.x - size, p.y}, Point{p.x, p.y - size}, Point{p.x + size, p.y}, Point{p.x, p.y + size}};
        canvas.polygon(diamond, colour_of(context.theme, roof));
        if (!filled) {
            const float inner = size - 2;
            const std::array hole{Point{p.x - inner, p.y},
                                  Point{p.x, p.y - inner},
                                  Point{p.x + inner, p.y},
                                  Point{p.x, p.y + inner}};
            canvas.polygon(hole, context.theme.panel);
        }
    };
    for (const Roof& roof : whole.roofs) {
        if (roof.intensity > 0 && whole.gops > 0) {
            dot(roof, whole.gops, true);
        }
    }
    for (std::size_t n = 0; part != nullptr && n < part->roofs.size(); ++n) {
        if (part->roofs[n].intensity > 0 && part->gops > 0) {
            dot(part->roofs[n], part->gops, false);
        }
    }
}

void draw_legend(Canvas& canvas, Rect box, const PanelContext& context, const RooflineLines& lines) {
    const Roofline& whole = *lines.whole;
    const Roofline* part = lines.part;
    const Theme& theme = context.theme;
    const float step = legend_step(context);
    float top = box.top;
    const auto line = [&](Pixel chip, std::string_view name, std::string_view value) {
        canvas.fill({box.left, top + 3, box.left + 4, top + step - 4}, chip);
        canvas.text_in(
            {box.left + 12, top, box.right, top + step}, theme.text, name, Align::left, TextStyle::small);
        canvas.text_in({box.left + 12, top, box.right, top + step},
                       theme.text_dim,
                       value,
                       Align::right,
                       TextStyle::small);
        top += step;
    };
    line(
        theme.text, "\u25c6 run", fmt::format("{} of {}", rate_text(whole.gops), rate_text(whole.peak_gops)));
    if (part != nullptr) {
        line(theme.panel, context.view.range ? "\u25c7 selection" : "\u25c7 window", rate_text(part->gops));
    }
    if (lines.before != nullptr) {
        line(theme.run_b,
             "\u25a1 run B, before",
             fmt::format("{} of {}", rate_text(lines.before->gops), rate_text(lines.before->peak_gops)));
    }
    for (const Roof& roof : whole.roofs) {
        if (top + step > box.bottom) {
            break;
        }
        line(colour_of(theme, roof),
             roof.name,
             fmt::format(
                 "{} of {:.0f} GB/s", format_percent(roof.used_gb_per_s / roof.gb_per_s), roof.gb_per_s));
    }
}

}  // namespace

std::vector<RooflineArrow> arrows_of(const RooflineLines& lines) {
    std::vector<RooflineArrow> arrows;
    if (lines.before == nullptr || lines.whole == nullptr) {
        return arrows;
    }
    for (const Roof& now : lines.whole->roofs) {
        const auto before = std::ranges::find(lines.before->roofs, now.name, &Roof::name);
        if (before != lines.before->roofs.end() && before->intensity > 0 && now.intensity > 0) {
            arrows.push_back({&*before, &now});
        }
    }
    return arrows;
}

float legend_width(const PanelContext& context, Rect box) {
    return std::min(std::round(330 * context.scale()), std::round(box.width() * 0.45F));
}

float legend_step(const PanelContext& context) {
    return std::round(context.fonts.line_height(TextStyle::small) + 4 * context.scale());
}

void draw_roofline(Canvas& canvas, Rect box, const PanelContext& context, const RooflineLines& lines) {
    const Roofline& whole = *lines.whole;
    const float legend = legend_width(context, box);
    const Rect area = plot_area(context, box);
    if (area.width() < 60 || area.height() < 40) {
        return;
    }
    const LogPlot plot = make_plot(lines, area);
    draw_axes(canvas, plot, context);
    canvas.push_clip(plot.box);
    draw_roofs(canvas, plot, context, whole);
    draw_arrows(canvas, plot, context, lines);
    draw_points(canvas, plot, context, whole, lines.part);
    canvas.pop_clip();
    draw_legend(canvas, {box.right - legend, box.top, box.right, box.bottom}, context, lines);
}

}  // namespace ascendsim::gui
