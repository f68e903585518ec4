// SPDX-License-Identifier: Apache-2.0
// Everything around the panels: toolbar, tabs, splitters, status line, messages.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/shell.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

constexpr float panel_margin = 6;  // above and below what a panel draws, pixels at scale 1

constexpr ImGuiWindowFlags fixed_window = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                          ImGuiWindowFlags_NoSavedSettings |
                                          ImGuiWindowFlags_NoBringToFrontOnFocus;

/// A window that the shell places, without any decoration.
void begin_fixed(const char* name, const Rect& box, Pixel background, ImVec2 padding) {
    ImGui::SetNextWindowPos({box.left, box.top});
    ImGui::SetNextWindowSize({std::max(1.0F, box.width()), std::max(1.0F, box.height())});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, background);
    ImGui::Begin(name, nullptr, fixed_window);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
}

std::string with_key(const CommandTable& commands, std::string_view text, std::string_view command) {
    const Command* found = commands.find(command);
    const std::string keys = found == nullptr ? "" : found->key_text();
    return keys.empty() ? std::string{text} : fmt::format("{}  ({})", text, keys);
}

std::string counted(std::size_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace

PanelContext Shell::make_context() {
    return {.view = view_,
            .theme = theme(),
            .fonts = *fonts_,
            .commands = commands_,
            .anchors = anchors_,
            .requests = requests_,
            .run_a = run_a_.get(),
            .run_b = run_b_.get(),
            .runs = runs_,
            .status = &status_};
}

void Shell::draw() {
    const Rect screen{0, 0, screen_.x, screen_.y};
    PanelContext context = make_context();
    panel_boxes_.clear();
    for (const std::unique_ptr<Panel>& panel : panels_) {
        panel->watch(context);
    }
    const LayoutRects rects =
        arrange(screen, view_.layout, docks_in_use(), fonts_->scale(), lower_wish(context));
    ImGuiCanvas background{*ImGui::GetBackgroundDrawList(), *fonts_};
    background.fill(screen, theme().border);
    draw_toolbar(rects.toolbar, context);
    if (run_a_ == nullptr) {
        begin_fixed("##welcome", rects.dock(Dock::centre), theme().window, {0, 0});
        welcome_.draw(rects.dock(Dock::centre), *library_, context);
        ImGui::End();
    } else {
        for (std::size_t n = 0; n < dock_count; ++n) {
            draw_dock(static_cast<Dock>(n), rects.docks.at(n), context);
        }
        draw_splitters(rects, context);
    }
    draw_status(rects.status, context);
    palette_.draw(screen, context);
    files_.draw(screen, context);
    help_.draw(screen, context);
    if (!exports_.pending()) {
        draw_toasts(screen, context);
    }
}

void Shell::draw_toolbar(const Rect& box, PanelContext& context) {
    const float scale = context.scale();
    const float pad = std::round((box.height() - ImGui::GetFrameHeight()) / 2);
    begin_fixed("##toolbar",
                {box.left, box.top, box.right, box.bottom - 1},
                theme().panel,
                {std::round(10 * scale), pad});
    ImGui::AlignTextToFramePadding();
    ImGui::PushFont(fonts_->font(TextStyle::bold));
    coloured_text(theme().text, "AscendSim");
    ImGui::PopFont();
    draw_run_chips(context);
    draw_toolbar_right(context, box.right - std::round(10 * scale));
    ImGui::End();
}

void Shell::draw_run_chips(PanelContext& context) {
    struct Chip {
        std::string_view letter;
        const Document* run;
        Pixel colour;
    };

    for (const Chip& chip :
         {Chip{"A", context.run_a, theme().run_a}, Chip{"B", context.run_b, theme().run_b}}) {
        if (chip.run == nullptr) {
            continue;
        }
        ImGui::SameLine(0, std::round(16 * context.scale()));
        ImGui::PushFont(fonts_->font(TextStyle::bold));
        coloured_text(chip.colour, chip.letter);
        ImGui::PopFont();
        ImGui::SameLine();
        const std::string time = format_time(chip.run->cycles(), {view_.unit, chip.run->clock_ghz()});
        const float time_width =
            context.fonts.measure(time, TextStyle::regular).x + 2 * ImGui::GetStyle().ItemSpacing.x;
        const float room = std::max(
            1.0F, chip_end(context, chip.run == context.run_a) - ImGui::GetCursorPosX() - time_width);
        fitted_title(context, chip.run->title(), room);
        ImGui::SameLine();
        coloured_text(theme().text_dim, time);
        tooltip("Length of the run");
    }
}

/// Where the name and time of a run must end: half of what the buttons leave, for either.
float Shell::chip_end(const PanelContext& context, bool first) const {
    const float free = screen_.x - toolbar_buttons_width(context) - std::round(24 * context.scale());
    const bool two = context.run_b != nullptr;
    return first && two ? std::round((free + 90 * context.scale()) / 2) : free;
}

void Shell::fitted_title(const PanelContext& context, const std::string& title, float room) const {
    std::string shown = title;
    while (!shown.empty() && context.fonts.measure(shown, TextStyle::regular).x > room) {
        do {
            shown.pop_back();
        } while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0U) == 0x80U);
    }
    const bool cut = shown.size() < title.size();
    if (cut && !shown.empty()) {
        shown.pop_back();
        while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0x80U) != 0) {
            shown.pop_back();
        }
        shown += "\u2026";
    }
    coloured_text(theme().text, shown);
    tooltip(cut ? title : std::string{});
}

