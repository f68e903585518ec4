// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/shell/library.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// The page shown while no run is open: recent runs, scenarios, lessons.
class Welcome {
public:
    /// `opening` is what is being opened instead, if anything.
    void draw(const Rect& box, const Library& library, std::string_view opening, PanelContext& context);

private:
    struct Column {
        std::string_view name;
        std::string_view title;
        std::string_view when_empty;
        const std::vector<LibraryEntry>& entries;
    };

    void draw_column(const Column& column, Rect box, PanelContext& context);
    void draw_entry(const Column& column, const LibraryEntry& entry, PanelContext& context);
};

}  // namespace ascendsim::gui
