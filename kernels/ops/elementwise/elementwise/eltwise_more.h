// SPDX-License-Identifier: Apache-2.0
// Element-wise operations composed of several instructions, in float: inverse and hyperbolic functions,
// losses, gradients. The polynomials are those of Abramowitz and Stegun, Handbook of Mathematical Functions.
#pragma once

#include "kernels/ops/elementwise/elementwise/eltwise_ops.h"

/// y = atan(x): of the smaller of |x| and 1 / |x| by 4.4.49 (error 2e-8), then the quarter it came from, then
/// its sign. y must not be x; takes scratch 0 to 2.
__aicore__ inline void EltAtan(const EltOperands<float>& o,
                               const AscendC::LocalTensor<float>& y,
                               const AscendC::LocalTensor<float>& x) {
    using namespace AscendC;
    constexpr float a[]{0.0028662257f,
                        -0.0161657367f,
                        0.0429096138f,
                        -0.0752896400f,
                        0.1065626393f,
                        -0.1420889944f,
                        0.1999355085f,
                        -0.3333314528f,
                        1.0f};
    const LocalTensor<float> r = o.Scratch(0);
    const LocalTensor<float> square = o.Scratch(1);
    const LocalTensor<uint8_t> within = o.Scratch(2).ReinterpretCast<uint8_t>();
    const int32_t n = o.count;
    Abs(r, x, n), Then();
    Maxs(r, r, 1.0e-30f, n), Duplicate(y, 1.0f, n), Then();
    CompareScalar(within, r, 1.0f, CMPMODE::LE, n), Div(y, y, r, n), Then();
    Min(r, r, y, n), Then();
    Mul(square, r, r, n), Then();
    Muls(y, square, a[0], n), Then();
    for (int i = 1; i < 8; ++i) {
        Adds(y, y, a[i], n), Then();
        Mul(y, y, square, n), Then();
    }
    Adds(y, y, a[8], n), Then();
    Mul(y, y, r, n), Then();
    Muls(r, y, -1.0f, n), Then();
    Adds(r, r, 1.57079632679f, n), Then();
    Select(y, within, y, r, SELMODE::VSEL_TENSOR_TENSOR_MODE, n), Then();
    Muls(r, x, 1.0e30f, n), Then();  // the sign of x
    Mins(r, r, 1.0f, n), Then();
    Maxs(r, r, -1.0f, n), Then();
    Mul(y, y, r, n);
}

/// to = sqrt(1 - x^2), with what it takes.
__aicore__ inline void EltBelowOne(const AscendC::LocalTensor<float>& to,
                                   const AscendC::LocalTensor<float>& x,
                                   int32_t n) {
    AscendC::Mul(to, x, x, n), Then();
    AscendC::Muls(to, to, -1.0f, n), Then();
    AscendC::Adds(to, to, 1.0f, n), Then();
    AscendC::Sqrt(to, to, n), Then();
}

/// y = exp(x) / 2 + sign exp(-x) / 2.
__aicore__ inline void EltHyperbolic(const EltOperands<float>& o, float sign) {
    using namespace AscendC;
    const LocalTensor<float> t = o.Scratch(0);
    const int32_t n = o.count;
    Muls(t, o.x[0], -1.0f, n), Exp(o.y[0], o.x[0], n), Then();
    Exp(t, t, n), Muls(o.y[0], o.y[0], 0.5f, n), Then();
    Axpy(o.y[0], t, 0.5f * sign, n);
}

/// y = ln(x + sqrt(x^2 + one)).
__aicore__ inline void EltAreaHyperbolic(const EltOperands<float>& o, float one) {
    using namespace AscendC;
    const LocalTensor<float>& y = o.y[0];
    const int32_t n = o.count;
    Mul(y, o.x[0], o.x[0], n), Then();
    Adds(y, y, one, n), Then();
    Sqrt(y, y, n), Then();
    Add(y, y, o.x[0], n), Then();
    Ln(y, y, n);
}

/// y = x - round(x / z) z, the quotient rounded to zero or down.
__aicore__ inline void EltRemainder(const EltOperands<float>& o, AscendC::RoundMode mode) {
    using namespace AscendC;
    const LocalTensor<float>& y = o.y[0];
    const int32_t n = o.count;
    Div(y, o.x[0], o.x[1], n), Then();
    Cast(y, y, mode, n), Then();
    Mul(y, y, o.x[1], n), Then();
    Sub(y, o.x[0], y, n);
}

