// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "gui/document/selection.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// A column of a table: numbers stand at the right.
struct TableColumn {
    std::string_view title;
    std::string_view meaning;  ///< with its unit; on hover over its head and its cells
    float width = 0;           ///< pixels at scale 1; 0 takes what is left, if the head fits there
    bool number = false;
    bool extra = false;  ///< left out where the table is too narrow, the last first
    float least = 170;   ///< pixels at scale 1 that a column without a width needs before others are left out
    bool absent = false;  ///< left out: what is shown has nothing for it
    bool spare = false;   ///< takes what is left where the column that should is left out
};

/// Opens a table with a head that stays in view, as high as whole rows of text are; false if nothing of it is
/// visible. End with ImGui::EndTable().
[[nodiscard]] bool begin_table(const PanelContext& context,
                               const char* name,
                               std::initializer_list<TableColumn> columns);
/// Pixels of a row of text.
[[nodiscard]] float table_row_height();
/// Starts a row that can be clicked anywhere; true if it was. `lit` draws it selected.
[[nodiscard]] bool table_row(PanelContext& context, std::string_view name, bool lit);
/// Fills the cell; text that is too wide is cut. On hover: the whole text if it was cut, and
/// `meaning`, or else what the column means.
void cell(const PanelContext& context, std::string_view text, Pixel colour, std::string_view meaning = {});
/// Fills the cell with a number, at the right, with the column's meaning on hover.
void number_cell(const PanelContext& context, std::string_view text, Pixel colour);
/// Says what the cell's column means while the pointer rests on the last widget.
void column_tooltip();
/// The text, without its middle if it is wider than `width` pixels: numbers and what tells rows apart often
/// stand at the end.
[[nodiscard]] std::string fitted(const PanelContext& context, std::string_view text, float width);
/// Text that selects a stretch of the run when clicked and scrolls there.
void pick_link(PanelContext& context, const Pick& pick, std::string_view text, std::string_view anchor);
/// A bar over the rest of the line: `share` (0 to 1) of it filled. `meaning` is what it says on hover.
void share_bar(
    const PanelContext& context, double share, Pixel colour, float height, std::string_view meaning);

}  // namespace ascendsim::gui
