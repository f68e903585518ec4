// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// A window over a part of the screen that goes away when something else is clicked. It blocks nothing.
class Overlay {
public:
    void toggle() {
        open_ = !open_;
        just_opened_ = open_;
    }

    void close() { open_ = false; }

    [[nodiscard]] bool open() const { return open_; }

    /// Begins the window, its size at most nine tenths of the screen; end() must follow. True in its first
    /// frame.
    bool begin(
        const char* name, const Rect& screen, Point size, bool in_the_middle, const PanelContext& context);
    static void end();

private:
    bool open_ = false;
    bool just_opened_ = false;
};

}  // namespace ascendsim::gui
