// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/document/run.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/time_ruler.hpp"

namespace ascendsim::gui {
namespace {

/// Memory traffic over the same time as the timeline: HBM, L2 and every route against its peak.
class TrafficPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "traffic",
                .title = "Memory traffic",
                .hint = "Bytes per cycle of HBM, L2 and every route, against the most that can flow",
                .dock = Dock::lower,
                .order = 0,
                .table = true};
    }

    /// A machine's recording has its links over time instead.
    [[nodiscard]] bool applies(const PanelContext& context) const override {
        const Run* run = as_run(context.run_a);
        return run == nullptr || used(*run) > 0 ||
               std::ranges::none_of(run->plots(), &analysis::RecordedPlot::over_time);
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        if (run == nullptr || used(*run) == 0 || room.x < 40 || room.y < 10) {
            empty_run_panel(context,
                            "No memory traffic",
                            run == nullptr || run->recording().complete()
                                ? "this recording holds no transfer"
                                : "this recording holds no transfer so far: it ends before its run does");
            return;
        }
        const Rect box = whole_pixels({origin.x, origin.y, origin.x + room.x, origin.y + room.y});
        ImGui::InvisibleButton("area", {box.width(), box.height()});
        const float row = row_height(*run, context, box);
        const float most = std::max(0.0F, row * static_cast<float>(used(*run)) - box.height());
        if (ImGui::IsItemHovered()) {
            const ImGuiIO& io = ImGui::GetIO();
            scroll_ -= io.KeyCtrl || io.KeyShift ? 0 : std::clamp(io.MouseWheel, -20.0F, 20.0F) * row;
            hover(*run, context, box);
        }
        scroll_ = std::round(std::clamp(scroll_, 0.0F, most));
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        draw(canvas, *run, context, box);
        draw_scroll_mark(canvas, context, box, row * static_cast<float>(used(*run)), scroll_);
        if (context.anchors.enabled()) {
            context.anchors.value("traffic.rows", used(*run));
            context.anchors.value("traffic.hidden", most);
        }
    }

    [[nodiscard]] float wished_height(const PanelContext& context) const override {
        const Run* run = as_run(context.run_a);
        return run == nullptr ? 0
                              : static_cast<float>(used(*run)) * context.fonts.line_height(TextStyle::small);
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            return std::nullopt;
        }
        const TimeRange seen = context.view.visible();
        Csv csv{
            {"curve", "bytes in window (B)", "mean rate (B/cycle)", "peak (B/cycle)", "bytes in run (B)"}};
        for (std::size_t curve = 0; curve < curve_count; ++curve) {
            if (run->traffic().used(curve)) {
                const double bytes = run->traffic().bytes(curve, seen.begin, seen.end);
                csv.row({std::string{curve_label(curve)},
                         fmt::format("{:.0f}", bytes),
                         fmt::format("{:.4f}", run->traffic().mean_rate(curve, seen.begin, seen.end)),
                         fmt::format("{:.4f}", run->traffic().peak(curve)),
                         fmt::format("{:.0f}", run->traffic().total(curve))});
            }
        }
        return csv.text();
    }

