// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/welcome.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

/// The mark of the program: four lanes with a bubble, in the colours of the pipes.
void draw_mark(Canvas& canvas, Rect box, const Theme& theme) {
    struct Bar {
        float from;
        float to;
        std::string_view pipe;
    };

    constexpr std::array bars{Bar{0.0F, 0.55F, "mte2"},
                              Bar{0.25F, 0.8F, "vector"},
                              Bar{0.45F, 1.0F, "cube"},
                              Bar{0.7F, 1.0F, "mte3"}};
    const float height = std::floor(box.height() / static_cast<float>(bars.size()));
    for (std::size_t n = 0; n < bars.size(); ++n) {
        const Bar& bar = bars.at(n);
        const float top = box.top + height * static_cast<float>(n);
        canvas.fill(whole_pixels({box.left + bar.from * box.width(),
                                  top,
                                  box.left + bar.to * box.width(),
                                  top + height - std::max(1.0F, std::floor(height / 4))}),
                    theme.pipe(bar.pipe).colour);
    }
}

bool matches(const LibraryEntry& entry, std::string_view find) {
    return find.empty() || match_score(find, entry.name) >= 0 || match_score(find, entry.title) >= 0;
}

/// The name of the program beside its mark, and what it is for or what it opens, in one line of `height`
/// pixels.
void draw_title(Canvas& canvas,
                Point place,
                float width,
                float height,
                std::string_view opening,
                const PanelContext& context) {
    const float scale = context.scale();
    draw_mark(
        canvas, {place.x, place.y + 2, place.x + std::round(1.4F * height), place.y + height}, context.theme);
    const float left = place.x + std::round(1.4F * height + 12 * scale);
    canvas.text({left, place.y}, context.theme.text, "AscendSim", TextStyle::title);
    const float name_width = context.fonts.measure("AscendSim", TextStyle::title).x;
    canvas.text_in(
        {left + name_width + std::round(16 * scale), place.y + 4 * scale, place.x + width, place.y + height},
        opening.empty() ? context.theme.text_dim : context.theme.accent,
        opening.empty() ? "Ascend C kernels on a simulated NPU: where every cycle went, and why." : opening);
}

/// Title and summary of an entry in `box`, whose edges are `pad` pixels away.
void draw_words(Canvas& canvas,
                Rect box,
                float pad,
                const std::vector<std::string_view>& title,
                std::string_view summary,
                const PanelContext& context) {
    const float scale = context.scale();
    const float line = context.fonts.line_height(TextStyle::regular);
    float top = box.top + std::round(5 * scale);
    for (const std::string_view words : title) {
        canvas.text_in({box.left + pad, top, box.right - pad, top + line}, context.theme.text, words);
        top += line;
    }
    if (!summary.empty()) {
        const float next = top + std::round(3 * scale);
        const float small_line = context.fonts.line_height(TextStyle::small);
        canvas.text_in({box.left + pad, next, box.right - pad, next + small_line},
                       context.theme.text_dim,
                       summary,
                       Align::left,
                       TextStyle::small);
    }
}

}  // namespace

void Welcome::draw_entry(const Column& column, const LibraryEntry& entry, PanelContext& context) {
    const float scale = context.scale();
    const float line = context.fonts.line_height(TextStyle::regular);
    const float small_line = context.fonts.line_height(TextStyle::small);
    const float pad = std::round(8 * scale);
    const bool two_lines = !entry.summary.empty();
    const float room = ImGui::GetContentRegionAvail().x - 2 * pad;
    const std::vector<std::string_view> title = wrapped(context, entry.title, room);
    const auto title_lines = static_cast<float>(std::max<std::size_t>(1, title.size()));
    const float height =
        std::round(title_lines * line + (two_lines ? small_line + 3 * scale : 0) + 10 * scale);
    ImGui::PushID(entry.path.c_str());
    if (ImGui::InvisibleButton("entry", {std::max(1.0F, ImGui::GetContentRegionAvail().x), height})) {
        context.requests.open(entry.path);
    }
    const Rect box = last_item();
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) {
        canvas.fill(box, context.theme.hover);
        canvas.fill({box.left, box.top, box.left + std::round(2 * scale), box.bottom}, context.theme.accent);
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        *context.status = entry.path;
    }
    draw_words(canvas, box, pad, title, entry.summary, context);
    if (context.anchors.enabled()) {
        anchor_last_item(context, fmt::format("welcome/{}/{}", column.name, entry.name));
    }
    if (hovered && two_lines && context.fonts.measure(entry.summary, TextStyle::small).x > room) {
        tooltip(entry.summary);
    }
    ImGui::PopID();
}