/// y = d^2 / (2 p0) where |d| < p0, else |d| - p0 / 2; d = x - z.
__aicore__ inline void EltSmoothL1(const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>& y = o.y[0];
    const LocalTensor<float> d = o.Scratch(0);
    const LocalTensor<uint8_t> small = o.Scratch(1).ReinterpretCast<uint8_t>();
    const int32_t n = o.count;
    Sub(d, o.x[0], o.x[1], n), Then();
    Abs(d, d, n), Then();
    CompareScalar(small, d, o.p[0], CMPMODE::LT, n), Mul(y, d, d, n), Adds(d, d, -0.5f * o.p[0], n), Then();
    Muls(y, y, 0.5f / o.p[0], n), Then();
    Select(y, small, y, d, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
}

/// y = -z ln x - (1 - z) ln(1 - x).
__aicore__ inline void EltBinaryCrossEntropy(const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>& y = o.y[0];
    const LocalTensor<float> t = o.Scratch(0);
    const int32_t n = o.count;
    Muls(y, o.x[0], -1.0f, n), Ln(t, o.x[0], n), Then();
    Adds(y, y, 1.0f, n), Then();
    Ln(y, y, n), Then();
    Sub(t, t, y, n), Then();  // ln x - ln(1 - x)
    Mul(t, t, o.x[1], n), Then();
    Add(y, y, t, n), Then();
    Muls(y, y, -1.0f, n);
}

/// y = x0 gelu'(x), x = x1: (1 + tanh(u) + x (1 - tanh^2(u)) u') / 2 with u = sqrt(2 / pi) (x + 0.044715
/// x^3).
__aicore__ inline void EltGeluGrad(const EltOperands<float>& o) {
    using namespace AscendC;
    constexpr float root = 0.7978845608f;
    const LocalTensor<float>&x = o.x[1], &y = o.y[0];
    const LocalTensor<float> square = o.Scratch(0), u = o.Scratch(1), t = o.Scratch(2);
    const int32_t n = o.count;
    Mul(square, x, x, n), Then();
    Muls(u, square, 0.044715f * root, n), Then();
    Adds(u, u, root, n), Then();
    Mul(u, u, x, n), Then();
    EltTanh(y, u, t, n), Then();  // tanh(u)
    Muls(square, square, 3 * 0.044715f * root, n), Mul(u, y, y, n), Then();
    Adds(square, square, root, n), Muls(u, u, -1.0f, n), Then();
    Adds(u, u, 1.0f, n), Mul(square, square, x, n), Then();
    Mul(u, u, square, n), Adds(y, y, 1.0f, n), Then();
    Add(y, y, u, n), Then();
    Muls(y, y, 0.5f, n), Then();
    Mul(y, y, o.x[0], n);
}

/// Tangent and the inverses of the trigonometric functions.
KERNEL_FOLDED __aicore__ inline void EltApplyTrigonometric(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::atan:
            EltAtan(o, y, x);
            break;
        case EltOp::asin:  // atan(x / sqrt(1 - x^2))
        case EltOp::acos:
            EltBelowOne(o.Scratch(3), x, n);
            Div(o.Scratch(3), x, o.Scratch(3), n), Then();
            EltAtan(o, y, o.Scratch(3));
            if (op == EltOp::acos) {
                Then(), Muls(y, y, -1.0f, n), Then(), Adds(y, y, 1.57079632679f, n);
            }
            break;
        case EltOp::tan: {  // sin / cos
            EltSine(o, 0.5f), Then();
            Adds(o.Scratch(2), y, 0.0f, n), Then();
            EltSine(o, 0.0f), Then();
            Div(y, y, o.Scratch(2), n);
            break;
        }
        default:
            break;
    }
}

