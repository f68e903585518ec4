// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/chip_view/chip_heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "gui/canvas/format.hpp"
#include "gui/panels/chip_view/chip_moment.hpp"

namespace ascendsim::gui {
namespace {

/// Columns that make cells of `count` groups, `wide` to 1, as large as possible in a box.
std::size_t best_columns(std::size_t count, float width, float height, float wide) {
    std::size_t best = 1;
    float largest = 0;
    for (std::size_t columns = 1; columns <= count; ++columns) {
        const std::size_t rows = (count + columns - 1) / columns;
        const float cell =
            std::min(width / static_cast<float>(columns) / wide, height / static_cast<float>(rows));
        if (cell > largest) {
            largest = cell;
            best = columns;
        }
    }
    return best;
}

}  // namespace

void ChipHeatMap::draw(Canvas& canvas,
                       Rect box,
                       const Run& run,
                       std::size_t chosen,
                       double cycle,
                       double window,
                       const PanelContext& context) {
    const float line = std::round(context.fonts.line_height(TextStyle::small) + 4 * context.scale());
    canvas.text_in({box.left, box.top, box.right, box.top + line},
                   context.theme.text_dim,
                   fmt::format("Cores: busy in {} cycles", format_number(window, 0)),
                   Align::left,
                   TextStyle::small);
    arrange(run, {box.left, box.top + line, box.right, box.bottom}, std::round(46 * context.scale()));
    for (std::size_t core = 0; core < cells_.size(); ++core) {
        cells_[core].heat = core_heat(run, run.cores()[core], cycle, window);
        draw_cell(canvas, core, core == chosen, context);
    }
}

void ChipHeatMap::arrange(const Run& run, Rect area, float highest) {
    cells_.assign(run.cores().size(), {});
    names_.clear();
    std::map<std::uint32_t, std::vector<std::size_t>> groups;
    std::size_t widest = 1;
    for (std::size_t n = 0; n < run.cores().size(); ++n) {
        names_.push_back(run.cores()[n].name);
        std::vector<std::size_t>& group = groups[run.cores()[n].group];
        group.push_back(n);
        widest = std::max(widest, group.size());
    }
    const std::size_t columns =
        best_columns(groups.size(), area.width(), area.height(), static_cast<float>(widest) * 0.8F);
    const std::size_t rows = (groups.size() + columns - 1) / columns;
    const float width = std::floor(area.width() / static_cast<float>(columns));
    const float height = std::min(std::floor(area.height() / static_cast<float>(rows)), highest);
    std::size_t place = 0;
    for (const auto& [group, cores] : groups) {
        const float left = area.left + static_cast<float>(place % columns) * width;
        const float top = area.top + static_cast<float>(place / columns) * height;
        const float each = (width - 3) / static_cast<float>(cores.size());
        for (std::size_t n = 0; n < cores.size(); ++n) {
            cells_[cores[n]].box = whole_pixels({left + static_cast<float>(n) * each,
                                                 top,
                                                 left + static_cast<float>(n + 1) * each - 1,
                                                 top + height - 3});
        }
        ++place;
    }
}

void ChipHeatMap::draw_cell(Canvas& canvas,
                            std::size_t core,
                            bool chosen,
                            const PanelContext& context) const {
    const Theme& theme = context.theme;
    const Cell& cell = cells_[core];
    const Pixel colour = mix(theme.raised, theme.accent, static_cast<float>(cell.heat) * 0.85F);
    canvas.fill(cell.box, colour);
    if (canvas.measure(names_[core], TextStyle::small).x < cell.box.width() - 2) {
        canvas.text_in(cell.box, readable_on(colour), names_[core], Align::centre, TextStyle::small);
    }
    if (chosen) {
        canvas.outline(cell.box, theme.text, std::max(2.0F, std::round(2 * context.scale())));
    }
}

std::optional<std::size_t> ChipHeatMap::at(Point point) const {
    const auto found =
        std::ranges::find_if(cells_, [&](const Cell& cell) { return cell.box.contains(point); });
    return found == cells_.end() ? std::nullopt
                                 : std::optional{static_cast<std::size_t>(found - cells_.begin())};
}

std::string ChipHeatMap::hint(const Run& run, std::size_t core) const {
    return fmt::format("{}: busiest pipe busy for {} of the window; click to look inside",
                       run.cores()[core].name,
                       format_percent(cells_[core].heat));
}

void ChipHeatMap::name_places(Anchors& anchors) const {
    for (std::size_t n = 0; n < cells_.size(); ++n) {
        anchors.add("chip/core/" + names_[n], cells_[n].box);
    }
}

}  // namespace ascendsim::gui
