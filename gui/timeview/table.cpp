// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/table.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/canvas/elide.hpp"
#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

/// Which columns are there and have room. Those that are not `extra` always do, but for one that takes what
/// the others leave, where its head would not fit there; the first names the rows and stays.
std::vector<bool> fitting_columns(const PanelContext& context, std::initializer_list<TableColumn> columns) {
    const float padding = 2 * ImGui::GetStyle().CellPadding.x + 1;
    const auto width = [&](const TableColumn& column) {
        return (column.width > 0 ? column.width : column.least) * context.scale() + padding;
    };
    float all = ImGui::GetStyle().ScrollbarSize;
    std::vector<bool> shown;
    for (const TableColumn& column : columns) {
        shown.push_back(!column.absent);
        all += column.absent ? 0 : width(column);
    }
    const float room = ImGui::GetContentRegionAvail().x;
    for (std::size_t n = columns.size(); n-- > 0;) {
        const TableColumn& column = columns.begin()[n];
        if (all > room && column.extra && shown[n]) {
            shown[n] = false;
            all -= width(column);
        }
    }
    for (std::size_t n = columns.size(); n-- > 1;) {
        const TableColumn& column = columns.begin()[n];
        const float left = room - (all - column.least * context.scale());
        if (column.width == 0 && left < context.fonts.measure(column.title, TextStyle::regular).x) {
            shown[n] = false;
        }
    }
    return shown;
}

/// Whether no column that is shown takes what the others leave.
bool leaves_room(std::initializer_list<TableColumn> columns, const std::vector<bool>& shown) {
    for (std::size_t n = 0; n < columns.size(); ++n) {
        if (shown[n] && columns.begin()[n].width == 0) {
            return false;
        }
    }
    return true;
}

/// Pixels for whole rows in the room there is: of a number cut at its lower edge a comma looks like a point.
/// 0, all of the room, where hardly a row fits.
float height_of_rows() {
    const float rows = std::floor(ImGui::GetContentRegionAvail().y / table_row_height());
    constexpr float least = 2;  // the head, and one more
    return rows < least ? 0 : rows * table_row_height();
}

/// What the head of the current column says; the table keeps it behind the column's name.
std::string_view column_meaning() {
    const std::string_view name = ImGui::TableGetColumnName();
    const std::size_t end = name.find("##");
    return end == std::string_view::npos ? std::string_view{} : name.substr(end + 2);
}

}  // namespace

bool begin_table(const PanelContext& context, const char* name, std::initializer_list<TableColumn> columns) {
    constexpr ImGuiTableFlags flags = ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY |
                                      ImGuiTableFlags_NoBordersInBodyUntilResize |
                                      ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit |
                                      ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_Hideable;
    const std::vector<bool> shown = fitting_columns(context, columns);
    const bool spared = leaves_room(columns, shown);
    // ImGui keeps widths by a table's name, and those of a column that takes what is left are of another
    // kind.
    const std::string id = spared ? fmt::format("{} without its widest", name) : std::string{name};
    if (!ImGui::BeginTable(id.c_str(), static_cast<int>(columns.size()), flags, {0, height_of_rows()})) {
        return false;
    }
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const TableColumn& column : columns) {
        const bool fixed = column.width > 0 && !(spared && column.spare);
        ImGui::TableSetupColumn(fmt::format("{}##{}", column.title, column.meaning).c_str(),
                                fixed ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
                                fixed ? std::round(column.width * context.scale()) : 1);
    }
    for (std::size_t n = 0; n < shown.size(); ++n) {
        ImGui::TableSetColumnEnabled(static_cast<int>(n), shown[n]);
    }
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (const TableColumn& column : columns) {
        if (!ImGui::TableNextColumn()) {
            continue;
        }
        if (column.number) {
            number_cell(context, column.title, context.theme.text_dim);
        } else {
            coloured_text(context.theme.text_dim, column.title);
        }
        if (!column.number) {
            tooltip(column.meaning);
        }
        if (context.anchors.enabled()) {
            anchor_last_item(context, fmt::format("column/{}/{}", name, column.title));
        }
    }
    return true;
}

float table_row_height() {
    return ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
}

bool table_row(PanelContext& context, std::string_view name, bool lit) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(name.data(), name.data() + name.size());
    const bool clicked = ImGui::Selectable(
        "##row", lit, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap);
    anchor_last_item(context, name);
    ImGui::PopID();
    ImGui::SameLine(0, 0);
    return clicked;
}

void cell(const PanelContext& context, std::string_view text, Pixel colour, std::string_view meaning) {
    const std::string shown = fitted(context, text, ImGui::GetContentRegionAvail().x);
    coloured_text(colour, shown);
    const std::string_view about = meaning.empty() ? column_meaning() : meaning;
    if (ImGui::IsItemHovered()) {
        tooltip(shown == text ? std::string{about} : fmt::format("{}\n{}", text, about));
    }
}

void column_tooltip() {
    tooltip(column_meaning());
}

void number_cell(const PanelContext& context, std::string_view text, Pixel colour) {
    const float width = context.fonts.measure(text, TextStyle::regular).x;
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, std::floor(room - width)));
    coloured_text(colour, text);
    column_tooltip();
}

std::string fitted(const PanelContext& context, std::string_view text, float width) {
    return without_middle(context.fonts, text, TextStyle::regular, width);
}

void pick_link(PanelContext& context, const Pick& pick, std::string_view text, std::string_view anchor) {
    const float room = ImGui::GetContentRegionAvail().x;
    if (link(context,
             fitted(context, text, room),
             fmt::format("{}\nClick to select it on the timeline", text))) {
        context.requests.change([pick](ViewState& view) { select_and_show(view, pick); });
    }
    if (!anchor.empty()) {
        anchor_last_item(context, anchor);
    }
}

void share_bar(
    const PanelContext& context, double share, Pixel colour, float height, std::string_view meaning) {
    const ImVec2 place = ImGui::GetCursorScreenPos();
    const float width = std::floor(std::max(1.0F, ImGui::GetContentRegionAvail().x));
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
    const float full = std::round(width * static_cast<float>(std::clamp(share, 0.0, 1.0)));
    canvas.fill({place.x, place.y, place.x + width, place.y + height}, context.theme.raised);
    canvas.fill({place.x, place.y, place.x + full, place.y + height}, colour);
    ImGui::Dummy({width, height});
    tooltip(meaning);
}

}  // namespace ascendsim::gui
