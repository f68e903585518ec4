// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// The line above the panels: the open runs, the find field, and buttons.
class Toolbar {
public:
    void draw(const Rect& box, PanelContext& context);

    /// Puts the keyboard into the find field in the next frame.
    void focus_find() { focus_find_ = true; }

private:
    void draw_run_chips(PanelContext& context) const;
    void draw_right(PanelContext& context, float right);
    /// Where the name and time of a run must end: half of what the buttons leave, for either.
    [[nodiscard]] float chip_end(const PanelContext& context, bool first) const;
    static void fitted_title(const PanelContext& context,
                             const std::string& title,
                             const std::string& other,
                             float room);
    [[nodiscard]] float find_field_width(const PanelContext& context) const;
    /// Labels and commands of the buttons at the right.
    [[nodiscard]] static std::array<std::pair<std::string_view, std::string_view>, 4> buttons(
        const PanelContext& context);
    /// The find field and the buttons behind it, pixels.
    [[nodiscard]] float buttons_width(const PanelContext& context) const;

    float width_ = 1;
    bool focus_find_ = false;
};

}  // namespace ascendsim::gui
