// SPDX-License-Identifier: Apache-2.0
// How copy.cpp walks through a matrix: the struct its host side fills and its kernels read.
#pragma once

#include <cstdint>

namespace copying {

/// Whose rows a core copies.
enum class Order : std::uint32_t {
    own,        // its share of them
    same,       // all of them, every core in the same order
    staggered,  // all of them, every core starting with its own share
};

/// A matrix of `rows` x `row_bytes`, row after row, read in tiles. Sizes in bytes where the name says so.
struct Tiling {
    std::uint64_t row_bytes;
    std::uint32_t rows;
    std::uint32_t share_rows;  // of a core, a multiple of tile_rows
    std::uint32_t tile_rows;
    std::uint32_t tile_bytes;  // of a tile's row
    std::uint32_t slices;      // vertical parts of the matrix, one after the other
    std::uint32_t times;       // each slice is read so many times
    Order order;
    std::uint32_t bypass_l2;
    std::uint32_t keep;  // 1: each core's last tile is written out, so that it can be checked
};

/// A contiguous copy or fill: every core takes a share and works through it in tiles.
struct FlatTiling {
    std::uint64_t total;  // bytes
    std::uint64_t share;  // bytes of a core
    std::uint32_t tile;   // bytes
    std::uint32_t value;  // of a fill: each 32-bit word
    std::uint32_t buffers;
};

/// Rows of one source row: z[r][...] = x[...].
struct SpreadTiling {
    std::uint32_t row_bytes;
    std::uint32_t rows;
    std::uint32_t strip_bytes;  // columns a core works on at a time; what its buffer holds
    std::uint32_t share_rows;   // rows of a core
};

}  // namespace copying
