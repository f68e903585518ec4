// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// The list of all keys, made from the command table.
class Help {
public:
    void toggle() {
        open_ = !open_;
        just_opened_ = open_;
    }

    void close() { open_ = false; }

    [[nodiscard]] bool open() const { return open_; }

    void draw(const Rect& screen, PanelContext& context);

private:
    bool open_ = false;
    bool just_opened_ = false;
};

}  // namespace ascendsim::gui
