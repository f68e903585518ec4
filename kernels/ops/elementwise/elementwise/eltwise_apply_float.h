// SPDX-License-Identifier: Apache-2.0
// From the operation's number to its arithmetic in float; each function passes on what it does not do.
#pragma once

#include "kernels/ops/elementwise/elementwise/eltwise_gcd.h"
#include "kernels/ops/elementwise/elementwise/eltwise_more.h"
#include "kernels/ops/elementwise/elementwise/eltwise_optimiser.h"

/// Steps of optimisers.
KERNEL_FOLDED __aicore__ inline void EltApplyOptimiser(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &z = o.x[1], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::adam_w:
        case EltOp::adam:
            EltAdamW(o);
            break;
        case EltOp::momentum:  // y1 = p1 x1 + x2; y0 = x0 - p0 y1
            Muls(o.y[1], z, o.p[1], n), Then(), Add(o.y[1], o.y[1], o.x[2], n), Then();
            Muls(o.Scratch(0), o.y[1], -o.p[0], n), Then(), Add(y, x, o.Scratch(0), n);
            break;
        case EltOp::adagrad:  // y1 = x1 + x2^2; y0 = x0 - p0 x2 / (sqrt(y1) + p4)
            Mul(y, o.x[2], o.x[2], n), Then(), Add(o.y[1], z, y, n), Then(), Sqrt(y, o.y[1], n), Then();
            Adds(y, y, o.p[4], n), Then(), Div(y, o.x[2], y, n), Then(), Muls(y, y, -o.p[0], n), Then();
            Add(y, y, x, n);
            break;
        default:
            EltApplyMore(op, o);
            break;
    }
}

/// Gates: an activation times another operand, and its gradient.
KERNEL_FOLDED __aicore__ inline void EltApplyGate(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &z = o.x[1], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::silu_mul:
            EltSigmoid(y, x, o.Scratch(0), n), Then(), Mul(y, y, x, n), Then(), Mul(y, y, z, n);
            break;
        case EltOp::gelu_mul:
            GeluTanh(y, x, o.Scratch(0), n), Then(), Mul(y, y, z, n);
            break;
        case EltOp::silu_grad:  // z s (1 + x (1 - s)), s = sigmoid(x)
            EltSigmoid(y, x, o.Scratch(0), n), Then();
            Muls(o.Scratch(0), y, -1.0f, n), Then(), Adds(o.Scratch(0), o.Scratch(0), 1.0f, n), Then();
            Mul(o.Scratch(0), o.Scratch(0), x, n), Then(), Adds(o.Scratch(0), o.Scratch(0), 1.0f, n), Then();
            Mul(y, y, o.Scratch(0), n), Then(), Mul(y, y, z, n);
            break;
        default:
            EltApplyOptimiser(op, o);
            break;
    }
}

/// Arithmetic of two operands and three.
KERNEL_FOLDED __aicore__ inline void EltApplyWide(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &z = o.x[1], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::div:
            Div(y, x, z, n);
            break;
        case EltOp::pow:  // exp(z ln x), of positive x
            Ln(y, x, n), Then(), Mul(y, y, z, n), Then(), Exp(y, y, n);
            break;
        case EltOp::squared_difference:
            Sub(y, x, z, n), Then(), Mul(y, y, y, n);
            break;
        case EltOp::gcd:
            EltGcd(o, static_cast<int32_t>(o.p[0]));
            break;
        case EltOp::addcmul:
            Mul(y, z, o.x[2], n), Then(), Muls(y, y, o.p[0], n), Then(), Add(y, y, x, n);
            break;
        case EltOp::addcdiv:
            Div(y, z, o.x[2], n), Then(), Muls(y, y, o.p[0], n), Then(), Add(y, y, x, n);
            break;
        case EltOp::lerp:
            Sub(y, z, x, n), Then(), Mul(y, y, o.x[2], n), Then(), Add(y, y, x, n);
            break;
        default:
            EltApplyGate(op, o);
            break;
    }
}

