// SPDX-License-Identifier: Apache-2.0
// What instruction.cpp issues: the struct its host side fills and its kernel reads.
#pragma once

#include <cstdint>

namespace instruction {

/// Instructions of the vector core, then of the cube core.
enum class Op : std::uint32_t {
    add,
    sub,
    mul,
    div,
    max,
    min,
    exp,
    ln,
    sqrt,
    rsqrt,
    reciprocal,
    abs,
    relu,
    adds,
    muls,
    cast,
    duplicate,
    copy,
    whole_reduce_sum,
    whole_reduce_max,
    block_reduce_sum,
    tree_sum,    // halves added until one repeat is left, then summed up
    reduce_sum,  // the library's reduction
    whole_whole,
    block_block_block,
    block_whole,
    mmad,
    load_l0a,
    load_l0b,
    fixpipe,
};

/// Places in bytes of the unified buffer, strides in blocks of 32 bytes.
struct Tiling {
    Op op;
    std::uint32_t calls;    // instructions, back to back
    std::uint32_t repeats;  // of an instruction; of tree_sum: elements
    std::uint32_t barrier;  // 1: each waits until the one before has finished
    std::uint32_t dst;
    std::uint32_t src0;
    std::uint32_t src1;
    std::uint16_t block_stride[3];  // of dst, src0, src1
    std::uint16_t repeat_stride[3];
    std::uint32_t x_bytes;  // copied to src0 before
    std::uint32_t y_bytes;  // and to src1
    std::uint32_t z_bytes;  // copied from dst after
    std::uint32_t clear;    // 1: dst is zeroed before
    std::uint32_t m;        // of the cube core's instructions
    std::uint32_t k;
    std::uint32_t n;
};

}  // namespace instruction
