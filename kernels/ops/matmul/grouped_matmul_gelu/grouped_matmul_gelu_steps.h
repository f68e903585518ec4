// SPDX-License-Identifier: Apache-2.0
// The blocks of one core group of grouped_matmul_gelu.cpp, in the order both kinds of cores take them.
#pragma once

#include "kernels/ops/matmul/grouped_matmul_gelu/grouped_matmul_gelu_tiling.hpp"
#include "kernels/shared/cube_loads.h"
#include "kernels/shared/slots.h"

namespace grouped_gelu {

using namespace AscendC;

/// A block of C.
struct Block {
    uint32_t group;
    uint32_t row;
    uint32_t rows;
    uint32_t column;
    uint32_t columns;
    uint32_t number;  // of all blocks of this core group
    bool first;       // of its tile
    bool last;
};

/// Calls `work(block)` for all blocks of a core group. Tiles go round the core groups, on over the end of
/// each group.
template <typename Work>
__aicore__ inline void ForBlocks(
    const Tiling& t, const GlobalTensor<int64_t>& row_ends, uint32_t core, uint32_t cores, const Work& work) {
    const uint32_t tiles_n = cube::Parts(t.n, tile_n);
    Block block{};
    uint32_t begin = 0;  // row
    uint32_t turn = 0;   // core group of the next tile
    for (block.group = 0; block.group < t.groups; ++block.group) {
        const uint32_t end = static_cast<uint32_t>(row_ends.GetValue(block.group));
        const uint32_t tiles = cube::Parts(end - begin, base_m) * tiles_n;
        for (uint32_t tile = (core + cores - turn) % cores; tile < tiles; tile += cores) {
            block.row = begin + tile / tiles_n * base_m;
            block.rows = cube::Smaller(base_m, end - block.row);
            const uint32_t from = tile % tiles_n * tile_n;
            const uint32_t to = cube::Smaller(t.n, from + tile_n);
            for (block.column = from; block.column < to; block.column += base_n) {
                block.columns = cube::Smaller(base_n, to - block.column);
                block.first = block.column == from;
                block.last = block.column + block.columns == to;
                work(block);
                ++block.number;
            }
        }
        turn = (turn + tiles) % cores;
        begin = end;
    }
}

/// Where the sums of a block lie in the workspace.
__aicore__ inline uint64_t SlotOffset(const Tiling& t, uint32_t core, const Block& block) {
    return cube::SlotOffset(core, t.slots, block.number, base_m * base_n);
}

}  // namespace grouped_gelu
