// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

/// What the colours, hatches and letters of all pictures mean.
class LegendPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "legend",
                .title = "Legend",
                .hint = "What colours, hatches and letters mean",
                .dock = Dock::right,
                .order = 90,
                .needs_run = false};
    }

    void draw_content(PanelContext& context) override {
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x);
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        const float height = draw(canvas, {origin.x, origin.y, origin.x + width, origin.y}, context);
        ImGui::Dummy({width, height});
        const ImVec2 mouse = ImGui::GetMousePos();
        if (ImGui::IsItemHovered()) {
            const auto row =
                static_cast<std::size_t>(std::max(0.0F, (mouse.y - origin.y) / row_height(context)));
            tooltip(meaning_of(row, context));
        }
    }

private:
    static float row_height(const PanelContext& context) {
        return std::round(context.fonts.line_height(TextStyle::regular) + 9 * context.scale());
    }

    /// Rows: a heading, the pipes, a heading, the causes. Causes begin with the first real wait.
    static std::string_view meaning_of(std::size_t row, const PanelContext& context) {
        const auto& pipes = context.theme.pipes;
        if (row >= 1 && row <= pipes.size()) {
            return pipes.at(row - 1).meaning;
        }
        const std::size_t first = pipes.size() + 2;
        if (row >= first && row - first + 1 < context.theme.causes.size()) {
            return context.theme.causes.at(row - first + 1).meaning;
        }
        return {};
    }

    /// Draws downwards from the top of `box` and returns the height used.
    static float draw(Canvas& canvas, Rect box, const PanelContext& context) {
        const Theme& theme = context.theme;
        const float step = row_height(context);
        const float swatch = std::round(58 * context.scale());
        const float gap = std::round(10 * context.scale());
        float top = box.top;
        const auto head = [&](std::string_view text) {
            canvas.text_in(
                {box.left, top, box.right, top + step}, theme.text, text, Align::left, TextStyle::bold);
            top += step;
        };
        const auto label = [&](std::string_view text, Pixel colour, TextStyle style) {
            canvas.text_in(
                {box.left + swatch + gap, top, box.right, top + step}, colour, text, Align::left, style);
            top += step;
        };
        const auto bar = [&] { return Rect{box.left, top + 2, box.left + swatch, top + step - 3}; };
        head("Busy, by pipe");
        for (const PipeStyle& pipe : theme.pipes) {
            draw_pipe_bar(canvas, bar(), pipe.colour, pipe.label);
            label(pipe.meaning, theme.text_dim, TextStyle::small);
        }
        head("Waiting, by cause");
        for (std::size_t n = 1; n < theme.causes.size(); ++n) {
            draw_cause(canvas, bar(), theme.causes.at(n), theme);
            label(theme.causes.at(n).label, theme.text, TextStyle::regular);
        }
        return top - box.top;
    }
};

}  // namespace

std::unique_ptr<Panel> make_legend_panel();

std::unique_ptr<Panel> make_legend_panel() {
    return std::make_unique<LegendPanel>();
}

}  // namespace ascendsim::gui
