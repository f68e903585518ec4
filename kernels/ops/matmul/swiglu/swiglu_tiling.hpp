// SPDX-License-Identifier: Apache-2.0
// How swiglu.cpp cuts y[rows, columns] = silu(x[rows, depth] x Wg[depth, columns]) * (x x Wu): the structs
// its host side fills and its kernels read.
#pragma once

#include <cstdint>

namespace swiglu {

/// The fused kernels. Sizes in elements; a unit is a tile of y, the work of one cube core and its vector
/// cores.
struct Tiling {
    std::uint32_t rows;
    std::uint32_t depth;
    std::uint32_t columns;
    std::uint32_t base_m;       // rows of a unit
    std::uint32_t base_n;       // columns of a unit
    std::uint32_t base_k;       // depth of one Mmad
    std::uint32_t step_k;       // base_k pieces of one L1 chunk
    std::uint32_t passes;       // 2: gate, then up; 1: both at once, side by side in L0C, x read once
    std::uint32_t buffers;      // of chunks in L1, of pieces in L0 and of the vector cores' tiles: 1 or 2
    std::uint32_t slots;        // units handed over at a time; 1: cube and vector cores take turns
    std::uint32_t band;         // rows of units walked side by side
    std::uint32_t stagger;      // 1: cores start at different depths
    std::uint32_t vector_rows;  // rows of a vector core's piece
};

/// The vector kernels of the native schedule: elementwise over `total` values.
struct VectorTiling {
    std::uint64_t total;
    std::uint64_t share;    // of one core
    std::uint32_t tile;     // in a buffer
    std::uint32_t buffers;  // 1 or 2
};

}  // namespace swiglu
