// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/widgets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "gui/canvas/elide.hpp"
#include "gui/canvas/imgui_canvas.hpp"

namespace ascendsim::gui {
namespace {

ImVec4 vec(Pixel colour) {
    return ImGui::ColorConvertU32ToFloat4(colour);
}

void unformatted(std::string_view text) {
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
}

enum class Side : std::uint8_t { below, above };

constexpr float wrap_in_fonts = 28;  // sizes of the font that a tooltip is wide at most

/// Puts the next tooltip, of `text`, on one side of `item`, or on the other one where there is no room.
void place_tooltip(Rect item, std::string_view text, Side wanted) {
    const float wrap = ImGui::GetFontSize() * wrap_in_fonts;
    const float gap = std::round(ImGui::GetFontSize() / 4);
    const ImVec2 words = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, wrap);
    const ImVec2 border = ImGui::GetStyle().WindowPadding;
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const float width = words.x + 2 * border.x;
    const float height = words.y + 2 * border.y;
    const bool room_below = item.bottom + gap + height <= screen.y;
    const bool room_above = item.top - gap - height >= 0;
    const bool below = wanted == Side::below ? room_below : room_below && !room_above;
    const float left = std::clamp(ImGui::GetMousePos().x, 0.0F, std::max(0.0F, screen.x - width));
    ImGui::SetNextWindowPos(
        {std::floor(left), std::floor(below ? item.bottom + gap : std::max(0.0F, item.top - gap - height))});
}

void show_tooltip(std::string_view text) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * wrap_in_fonts);
    unformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

/// The hint of the button drawn last: known by what ImGui knows the button by.
void button_tooltip(std::string_view label, std::string_view text) {
    constexpr std::string_view before_name = "###";
    const std::size_t named = label.find(before_name);
    const std::string_view name =
        named == std::string_view::npos ? label : label.substr(named + before_name.size());
    click_tooltip(fmt::format("hint of {}", name), text);
}

}  // namespace

Rect last_item() {
    const ImVec2 low = ImGui::GetItemRectMin();
    const ImVec2 high = ImGui::GetItemRectMax();
    return {low.x, low.y, high.x, high.y};
}

void anchor_last_item(const PanelContext& context, std::string_view name) {
    if (!context.anchors.enabled()) {
        return;
    }
    const ImVec2 low = ImGui::GetWindowDrawList()->GetClipRectMin();
    const ImVec2 high = ImGui::GetWindowDrawList()->GetClipRectMax();
    context.anchors.add(name, intersect(last_item(), {low.x, low.y, high.x, high.y}));
}

void tooltip(std::string_view text) {
    const bool typed_in = ImGui::IsItemActive() && ImGui::GetIO().WantTextInput;
    if (text.empty() || typed_in || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
        return;
    }
    // By what is taller than some lines, such as a picture, ImGui's place by the pointer is the better one.
    if (last_item().height() <= 4 * ImGui::GetFontSize()) {
        place_tooltip(last_item(), text, Side::below);
    }
    show_tooltip(text);
}

void click_tooltip(std::string_view id, std::string_view text) {
    constexpr float clicked = -1;
    float& rested =
        *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID(id.data(), id.data() + id.size()), 0.0F);
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
        rested = 0;
        return;
    }
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseDown(ImGuiMouseButton_Right) ||
        ImGui::IsItemDeactivated()) {
        rested = clicked;
    }
    if (rested == clicked) {
        return;
    }
    rested += ImGui::GetIO().DeltaTime;
    if (rested >= rest_before_hints && !ImGui::GetIO().WantTextInput && !text.empty()) {
        place_tooltip(last_item(), text, Side::above);
        show_tooltip(text);
    }
}

void tooltip_beside(Rect avoid, std::string_view text) {
    place_tooltip(avoid, text, Side::below);
    show_tooltip(text);
}

