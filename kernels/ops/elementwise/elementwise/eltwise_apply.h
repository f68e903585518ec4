// SPDX-License-Identifier: Apache-2.0
// From the operation's number to its arithmetic, by the type it is computed in; each function passes on what
// it does not do.
#pragma once

#include "kernels/ops/elementwise/elementwise/eltwise_apply_float.h"

/// y = x0 where x1 compares like `mode` with 0, else `otherwise`.
template <typename C>
__aicore__ inline void EltKeepWhere(const EltOperands<C>& o, AscendC::CMPMODE mode, C otherwise) {
    using namespace AscendC;
    const LocalTensor<uint8_t> bits = o.Scratch(0).template ReinterpretCast<uint8_t>();
    CompareScalar(bits, o.x[1], static_cast<C>(0.0f), mode, o.count), Then();
    Select(o.y[0], bits, o.x[0], otherwise, SELMODE::VSEL_TENSOR_SCALAR_MODE, o.count);
}

/// y = x0 p0 where the bit of x1 is set.
template <typename C>
__aicore__ inline void EltDropOut(const EltOperands<C>& o) {
    using namespace AscendC;
    const LocalTensor<uint8_t> bits = o.x[1].template ReinterpretCast<uint8_t>();
    Muls(o.y[0], o.x[0], static_cast<C>(o.p[0]), o.count), Then();
    Select(o.y[0], bits, o.y[0], static_cast<C>(0.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, o.count);
}

/// Truth values, which come as halves 0 and 1, and comparisons with a number.
template <typename C>
KERNEL_FOLDED __aicore__ inline void EltApplyLogical(EltOp op, const EltOperands<C>& o) {
    using namespace AscendC;
    switch (op) {
        case EltOp::logical_not:
            EltCompareScalar(o, static_cast<C>(0.0f), CMPMODE::EQ);
            break;
        case EltOp::greater_scalar:
        case EltOp::less_scalar:
        case EltOp::equal_scalar:
            EltCompareScalar(o, static_cast<C>(o.p[0]), EltModeOf<C>(op));
            break;
        default:
            if constexpr (std::is_same_v<C, float>) {
                EltApplyFloat(op, o);
            } else if (op == EltOp::logical_and) {
                Mul(o.flags, o.x[0], o.x[1], o.count);
            } else if (op == EltOp::logical_or) {
                Max(o.flags, o.x[0], o.x[1], o.count);
            }
            break;
    }
}

/// Where operands compare, and what masks choose.
template <typename C>
KERNEL_FOLDED __aicore__ inline void EltApplyMasked(EltOp op, const EltOperands<C>& o) {
    using namespace AscendC;
    const LocalTensor<C>&x = o.x[0], &y = o.y[0];
    switch (op) {
        case EltOp::less:
        case EltOp::less_equal:
        case EltOp::greater:
        case EltOp::greater_equal:
        case EltOp::equal:
        case EltOp::not_equal:
            EltCompare(o, EltModeOf<C>(op));
            break;
        case EltOp::relu_grad:  // x0 where x1 > 0
            EltKeepWhere(o, CMPMODE::GT, static_cast<C>(0.0f));
            break;
        case EltOp::dropout_mask:
            EltDropOut(o);
            break;
        case EltOp::masked_fill:  // p0 where x1 != 0, else x0
            EltKeepWhere(o, CMPMODE::EQ, static_cast<C>(o.p[0]));
            break;
        case EltOp::where:
            EltWhere(o, x, o.x[1]);
            break;
        case EltOp::is_nan:  // the only value that differs from itself
            EltCompare(EltOperands<C>{{x, x}, {y}, o.scratch, o.pitch, o.flags, o.p, o.count}, CMPMODE::NE);
            break;
        default:
            EltApplyLogical(op, o);
            break;
    }
}

/// What float and half both do.
template <typename C>
KERNEL_FOLDED __aicore__ inline void EltApplyReal(EltOp op, const EltOperands<C>& o) {
    using namespace AscendC;
    const LocalTensor<C>&x = o.x[0], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::abs:
            Abs(y, x, n);
            break;
        case EltOp::relu:
            Relu(y, x, n);
            break;
        case EltOp::exp:
            Exp(y, x, n);
            break;
        case EltOp::sqrt:
            Sqrt(y, x, n);
            break;
        case EltOp::square:
            Mul(y, x, x, n);
            break;
        case EltOp::leaky_relu:
            LeakyRelu(y, x, static_cast<C>(o.p[0]), n);
            break;
        case EltOp::masked_scale:
            Mul(y, x, o.x[1], n), Then(), Muls(y, y, static_cast<C>(o.p[0]), n);
            break;
        case EltOp::add3:
            Add(y, x, o.x[1], n), Then(), Add(y, y, o.x[2], n);
            break;
        case EltOp::add4:
            Add(y, x, o.x[1], n), Then(), Add(y, y, o.x[2], n), Then(), Add(y, y, o.x[3], n);
            break;
        case EltOp::adam_w_of_tensors:
            EltAdamWOfTensors(o);
            break;
        default:
            EltApplyMasked(op, o);
            break;
    }
}

