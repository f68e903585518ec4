// SPDX-License-Identifier: Apache-2.0
// Everything around the panels: toolbar, tabs, splitters, status line, messages.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "gui/shell/imgui_canvas.hpp"
#include "gui/shell/shell.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

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

void Shell::draw() {
    const Rect screen{0, 0, screen_.x, screen_.y};
    PanelContext context{.view = view_,
                         .theme = theme(),
                         .fonts = *fonts_,
                         .commands = commands_,
                         .anchors = anchors_,
                         .requests = requests_,
                         .run_a = run_a_.get(),
                         .run_b = run_b_.get(),
                         .workbench = workbench_,
                         .status = &status_};
    const LayoutRects rects = arrange(screen, view_.layout, docks_in_use(), fonts_->scale());
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
    draw_toasts(screen, context);
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
        coloured_text(theme().text, chip.run->title());
        ImGui::SameLine();
        coloured_text(theme().text_dim, format_time(chip.run->cycles(), {view_.unit, chip.run->clock_ghz()}));
    }
}

void Shell::draw_toolbar_right(PanelContext& context, float right) {
    const float scale = context.scale();
    const float find_width = std::round(std::min(220 * scale, screen_.x / 4));
    const std::array<std::pair<std::string_view, std::string_view>, 4> buttons{
        std::pair{unit_label(view_.unit), std::string_view{"view.unit"}},
        {view_.theme == ThemeName::dark ? "dark" : "light", "view.theme"},
        {"commands", "palette.open"},
        {"?", "help.open"}};
    float width = find_width;
    for (const auto& [label, command] : buttons) {
        width += context.fonts.measure(label, TextStyle::regular).x + 2 * ImGui::GetStyle().FramePadding.x +
                 ImGui::GetStyle().ItemSpacing.x;
    }
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

void Shell::draw_tabs(Dock dock, const std::vector<Panel*>& panels, Panel* active, PanelContext& context) {
    const float scale = context.scale();
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), *fonts_};
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = std::round(fonts_->line_height(TextStyle::regular) + 11 * scale);
    float x = origin.x;
    for (Panel* panel : panels) {
        const PanelInfo info = panel->info();
        const bool lit = panel == active;
        const float tab_width = fonts_->measure(info.title, TextStyle::regular).x + std::round(18 * scale);
        if (x + tab_width > origin.x + width && panel != panels.front()) {
            break;
        }
        ImGui::SetCursorScreenPos({x, origin.y});
        ImGui::PushID(panel);
        if (ImGui::InvisibleButton("tab", {tab_width, height})) {
            view_.active_tabs[std::string{name(dock)}] = std::string{info.name};
        }
        const Rect box = last_item();
        const bool hovered = ImGui::IsItemHovered();
        canvas.text_in(box, lit || hovered ? theme().text : theme().text_dim, info.title, Align::centre);
        if (lit) {
            const float line = std::max(2.0F, std::round(2 * scale));
            canvas.fill({box.left + 4 * scale, box.bottom - line, box.right - 4 * scale, box.bottom},
                        theme().accent);
        }
        tooltip(info.hint);
        anchor_last_item(context, "tab/" + std::string{info.name});
        ImGui::PopID();
        x += tab_width;
    }
    canvas.fill({origin.x, origin.y + height, origin.x + width, origin.y + height + 1}, theme().border);
    ImGui::SetCursorScreenPos({origin.x, origin.y + height + 1});
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
                        {std::round(8 * context.scale()), std::round(6 * context.scale())});
    ImGui::BeginChild(std::string{info.name}.c_str(), {0, 0}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    const ImVec2 place = ImGui::GetWindowPos();
    const ImVec2 size = ImGui::GetWindowSize();
    anchors_.add(fmt::format("panel/{}", info.name), {place.x, place.y, place.x + size.x, place.y + size.y});
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
    const float column = rects.dock(Dock::centre).height() + rects.dock(Dock::lower).height();
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
        Splitter{"lower", rects.lower_splitter, false, [column](ViewState& v, float by) {
                     v.layout.lower_share =
                         std::clamp(v.layout.lower_share - by / std::max(column, 1.0F), 0.05F, 0.95F);
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
    canvas.text_in({line.left, line.top, line.right - right_width - 2 * pad, line.bottom},
                   theme().text_dim,
                   status_.empty() ? std::string_view{"Ready"} : std::string_view{status_},
                   Align::left,
                   TextStyle::small);
    ImGui::End();
}

}  // namespace ascendsim::gui
