// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/canvas/canvas.hpp"
#include "gui/document/run.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// All cores of the run as a map: the lighter, the busier around the cursor. Cores of one AI core lie
/// together.
class ChipHeatMap {
public:
    void draw(Canvas& canvas,
              Rect box,
              const Run& run,
              std::size_t chosen,
              double cycle,
              double window,
              const PanelContext& context);

    /// The core at a place, by its position in Run::cores().
    [[nodiscard]] std::optional<std::size_t> at(Point point) const;
    [[nodiscard]] std::string hint(const Run& run, std::size_t core) const;
    void name_places(Anchors& anchors) const;

private:
    struct Cell {
        Rect box;
        double heat = 0;
    };

    /// Gives each core its cell in `area`, cells of a group side by side and up to `highest` pixels high.
    void arrange(const Run& run, Rect area, float highest);
    void draw_cell(Canvas& canvas, std::size_t core, bool chosen, const PanelContext& context) const;

    std::vector<Cell> cells_;  // by core
    std::vector<std::string> names_;
};

}  // namespace ascendsim::gui
