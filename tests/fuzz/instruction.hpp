// SPDX-License-Identifier: Apache-2.0
// One call of the vector API, as data: what the generator makes, the device runs and the interpreter follows.
#pragma once

#include <cstdint>

namespace fuzz {

/// Bytes of the unified buffer that programs work on, from offset 0.
inline constexpr std::uint32_t image_bytes = 16384;

enum class Type : std::uint8_t { f32, f16, i32, i16, u32, u16, u8, i8 };

enum class Op : std::uint8_t {
    // one source
    abs,
    exp,
    ln,
    sqrt,
    rsqrt,
    reciprocal,
    relu,
    bit_not,
    // two sources
    add,
    sub,
    mul,
    div,
    max,
    min,
    bit_and,
    bit_or,
    add_relu,
    sub_relu,
    // a source and a scalar
    adds,
    muls,
    maxs,
    mins,
    leaky_relu,
    shift_left,
    shift_right,
    // sources and the destination
    axpy,
    mul_add_dst,
    fused_mul_add,
    duplicate,
    cast,
    compare,
    compare_scalar,
    select_tensor,
    select_scalar,
    whole_sum,
    whole_max,
    whole_min,
    block_sum,
    block_max,
    block_min,
    pair_sum,
    reduce_sum,
    reduce_max,
    reduce_min,
    gather,
    brcb,
    copy,
    gather_mask,
    vector_index,
    transpose,
    count
};

/// How a call says which elements take part: their number; the first lanes of each repeat; lanes bit by bit;
/// the same by the mask register; a number of elements by the register in counter mode.
enum class Form : std::uint8_t { count, lanes, bits, registers, counter };

struct Instruction {
    Op op = Op::add;
    Type type = Type::f32;  // of the destination and the sources
    Type from = Type::f32;  // of the source of cast and axpy
    Form form = Form::count;
    std::uint32_t dst = 0;  // B in the image
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t count = 0;  // elements; of `lanes` the lanes
    std::uint64_t mask[2]{};
    std::uint32_t repeats = 1;
    std::uint32_t block_stride[3]{1, 1, 1};   // of dst, a, b in 32 B
    std::uint32_t repeat_stride[3]{8, 8, 8};  // in 32 B; of reductions the destination's in results
    std::uint64_t scalar = 0;                 // bits of a value of the source's type
    std::uint32_t mode = 0;                   // rounding, comparison, order or pattern
};

/// Runs `instruction` on the current core through the Ascend C headers (device.cpp).
extern "C" void fuzz_execute(const Instruction* instruction);

}  // namespace fuzz