private:
    static std::size_t used(const Run& run) {
        std::size_t count = 0;
        for (std::size_t curve = 0; curve < curve_count; ++curve) {
            count += run.traffic().used(curve) ? 1U : 0U;
        }
        return count;
    }

    static float row_height(const Run& run, const PanelContext& context, Rect box) {
        const float share =
            std::floor(box.height() / static_cast<float>(std::max<std::size_t>(1, used(run))));
        const float least = context.fonts.line_height(TextStyle::small) - std::round(2 * context.scale());
        return std::clamp(share, least, std::round(64 * context.scale()));
    }

    static TimeAxis axis_of(const PanelContext& context, Rect box) {
        const float head = std::min(time_header_width(context.scale()), std::round(box.width() / 3));
        return {context.view.visible(), box.left + head, std::max(1.0F, box.width() - head)};
    }

    void draw(Canvas& canvas, const Run& run, const PanelContext& context, Rect box) const {
        const TimeAxis axis = axis_of(context, box);
        const float row = row_height(run, context, box);
        canvas.push_clip(box);
        draw_time_grid(
            canvas, axis, {axis.left, box.top, box.right, box.bottom}, context.time(), context.theme);
        float top = box.top - scroll_;
        for (std::size_t curve = 0; curve < curve_count; ++curve) {
            if (!run.traffic().used(curve)) {
                continue;
            }
            if (top + row > box.top && top < box.bottom) {
                draw_row(canvas, run, context, axis, curve, {box.left, top, box.right, top + row});
            }
            top += row;
        }
        draw_time_overlays(
            canvas, axis, {axis.left, box.top, box.right, box.bottom}, context.view, context.theme);
        canvas.pop_clip();
    }

    static Pixel colour_of(const Theme& theme, std::size_t curve) {
        switch (curve) {
            case hbm_curve:
                return theme.accent;
            case l2_read_curve:
                return theme.l2_reads;
            case l2_write_curve:
                return theme.l2_writes;
            default:
                return theme.pipe(analysis::route_pipes.at(curve - first_route_curve)).colour;
        }
    }

    static void draw_row(Canvas& canvas,
                         const Run& run,
                         const PanelContext& context,
                         const TimeAxis& axis,
                         std::size_t curve,
                         Rect box) {
        const Theme& theme = context.theme;
        const TrafficSeries& series = run.traffic();
        const float scale = context.scale();
        const double peak = series.peak(curve);
        const TimeRange& seen = axis.seen;
        const double mean = series.mean_rate(curve, seen.begin, seen.end);
        const double top_rate = peak > 0 ? peak : most_of(series, curve, axis);
        const bool two_lines = box.height() >= 2 * context.fonts.line_height(TextStyle::small);
        const float margin = two_lines ? 3 : 1;
        const Rect plot{axis.left, box.top + margin, box.right, box.bottom - margin};
        draw_area(canvas, series, curve, axis, plot, top_rate, colour_of(theme, curve), theme);
        if (peak > 0) {
            canvas.fill({plot.left, plot.top, plot.right, plot.top + 1}, with_alpha(theme.text_faint, 140));
        }
        canvas.fill({plot.left, plot.bottom, plot.right, plot.bottom + 1}, theme.border);
        const Rect head{box.left, box.top, axis.left - std::round(8 * scale), box.bottom};
        const float chip = std::round(3 * scale);
        canvas.fill({head.left, plot.top, head.left + chip, plot.bottom}, colour_of(theme, curve));
        const float half = std::round(box.centre().y);
        const float indent = head.left + chip + std::round(6 * scale);
        const std::string value = peak > 0                  ? format_percent(mean / peak)
                                  : mean > 0 && mean < 0.05 ? "<0.1 B/c"
                                                            : fmt::format("{:.1f} B/c", mean);
        const float value_room =
            two_lines ? 0 : canvas.measure(value, TextStyle::small).x + std::round(6 * scale);
        const Rect name{indent, box.top, head.right - value_room, two_lines ? half + 1 : box.bottom};
        const bool fits = canvas.measure(curve_label(curve), TextStyle::small).x <= name.width();
        const std::string_view label = fits ? curve_label(curve) : short_curve_label(curve);
        canvas.text_in(name, theme.text, label, Align::left, TextStyle::small);
        if (context.anchors.enabled()) {
            context.anchors.value(fmt::format("traffic.row.{}.cut", curve),
                                  canvas.measure(label, TextStyle::small).x > name.width());
        }
        canvas.text_in(Rect{indent, two_lines ? half - 1 : box.top, head.right, box.bottom},
                       theme.text_dim,
                       two_lines && peak > 0 ? fmt::format("{} of {:.0f} B/c", value, peak) : value,
                       two_lines ? Align::left : Align::right,
                       TextStyle::small);
    }

    static double most_of(const TrafficSeries& series, std::size_t curve, const TimeAxis& axis) {
        double most = 1e-9;
        const double step = axis.cycles_per_pixel();
        for (float x = axis.left; x < axis.right(); ++x) {
            const double begin = axis.cycle(x);
            most = std::max(most, series.bytes(curve, begin, begin + step) / step);
        }
        return most;
    }

    static void draw_area(Canvas& canvas,
                          const TrafficSeries& series,
                          std::size_t curve,
                          const TimeAxis& axis,
                          Rect plot,
                          double top_rate,
                          Pixel colour,
                          const Theme& theme) {
        const double step = axis.cycles_per_pixel();
        float from = plot.left;
        float height = 0;
        const auto flush = [&](float x) {
            if (height > 0) {
                const Rect bar{from, plot.bottom - height, x, plot.bottom};
                canvas.fill(bar, mix(theme.panel, colour, 0.45F));
                canvas.fill({bar.left, bar.top, bar.right, bar.top + 1}, colour);
            }
        };
        for (float x = plot.left; x < plot.right; ++x) {
            const double begin = axis.cycle(x);
            const double rate = series.bytes(curve, begin, begin + step) / step;
            const auto share = static_cast<float>(std::clamp(rate / top_rate, 0.0, 1.0));
            const float next = rate > 0 ? std::max(1.0F, std::round(share * plot.height())) : 0;
            if (next != height) {
                flush(x);
                from = x;
                height = next;
            }
        }
        flush(plot.right);
    }

    /// Moves the common cursor and says what flows there.
    void hover(const Run& run, PanelContext& context, Rect box) const {
        const TimeAxis axis = axis_of(context, box);
        const ImVec2 mouse = ImGui::GetMousePos();
        if (mouse.x < axis.left) {
            hover_head(run, context, box);
            return;
        }
        const double cycle = axis.cycle(mouse.x);
        if (context.view.cursor != cycle) {
            context.requests.change([cycle](ViewState& view) { view.cursor = cycle; });
        }
        const float place = (mouse.y - box.top + scroll_) / row_height(run, context, box);
        auto left = static_cast<std::size_t>(std::max(0.0F, place));
        for (std::size_t curve = 0; curve < curve_count; ++curve) {
            if (run.traffic().used(curve) && left-- == 0 && context.status != nullptr) {
                const double step = axis.cycles_per_pixel();
                const double rate = run.traffic().bytes(curve, cycle, cycle + step) / step;
                const double peak = run.traffic().peak(curve);
                *context.status =
                    fmt::format("{}: {}{} at {}",
                                curve_label(curve),
                                format_rate(rate, run.clock_ghz()),
                                peak > 0 ? fmt::format(", {} of its peak", format_percent(rate / peak)) : "",
                                format_time(cycle, context.time()));
                return;
            }
        }
    }

    /// What the figures at the left mean.
    void hover_head(const Run& run, const PanelContext& context, Rect box) const {
        const float place = (ImGui::GetMousePos().y - box.top + scroll_) / row_height(run, context, box);
        auto left = static_cast<std::size_t>(std::max(0.0F, place));
        for (std::size_t curve = 0; curve < curve_count; ++curve) {
            if (run.traffic().used(curve) && left-- == 0) {
                const TimeRange seen = context.view.visible();
                const double bytes = run.traffic().bytes(curve, seen.begin, seen.end);
                const double peak = run.traffic().peak(curve);
                tooltip(fmt::format(
                    "{}: {} in the visible stretch, on average {}{}\nThe faint line is the peak of "
                    "all cores that use it. L2 gives and takes at the same time, as much each way.",
                    curve_label(curve),
                    format_bytes(static_cast<std::uint64_t>(bytes)),
                    format_rate(run.traffic().mean_rate(curve, seen.begin, seen.end), run.clock_ghz()),
                    peak > 0 ? fmt::format(" of {}", format_rate(peak, run.clock_ghz())) : ""));
            }
        }
    }

    float scroll_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_traffic_panel();

std::unique_ptr<Panel> make_traffic_panel() {
    return std::make_unique<TrafficPanel>();
}

}  // namespace ascendsim::gui