/// Hyperbolic functions and their inverses.
KERNEL_FOLDED __aicore__ inline void EltApplyHyperbolic(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &y = o.y[0];
    const LocalTensor<float> t = o.Scratch(0);
    const int32_t n = o.count;
    switch (op) {
        case EltOp::sinh:
            EltHyperbolic(o, -1.0f);
            break;
        case EltOp::cosh:
            EltHyperbolic(o, 1.0f);
            break;
        case EltOp::asinh:
            EltAreaHyperbolic(o, 1.0f);
            break;
        case EltOp::acosh:
            EltAreaHyperbolic(o, -1.0f);
            break;
        case EltOp::atanh:  // ln((1 + x) / (1 - x)) / 2
            Muls(t, x, -1.0f, n), Adds(y, x, 1.0f, n), Then(), Adds(t, t, 1.0f, n), Then();
            Div(y, y, t, n), Then(), Ln(y, y, n), Then(), Muls(y, y, 0.5f, n);
            break;
        default:
            EltApplyTrigonometric(op, o);
            break;
    }
}

/// Operations of one operand.
KERNEL_FOLDED __aicore__ inline void EltApplyFunction(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &y = o.y[0];
    const LocalTensor<float> t = o.Scratch(0);
    const int32_t n = o.count;
    switch (op) {
        case EltOp::is_finite: {  // x - x is 0 for finite values alone
            const LocalTensor<float> zero = o.Scratch(1);
            Sub(zero, x, x, n), Then();
            CompareScalar(t.ReinterpretCast<uint8_t>(), zero, 0.0f, CMPMODE::EQ, n),
                Duplicate(o.flags, half(1.0f), n), Then();
            Select(o.flags,
                   t.ReinterpretCast<uint8_t>(),
                   o.flags,
                   half(0.0f),
                   SELMODE::VSEL_TENSOR_SCALAR_MODE,
                   n);
            break;
        }
        case EltOp::exp_minus_one:
            Exp(y, x, n), Then(), Adds(y, y, -1.0f, n);
            break;
        case EltOp::hard_sigmoid:
            Muls(y, x, 1.0f / 6.0f, n), Then(), Adds(y, y, 0.5f, n), Then(), Maxs(y, y, 0.0f, n), Then();
            Mins(y, y, 1.0f, n);
            break;
        case EltOp::softsign:  // x / (1 + |x|)
            Abs(y, x, n), Then(), Adds(y, y, 1.0f, n), Then(), Div(y, x, y, n);
            break;
        default:
            EltApplyHyperbolic(op, o);
            break;
    }
}

/// Losses and gradients of two operands.
KERNEL_FOLDED __aicore__ inline void EltApplyLoss(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &z = o.x[1], &y = o.y[0];
    const LocalTensor<float> t = o.Scratch(0);
    const int32_t n = o.count;
    switch (op) {
        case EltOp::smooth_l1:
            EltSmoothL1(o);
            break;
        case EltOp::binary_cross_entropy:
            EltBinaryCrossEntropy(o);
            break;
        case EltOp::cross_entropy_of_logits:  // softplus(x) - x z
            EltSoftplus(y, x, t, n), Then(), Mul(t, x, z, n), Then(), Sub(y, y, t, n);
            break;
        case EltOp::sigmoid_grad:  // z x (1 - x), x = sigmoid
            Muls(t, x, -1.0f, n), Mul(y, x, z, n), Then(), Adds(t, t, 1.0f, n), Then(), Mul(y, y, t, n);
            break;
        case EltOp::tanh_grad:  // z (1 - x^2), x = tanh
            Mul(t, x, x, n), Then(), Muls(t, t, -1.0f, n), Then(), Adds(t, t, 1.0f, n), Then(),
                Mul(y, t, z, n);
            break;
        case EltOp::gelu_grad:
            EltGeluGrad(o);
            break;
        default:
            EltApplyFunction(op, o);
            break;
    }
}

/// Operations of two operands, and what is left of one.
KERNEL_FOLDED __aicore__ inline void EltApplyMore(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &z = o.x[1], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::mod:
            EltRemainder(o, RoundMode::CAST_TRUNC);
            break;
        case EltOp::floor_mod:
            EltRemainder(o, RoundMode::CAST_FLOOR);
            break;
        case EltOp::atan2:  // of positive operands: atan(x / z)
            Div(o.Scratch(3), x, z, n), Then();
            EltAtan(o, y, o.Scratch(3));
            break;
        case EltOp::abs_difference:
            Sub(y, x, z, n), Then(), Abs(y, y, n);
            break;
        case EltOp::logical_xor:  // truth values come as 0 and 1
            EltCompare(o, CMPMODE::NE);
            break;
        default:
            EltApplyLoss(op, o);
            break;
    }
}
