// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ops/norm/row_norm/row_norm_tile.h"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {

/// The schedule of rows that are quantised without a norm, and the rows of a tile; 0: they do not fit. `used`
/// becomes the cores that are worth starting.
[[nodiscard]] inline std::uint64_t tile_quantised_rows(RowNormTiling& t,
                                                       std::uint64_t room,
                                                       std::uint64_t& used) {
    constexpr std::uint64_t longest = 255 * 64;
    const std::uint64_t width = t.width;
    const std::uint64_t at_once = std::min((room - 3392) / (t.smooth != 0 ? 15 : 11) / 64 * 64, longest);
    if (width % 8 == 0 && width >= 128 && width <= at_once) {
        t.schedule = RowSchedule::tiles;
        const std::uint64_t tile = std::min(at_once / width, t.rows);
        used = std::clamp<std::uint64_t>(t.rows / tile, 1, used);
        return tile;
    }
    t.schedule = RowSchedule::ahead;
    const std::uint64_t dense = round_up(width, std::uint64_t{16});
    const std::uint64_t two_buffers = (t.smooth != 0 ? 19 : 13) * dense;
    return two_buffers < room ? room / ((t.smooth != 0 ? 17 : 11) * dense) : 0;
}

/// Tiles as the operator library's host side does (ops-nn: rms_norm, add_rms_norm_dynamic_quant,
/// dynamic_quant): rows dealt evenly to all cores, tiles by its own formulas of what the unified buffer
/// holds. False for rows too long for its kernels of whole rows. `size` is in bytes, `unified_buffer` as
/// well.
[[nodiscard]] inline bool tile_row_norm(RowNormTiling& t,
                                        std::uint64_t size,
                                        std::uint64_t unified_buffer,
                                        std::uint64_t cores,
                                        std::uint32_t& blocks) {
    constexpr std::uint64_t most_rows = 248;  // repeats of an instruction, in groups of 8
    constexpr std::uint64_t reserve = 1024;
    const std::uint64_t width = t.width;
    const std::uint64_t room = unified_buffer - reserve;
    const auto dense = [&](std::uint64_t step) { return round_up(width, step); };
    std::uint64_t used = cores;
    std::uint64_t tile = 0;
    if (t.kind == RowNormKind::none) {
        tile = tile_quantised_rows(t, room, used);
    } else if (t.residual != 0 || t.quant != RowQuant::none) {
        constexpr std::uint64_t most = 16;
        constexpr std::uint64_t fixed = 768;
        const std::uint64_t weights = 3 * 2 * dense(32) + fixed;
        t.schedule = RowSchedule::serial;
        tile = size != 2 || weights > unified_buffer
                   ? 0
                   : std::min((unified_buffer - weights) / (16 * dense(32) + 8), most);
    } else if (constexpr std::uint64_t narrow = 2000; dense(32 / size) <= narrow) {
        t.schedule = RowSchedule::tiles;
        tile = (room - reserve) / (dense(32 / size) * 16 + 260);
    } else {
        t.schedule = RowSchedule::serial;
        tile = dense(32 / size) <= (size == 4 ? 10240 : 12288) ? 1 : 0;
    }
    if (tile == 0) {
        t.schedule = RowSchedule::batched;
        return false;
    }
    t.share = std::max<std::uint64_t>(ceil_div(t.rows, used), 1);
    blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(ceil_div(t.rows, t.share), 1));
    t.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(tile, t.share), 1, most_rows));
    t.chunk = t.width;
    t.pitch = static_cast<std::uint32_t>(dense(t.quant == RowQuant::none ? 32 / size : 32));
    t.buffers = t.schedule == RowSchedule::ahead ? 2 : 1;
    return true;
}

}  // namespace ascendsim::host
