// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/document/run.hpp"
#include "gui/panels/plots/plot_card.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

using analysis::PlotKind;
using analysis::RecordedPlot;

/// The plots that a recording brings along: percentiles, scaling, ladders, shares.
class PlotsPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "plots",
                .title = "Plots",
                .hint = "Percentiles, scaling, ladders and shares that the recording brings along",
                .dock = Dock::centre,
                .order = 40,
                .table = true};
    }

    [[nodiscard]] bool applies(const PanelContext& context) const override {
        const Run* run = as_run(context.run_a);
        return run != nullptr && std::ranges::any_of(run->plots(), in_cards);
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        if (run == nullptr || !applies(context) || room.x < 40 || room.y < 10) {
            empty_panel(context, "No plots", "this recording brings none along");
            return;
        }
        const Rect box = whole_pixels({at.x, at.y, at.x + room.x, at.y + room.y});
        ImGui::InvisibleButton("plots", {box.width(), box.height()});
        const bool hovered = ImGui::IsItemHovered();
        if (hovered) {
            scroll_ -=
                std::clamp(ImGui::GetIO().MouseWheel, -20.0F, 20.0F) * std::round(48 * context.scale());
        }
        float height = 0;
        const std::vector<Card> cards = arrange(*run, context, box, height);
        scroll_ = std::round(std::clamp(scroll_, 0.0F, std::max(0.0F, height - box.height())));
        const ImVec2 mouse = ImGui::GetMousePos();
        const std::optional<Point> pointer = hovered ? std::optional{Point{mouse.x, mouse.y}} : std::nullopt;
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        canvas.push_clip(box);
        for (const Card& card : cards) {
            const Rect place = moved(card.box);
            if (intersect(place, box).empty()) {
                continue;
            }
            draw_card(canvas, *card.plot, place, pointer, context.theme);
            if (pointer && place.contains(*pointer)) {
                if (const std::string hint = card_hint(context.fonts, *card.plot, place, *pointer);
                    !hint.empty()) {
                    tooltip(hint);
                }
            }
        }
        canvas.pop_clip();
        draw_scroll_mark(canvas, context, box, height, scroll_);
        publish(context, cards, box, height);
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            return std::nullopt;
        }
        Csv csv{{"plot", "series", "x", "y", "x axis", "y axis"}};
        for (const RecordedPlot& plot : run->plots()) {
            if (!in_cards(plot)) {
                continue;
            }
            for (const analysis::PlotSeries& series : plot.series) {
                for (const auto& [x, y] : series.points) {
                    csv.row({plot.title,
                             series.name,
                             fmt::format("{:.6g}", x),
                             fmt::format("{:.6g}", y),
                             plot.x,
                             plot.y});
                }
            }
            for (const analysis::PlotBar& bar : plot.bars) {
                csv.row({plot.title, bar.name, "", fmt::format("{:.6g}", bar.value), plot.x, bar.text});
            }
        }
        return csv.text();
    }

private:
    struct Card {
        const RecordedPlot* plot = nullptr;
        Rect box;  // as if nothing were scrolled
    };

    static bool in_cards(const RecordedPlot& plot) { return !plot.over_time; }

    [[nodiscard]] Rect moved(Rect box) const {
        return {box.left, box.top - scroll_, box.right, box.bottom - scroll_};
    }

    /// Cards in columns, each below the shortest one so far.
    static std::vector<Card> arrange(const Run& run, const PanelContext& context, Rect box, float& height) {
        const float gap = std::round(8 * context.scale());
        const float least = std::round(430 * context.scale());
        const auto columns =
            static_cast<std::size_t>(std::clamp(std::floor(box.width() / least), 1.0F, 4.0F));
        const float width = std::floor((box.width() - gap) / static_cast<float>(columns));
        std::vector<float> tops(columns, 0.0F);
        std::vector<Card> cards;
        for (const RecordedPlot& plot : run.plots()) {
            if (!in_cards(plot)) {
                continue;
            }
            const auto shortest = std::ranges::min_element(tops);
            const float left = box.left + static_cast<float>(shortest - tops.begin()) * width;
            const float high = card_height(context.fonts, plot, width - gap);
            cards.push_back(
                {&plot,
                 whole_pixels({left, box.top + *shortest, left + width - gap, box.top + *shortest + high})});
            *shortest += high + gap;
        }
        height = std::ranges::max(tops);
        return cards;
    }

    void publish(const PanelContext& context, const std::vector<Card>& cards, Rect box, float height) const {
        if (!context.anchors.enabled()) {
            return;
        }
        context.anchors.value("plots.cards", cards.size());
        context.anchors.value("plots.hidden", std::max(0.0F, height - box.height()));
        for (std::size_t n = 0; n < cards.size(); ++n) {
            context.anchors.add(fmt::format("plots/{}", n), intersect(moved(cards[n].box), box));
        }
    }

    float scroll_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_plots_panel();

std::unique_ptr<Panel> make_plots_panel() {
    return std::make_unique<PlotsPanel>();
}

}  // namespace ascendsim::gui