void dim_text(const PanelContext& context, std::string_view text) {
    ImGui::PushStyleColor(ImGuiCol_Text, vec(context.theme.text_dim));
    ImGui::PushTextWrapPos(0);
    unformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void coloured_text(Pixel colour, std::string_view text) {
    ImGui::PushStyleColor(ImGuiCol_Text, vec(colour));
    unformatted(text);
    ImGui::PopStyleColor();
}

void heading(const PanelContext& context, std::string_view text) {
    ImGui::Dummy({0, std::round(2 * context.scale())});
    ImGui::PushFont(context.fonts.font(TextStyle::bold));
    unformatted(text);
    ImGui::PopFont();
}

void value_row(const PanelContext& context,
               std::string_view label,
               std::string_view value,
               std::string_view meaning) {
    const float start = ImGui::GetCursorPosX();
    const float width = ImGui::GetContentRegionAvail().x;
    const Point size = context.fonts.measure(value, TextStyle::regular);
    const float room = width - size.x - std::round(8 * context.scale());
    ImGui::BeginGroup();
    coloured_text(context.theme.text_dim, without_middle(context.fonts, label, TextStyle::regular, room));
    ImGui::SameLine();
    ImGui::SetCursorPosX(std::max(start + width - size.x, ImGui::GetCursorPosX()));
    unformatted(value);
    ImGui::EndGroup();
    tooltip(meaning);
}

bool link(const PanelContext& context, std::string_view text, std::string_view meaning) {
    coloured_text(context.theme.accent, text);
    const Rect box = last_item();
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        canvas.fill({box.left, box.bottom - 1, box.right, box.bottom}, context.theme.accent);
    }
    tooltip(meaning);
    return hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
}

bool tool_button(const PanelContext& context, std::string_view label, bool on, std::string_view meaning) {
    const Theme& theme = context.theme;
    ImGui::PushStyleColor(ImGuiCol_Button, vec(on ? theme.hover : rgba(0, 0, 0, 0)));
    ImGui::PushStyleColor(ImGuiCol_Text, vec(on ? theme.text : theme.text_dim));
    const bool clicked = ImGui::Button(std::string{label}.c_str());
    ImGui::PopStyleColor(2);
    button_tooltip(label, meaning);
    return clicked;
}

bool small_button(const PanelContext& context, std::string_view label, std::string_view meaning) {
    ImGui::PushStyleColor(ImGuiCol_Button, vec(context.theme.accent_soft));
    ImGui::PushStyleColor(ImGuiCol_Text, vec(context.theme.text));
    const bool clicked = ImGui::SmallButton(std::string{label}.c_str());
    ImGui::PopStyleColor(2);
    button_tooltip(label, meaning);
    return clicked;
}

bool folding_head(const PanelContext& context,
                  std::string_view id,
                  std::string_view title,
                  bool open_at_first,
                  bool keep_open) {
    const std::string key{id};
    bool* folded_open = ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID(key.c_str()), open_at_first);
    const float height = ImGui::GetFrameHeight();
    if (ImGui::InvisibleButton(key.c_str(), {std::max(1.0F, ImGui::GetContentRegionAvail().x), height})) {
        *folded_open = !*folded_open;
    }
    const bool open = *folded_open || keep_open;
    const ImGuiCol ground = ImGui::IsItemActive()    ? ImGuiCol_HeaderActive
                            : ImGui::IsItemHovered() ? ImGuiCol_HeaderHovered
                                                     : ImGuiCol_Header;
    const Rect box = last_item();
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
    canvas.fill(box, ImGui::GetColorU32(ground));
    canvas.fold_mark(
        {box.left, box.top, box.left + height, box.bottom}, open, context.theme.text, height / 2);
    canvas.text_in({box.left + height, box.top, box.right, box.bottom}, context.theme.text, title);
    return open;
}

bool begin_choice(const PanelContext& context, const char* id, const std::string& value) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetFrameHeight();
    const Rect mark{
        at.x + ImGui::CalcItemWidth() - height, at.y, at.x + ImGui::CalcItemWidth(), at.y + height};
    const bool open = ImGui::BeginCombo(id, value.c_str(), ImGuiComboFlags_NoArrowButton);
    ImGuiCanvas{list, context.fonts}.fold_mark(mark, true, context.theme.text_dim, height / 2);
    return open;
}

