// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/toolbar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

/// A button at the right.
struct ToolbarButton {
    std::string_view label;
    std::string_view command;
};

/// What of the line is shown. Where it is narrow, most of it gives way to the runs.
struct ToolbarParts {
    bool brand = true;
    float find = 0;  // pixels of the field
    std::vector<ToolbarButton> buttons;
};

/// An open run as the line shows it.
struct RunChip {
    std::string_view letter;
    Pixel colour = 0;
    bool pending = false;
    std::string name;  // of its recording, where the title does not tell it from the other run
    std::string title;
    std::string time;
};

constexpr std::string_view brand = "AscendSim";
constexpr std::string_view behind_name = " \u00b7 ";

/// Runs of one scenario share its title: their own names come first then.
RunChip chip_of(std::string_view letter,
                Pixel colour,
                const Document& run,
                const Document* other,
                const PanelContext& context) {
    const bool same =
        other != nullptr && other != &run && other->title() == run.title() && !run.file().empty();
    return {.letter = letter,
            .colour = colour,
            .pending = run.pending(),
            .name = same ? name_apart(run.file(), other->file()) : std::string{},
            .title = run.title(),
            .time = run.pending() ? "running" : format_time(run.cycles(), run.time(context.view.unit))};
}

std::vector<RunChip> chips_of(const PanelContext& context) {
    std::vector<RunChip> chips;
    if (context.run_a != nullptr) {
        chips.push_back(chip_of("A", context.theme.run_a, *context.run_a, context.run_b, context));
    }
    if (context.run_b != nullptr) {
        chips.push_back(chip_of("B", context.theme.run_b, *context.run_b, context.run_a, context));
    }
    return chips;
}

float width_of(const PanelContext& context, std::string_view text, TextStyle style = TextStyle::regular) {
    return context.fonts.measure(text, style).x;
}

std::string whole_title(const RunChip& chip) {
    return chip.name.empty() ? chip.title : fmt::format("{}{}{}", chip.name, behind_name, chip.title);
}

/// As much of a run's name and title as fits. What tells it from the other run is kept longest: its name
/// before its title, and of the one that is cut the place where they differ.
std::string fitted_title(const PanelContext& context, const RunChip& chip, const RunChip* other, float room) {
    std::string whole = whole_title(chip);
    if (width_of(context, whole) <= room) {
        return whole;
    }
    const auto apart = [&](const std::string& text, const std::string& others) {
        return told_apart(context.fonts, text, others, TextStyle::regular, room);
    };
    if (chip.name.empty()) {
        return apart(chip.title, other == nullptr ? std::string{} : other->title);
    }
    const std::string before = fmt::format("{}{}", chip.name, behind_name);
    const float left = room - width_of(context, before);
    const float least = std::round(40 * context.scale());  // for words of a title that say anything
    return left >= least ? before + without_middle(context.fonts, chip.title, TextStyle::regular, left)
                         : apart(chip.name, other == nullptr ? std::string{} : other->name);
}

/// Pixels that two titles get of `room`: what one does not need is the other's.
std::vector<float> shared(const std::vector<float>& wanted, float room) {
    const float half = std::floor(room / 2);
    if (wanted.size() < 2) {
        return {std::max(0.0F, room)};
    }
    if (wanted[0] <= half || wanted[0] + wanted[1] <= room) {
        return {wanted[0], std::max(0.0F, room - wanted[0])};
    }
    const float second = std::clamp(wanted[1], 0.0F, std::max(0.0F, half));
    return {std::max(0.0F, room - second), second};
}

std::vector<float> wanted_widths(const PanelContext& context, const std::vector<RunChip>& chips) {
    std::vector<float> wanted;
    for (const RunChip& chip : chips) {
        wanted.push_back(std::ceil(width_of(context, whole_title(chip))));
    }
    return wanted;
}

/// The space between the runs, and behind the brand.
float chip_gap(const PanelContext& context) {
    return std::round(16 * context.scale());
}

/// The find field and the buttons behind it, pixels.
float controls_width(const PanelContext& context, const ToolbarParts& parts) {
    float width = parts.find;
    for (const ToolbarButton& button : parts.buttons) {
        width += width_of(context, button.label) + 2 * ImGui::GetStyle().FramePadding.x +
                 ImGui::GetStyle().ItemSpacing.x;
    }
    return width;
}

/// What is left for titles of runs in a line `width` wide; their letters and times are never cut.
float title_room(const PanelContext& context,
                 const std::vector<RunChip>& chips,
                 const ToolbarParts& parts,
                 float width) {
    const float edges = std::round(10 * context.scale()) + std::round(24 * context.scale());
    float room = width - edges - controls_width(context, parts);
    if (parts.brand) {
        room -= width_of(context, brand, TextStyle::bold);
    } else if (!chips.empty()) {
        room += chip_gap(context);
    }
    for (const RunChip& chip : chips) {
        room -= chip_gap(context) + width_of(context, chip.letter, TextStyle::bold) +
                width_of(context, chip.time) + 3 * ImGui::GetStyle().ItemSpacing.x;
    }
    return room;
}

