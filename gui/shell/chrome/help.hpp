// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/shell/chrome/overlay.hpp"

namespace ascendsim::gui {

/// The list of all keys, made from the command table.
class Help {
public:
    void toggle() { window_.toggle(); }

    void close() { window_.close(); }

    [[nodiscard]] bool open() const { return window_.open(); }

    void draw(const Rect& screen, PanelContext& context);

private:
    Overlay window_;
};

}  // namespace ascendsim::gui
