// SPDX-License-Identifier: Apache-2.0
#include "gui/document/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/document/latest.hpp"
#include "gui/shell/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

/// Both axes: powers of ten, on whole pixels.
struct LogPlot {
    Rect box;
    double x_low = 0;  // decades
    double x_high = 1;
    double y_low = 0;
    double y_high = 1;

    [[nodiscard]] Point at(double x, double y) const {
        const double right = (std::log10(std::max(x, 1e-30)) - x_low) / (x_high - x_low);
        const double up = (std::log10(std::max(y, 1e-30)) - y_low) / (y_high - y_low);
        return {std::round(box.left + static_cast<float>(std::clamp(right, -2.0, 3.0)) * box.width()),
                std::round(box.bottom - static_cast<float>(std::clamp(up, -2.0, 3.0)) * box.height())};
    }
};

/// Where the run stands between what the units can compute and what each way of bytes can bring.
class RooflinePanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {
            .name = "roofline",
            .title = "Roofline",
            .hint = "Operations per second against operations per byte, under the roof of every way of bytes",
            .dock = Dock::bottom,
            .order = 30};
    }

    void draw_content(PanelContext& context) override {
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        const Roofline* whole = nullptr;
        const Roofline* part = nullptr;
        get(context, whole, part);
        if (whole == nullptr || whole->roofs.empty() || room.x < 120 || room.y < 60) {
            empty_panel(context, "No roofline", "it needs a recording that names its chip and moves bytes");
            return;
        }
        const Rect box = whole_pixels({origin.x, origin.y, origin.x + room.x, origin.y + room.y});
        ImGui::InvisibleButton("area", {box.width(), box.height()});
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        draw(canvas, box, context, *whole, part);
    }

    bool draw_picture(Canvas& canvas, Rect box, const PanelContext& context) override {
        const Roofline* whole = nullptr;
        const Roofline* part = nullptr;
        get(context, whole, part);
        if (whole == nullptr || whole->roofs.empty()) {
            return false;
        }
        draw(canvas, whole_pixels(box), context, *whole, part);
        return true;
    }

private:
    using Key = std::tuple<const void*, double, double>;

    void get(const PanelContext& context, const Roofline*& whole, const Roofline*& part) {
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            return;
        }
        const auto held = run->shared_from_this();
        whole = whole_.get({run->data().get(), 0, run->cycles()}, run->at_once(), [held] {
            return roofline_of(*held, {0, held->cycles()});
        });
        const std::optional<TimeRange> range = context.view.range ? context.view.range : context.view.window;
        if (range) {
            part = part_.get({run->data().get(), range->begin, range->end}, run->at_once(), [held, range] {
                return roofline_of(*held, *range);
            });
        }
    }

    static LogPlot make_plot(const Roofline& data, Rect box) {
        double x_low = 1e9;
        double x_high = 1e-9;
        for (const Roof& roof : data.roofs) {
            const double ridge = data.peak_gops / roof.gb_per_s;
            x_low = std::min({x_low, ridge, roof.intensity > 0 ? roof.intensity : ridge});
            x_high = std::max({x_high, ridge, roof.intensity});
        }
        const double top = std::max(data.peak_gops, data.gops);
        const double low = data.gops > 0 ? std::min(data.gops, top / 1000) : top / 1000;
        return {box,
                std::floor(std::log10(x_low / 2)),
                std::ceil(std::log10(x_high * 2)),
                std::floor(std::log10(low / 2)),
                std::ceil(std::log10(top * 1.2))};
    }

    static void draw(
        Canvas& canvas, Rect box, const PanelContext& context, const Roofline& whole, const Roofline* part) {
        const float scale = context.scale();
        const float legend = std::min(std::round(330 * scale), box.width() * 0.45F);
        const Rect area{box.left + std::round(64 * scale),
                        box.top + std::round(6 * scale),
                        box.right - legend - std::round(16 * scale),
                        box.bottom - std::round(32 * scale)};
        if (area.width() < 60 || area.height() < 40) {
            return;
        }
        const LogPlot plot = make_plot(whole, whole_pixels(area));
        draw_axes(canvas, plot, context);
        canvas.push_clip(plot.box);
        draw_roofs(canvas, plot, context, whole);
        draw_points(canvas, plot, context, whole, part);
        canvas.pop_clip();
        draw_legend(canvas, {box.right - legend, box.top, box.right, box.bottom}, context, whole, part);
    }

    static void draw_axes(Canvas& canvas, const LogPlot& plot, const PanelContext& context) {
        const Theme& theme = context.theme;
        const Rect& box = plot.box;
        const float line = context.fonts.line_height(TextStyle::small);
        for (double x = plot.x_low; x <= plot.x_high; ++x) {
            const float place = plot.at(std::pow(10, x), 1).x;
            canvas.fill({place, box.top, place + 1, box.bottom}, theme.grid);
            canvas.text_in({place - 40, box.bottom + 2, place + 40, box.bottom + 2 + line},
                           theme.text_dim,
                           fmt::format("{:g}", std::pow(10, x)),
                           Align::centre,
                           TextStyle::small);
        }
        for (double y = plot.y_low; y <= plot.y_high; ++y) {
            const float place = plot.at(1, std::pow(10, y)).y;
            canvas.fill({box.left, place, box.right, place + 1}, theme.grid);
            canvas.text_in({box.left - 60, place - line / 2, box.left - 6, place + line / 2},
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

    static std::string rate_text(double gops) {
        return gops >= 1000 ? fmt::format("{:.3g} T/s", gops / 1000) : fmt::format("{:.3g} G/s", gops);
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

    static void draw_legend(
        Canvas& canvas, Rect box, const PanelContext& context, const Roofline& whole, const Roofline* part) {
        const Theme& theme = context.theme;
        const float step = std::round(context.fonts.line_height(TextStyle::small) + 4 * context.scale());
        float top = box.top;
        const auto line = [&](Pixel chip, std::string_view name, std::string_view value, Pixel colour) {
            canvas.fill({box.left, top + 3, box.left + 4, top + step - 4}, chip);
            canvas.text_in(
                {box.left + 12, top, box.right, top + step}, colour, name, Align::left, TextStyle::small);
            canvas.text_in({box.left + 12, top, box.right, top + step},
                           theme.text_dim,
                           value,
                           Align::right,
                           TextStyle::small);
            top += step;
        };
        line(theme.text,
             "\u25c6 run",
             fmt::format("{} of {}", rate_text(whole.gops), rate_text(whole.peak_gops)),
             theme.text);
        if (part != nullptr) {
            line(theme.panel,
                 context.view.range ? "\u25c7 selection" : "\u25c7 window",
                 rate_text(part->gops),
                 theme.text);
        }
        for (const Roof& roof : whole.roofs) {
            if (top + step > box.bottom) {
                break;
            }
            line(colour_of(theme, roof),
                 roof.name,
                 fmt::format(
                     "{} of {:.0f} GB/s", format_percent(roof.used_gb_per_s / roof.gb_per_s), roof.gb_per_s),
                 theme.text);
        }
    }

    Latest<Key, Roofline> whole_;
    Latest<Key, Roofline> part_;
};

}  // namespace

std::unique_ptr<Panel> make_roofline_panel();

std::unique_ptr<Panel> make_roofline_panel() {
    return std::make_unique<RooflinePanel>();
}

}  // namespace ascendsim::gui
