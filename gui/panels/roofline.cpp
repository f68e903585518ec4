// SPDX-License-Identifier: Apache-2.0
#include "gui/document/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/document/latest.hpp"
#include "gui/panels/roofline/log_plot.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

/// Where the run stands between what the units can compute and what each way of bytes can bring.
class RooflinePanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {
            .name = "roofline",
            .title = "Roofline",
            .hint = "Operations per second against operations per byte, under the roof of every way of bytes",
            .dock = Dock::bottom,
            .order = 40,
            .table = true};
    }

    void draw_content(PanelContext& context) override {
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        const Lines lines = get(context);
        const Roofline* whole = lines.whole;
        if (whole == nullptr || whole->roofs.empty() || room.x < 120 || room.y < 60) {
            empty_panel(context, "No roofline", "it needs a recording that names its chip and moves bytes");
            return;
        }
        const Rect box = whole_pixels({origin.x, origin.y, origin.x + room.x, origin.y + room.y});
        ImGui::InvisibleButton("area", {box.width(), box.height()});
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        draw(canvas, box, context, lines);
        if (ImGui::IsItemHovered()) {
            hover(context, lines, box);
        }
        if (context.anchors.enabled()) {
            context.anchors.value("roofline.arrows", arrows_of(lines).size());
        }
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& context) override {
        const Lines lines = get(context);
        if (lines.whole == nullptr) {
            return std::nullopt;
        }
        Csv csv{{"of",
                 "roof",
                 "roof (GB/s)",
                 "used (GB/s)",
                 "operations per byte",
                 "achieved (Gop/s)",
                 "peak (Gop/s)"}};
        for (const auto& [of, line] :
             {std::pair{"run A", lines.whole}, {"window", lines.part}, {"run B", lines.before}}) {
            for (std::size_t n = 0; line != nullptr && n < line->roofs.size(); ++n) {
                const Roof& roof = line->roofs[n];
                csv.row({of,
                         roof.name,
                         fmt::format("{:.3f}", roof.gb_per_s),
                         fmt::format("{:.3f}", roof.used_gb_per_s),
                         fmt::format("{:.5g}", roof.intensity),
                         fmt::format("{:.5g}", line->gops),
                         fmt::format("{:.5g}", line->peak_gops)});
            }
        }
        return csv.text();
    }

