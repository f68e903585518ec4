// SPDX-License-Identifier: Apache-2.0
// What a cube core of matmul.cpp works on from one moment to the next.
#pragma once

#include <cstdint>

#include "kernel_operator.h"

namespace matmul {

/// What is in L1 of an operand while a chunk is multiplied: the chunk itself, or a longer piece of k around
/// it.
struct Piece {
    uint32_t buffer;
    uint32_t from;   // where in the piece the chunk starts
    uint32_t depth;  // of the piece

    // For a chunk that starts at `start` of `end` elements of k, in pieces of `longest`; a new one takes the
    // next buffer.
    __aicore__ inline void Bound(uint32_t start, uint32_t end, uint32_t longest, uint32_t buffers) {
        from = start % longest;
        depth = longest < end - (start - from) ? longest : end - (start - from);
        if (Fresh()) {
            buffer = buffers == 2 ? 1 - buffer : 0;
        }
    }

    [[nodiscard]] __aicore__ inline bool Fresh() const { return from == 0; }

    [[nodiscard]] __aicore__ inline bool Ends(uint32_t chunk) const { return from + chunk == depth; }
};

/// One piece of work: a tile of C, and a chunk of k.
struct Chunk {
    uint64_t b_start;  // of its product's B
    uint32_t row;
    uint32_t column;
    uint32_t rows;
    uint32_t columns;
    uint32_t depth_start;
    uint32_t depth;
    Piece a;
    Piece b;
    bool first;
    bool last;
};

}  // namespace matmul