void Welcome::draw_column(const Column& column, Rect box, PanelContext& context) {
    const float scale = context.scale();
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
    const float head = std::round(context.fonts.line_height(TextStyle::bold) + 10 * scale);
    const float pad = std::round(8 * scale);
    canvas.fill(box, context.theme.panel);
    canvas.text_in({box.left + pad, box.top, box.right, box.top + head},
                   context.theme.text,
                   column.title,
                   Align::left,
                   TextStyle::bold);
    canvas.text_in({box.left, box.top, box.right - pad, box.top + head},
                   context.theme.text_dim,
                   format_count(column.entries.size()),
                   Align::right,
                   TextStyle::small);
    canvas.fill({box.left, box.top + head, box.right, box.top + head + 1}, context.theme.border);
    ImGui::SetCursorScreenPos({box.left, box.top + head + 1});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild(std::string{column.name}.c_str(),
                      {box.width(), std::max(1.0F, box.height() - head - 1)});
    std::size_t shown = 0;
    for (const LibraryEntry& entry : column.entries) {
        if (matches(entry, context.view.find)) {
            draw_entry(column, entry, context);
            ++shown;
        }
    }
    if (shown == 0) {
        ImGui::Dummy({0, pad});
        ImGui::Indent(pad);
        dim_text(context, column.entries.empty() ? column.when_empty : "Nothing matches the find box.");
        ImGui::Unindent(pad);
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

void Welcome::draw(const Rect& box, const Library& library, std::string_view opening, PanelContext& context) {
    const float scale = context.scale();
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
    const float width = std::min(box.width() - std::round(48 * scale), std::round(1160 * scale));
    const float left = std::round(box.centre().x - width / 2);
    float top = box.top + std::round(28 * scale);
    const float title = context.fonts.line_height(TextStyle::title);
    draw_title(canvas, {left, top}, width, title, opening, context);
    top += title + std::round(20 * scale);
    const float gap = std::round(12 * scale);
    const float bottom = box.bottom - std::round(46 * scale);
    const float column_width = std::floor((width - 2 * gap) / 3);
    const std::array columns{
        Column{"runs",
               "Recent runs",
               "None yet. A run of any scenario or kernel is listed here.",
               library.recent_runs()},
        Column{"scenarios",
               "Scenarios",
               "No scenario was found. Start in the project's folder, or drop a file here.",
               library.scenarios()},
        Column{"lessons", "Lessons", "No lesson was found in scenarios/lessons.", library.lessons()}};
    for (std::size_t n = 0; n < columns.size(); ++n) {
        const float x = left + static_cast<float>(n) * (column_width + gap);
        draw_column(columns.at(n), {x, top, x + column_width, std::max(bottom, top + 1)}, context);
    }
    canvas.text_in({left, bottom + std::round(10 * scale), left + width, box.bottom - std::round(10 * scale)},
                   context.theme.text_dim,
                   "Ctrl+O open a file   \u00b7   Ctrl+Shift+P find a command   \u00b7   ? all keys   \u00b7 "
                   "  drop a recording, "
                   "scenario or kernel anywhere",
                   Align::left,
                   TextStyle::small);
}

}  // namespace ascendsim::gui
