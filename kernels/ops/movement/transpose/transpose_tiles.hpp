// SPDX-License-Identifier: Apache-2.0
// Tiles of a permutation of axes as the operator library's Transpose takes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/ops/movement/transpose/transpose_tiles.h"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {

/// One axis of the output: its extent and how far apart its elements are in input and output.
struct TransposeAxis {
    std::uint64_t extent;
    std::uint64_t from;
    std::uint64_t to;
};

/// Takes the axis whose elements are `stride` apart on the side of `side` out of `axes` and adds it to the
/// group; false if there is none.
[[nodiscard]] inline bool grow(TransposeGroup& group,
                               std::vector<TransposeAxis>& axes,
                               std::uint64_t TransposeAxis::*side,
                               std::uint64_t TransposeAxis::*other) {
    const auto next = std::ranges::find(axes, group.total, side);
    if (next == axes.end() || group.axes == transpose_tile_axes) {
        return false;
    }
    group.extent[group.axes] = next->extent;
    group.stride[group.axes] = (*next).*other;
    ++group.axes;
    group.total *= next->extent;
    axes.erase(next);
    return true;
}

/// Takes axes out of `axes` for both sides of a tile, in turn, until each has `side` elements or finds no
/// more: rows along what lies together in the output, columns along what does in the input.
inline void grow_sides(TransposeTilesTiling& t, std::vector<TransposeAxis>& axes, std::uint64_t side) {
    t.rows.total = 1;
    t.columns.total = 1;
    bool rows_grow = grow(t.rows, axes, &TransposeAxis::to, &TransposeAxis::from);
    bool columns_grow = grow(t.columns, axes, &TransposeAxis::from, &TransposeAxis::to);
    while ((rows_grow && t.rows.total < side) || (columns_grow && t.columns.total < side)) {
        if (rows_grow && t.rows.total < side) {
            rows_grow = grow(t.rows, axes, &TransposeAxis::to, &TransposeAxis::from);
        }
        if (columns_grow && t.columns.total < side) {
            columns_grow = grow(t.columns, axes, &TransposeAxis::from, &TransposeAxis::to);
        }
    }
}

/// Chooses the extents of a tile of elements of `size` bytes, and which of its sides are copied at once.
inline void cut_sides(TransposeTilesTiling& t, std::uint64_t side, std::uint64_t size) {
    // Blocks that are whole on a side are there in all tiles: tiles are.
    t.rows.at_once =
        t.rows.axes == 1 && t.rows.stride[0] * size % 32 == 0 && t.columns.total * size % 32 == 0;
    t.columns.at_once =
        t.columns.axes == 1 && t.columns.stride[0] * size % 32 == 0 && t.rows.total * size % 32 == 0;
    const std::uint64_t most = t.rows.at_once != 0 && t.columns.at_once != 0 ? side / 2 : side;
    for (auto [group, across] : {std::pair{&t.rows, &t.columns}, std::pair{&t.columns, &t.rows}}) {
        // Where one side is short, the other is as much longer; a little more than a tile goes as a whole.
        const std::uint64_t short_side = std::min(round_up(across->total, std::uint64_t{16}), most);
        const std::uint64_t fair = std::min<std::uint64_t>(most * most / short_side / 16 * 16, 1024);
        group->tile = static_cast<std::uint32_t>(group->total <= fair + 16 ? group->total : fair);
    }
    // Runs below a block that lie behind each other go as one: no copy of less than a block leaves its
    // neighbours as they are.
    const auto one_run = [size](const TransposeGroup& runs, const TransposeGroup& along) {
        return runs.axes == 1 && runs.stride[0] == along.total && along.tile == along.total &&
               along.total * size < 32;
    };
    t.rows.at_once |= one_run(t.rows, t.columns) ? 1U : 0U;
    t.columns.at_once |= one_run(t.columns, t.rows) ? 1U : 0U;
}

/// Tiles of 128 by 128 elements, several of a side's last axes together if the last is shorter. The library's
/// source is not published; its times follow from such tiles dealt to all cores if loads, transposition and
/// stores take turns and a run that is copied by itself takes 55 to 100 cycles: 2 tiles of 256 runs each on
/// the busiest core for IDX-039 to -041, -043 and -044 (22 to 33 us for a million elements), 3 for IDX-052,
/// which only holds if axes of 511 and 2 are taken together, 65 for IDX-042. Whole blocks take a quarter of
/// that (IDX-035). `size` is an element's in bytes; `blocks` is what the knob says, and becomes the cores
/// used.
[[nodiscard]] inline TransposeTilesTiling transpose_tiles(std::vector<TransposeAxis> axes,
                                                          const ChipSpec& chip,
                                                          std::uint64_t size,
                                                          std::uint32_t& blocks) {
    constexpr std::uint64_t side = 128;
    TransposeTilesTiling t{};
    t.address_cycles = transpose_address_cycles;
    grow_sides(t, axes, side);
    cut_sides(t, side, size);
    t.axes = static_cast<std::uint32_t>(axes.size());
    t.units = ceil_div<std::uint64_t>(t.rows.total, t.rows.tile) *
              ceil_div<std::uint64_t>(t.columns.total, t.columns.tile);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const TransposeAxis& axis = axes[axes.size() - 1 - i];
        t.extent[i] = axis.extent;
        t.from[i] = axis.from;
        t.to[i] = axis.to;
        t.units *= axis.extent;
    }
    blocks = blocks_or(blocks, chip, t.units, 1);
    t.share = ceil_div<std::uint64_t>(t.units, blocks);
    return t;
}

}  // namespace ascendsim::host
