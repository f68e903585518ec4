// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/name_list.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/canvas/elide.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {

NameList::NameList(const PanelContext& context, std::vector<Row> rows) : rows_{std::move(rows)} {
    float widest = 0;
    std::vector<std::string_view> names;
    for (const Row& row : rows_) {
        widest = std::max(widest, context.fonts.measure(row.value, TextStyle::regular).x);
        names.push_back(row.name);
    }
    const float room = ImGui::GetContentRegionAvail().x - widest - std::round(10 * context.scale());
    shown_ = all_told_apart(context.fonts, names, TextStyle::regular, room);
}

void NameList::draw_value(const PanelContext& context, std::size_t n, std::string_view meaning) const {
    const float width = context.fonts.measure(rows_[n].value, TextStyle::regular).x;
    ImGui::SameLine();
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
    ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - width));
    coloured_text(context.theme.text, rows_[n].value);
    tooltip(meaning);
}

}  // namespace ascendsim::gui
