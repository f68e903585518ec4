// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "app/analysis/power_curve.hpp"
#include "gui/canvas/elide.hpp"
#include "gui/canvas/imgui_canvas.hpp"
#include "gui/document/latest.hpp"
#include "gui/document/run.hpp"
#include "gui/panels/over_time/curve_row.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/plot_marks.hpp"
#include "gui/timeview/time_ruler.hpp"

namespace ascendsim::gui {
namespace {

using analysis::RecordedPlot;

/// The power that a chip draws, as a plot; nothing if the recording does not tell.
std::optional<RecordedPlot> power_plot(const Run& run) {
    constexpr std::size_t stretches = 1000;
    const RunAnalysis* analysis = run.analysis();
    if (analysis == nullptr || analysis->summary.energy == std::nullopt) {
        return std::nullopt;
    }
    analysis::RunSummary summary = analysis->summary;
    if (analysis->step) {  // a program's axis goes on while no kernel runs
        summary.time_us = static_cast<double>(summary.to - summary.from) /
                          static_cast<double>(summary.executions) / run.clock_ghz() / 1e3;
    }
    const auto curve = analysis::power_curve(run.recording(), summary, stretches);
    if (!curve) {
        return std::nullopt;
    }
    RecordedPlot plot{
        .title = "Power",
        .note =
            fmt::format("What the chip draws, give or take {:.0f} %, with the work of an instruction spread "
                        "over its time; idle it draws {:.0f} W",
                        100 * curve->spread,
                        curve->idle_w),
        .y = "W",
        .over_time = true,
        .steps = true};
    if (curve->limit_w > 0) {
        plot.limit = curve->limit_w;
    }
    const double from = static_cast<double>(analysis->summary.from) / run.clock_ghz() / 1e3;  // us
    analysis::PlotSeries& watts = plot.series.emplace_back();
    for (std::size_t i = 0; i < curve->watts.size(); ++i) {
        watts.points.emplace_back(from + static_cast<double>(i) * curve->stretch_us, curve->watts[i]);
    }
    watts.points.emplace_back(from + curve->run_us, 0);
    return plot;
}

/// What a recording tells over time besides spans: watts, links, requests, memory.
class OverTimePanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "over_time",
                .title = "Over time",
                .hint = "Watts, traffic of links, requests, memory: below the timeline on its axis",
                .dock = Dock::lower,
                .order = 15,
                .table = true};
    }

    [[nodiscard]] bool applies(const PanelContext& context) const override {
        const Run* run = as_run(context.run_a);
        return run != nullptr && (std::ranges::any_of(run->plots(), &RecordedPlot::over_time) ||
                                  (run->analysis() != nullptr && run->analysis()->summary.energy));
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        if (run != nullptr) {
            follow(*run);
        }
        if (run == nullptr || shown_.empty() || room.x < 40 || room.y < 10) {
            empty_panel(context, "Nothing over time", "this recording holds no values besides its spans");
            return;
        }
        const Rect box = whole_pixels({origin.x, origin.y, origin.x + room.x, origin.y + room.y});
        ImGui::InvisibleButton("area", {box.width(), box.height()});
        const float row = row_height(context, box);
        const float all = row * static_cast<float>(shown_.size());
        if (ImGui::IsItemHovered()) {
            const ImGuiIO& io = ImGui::GetIO();
            scroll_ -= io.KeyCtrl || io.KeyShift ? 0 : std::clamp(io.MouseWheel, -20.0F, 20.0F) * 24;
            hover(*run, context, box, row);
        }
        scroll_ = std::round(std::clamp(scroll_, 0.0F, std::max(0.0F, all - box.height())));
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        draw(canvas, *run, context, box, row);
        draw_scroll_mark(canvas, context, box, all, scroll_);
        publish(context, box, row);
    }

    [[nodiscard]] float wished_height(const PanelContext& context) const override {
        return static_cast<float>(shown_.size()) * std::round(64 * context.scale());
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            return std::nullopt;
        }
        follow(*run);
        Csv csv{{"plot", "series", "time (us)", "value", "unit"}};
        for (const RecordedPlot& plot : shown_) {
            for (const analysis::PlotSeries& series : plot.series) {
                for (const auto& [us, value] : series.points) {
                    csv.row({plot.title,
                             series.name,
                             fmt::format("{:.4f}", us),
                             fmt::format("{:.6g}", value),
                             plot.y});
                }
            }
        }
        return csv.text();
    }

