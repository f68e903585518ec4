// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// A list of names with a value at the right of each. Names that have to be cut keep what tells them apart.
class NameList {
public:
    struct Row {
        std::string name;
        std::string value;
    };

    /// For the width that is left now.
    NameList(const PanelContext& context, std::vector<Row> rows);

    [[nodiscard]] const std::string& name(std::size_t n) const { return rows_[n].name; }

    /// The name as there is room for it.
    [[nodiscard]] const std::string& shown(std::size_t n) const { return shown_[n]; }

    /// Draws the value on the line of what was drawn last. `meaning` is what it says on hover.
    void draw_value(const PanelContext& context, std::size_t n, std::string_view meaning) const;

private:
    std::vector<Row> rows_;
    std::vector<std::string> shown_;
};

}  // namespace ascendsim::gui
