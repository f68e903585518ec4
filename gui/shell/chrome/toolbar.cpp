// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/toolbar.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "gui/canvas/elide.hpp"
#include "gui/shell/chrome/fixed_window.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

/// The file's name, behind as many of its folders as tell it from the other.
std::string name_apart(const std::filesystem::path& file, const std::filesystem::path& other) {
    std::filesystem::path name = file.filename();
    std::filesystem::path of_other = other.filename();
    std::filesystem::path folder = file.parent_path();
    std::filesystem::path others_folder = other.parent_path();
    while (name == of_other && file != other && folder.has_filename()) {
        name = folder.filename() / name;
        of_other = others_folder.filename() / of_other;
        folder = folder.parent_path();
        others_folder = others_folder.parent_path();
    }
    return name.string();
}

/// Runs of one scenario share its title: their own names come first then.
std::string title_of(const Document& run, const Document* other) {
    const bool same =
        other != nullptr && other != &run && other->title() == run.title() && !run.file().empty();
    return same ? fmt::format("{} \u00b7 {}", name_apart(run.file(), other->file()), run.title())
                : run.title();
}

std::string with_key(const CommandTable& commands, std::string_view text, std::string_view command) {
    const Command* found = commands.find(command);
    const std::string keys = found == nullptr ? "" : found->key_text();
    return keys.empty() ? std::string{text} : fmt::format("{}  ({})", text, keys);
}

}  // namespace

void Toolbar::draw(const Rect& box, PanelContext& context) {
    width_ = box.width();
    const float scale = context.scale();
    const float pad = std::round((box.height() - ImGui::GetFrameHeight()) / 2);
    begin_fixed("##toolbar",
                {box.left, box.top, box.right, box.bottom - 1},
                context.theme.panel,
                {std::round(10 * scale), pad});
    ImGui::AlignTextToFramePadding();
    ImGui::PushFont(context.fonts.font(TextStyle::bold));
    coloured_text(context.theme.text, "AscendSim");
    ImGui::PopFont();
    draw_run_chips(context);
    draw_right(context, box.right - std::round(10 * scale));
    ImGui::End();
}

void Toolbar::draw_run_chips(PanelContext& context) const {
    struct Chip {
        std::string_view letter;
        const Document* run;
        Pixel colour;
    };

    for (const Chip& chip :
         {Chip{"A", context.run_a, context.theme.run_a}, Chip{"B", context.run_b, context.theme.run_b}}) {
        if (chip.run == nullptr) {
            continue;
        }
        ImGui::SameLine(0, std::round(16 * context.scale()));
        ImGui::PushFont(context.fonts.font(TextStyle::bold));
        coloured_text(chip.colour, chip.letter);
        ImGui::PopFont();
        ImGui::SameLine();
        const bool pending = chip.run->pending();
        const std::string time =
            pending ? "running" : format_time(chip.run->cycles(), chip.run->time(context.view.unit));
        const float time_width =
            context.fonts.measure(time, TextStyle::regular).x + 2 * ImGui::GetStyle().ItemSpacing.x;
        const float room = std::max(
            1.0F, chip_end(context, chip.run == context.run_a) - ImGui::GetCursorPosX() - time_width);
        const Document* other = chip.run == context.run_a ? context.run_b : context.run_a;
        fitted_title(context,
                     title_of(*chip.run, other),
                     other == nullptr ? std::string{} : title_of(*other, chip.run),
                     room);
        ImGui::SameLine();
        coloured_text(context.theme.text_dim, time);
        tooltip(pending ? "Nothing of it has been recorded yet" : "Length of the run");
    }
}

float Toolbar::chip_end(const PanelContext& context, bool first) const {
    const float free = width_ - buttons_width(context) - std::round(24 * context.scale());
    const bool two = context.run_b != nullptr;
    return first && two ? std::round((free + 90 * context.scale()) / 2) : free;
}

void Toolbar::fitted_title(const PanelContext& context,
                           const std::string& title,
                           const std::string& other,
                           float room) {
    const std::string shown = told_apart(context.fonts, title, other, TextStyle::regular, room);
    coloured_text(context.theme.text, shown);
    tooltip(shown == title ? std::string{} : title);
}

float Toolbar::find_field_width(const PanelContext& context) const {
    return std::round(std::min((context.run_b == nullptr ? 220 : 140) * context.scale(), width_ / 4));
}

std::array<std::pair<std::string_view, std::string_view>, 4> Toolbar::buttons(const PanelContext& context) {
    return {std::pair{unit_label(context.time().unit), std::string_view{"view.unit"}},
            {context.view.theme == ThemeName::dark ? "dark" : "light", "view.theme"},
            {"commands", "palette.open"},
            {"?", "help.open"}};
}

float Toolbar::buttons_width(const PanelContext& context) const {
    float width = find_field_width(context);
    for (const auto& [label, command] : buttons(context)) {
        width += context.fonts.measure(label, TextStyle::regular).x + 2 * ImGui::GetStyle().FramePadding.x +
                 ImGui::GetStyle().ItemSpacing.x;
    }
    return width;
}

void Toolbar::draw_right(PanelContext& context, float right) {
    const float find_width = find_field_width(context);
    const auto shown = buttons(context);
    const float width = buttons_width(context);
    ImGui::SameLine();
    ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - width));
    ImGui::SetNextItemWidth(find_width);
    std::array<char, 256> text{};
    context.view.find.copy(text.data(), text.size() - 1);
    if (focus_find_) {
        ImGui::SetKeyboardFocusHere();
        focus_find_ = false;
    }
    if (ImGui::InputTextWithHint("##find", "Find", text.data(), text.size())) {
        context.requests.change([found = std::string{text.data()}](ViewState& view) { view.find = found; });
    }
    tooltip(with_key(context.commands, "Finds by name, cause or source line", "find.focus"));
    anchor_last_item(context, "toolbar/find");
    for (const auto& [label, command] : shown) {
        ImGui::SameLine();
        const Command* found = context.commands.find(command);
        if (tool_button(context, label, false, with_key(context.commands, found->title, command))) {
            context.requests.command(std::string{command});
        }
        anchor_last_item(context, "toolbar/" + std::string{command});
    }
}

}  // namespace ascendsim::gui
