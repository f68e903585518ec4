// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {

/// A tensor cut into contiguous shares, one for each core, and these into tiles for the unified buffer.
struct FlatSplit {
    std::uint32_t blocks = 1;
    std::uint64_t share = 0;  // elements of a core
    std::uint32_t tile = 0;   // elements
};

/// What a tile may take, and what the scenario asks for.
struct FlatNeed {
    std::uint64_t total = 0;          // elements
    std::uint64_t element_bytes = 2;  // of the narrowest tensor in global memory
    std::uint64_t local_bytes =
        12;  // in the unified buffer, for each element of a tile, all buffers together
    std::uint64_t fixed_bytes = 1024;  // in the unified buffer, whatever the tile
    std::uint32_t blocks = 0;          // 0: as many as are worth starting
    std::uint32_t tile = 0;            // 0: what fits
};

/// Shares and tiles start at whole 512-byte lines; a share has at least four tiles if these stay above 4 KiB,
/// so that the first copy in and the last copy out, which overlap nothing, stay short.
[[nodiscard]] inline FlatSplit split_flat(const ChipSpec& chip, const FlatNeed& need) {
    constexpr std::uint64_t line_bytes = 512;
    constexpr std::uint64_t least_lines = 16;  // of a share
    const std::uint64_t line = line_bytes / need.element_bytes;
    const std::uint64_t lines = ceil_div(need.total, line);
    FlatSplit split;
    split.blocks = blocks_or(need.blocks, chip, lines, least_lines);
    split.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(lines, split.blocks), 1) * line;
    const std::uint64_t room = (chip.buffers.ub - need.fixed_bytes) / need.local_bytes / line;
    const std::uint64_t quarter = std::max<std::uint64_t>(ceil_div<std::uint64_t>(split.share / line, 4), 8);
    split.tile = need.tile != 0
                     ? need.tile
                     : static_cast<std::uint32_t>(std::max<std::uint64_t>(std::min(room, quarter), 1) * line);
    return split;
}

/// The largest tile that fits, for messages and checks.
[[nodiscard]] inline std::uint32_t largest_tile(const ChipSpec& chip, const FlatNeed& need) {
    return whole_steps(chip.buffers.ub - need.fixed_bytes, need.local_bytes, 64 / need.element_bytes);
}

}  // namespace ascendsim::host