float Shell::find_field_width(const PanelContext& context) const {
    return std::round(std::min((run_b_ == nullptr ? 220 : 140) * context.scale(), screen_.x / 4));
}

std::array<std::pair<std::string_view, std::string_view>, 4> Shell::toolbar_buttons() const {
    return {std::pair{unit_label(view_.unit), std::string_view{"view.unit"}},
            {view_.theme == ThemeName::dark ? "dark" : "light", "view.theme"},
            {"commands", "palette.open"},
            {"?", "help.open"}};
}

/// The find field and the buttons behind it, pixels.
float Shell::toolbar_buttons_width(const PanelContext& context) const {
    float width = find_field_width(context);
    for (const auto& [label, command] : toolbar_buttons()) {
        width += context.fonts.measure(label, TextStyle::regular).x + 2 * ImGui::GetStyle().FramePadding.x +
                 ImGui::GetStyle().ItemSpacing.x;
    }
    return width;
}

void Shell::draw_toolbar_right(PanelContext& context, float right) {
    const float find_width = find_field_width(context);
    const auto buttons = toolbar_buttons();
    const float width = toolbar_buttons_width(context);
    ImGui::SameLine();
    ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - width));
    ImGui::SetNextItemWidth(find_width);
    std::array<char, 256> text{};
    view_.find.copy(text.data(), text.size() - 1);
    if (focus_find_) {
        ImGui::SetKeyboardFocusHere();
        focus_find_ = false;
    }
    if (ImGui::InputTextWithHint("##find", "Find", text.data(), text.size())) {
        context.requests.change([found = std::string{text.data()}](ViewState& view) { view.find = found; });
    }
    tooltip(with_key(commands_, "Finds by name, cause or source line", "find.focus"));
    anchor_last_item(context, "toolbar/find");
    for (const auto& [label, command] : buttons) {
        ImGui::SameLine();
        const Command* found = commands_.find(command);
        if (tool_button(context, label, false, with_key(commands_, found->title, command))) {
            requests_.command(std::string{command});
        }
        anchor_last_item(context, "toolbar/" + std::string{command});
    }
}

/// The height at which every view of the lower dock shows all it has, so that changing tabs does not move the
/// others.
float Shell::lower_wish(const PanelContext& context) const {
    float most = 0;
    for (const Panel* panel : panels_of(Dock::lower)) {
        most = std::max(most, panel->wished_height(context));
    }
    return most == 0 ? 0 : most + tabs_height() + 2 * std::round(panel_margin * context.scale());
}

void Shell::draw_dock(Dock dock, const Rect& box, PanelContext& context) {
    Panel* active = active_panel(dock);
    if (box.empty() || (active == nullptr && dock != Dock::centre)) {
        return;
    }
    const std::string window = fmt::format("##dock_{}", name(dock));
    begin_fixed(window.c_str(), box, theme().panel, {0, 0});
    anchors_.add(fmt::format("dock/{}", name(dock)), box);
    if (active == nullptr) {
        empty_panel(context, "No panel for this place", "");
        ImGui::End();
        return;
    }
    draw_tabs(dock, panels_of(dock), active, context);
    const PanelInfo info = active->info();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                        {std::round(8 * context.scale()), std::round(panel_margin * context.scale())});
    ImGui::BeginChild(std::string{info.name}.c_str(), {0, 0}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    const ImVec2 place = ImGui::GetWindowPos();
    const ImVec2 size = ImGui::GetWindowSize();
    const Rect inside{place.x, place.y, place.x + size.x, place.y + size.y};
    panel_boxes_.insert_or_assign(std::string{info.name}, inside);
    anchors_.add(fmt::format("panel/{}", info.name), inside);
    active->draw_content(context);
    ImGui::EndChild();
    ImGui::End();
}

