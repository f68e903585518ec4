// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/shell/chrome/file_list.hpp"
#include "gui/shell/chrome/help.hpp"
#include "gui/shell/chrome/palette.hpp"

namespace ascendsim::gui {

/// The windows that lie over the panels while the user wants them.
struct Overlays {
    Palette palette;
    FileList files;
    Help help;

    [[nodiscard]] bool any_open() const { return palette.open() || files.open() || help.open(); }

    void close() {
        palette.close();
        files.close();
        help.close();
    }

    void draw(const Rect& screen, PanelContext& context) {
        palette.draw(screen, context);
        files.draw(screen, context);
        help.draw(screen, context);
    }
};

}  // namespace ascendsim::gui
