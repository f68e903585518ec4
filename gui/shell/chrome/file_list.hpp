// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "gui/shell/chrome/overlay.hpp"

namespace ascendsim::gui {

/// A list of files to open, of our own, since native dialogs hang on remote sessions. Blocks nothing.
class FileList {
public:
    void toggle();

    void close() { window_.close(); }

    [[nodiscard]] bool open() const { return window_.open(); }

    void draw(const Rect& screen, PanelContext& context);

private:
    struct Entry {
        std::string name;
        bool folder = false;
    };

    void enter(const std::filesystem::path& folder);
    void choose(const Entry& entry, PanelContext& context);
    void draw_rows(PanelContext& context);

    Overlay window_;
    std::filesystem::path folder_;
    std::vector<Entry> entries_;
    std::array<char, 512> typed_{};
};

}  // namespace ascendsim::gui
