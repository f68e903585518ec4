// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/ops/elementwise/glu/glu.h"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {

/// Rows and columns of a block, and how many cores get one.
struct GluBlock {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::uint64_t blocks = 0;
    std::uint64_t cores = 0;
};

/// The block the operator library chooses (ops-nn, activation/swi_glu, host side): of all widths in steps of
/// a 512-byte line, each with as many rows as the unified buffer holds, the one that occupies most cores;
/// then the one with the fewest blocks, then the largest. `room` is in elements, `size` in bytes.
[[nodiscard]] inline std::optional<GluBlock> glu_block(
    std::uint64_t rows, std::uint64_t width, std::uint64_t size, std::uint64_t room, std::uint64_t cores) {
    constexpr std::uint64_t most_rows = 4095;  // of a strided copy
    constexpr std::uint64_t most = 65535;  // of its lengths and gaps: 32-byte blocks, or bytes if unaligned
    const std::uint64_t step = 32 / size;
    const std::uint64_t line = 512 / size;
    const bool aligned = width % step == 0;
    const auto too_far = [&](std::uint64_t columns) {
        return aligned ? 2 * width - columns > most * step : (2 * width - columns) * size > most;
    };
    std::uint64_t columns = std::min({width, room, aligned ? most : most / size});
    if (columns < width && columns > line) {
        columns = columns / line * line;
    }
    std::optional<GluBlock> best;
    const std::uint64_t row_limit = std::min(rows, most_rows);
    while (true) {
        const std::uint64_t fit = std::min(room / round_up(columns, step), row_limit);
        GluBlock block{.rows = too_far(columns) ? 1 : fit, .columns = columns};
        if (block.rows == 0) {
            return best;
        }
        block.blocks = ceil_div(rows, block.rows) * ceil_div(width, columns);
        block.cores = std::min(block.blocks, cores);
        const bool better =
            !best || block.cores > best->cores ||
            (block.cores == best->cores &&
             (block.blocks < best->blocks ||
              (block.blocks == best->blocks && block.rows * block.columns > best->rows * best->columns)));
        if (better) {
            best = block;
        }
        if (columns <= line || block.rows >= row_limit || too_far(columns)) {
            return best;
        }
        columns = columns % line == 0 ? columns - line : columns / line * line;
    }
}

/// Tiles as the library does: two buffers, or one where that turns two blocks of a core into one.
inline void tile_glu_blocks(GluTiling& t,
                            std::uint64_t size,
                            std::uint64_t unified_buffer,
                            std::uint64_t cores,
                            std::uint32_t& blocks) {
    const auto choose = [&](std::uint64_t buffers) {
        const std::uint64_t local = 3 * buffers * size + (size == 4 ? 4 : 8);
        return glu_block(t.rows, t.width, size, unified_buffer / local / (32 / size) * (32 / size), cores);
    };
    const auto each = [](const GluBlock& block) { return ceil_div(block.blocks, block.cores); };
    GluBlock best = choose(2).value();
    t.buffers = 2;
    if (each(best) == 2) {
        const std::optional<GluBlock> single = choose(1);
        if (single && each(*single) == 1 && single->cores >= best.cores) {
            best = *single;
            t.buffers = 1;
        }
    }
    t.tile = static_cast<std::uint32_t>(best.rows);
    t.chunk = static_cast<std::uint32_t>(best.columns);
    t.pitch = static_cast<std::uint32_t>(round_up(best.columns, 32 / size));
    t.units = best.blocks;
    t.share = 0;
    blocks = static_cast<std::uint32_t>(best.cores);
}

/// Rows of a tile as the library does where it quantises (ops-nn, quant/dequant_swiglu_quant, host side): of
/// a product one, the next fetched ahead where rows are whole blocks of up to 1536 elements; of halves what
/// fits, by 25 B an element, in one buffer. Few short rows get twelve cores. False: a row does not fit.
[[nodiscard]] inline bool tile_glu_quant(GluTiling& t,
                                         bool product,
                                         std::uint64_t unified_buffer,
                                         std::uint64_t cores) {
    constexpr std::uint64_t short_row = 1536;
    constexpr std::uint64_t few_rows = 128;
    constexpr std::uint64_t few_cores = 12;
    constexpr std::uint64_t of_halves = 25;  // B: six floats and a byte
    const std::uint64_t used =
        std::min({cores, t.rows, t.width < short_row && t.rows < few_rows ? few_cores : cores});
    t.library = 1;
    t.chunk = static_cast<std::uint32_t>(t.width);
    t.pitch = static_cast<std::uint32_t>(round_up(t.width, std::uint64_t{32}));
    t.buffers = product && t.width % 8 == 0 && t.width <= short_row ? 2 : 1;
    const std::uint64_t each = ceil_div(t.rows, used);
    const std::uint64_t fits = unified_buffer / of_halves / t.pitch;
    t.tile =
        static_cast<std::uint32_t>(product ? 1 : std::clamp<std::uint64_t>(std::min(fits, each), 1, 4095));
    t.units = ceil_div<std::uint64_t>(t.rows, t.tile);
    t.share = ceil_div(each, std::uint64_t{t.tile});
    const std::uint64_t size = product ? 4 : 2;
    const std::uint64_t of_tile = t.tile * t.pitch * (t.buffers * (2 * size + 1) + 12);
    return of_tile + 12 * t.pitch + 8 * t.share * t.tile + 4096 <= unified_buffer;
}

/// As many whole rows as fit the unified buffer of `ub` bytes, at least four tiles for a core if these do not
/// get too small; pieces of rows where rows are long or few. False if rows that must be whole do not fit.
/// `size` is that of an element of x in bytes; units of work are counted, not shared out.
[[nodiscard]] inline bool tile_glu_rows(
    GluTiling& t, bool product, std::uint64_t size, std::uint64_t ub, std::uint64_t cores) {
    constexpr std::uint64_t least_elements = 1024;  // of a tile
    const bool weights = product || t.smooth != 0;
    const std::uint64_t out = t.quant != 0 ? 1 : size;
    const std::uint64_t local = t.buffers * (2 * size + out) + 12 + (weights ? 12 : 0);
    const std::uint64_t step = 32 / std::min(out, size);
    const std::uint64_t room = (ub - 4096) / local / step * step;  // elements
    const std::uint64_t whole = round_up(t.width, step);
    if ((weights || t.quant != 0) && whole + 128 > room) {
        return false;
    }
    if (t.quant == 0 && (whole > room || t.rows < cores)) {
        const std::uint64_t share = ceil_div(t.rows * t.width, cores * 4);
        t.chunk = static_cast<std::uint32_t>(
            std::min({round_up(std::max(share, least_elements), 512 / size), room, whole}));
        t.tile = 1;
    } else {
        t.chunk = static_cast<std::uint32_t>(t.width);
        const std::uint64_t fits = std::max<std::uint64_t>((room - 128) / (whole + 12), 1);
        const std::uint64_t quarter = ceil_div<std::uint64_t>(ceil_div(t.rows, cores), 4);
        t.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
            std::min(fits, std::max(quarter, ceil_div(least_elements, whole))), 1, 240));
    }
    t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, step));
    t.units = ceil_div<std::uint64_t>(t.rows, t.tile) * ceil_div<std::uint64_t>(t.width, t.chunk);
    return true;
}

}  // namespace ascendsim::host
