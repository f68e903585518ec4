// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "gui/shell/chrome/overlay.hpp"

namespace ascendsim::gui {

/// The list of commands that is searched by typing. It covers a part of the screen and blocks nothing.
class Palette {
public:
    void toggle();

    void close() { window_.close(); }

    [[nodiscard]] bool open() const { return window_.open(); }

    void draw(const Rect& screen, PanelContext& context);

private:
    void move_choice(const std::vector<const Command*>& found, PanelContext& context);
    void draw_rows(const std::vector<const Command*>& found, PanelContext& context);
    void choose(const Command& command, PanelContext& context);

    Overlay window_;
    bool moved_ = false;
    std::size_t chosen_ = 0;
    std::array<char, 128> query_{};
};

}  // namespace ascendsim::gui
