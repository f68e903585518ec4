// SPDX-License-Identifier: Apache-2.0
// The pieces of work of one core group of weight_quant_matmul.cpp, in the order both kinds of cores take
// them.
#pragma once

#include "kernels/ops/matmul/weight_quant_matmul/weight_quant_matmul_tiling.hpp"
#include "kernels/shared/cube_loads.h"
#include "kernels/shared/slots.h"

namespace weight_quant {

using namespace AscendC;

/// A piece of W for a tile of C.
struct Piece {
    uint32_t row;
    uint32_t rows;
    uint32_t column;
    uint32_t columns;
    uint32_t k;
    uint32_t depth;
    uint32_t number;  // of all pieces of this core group
    bool first;       // of its tile
    bool last;
};

/// Calls `work(piece)` for all pieces of a core group.
template <typename Work>
__aicore__ inline void ForPieces(const Tiling& t, uint32_t group, uint32_t groups, const Work& work) {
    const uint32_t tiles_n = cube::Parts(t.n, t.base_n);
    const uint32_t tiles = cube::Parts(t.m, t.base_m) * tiles_n;
    Piece piece{};
    for (uint32_t tile = group; tile < tiles; tile += groups) {
        piece.row = tile / tiles_n * t.base_m;
        piece.rows = cube::Smaller(t.base_m, t.m - piece.row);
        piece.column = tile % tiles_n * t.base_n;
        piece.columns = cube::Smaller(t.base_n, t.n - piece.column);
        for (piece.k = 0; piece.k < t.k; piece.k += t.depth) {
            piece.depth = cube::Smaller(t.depth, t.k - piece.k);
            piece.first = piece.k == 0;
            piece.last = piece.k + piece.depth == t.k;
            work(piece);
            ++piece.number;
        }
    }
}

/// Elements from one row of a widened piece to the next: its columns in whole blocks of W.
__aicore__ inline uint32_t Pitch(const Piece& piece) {
    return cube::CeilTo(piece.columns, 32);
}

/// Where a piece lies in the workspace.
__aicore__ inline uint64_t SlotOffset(const Tiling& t, uint32_t group, const Piece& piece) {
    return cube::SlotOffset(group, t.slots, piece.number, t.depth * t.base_n);
}

}  // namespace weight_quant