/// A line between docks that can be dragged.
struct Shell::Splitter {
    std::string_view name;
    Rect line;
    bool upright;
    std::function<void(ViewState&, float)> move;
};

void Shell::draw_splitters(const LayoutRects& rects, PanelContext& context) {
    const float scale = context.scale();
    const float lower = rects.dock(Dock::lower).height();
    const float column = rects.dock(Dock::centre).height() + lower;
    const std::array<Splitter, 4> splitters{
        Splitter{"left",
                 rects.left_splitter,
                 true,
                 [scale](ViewState& v, float by) { v.layout.left += by / scale; }},
        Splitter{"right",
                 rects.right_splitter,
                 true,
                 [scale](ViewState& v, float by) { v.layout.right -= by / scale; }},
        Splitter{"bottom",
                 rects.bottom_splitter,
                 false,
                 [scale](ViewState& v, float by) { v.layout.bottom -= by / scale; }},
        Splitter{"lower", rects.lower_splitter, false, [column, lower](ViewState& v, float by) {
                     const float share = v.layout.lower_share.value_or(lower / std::max(column, 1.0F));
                     v.layout.lower_share = std::clamp(share - by / std::max(column, 1.0F), 0.05F, 0.95F);
                 }}};
    for (const Splitter& splitter : splitters) {
        if (!splitter.line.empty()) {
            draw_splitter(splitter, context);
        }
    }
}

void Shell::draw_splitter(const Splitter& splitter, PanelContext& context) {
    const float grip = std::round(3 * context.scale());
    const Rect& line = splitter.line;
    const Rect area = splitter.upright ? Rect{line.left - grip, line.top, line.right + grip, line.bottom}
                                       : Rect{line.left, line.top - grip, line.right, line.bottom + grip};
    begin_fixed(fmt::format("##splitter_{}", splitter.name).c_str(), area, rgba(0, 0, 0, 0), {0, 0});
    ImGui::InvisibleButton("grip", {area.width(), area.height()});
    const bool held = ImGui::IsItemActive();
    if (held || ImGui::IsItemHovered()) {
        ImGui::SetMouseCursor(splitter.upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        ImGuiCanvas{*ImGui::GetWindowDrawList(), *fonts_}.fill(line, theme().accent);
    }
    const ImVec2 by = ImGui::GetIO().MouseDelta;
    const float step = splitter.upright ? by.x : by.y;
    if (held && step != 0) {
        requests_.change([move = splitter.move, step](ViewState& view) { move(view, step); });
    }
    anchor_last_item(context, "splitter/" + std::string{splitter.name});
    ImGui::End();
}

void Shell::draw_status(const Rect& box, PanelContext& context) {
    const float pad = std::round(10 * context.scale());
    begin_fixed("##status", {box.left, box.top + 1, box.right, box.bottom}, theme().panel, {0, 0});
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), *fonts_};
    std::string right;
    if (run_a_ != nullptr) {
        const TimeScale time = context.time();
        const TimeRange seen = view_.visible();
        right = fmt::format("{} to {} of {}",
                            format_time_value(seen.begin, time),
                            format_time_value(seen.end, time),
                            format_time(view_.extent, time));
        if (view_.range) {
            right = fmt::format("selected {}   \u00b7   {}", format_time(view_.range->length(), time), right);
        }
    } else {
        right = fmt::format("{}, {}",
                            counted(library_->scenarios().size(), "scenario"),
                            counted(library_->lessons().size(), "lesson"));
    }
    const float right_width = canvas.measure(right, TextStyle::small).x;
    const Rect line{box.left + pad, box.top, box.right - pad, box.bottom};
    canvas.text_in(line, theme().text_dim, right, Align::right, TextStyle::small);
    ImGui::SetCursorScreenPos({line.right - right_width, line.top});
    ImGui::Dummy({right_width, line.height()});
    if (run_a_ != nullptr) {
        tooltip("The visible stretch of time, and the length of the run; the selected stretch before it");
    }
    canvas.text_in({line.left, line.top, line.right - right_width - 2 * pad, line.bottom},
                   theme().text_dim,
                   status_.empty() ? std::string_view{"Ready"} : std::string_view{status_},
                   Align::left,
                   TextStyle::small);
    ImGui::End();
}

}  // namespace ascendsim::gui
