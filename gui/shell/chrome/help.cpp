// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/help.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

struct Row {
    std::string keys;
    std::string title;
};

struct Group {
    std::string name;
    std::vector<Row> rows;
};

/// The mouse has no commands; its conventions are listed here.
Group mouse_group() {
    return {"Mouse",
            {{"wheel", "Scroll lanes"},
             {"Shift+wheel", "Pan in time"},
             {"Ctrl+wheel", "Zoom about the pointer"},
             {"Ctrl+Shift+wheel", "Height of lanes"},
             {"drag", "Select a stretch of time"},
             {"middle drag, Alt+drag", "Zoom to a stretch"},
             {"right drag, Space+drag", "Pan"},
             {"click", "Select"},
             {"Shift+click", "Measure to the selection"},
             {"Ctrl+click", "Add to the selection"},
             {"double click", "Show it whole"}}};
}

/// Commands that come in a row of digits are listed once.
Row row_of(const Command& command) {
    if (command.name.ends_with("_1") && !command.keys.empty()) {
        Chord last = command.keys.front();
        last.key = key_of('9');
        return {command.key_text() + " to " + to_string(last), command.title + " to 9"};
    }
    return {command.key_text(), command.title};
}

bool repeats_a_row(const Command& command) {
    const std::string& name = command.name;
    return name.size() > 2 && name[name.size() - 2] == '_' && name.back() >= '2' && name.back() <= '9';
}

std::vector<Group> groups_of(const CommandTable& commands) {
    std::vector<Group> groups;
    for (const Command& command : commands.all()) {
        if (command.keys.empty() || repeats_a_row(command)) {
            continue;
        }
        auto group = std::ranges::find(groups, command.group, &Group::name);
        if (group == groups.end()) {
            groups.push_back({command.group, {}});
            group = groups.end() - 1;
        }
        group->rows.push_back(row_of(command));
    }
    groups.push_back(mouse_group());
    return groups;
}

/// Shares groups out over columns, each next group to the shortest.
std::vector<std::vector<const Group*>> columns_of(const std::vector<Group>& groups, std::size_t count) {
    std::vector<std::vector<const Group*>> columns(count);
    std::vector<std::size_t> rows(count, 0);
    for (const Group& group : groups) {
        const auto shortest = static_cast<std::size_t>(std::ranges::min_element(rows) - rows.begin());
        columns[shortest].push_back(&group);
        rows[shortest] += group.rows.size() + 2;
    }
    return columns;
}

void draw_group(const Group& group, const PanelContext& context, float keys_width, float width) {
    heading(context, group.name);
    for (const Row& row : group.rows) {
        const float start = ImGui::GetCursorPosX();
        ImGui::PushTextWrapPos(start + width);
        ImGui::PushFont(context.fonts.font(TextStyle::small));
        coloured_text(context.theme.accent, row.keys);
        ImGui::PopFont();
        ImGui::SameLine();
        ImGui::SetCursorPosX(start + keys_width);
        coloured_text(context.theme.text, row.title);
        ImGui::PopTextWrapPos();
    }
}

}  // namespace

void Help::draw(const Rect& screen, PanelContext& context) {
    if (!open()) {
        return;
    }
    const Point size{1200 * context.scale(), 640 * context.scale()};
    window_.begin("##help", screen, size, true, context);
    ImGui::BeginChild("##keys");
    const auto count =
        static_cast<std::size_t>(std::clamp(ImGui::GetWindowWidth() / (320 * context.scale()), 1.0F, 3.0F));
    const std::vector<Group> groups = groups_of(context.commands);
    const float column_width = std::floor(ImGui::GetContentRegionAvail().x / static_cast<float>(count));
    const float left = ImGui::GetCursorPosX();
    const float top = ImGui::GetCursorPosY();
    std::size_t column = 0;
    for (const std::vector<const Group*>& part : columns_of(groups, count)) {
        ImGui::SetCursorPos({left + column_width * static_cast<float>(column++), top});
        ImGui::BeginGroup();
        for (const Group* group : part) {
            draw_group(*group,
                       context,
                       std::round(150 * context.scale()),
                       column_width - std::round(16 * context.scale()));
        }
        ImGui::EndGroup();
    }
    ImGui::EndChild();
    Overlay::end();
}

}  // namespace ascendsim::gui