/// All parts, or those that leave room for some letters of each run's title.
ToolbarParts fitting_parts(const PanelContext& context, const std::vector<RunChip>& chips, float width) {
    const float scale = context.scale();
    const float field = (context.run_b == nullptr ? 220 : 140) * scale;
    ToolbarParts parts{.brand = true,
                       .find = std::round(std::min(field, width / 4)),
                       .buttons = {{unit_label(context.time().unit), "view.unit"},
                                   {context.view.theme == ThemeName::dark ? "dark" : "light", "view.theme"},
                                   {"commands", "palette.open"},
                                   {"?", "help.open"}}};
    float least = 0;
    for (const float wanted : wanted_widths(context, chips)) {
        least += std::min(wanted, std::round(90 * scale));
    }
    const auto tight = [&] { return title_room(context, chips, parts, width) < least; };
    if (tight()) {
        parts.brand = false;
    }
    if (tight()) {
        parts.find = std::min(parts.find, std::round(80 * scale));
    }
    // Keys do the same, and the palette, which stays, lists them.
    for (const std::string_view last : {"view.theme", "view.unit", "help.open"}) {
        if (tight()) {
            std::erase_if(parts.buttons, [&](const ToolbarButton& one) { return one.command == last; });
        }
    }
    return parts;
}

std::string with_key(const CommandTable& commands, std::string_view text, std::string_view command) {
    const Command* found = commands.find(command);
    const std::string keys = found == nullptr ? "" : found->key_text();
    return keys.empty() ? std::string{text} : fmt::format("{}  ({})", text, keys);
}

void bold_text(const PanelContext& context, Pixel colour, std::string_view text) {
    ImGui::PushFont(context.fonts.font(TextStyle::bold));
    coloured_text(colour, text);
    ImGui::PopFont();
}

void draw_chip(PanelContext& context, const RunChip& chip, const RunChip* other, float room) {
    bold_text(context, chip.colour, chip.letter);
    ImGui::SameLine();
    if (const std::string shown = fitted_title(context, chip, other, room); !shown.empty()) {
        const std::string whole = whole_title(chip);
        coloured_text(context.theme.text, shown);
        tooltip(shown == whole ? std::string{} : whole);
        anchor_last_item(context, fmt::format("toolbar/title/{}", chip.letter));
        ImGui::SameLine();
    }
    coloured_text(context.theme.text_dim, chip.time);
    tooltip(chip.pending ? "Nothing of it has been recorded yet" : "Length of the run");
    anchor_last_item(context, fmt::format("toolbar/time/{}", chip.letter));
}

void draw_chips(PanelContext& context,
                const std::vector<RunChip>& chips,
                const ToolbarParts& parts,
                float width) {
    const std::vector<float> rooms =
        shared(wanted_widths(context, chips), title_room(context, chips, parts, width));
    for (std::size_t n = 0; n < chips.size(); ++n) {
        if (n > 0 || parts.brand) {
            ImGui::SameLine(0, chip_gap(context));
        }
        draw_chip(context, chips[n], chips.size() < 2 ? nullptr : &chips[1 - n], rooms[n]);
    }
}

}  // namespace

void Toolbar::draw(const Rect& box, PanelContext& context) {
    const float edge = std::round(10 * context.scale());
    const float pad = std::round((box.height() - ImGui::GetFrameHeight()) / 2);
    begin_fixed(
        "##toolbar", {box.left, box.top, box.right, box.bottom - 1}, context.theme.panel, {edge, pad});
    const std::vector<RunChip> chips = chips_of(context);
    const ToolbarParts parts = fitting_parts(context, chips, box.width());
    ImGui::AlignTextToFramePadding();
    if (parts.brand) {
        bold_text(context, context.theme.text, brand);
    }
    draw_chips(context, chips, parts, box.width());
    if (parts.brand || !chips.empty()) {
        ImGui::SameLine();
    }
    ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), box.right - edge - controls_width(context, parts)));
    ImGui::SetNextItemWidth(parts.find);
    draw_find(context);
    for (const ToolbarButton& button : parts.buttons) {
        ImGui::SameLine();
        const std::string command{button.command};
        const Command* found = context.commands.find(command);
        if (tool_button(context,
                        fmt::format("{}###{}", button.label, command),
                        false,
                        with_key(context.commands, found->title, command))) {
            context.requests.command(command);
        }
        anchor_last_item(context, "toolbar/" + command);
    }
    ImGui::End();
}

void Toolbar::draw_find(PanelContext& context) {
    std::array<char, 256> text{};
    context.view.find.copy(text.data(), text.size() - 1);
    if (focus_find_) {
        ImGui::SetKeyboardFocusHere();
        focus_find_ = false;
    }
    if (ImGui::InputTextWithHint("##find", "Find", text.data(), text.size())) {
        context.requests.change([found = std::string{text.data()}](ViewState& view) { view.find = found; });
    }
    click_tooltip("hint of find",
                  with_key(context.commands, "Finds by name, cause or source line", "find.focus"));
    anchor_last_item(context, "toolbar/find");
}

}  // namespace ascendsim::gui