private:
    /// Power is added up by a worker, once for each analysis.
    void follow(const Run& run) {
        const std::optional<RecordedPlot>* power = nullptr;
        if (run.analysis() != nullptr) {
            const auto held = run.shared_from_this();
            power = power_.get(run.analysis_pointer(), run.at_once(), [held] { return power_plot(*held); });
        }
        const auto key = std::make_tuple(static_cast<const void*>(run.data().get()),
                                         power != nullptr && power->has_value(),
                                         static_cast<const void*>(run.analysis()));
        if (key == of_) {
            return;
        }
        of_ = key;
        shown_.clear();
        std::ranges::copy_if(run.plots(), std::back_inserter(shown_), &RecordedPlot::over_time);
        if (power != nullptr && power->has_value()) {
            shown_.push_back(**power);
        }
        tops_.clear();
        std::ranges::transform(shown_, std::back_inserter(tops_), top_of);
    }

    [[nodiscard]] float row_height(const PanelContext& context, Rect box) const {
        const float share = std::floor(box.height() / static_cast<float>(shown_.size()));
        const float least = std::round(44 * context.scale());
        return std::clamp(share, least, std::round(150 * context.scale()));
    }

    static TimeAxis axis_of(const PanelContext& context, Rect box) {
        const float head = std::min(time_header_width(context.scale()), std::round(box.width() / 3));
        return {context.view.visible(), box.left + head, std::max(1.0F, box.width() - head)};
    }

    void draw(Canvas& canvas, const Run& run, const PanelContext& context, Rect box, float row) const {
        const TimeAxis axis = axis_of(context, box);
        const Rect timed{axis.left, box.top, box.right, box.bottom};
        canvas.push_clip(box);
        draw_time_grid(canvas, axis, timed, context.time(), context.theme);
        float top = box.top - scroll_;
        for (std::size_t n = 0; n < shown_.size(); ++n) {
            if (top + row > box.top && top < box.bottom) {
                draw_curve_row(canvas,
                               {.plot = shown_[n],
                                .top_value = tops_[n],
                                .axis = axis,
                                .us_a_cycle = 1e-3 / run.clock_ghz(),
                                .cursor = context.view.cursor},
                               {box.left, top, box.right, top + row},
                               context.theme);
            }
            top += row;
        }
        draw_time_overlays(canvas, axis, timed, context.view, context.theme);
        canvas.pop_clip();
    }

    /// Moves the common cursor and says what is there.
    void hover(const Run& run, PanelContext& context, Rect box, float row) const {
        const TimeAxis axis = axis_of(context, box);
        const ImVec2 mouse = ImGui::GetMousePos();
        const auto number = static_cast<std::size_t>(std::max(0.0F, (mouse.y - box.top + scroll_) / row));
        if (number >= shown_.size()) {
            return;
        }
        const RecordedPlot& plot = shown_[number];
        if (mouse.x < axis.left) {
            std::string words = plot.title + (plot.y.empty() ? "" : ", " + plot.y);
            words += plot.note.empty() ? "" : "\n" + plot.note;
            tooltip(words);
            return;
        }
        const double cycle = axis.cycle(mouse.x);
        if (context.view.cursor != cycle) {
            context.requests.change([cycle](ViewState& view) { view.cursor = cycle; });
        }
        std::string words = fmt::format("{} at {}:", plot.title, format_time(cycle, context.time()));
        for (const analysis::PlotSeries& series : plot.series) {
            words += fmt::format("  {}{} {}",
                                 series.name,
                                 series.name.empty() ? "" : ":",
                                 plot_figure(value_at(series, cycle * 1e-3 / run.clock_ghz(), plot.steps)));
        }
        *context.status = words + " " + plot.y;
    }

    void publish(const PanelContext& context, Rect box, float row) const {
        if (!context.anchors.enabled()) {
            return;
        }
        context.anchors.value("over_time.rows", shown_.size());
        for (std::size_t n = 0; n < shown_.size(); ++n) {
            const float top = box.top - scroll_ + static_cast<float>(n) * row;
            context.anchors.add(fmt::format("over_time/{}", n),
                                intersect({box.left, top, box.right, top + row}, box));
            context.anchors.value(fmt::format("over_time.{}.top", n), tops_[n]);
        }
    }

    Latest<std::shared_ptr<const RunAnalysis>, std::optional<RecordedPlot>> power_;
    std::tuple<const void*, bool, const void*> of_{};  // what is shown; compared, never followed
    std::vector<RecordedPlot> shown_;
    std::vector<double> tops_;
    float scroll_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_over_time_panel();

std::unique_ptr<Panel> make_over_time_panel() {
    return std::make_unique<OverTimePanel>();
}

}  // namespace ascendsim::gui
