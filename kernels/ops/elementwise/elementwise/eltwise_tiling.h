// SPDX-License-Identifier: Apache-2.0
// What the host and the element-wise kernel agree on: operations, element types, forms of operands, tiling.
#pragma once

#include <cstdint>

/// Bytes of the unified buffer that no tile of operands takes: masks, row values and their like.
constexpr uint64_t elt_fixed_bytes = 8192;

/// Element types of operands in global memory. `bits` are packed, eight to a byte.
enum class EltType : uint8_t { f16, bf16, f32, i8, u8, i16, i32, i64, bits };

/// Types the arithmetic can be done in.
enum class EltCompute : uint8_t { f32, f16, i32, i16 };

enum class EltOp : uint8_t {
    // of nothing, one operand, or one and scalars
    fill,
    copy,
    neg,
    abs,
    relu,
    exp,
    ln,
    log1p,
    sqrt,
    rsqrt,
    reciprocal,
    square,
    sigmoid,
    tanh,
    silu,
    mish,
    softplus,
    fast_gelu,
    gelu_tanh,
    gelu_erf,
    erf,
    elu,
    leaky_relu,
    hard_swish,
    sign,
    floor,
    ceil,
    round,
    trunc,
    sin,
    cos,
    scale,
    clamp,
    exp_scaled,
    power,
    logical_not,
    greater_scalar,
    less_scalar,
    equal_scalar,
    // of two
    add,
    sub,
    mul,
    div,
    maximum,
    minimum,
    pow,
    squared_difference,
    silu_mul,
    gelu_mul,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    bit_and,
    bit_or,
    gcd,
    silu_grad,
    relu_grad,
    axpy,
    dropout_mask,
    masked_fill,
    // of three and more
    addcmul,
    addcdiv,
    where,
    lerp,
    adam,
    adam_w,
    adam_w_of_tensors,
    momentum,
    adagrad,
    // common/eltwise_more.h: of one operand
    is_finite,
    is_nan,
    atan,
    asin,
    acos,
    tan,
    sinh,
    cosh,
    asinh,
    acosh,
    atanh,
    exp_minus_one,
    hard_sigmoid,
    softsign,
    // of two
    mod,
    floor_mod,
    atan2,
    abs_difference,
    smooth_l1,
    binary_cross_entropy,
    cross_entropy_of_logits,
    sigmoid_grad,
    tanh_grad,
    gelu_grad,
    masked_scale,
    logical_xor,
    // of three and four
    add3,
    add4
};

/// How an operand lies against the output, which is (rows, width).
enum class EltForm : uint8_t {
    dense,   // as the output
    scalar,  // one element
    row,     // one row of `width`, the same for all rows
    column   // one element for each row, repeating after `period` rows
};

constexpr uint32_t elt_most_inputs = 4;
constexpr uint32_t elt_most_outputs = 3;
constexpr uint32_t elt_bank_offset = 256;  // half a round of bank groups: neighbours do not meet in a read

struct EltTiling {
    uint64_t rows;       // of the output; 1 where nothing is broadcast
    uint64_t width;      // elements of a row
    uint64_t share;      // of a core: rows, or elements where rows is 1
    uint64_t period;     // rows after which a column operand repeats
    uint32_t tile;       // rows in a buffer, or elements where rows is 1
    uint32_t chunk;      // columns in a buffer; elements of the buffer where rows is 1
    uint32_t pitch;      // elements from row to row of a buffer
    uint32_t buffers;    // 2: copies and arithmetic overlap
    uint32_t copy;       // elements of one copy of a flat tile; 0: all of it
    uint32_t bypass_l2;  // 1: inputs are read past L2
    uint32_t by_rows;    // 1: a column operand is spread row by row, else over many rows at a time
    uint32_t lists;      // bytes of lists in global memory that the scalar unit reads before it starts
    EltOp op;
    EltCompute compute;
    uint8_t inputs;
    uint8_t outputs;
    uint8_t scratch;  // tiles in the compute type that the operation needs besides
    uint8_t via;      // 1: some conversion goes over a third type
    EltType in_type[elt_most_inputs];
    EltForm form[elt_most_inputs];
    EltType out_type[elt_most_outputs];
    float parameter[8];
};

/// Bytes of `count` elements.
constexpr uint64_t EltBytes(EltType type, uint64_t count) {
    switch (type) {
        case EltType::bits:
            return (count + 7) / 8;
        case EltType::i8:
        case EltType::u8:
            return count;
        case EltType::f16:
        case EltType::bf16:
        case EltType::i16:
            return 2 * count;
        case EltType::f32:
        case EltType::i32:
            return 4 * count;
        case EltType::i64:
            return 8 * count;
    }
    return 0;
}

constexpr uint32_t EltComputeSize(EltCompute compute) {
    return compute == EltCompute::f32 || compute == EltCompute::i32 ? 4 : 2;
}

/// True if operands of this type enter the arithmetic as they lie in memory.
constexpr bool EltIsNative(EltType type, EltCompute compute) {
    return (type == EltType::f32 && compute == EltCompute::f32) ||
           (type == EltType::f16 && compute == EltCompute::f16) ||
           (type == EltType::i32 && compute == EltCompute::i32) ||
           (type == EltType::i16 && compute == EltCompute::i16) || type == EltType::bits;
}

/// True if the operation answers yes or no, as halves 1 and 0 before they are stored.
constexpr bool EltIsPredicate(EltOp op) {
    return op == EltOp::logical_not || (op >= EltOp::greater_scalar && op <= EltOp::equal_scalar) ||
           (op >= EltOp::less && op <= EltOp::logical_or) || op == EltOp::is_finite || op == EltOp::is_nan ||
           op == EltOp::logical_xor;
}