/// Bits of two operands, in words of 16.
template <typename C>
KERNEL_FOLDED __aicore__ inline void EltBits(EltOp op, const EltOperands<C>& o) {
    using namespace AscendC;
    const LocalTensor<uint16_t> a = o.x[0].template ReinterpretCast<uint16_t>();
    const LocalTensor<uint16_t> b = o.x[1].template ReinterpretCast<uint16_t>();
    const LocalTensor<uint16_t> c = o.y[0].template ReinterpretCast<uint16_t>();
    const int32_t words = o.count * static_cast<int32_t>(sizeof(C) / 2);
    if (op == EltOp::bit_and) {
        And(c, a, b, words);
    } else {
        Or(c, a, b, words);
    }
}

/// Whole numbers, in their own type.
template <typename C>
KERNEL_FOLDED __aicore__ inline void EltApplyWhole(EltOp op, const EltOperands<C>& o) {
    using namespace AscendC;
    switch (op) {
        case EltOp::bit_and:
        case EltOp::bit_or:
            EltBits(op, o);
            break;
        case EltOp::gcd:
            EltGcd(o, static_cast<int32_t>(o.p[0]));
            break;
        default:
            break;
    }
}

/// Sums, products and the larger or smaller of two operands, of any type.
template <typename C>
KERNEL_FOLDED __aicore__ inline void EltApplyPair(EltOp op, const EltOperands<C>& o) {
    using namespace AscendC;
    const LocalTensor<C>&x = o.x[0], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::add:
            Add(y, x, o.x[1], n);
            break;
        case EltOp::sub:
            Sub(y, x, o.x[1], n);
            break;
        case EltOp::mul:
            Mul(y, x, o.x[1], n);
            break;
        case EltOp::maximum:
            Max(y, x, o.x[1], n);
            break;
        case EltOp::minimum:
            Min(y, x, o.x[1], n);
            break;
        case EltOp::axpy:
            Muls(y, o.x[1], static_cast<C>(o.p[0]), n), Then(), Add(y, y, x, n);
            break;
        default:
            if constexpr (std::is_same_v<C, float> || std::is_same_v<C, half>) {
                EltApplyReal(op, o);
            } else {
                EltApplyWhole(op, o);
            }
            break;
    }
}

/// One operand of any type, scaled or cut.
template <typename C>
KERNEL_FOLDED __aicore__ inline void EltApply(EltOp op, const EltOperands<C>& o) {
    using namespace AscendC;
    const LocalTensor<C>&x = o.x[0], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::fill:
            Duplicate(y, static_cast<C>(o.p[0]), n);
            break;
        case EltOp::copy:
            Adds(y, x, static_cast<C>(0.0f), n);
            break;
        case EltOp::neg:
            Muls(y, x, static_cast<C>(-1.0f), n);
            break;
        case EltOp::scale:
            Muls(y, x, static_cast<C>(o.p[0]), n), Then(), Adds(y, y, static_cast<C>(o.p[1]), n);
            break;
        case EltOp::clamp:
            Maxs(y, x, static_cast<C>(o.p[0]), n), Then(), Mins(y, y, static_cast<C>(o.p[1]), n);
            break;
        default:
            EltApplyPair(op, o);
            break;
    }
}