/// Whole numbers near the operand, and its sign.
KERNEL_FOLDED __aicore__ inline void EltApplyRounding(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::sign:  // big steps around 0 cut to +-1
            Muls(y, x, 3.0e38f, n), Then(), Mins(y, y, 1.0f, n), Then(), Maxs(y, y, -1.0f, n);
            break;
        case EltOp::floor:
            Cast(y, x, RoundMode::CAST_FLOOR, n);
            break;
        case EltOp::ceil:
            Cast(y, x, RoundMode::CAST_CEIL, n);
            break;
        case EltOp::round:
            Cast(y, x, RoundMode::CAST_RINT, n);
            break;
        case EltOp::trunc:
            Cast(y, x, RoundMode::CAST_TRUNC, n);
            break;
        default:
            EltApplyWide(op, o);
            break;
    }
}

/// Activations of one operand.
KERNEL_FOLDED __aicore__ inline void EltApplyActivation(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::sigmoid:
            EltSigmoid(y, x, o.Scratch(0), n);
            break;
        case EltOp::silu:
            EltSigmoid(y, x, o.Scratch(0), n), Then(), Mul(y, y, x, n);
            break;
        case EltOp::softplus:
            EltSoftplus(y, x, o.Scratch(0), n);
            break;
        case EltOp::mish:
            EltMish(o);
            break;
        case EltOp::fast_gelu:
            EltFastGelu(y, x, o.Scratch(0), o.Scratch(1), n);
            break;
        case EltOp::gelu_tanh:
            EltGelu(y, x, o.Scratch(0), n);
            break;
        case EltOp::gelu_erf:
            Adds(o.Scratch(4), x, 0.0f, n), Then(), GeluErf(y, o.Scratch(4), o.scratch, o.pitch, n);
            break;
        case EltOp::elu:  // max(x, 0) + p0 (exp(min(x, 0)) - 1)
            Mins(o.Scratch(0), x, 0.0f, n), Maxs(y, x, 0.0f, n), Then(), Exp(o.Scratch(0), o.Scratch(0), n),
                Then();
            Adds(o.Scratch(0), o.Scratch(0), -1.0f, n), Then(), Axpy(y, o.Scratch(0), o.p[0], n);
            break;
        case EltOp::hard_swish:
            Muls(y, x, 1.0f / 6.0f, n), Then(), Adds(y, y, 0.5f, n), Then(), Maxs(y, y, 0.0f, n), Then();
            Mins(y, y, 1.0f, n), Then(), Mul(y, y, x, n);
            break;
        default:
            EltApplyRounding(op, o);
            break;
    }
}

/// Elementary functions of one operand.
KERNEL_FOLDED __aicore__ inline void EltApplyFloat(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::ln:
            Ln(y, x, n);
            break;
        case EltOp::log1p:
            Adds(y, x, 1.0f, n), Then(), Ln(y, y, n);
            break;
        case EltOp::rsqrt:
            Sqrt(y, x, n), Duplicate(o.Scratch(0), 1.0f, n), Then(), Div(y, o.Scratch(0), y, n);
            break;
        case EltOp::reciprocal:
            Duplicate(o.Scratch(0), 1.0f, n), Then(), Div(y, o.Scratch(0), x, n);
            break;
        case EltOp::tanh:
            EltTanh(y, x, o.Scratch(0), n);
            break;
        case EltOp::erf:
            EltErf(o);
            break;
        case EltOp::sin:
            EltSine(o, 0.0f);
            break;
        case EltOp::cos:
            EltSine(o, 0.5f);
            break;
        case EltOp::exp_scaled:  // exp((p0 x + p1) p2)
            Muls(y, x, o.p[0], n), Then(), Adds(y, y, o.p[1], n), Then(), Muls(y, y, o.p[2], n), Then();
            Exp(y, y, n);
            break;
        case EltOp::power:
            Ln(y, x, n), Then(), Muls(y, y, o.p[0], n), Then(), Exp(y, y, n);
            break;
        default:
            EltApplyActivation(op, o);
            break;
    }
}
