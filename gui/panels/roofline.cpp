// SPDX-License-Identifier: Apache-2.0
#include "gui/document/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/document/latest.hpp"
#include "gui/panels/roofline/log_plot.hpp"
#include "gui/panels/roofline/roofline_legend.hpp"
#include "gui/panels/roofline/roofline_marks.hpp"
#include "gui/panels/roofline/roofline_picture.hpp"
#include "gui/shell/csv.hpp"
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
            .hint =
                "Operations per second against operations per byte, under the roof of every route of bytes",
            .dock = Dock::bottom,
            .order = 40,
            .table = true};
    }

    void draw_content(PanelContext& context) override {
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        const RooflineLines lines = get(context);
        const Roofline* whole = lines.whole;
        if (whole == nullptr || whole->roofs.empty()) {
            empty_panel(context, "No roofline", "it needs a recording that names its chip and moves bytes");
            return;
        }
        if (room.x < 120 || room.y < 60) {
            empty_panel(context, "Too small for a roofline", "enlarge this view");
            return;
        }
        const Rect box = whole_pixels({origin.x, origin.y, origin.x + room.x, origin.y + room.y});
        ImGui::InvisibleButton("area", {box.width(), box.height()});
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        const std::vector<const Roof*> lit =
            ImGui::IsItemHovered() ? hover(context, lines, box) : std::vector<const Roof*>{};
        draw_roofline(canvas, box, context, lines, lit);
        if (context.anchors.enabled()) {
            publish(context, lines, box);
        }
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& context) override {
        const RooflineLines lines = get(context);
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
    /// For scripts: how many arrows, and every mark with the ways of bytes in it.
    static void publish(const PanelContext& context, const RooflineLines& lines, Rect box) {
        context.anchors.value("roofline.arrows", arrows_of(lines).size());
        const std::optional<LogPlot> plot = roofline_plot(context, box, lines);
        if (!plot) {
            return;
        }
        const std::vector<RooflineMark> marks = marks_of(*plot, *lines.whole, context.scale());
        const float peak = plot->at(1, lines.whole->peak_gops).y;
        context.anchors.value("roofline.marks", marks.size());
        context.anchors.add("roofline/peak", {plot->box.left, peak, plot->box.right, peak + 2});
        context.anchors.add("roofline/peak_label", peak_label_box(*plot, context, *lines.whole, marks));
        for (const RooflineMark& mark : marks) {
            for (const Roof* roof : mark.roofs) {
                context.anchors.add(fmt::format("roofline/mark/{}", roof->name), mark.box());
            }
        }
    }

    using Key = std::tuple<const void*, double, double>;

    RooflineLines get(const PanelContext& context) {
        RooflineLines lines;
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

    /// Says what is under the pointer, in the plot or the legend; returns the ways of bytes that are.
    static std::vector<const Roof*> hover(const PanelContext& context, const RooflineLines& lines, Rect box) {
        const Point mouse{ImGui::GetMousePos().x, ImGui::GetMousePos().y};
        const Rect legend = legend_box(context, box);
        if (mouse.x < legend.left) {
            return hover_plot(context, lines, box, mouse);
        }
        const std::vector<LegendRow> rows = legend_rows(context, lines);
        const LegendRow* row = legend_row_at(rows, context, legend, mouse);
        if (row == nullptr || row->roof == nullptr) {
            tooltip("Operations per second achieved, and the most the units can do");
            return {};
        }
        tooltip(sentence_of(*row->roof, *lines.whole));
        return {row->roof};
    }

    static std::vector<const Roof*> hover_plot(const PanelContext& context,
                                               const RooflineLines& lines,
                                               Rect box,
                                               Point mouse) {
        const std::optional<LogPlot> plot = roofline_plot(context, box, lines);
        const std::vector<RooflineMark> marks =
            plot ? marks_of(*plot, *lines.whole, context.scale()) : std::vector<RooflineMark>{};
        const auto under = std::ranges::find_if(
            marks, [mouse](const RooflineMark& mark) { return mark.box().contains(mouse); });
        if (under == marks.end()) {
            tooltip(
                "Operations per second over operations per byte, both logarithmic. A filled diamond is the "
                "run "
                "seen through one way of bytes, or several of like intensity, a stripe each; a hollow one is "
                "the "
                "selection or window, a square run B before. The nearest roof above it is what it could "
                "reach.");
            return {};
        }
        std::string words;
        for (const Roof* roof : under->roofs) {
            words += (words.empty() ? "" : "\n") + sentence_of(*roof, *lines.whole);
        }
        tooltip(words);
        return under->roofs;
    }

    static std::string sentence_of(const Roof& roof, const Roofline& whole) {
        return fmt::format(
            "{}: {:.1f} of {:.0f} GB/s used; {:.3g} operations for each byte that went this way. Under this "
            "roof alone {} would be possible.",
            roof.name,
            roof.used_gb_per_s,
            roof.gb_per_s,
            roof.intensity,
            rate_text(std::min(whole.peak_gops, roof.intensity * roof.gb_per_s)));
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
