// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// The list of commands that is searched by typing. It covers a part of the screen and blocks nothing.
class Palette {
public:
    void toggle();

    void close() { open_ = false; }

    [[nodiscard]] bool open() const { return open_; }

    void draw(const Rect& screen, PanelContext& context);

private:
    void draw_rows(const std::vector<const Command*>& found, PanelContext& context);
    void choose(const Command& command, PanelContext& context);

    bool open_ = false;
    bool just_opened_ = false;
    bool moved_ = false;
    std::size_t chosen_ = 0;
    std::array<char, 128> query_{};
};

}  // namespace ascendsim::gui