private:
    using Key = std::tuple<const void*, double, double>;

    /// What is drawn: run A, the chosen part of it, and run B; null for what there is not.
    struct Lines {
        const Roofline* whole = nullptr;
        const Roofline* part = nullptr;
        const Roofline* before = nullptr;
    };

    Lines get(const PanelContext& context) {
        Lines lines;
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            return lines;
        }
        const auto held = run->shared_from_this();
        lines.whole = whole_.get({run->data().get(), 0, run->cycles()}, run->at_once(), [held] {
            return roofline_of(*held, {0, held->cycles()});
        });
        const std::optional<TimeRange> range = context.view.range ? context.view.range : context.view.window;
        if (range) {
            lines.part = part_.get({run->data().get(), range->begin, range->end},
                                   run->at_once(),
                                   [held, range] { return roofline_of(*held, *range); });
        }
        if (const Run* other = as_run(context.run_b)) {
            const auto kept = other->shared_from_this();
            lines.before = before_.get({other->data().get(), 0, other->cycles()}, other->at_once(), [kept] {
                return roofline_of(*kept, {0, kept->cycles()});
            });
        }
        return lines;
    }

    /// A way of bytes in run B and the same in run A.
    struct Arrow {
        const Roof* before = nullptr;
        const Roof* now = nullptr;
    };

    static std::vector<Arrow> arrows_of(const Lines& lines) {
        std::vector<Arrow> arrows;
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

    static LogPlot make_plot(const Lines& lines, Rect box) {
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
            for (const Arrow& arrow : arrows_of(lines)) {
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

    static float legend_width(const PanelContext& context, Rect box) {
        return std::min(std::round(330 * context.scale()), std::round(box.width() * 0.45F));
    }

    static float legend_step(const PanelContext& context) {
        return std::round(context.fonts.line_height(TextStyle::small) + 4 * context.scale());
    }

    static Rect plot_area(const PanelContext& context, Rect box) {
        const float scale = context.scale();
        return whole_pixels({box.left + std::round(64 * scale),
                             box.top + std::round(6 * scale),
                             box.right - legend_width(context, box) - std::round(16 * scale),
                             box.bottom - std::round(32 * scale)});
    }

    static void draw(Canvas& canvas, Rect box, const PanelContext& context, const Lines& lines) {
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

    /// From where run B stood to where run A stands, for every way of bytes.
    static void draw_arrows(Canvas& canvas,
                            const LogPlot& plot,
                            const PanelContext& context,
                            const Lines& lines) {
        const float size = std::round(4 * context.scale());
        for (const Arrow& arrow : arrows_of(lines)) {
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

    /// The plain sentence behind a line of the legend.
    static void hover(const PanelContext& context, const Lines& lines, Rect box) {
        const ImVec2 mouse = ImGui::GetMousePos();
        const float legend = box.right - legend_width(context, box);
        const Roofline& whole = *lines.whole;
        if (mouse.x < legend) {
            tooltip(
                "Operations per second over operations per byte, both logarithmic. A filled diamond is the "
                "run "
                "seen through one way of bytes, a hollow one the selection or window, a square run B before. "
                "The nearest roof above it is what it could reach.");
            return;
        }
        const auto head =
            static_cast<std::size_t>(1 + (lines.part != nullptr ? 1 : 0) + (lines.before != nullptr ? 1 : 0));
        const auto row = static_cast<std::size_t>(std::max(0.0F, (mouse.y - box.top) / legend_step(context)));
        if (row < head || row - head >= whole.roofs.size()) {
            tooltip("Operations per second achieved, and the most the units can do");
            return;
        }
        const Roof& roof = whole.roofs[row - head];
        tooltip(fmt::format(
            "{}: {:.1f} of {:.0f} GB/s used; {:.3g} operations for each byte that went this way. Under this "
            "roof alone {} would be possible.",
            roof.name,
            roof.used_gb_per_s,
            roof.gb_per_s,
            roof.intensity,
            rate_text(std::min(whole.peak_gops, roof.intensity * roof.gb_per_s))));
    }

    static void draw_axes(Canvas& canvas, const LogPlot& plot, const PanelContext& context) {
        const Theme& theme = context.theme;
        const Rect& box = plot.box;
        const float line = context.fonts.line_height(TextStyle::small);
        for (double x = plot.x_low; x <= plot.x_high; ++x) {
            const float place = plot.at(std::pow(10, x), 1).x;
            canvas.fill({place, box.top, place + 1, box.bottom}, theme.grid);
            const std::string label = power_text(x);
            const float half = canvas.measure(label, TextStyle::small).x / 2;
            const float middle =
                std::clamp(place, box.left + half, std::max(box.left + half, box.right - half));
            canvas.text({std::round(middle - half), box.bottom + 3}, theme.text_dim, label, TextStyle::small);
        }
        for (double y = plot.y_low; y <= plot.y_high; ++y) {
            const float place = plot.at(1, std::pow(10, y)).y;
            canvas.fill({box.left, place, box.right, place + 1}, theme.grid);
            canvas.text_in({box.left - std::round(60 * context.scale()),
                            place - line / 2,
                            box.left - 6,
                            place + line / 2},
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

    static Pixel colour_of(const Theme& theme, const Roof& roof) {
        return roof.pipe == "hbm"  ? theme.accent
               : roof.pipe == "l2" ? theme.good
                                   : theme.pipe(roof.pipe).colour;
    }

    static void draw_roofs(Canvas& canvas,
                           const LogPlot& plot,
                           const PanelContext& context,
                           const Roofline& data) {
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

    static void draw_points(Canvas& canvas,
                            const LogPlot& plot,
                            const PanelContext& context,
                            const Roofline& whole,
                            const Roofline* part) {
        const float size = std::round(5 * context.scale());
        const auto dot = [&](const Roof& roof, double gops, bool filled) {
            const Point p = plot.at(roof.intensity, gops);
            const std::array diamond{Point{p.x - size, p.y},
                                     Point{p.x, p.y - size},
                                     Point{p.x + size, p.y},
                                     Point{p.x, p.y + size}};
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

    static void draw_legend(Canvas& canvas, Rect box, const PanelContext& context, const Lines& lines) {
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
        line(theme.text,
             "\u25c6 run",
             fmt::format("{} of {}", rate_text(whole.gops), rate_text(whole.peak_gops)));
        if (part != nullptr) {
            line(theme.panel,
                 context.view.range ? "\u25c7 selection" : "\u25c7 window",
                 rate_text(part->gops));
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

    Latest<Key, Roofline> whole_;
    Latest<Key, Roofline> part_;
    Latest<Key, Roofline> before_;
};

}  // namespace

std::unique_ptr<Panel> make_roofline_panel();

std::unique_ptr<Panel> make_roofline_panel() {
    return std::make_unique<RooflinePanel>();
}

}  // namespace ascendsim::gui