void draw_cause(Canvas& canvas, Rect box, const CauseStyle& style, const Theme& theme, bool letter) {
    draw_cause_hatch(canvas, box, style, theme);
    if (letter) {
        draw_cause_letter(canvas, box, style, theme);
    }
}

void draw_cause_hatch(Canvas& canvas, Rect box, const CauseStyle& style, const Theme& theme) {
    canvas.fill(box, mix(theme.panel, style.colour, 0.16F));
    canvas.hatch(box, style.pattern, with_alpha(style.colour, 170));
}

Point cause_letter_room(const Canvas& canvas, const CauseStyle& style) {
    const Point size = canvas.measure({&style.letter, 1}, TextStyle::small);
    return {size.x + 4, size.y};
}

void draw_cause_letter(Canvas& canvas, Rect box, const CauseStyle& style, const Theme& theme) {
    const Point room = cause_letter_room(canvas, style);
    if (box.width() < room.x || box.height() < room.y) {
        return;
    }
    const Point size{room.x - 4, room.y};
    const std::string_view text{&style.letter, 1};
    const Point middle = box.centre();
    const Rect plate{std::floor(middle.x - size.x / 2) - 2,
                     std::floor(middle.y - size.y / 2),
                     std::floor(middle.x - size.x / 2) + size.x + 2,
                     std::floor(middle.y - size.y / 2) + size.y};
    canvas.fill(plate, mix(theme.panel, style.colour, 0.16F));
    canvas.text({plate.left + 2, plate.top}, mix(style.colour, theme.text, 0.35F), text, TextStyle::small);
}

void draw_pipe_bar(Canvas& canvas, Rect box, Pixel colour, std::string_view label) {
    canvas.fill(box, colour);
    // Fewer than three letters say nothing, and cost most where bars are many.
    const float least = std::round(28 * canvas.fonts().scale());
    if (box.width() > least) {
        canvas.text_in({box.left + 3, box.top, box.right - 2, box.bottom},
                       readable_on(colour),
                       label,
                       Align::left,
                       TextStyle::small);
    }
}

void draw_scroll_mark(Canvas& canvas, const PanelContext& context, Rect view, float all, float scroll) {
    if (all <= view.height()) {
        return;
    }
    const float width = std::round(3 * context.scale());
    const float height = std::max(12.0F, view.height() * view.height() / all);
    const float top = view.top + (view.height() - height) * scroll / (all - view.height());
    canvas.fill(whole_pixels({view.right - width, top, view.right, top + height}),
                with_alpha(context.theme.text_faint, 150));
}

std::vector<std::string_view> wrapped(const PanelContext& context, std::string_view text, float width) {
    const ImFont* face = context.fonts.font(TextStyle::regular);
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const char* const end =
            face->CalcWordWrapPositionA(1, text.data(), text.data() + text.size(), std::max(1.0F, width));
        const auto length = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, end - text.data()));
        lines.push_back(text.substr(0, length));
        text.remove_prefix(length);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
    return lines;
}

void empty_run_panel(const PanelContext& context, std::string_view what, std::string_view how) {
    if (context.run_a != nullptr && context.run_a->pending()) {
        empty_panel(context, "Running \u2026", "what it records is shown as it comes");
    } else {
        empty_panel(context, what, how);
    }
}

void empty_panel(const PanelContext& context, std::string_view what, std::string_view how) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float left = ImGui::GetCursorPosX();
    ImGui::Dummy({0, std::max(0.0F, std::round(room.y / 2 - 2 * ImGui::GetTextLineHeight()))});
    for (const auto& [text, colour] :
         {std::pair{what, context.theme.text_dim}, std::pair{how, context.theme.text_faint}}) {
        for (const std::string_view line : wrapped(context, text, room.x)) {
            const Point size = context.fonts.measure(line, TextStyle::regular);
            ImGui::SetCursorPosX(left + std::max(0.0F, std::round((room.x - size.x) / 2)));
            coloured_text(colour, line);
        }
    }
}

}  // namespace ascendsim::gui
