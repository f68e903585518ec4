// SPDX-License-Identifier: Apache-2.0
// How matmul.cpp cuts C[m, n] = A[m, k] x B[k, n]: the struct its host side fills and its kernel reads.
//
//   C: tiles of base_m x base_n, each the work of one core       k: chunks of step_k * base_k in L1, base_k
//   in L0
#pragma once

#include <cstdint>

namespace matmul {

/// Sizes in elements. The kernel takes it by value.
struct Tiling {
    std::uint32_t m;
    std::uint32_t n;
    std::uint32_t k;
    std::uint32_t base_m;
    std::uint32_t base_n;
    std::uint32_t base_k;
    std::uint32_t step_k;        // base_k pieces of one L1 chunk of A
    std::uint32_t step_k_b;      // the same of B: as many, or the one a multiple of the other
    std::uint32_t split_k;       // cores that share one tile's k and add their results up in global memory
    std::uint32_t l1_buffers;    // 1 or 2, of A and of B
    std::uint32_t l0_buffers;    // 1 or 2, of L0A and of L0B
    std::uint32_t l0c_buffers;   // 1 or 2
    std::uint32_t swizzle;       // tiles of one band: rows of tiles (direction 0) or columns (1); 0: grid
    std::uint32_t direction;     // 0: bands of rows, walked along n; 1: bands of columns, walked along m
    std::uint32_t grid_m;        // with swizzle 0: cores along m; the others share n
    std::uint32_t core_columns;  // with swizzle 0: columns of each core; 0: whole tiles, shared evenly
    std::uint32_t rounds;  // with swizzle 0: how often the grid is laid over the rows, one below the other
    std::uint32_t groups;  // products, each with rows of A and C of its own and a B of its own; 1: one
    std::uint32_t group_rows;      // rows of each group; 0: the list of row ends says
    std::uint32_t library_cycles;  // scalar cycles spent in each step of base_k for a template library
    float scale;                   // of int32 sums on their way to half
    std::uint8_t transpose_a;      // A is stored as [k, m]
    std::uint8_t transpose_b;      // B is stored as [n, k]
    std::uint8_t hf32;             // fp32 operands are rounded to HF32
    std::uint8_t unit_flag;        // Mmad and Fixpipe hand L0C over by the unit flag instead of event flags
    std::uint8_t out;              // Output
    std::uint8_t load3d;     // an untransposed A goes to L0A by one load3d, not by load2d for each block of k
    std::uint8_t b_blocked;  // B is stored as NZ: columns of 32 bytes, each k rows high
};

/// The element type of C.
enum Output : std::uint8_t { out_float, out_half, out_bfloat16, out_int32 };

}  // namespace matmul
