// SPDX-License-Identifier: Apache-2.0
// From the operation's number to its arithmetic, one function for each compute type.
#pragma once

#include "kernels/common/eltwise_gcd.h"
#include "kernels/common/eltwise_more.h"
#include "kernels/common/eltwise_optimiser.h"

/// Operations of two or more operands, in float.
__aicore__ inline void EltApplyWide(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>& x = o.x[0];
    const LocalTensor<float>& z = o.x[1];
    const LocalTensor<float>& y = o.y[0];
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

/// Operations of one operand, in float.
__aicore__ inline void EltApplyFloat(EltOp op, const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>& x = o.x[0];
    const LocalTensor<float>& y = o.y[0];
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
        case EltOp::sigmoid:
            EltSigmoid(y, x, o.Scratch(0), n);
            break;
        case EltOp::silu:
            EltSigmoid(y, x, o.Scratch(0), n), Then(), Mul(y, y, x, n);
            break;
        case EltOp::tanh:
            EltTanh(y, x, o.Scratch(0), n);
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
        case EltOp::erf:
            EltErf(o);
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
            EltApplyWide(op, o);
            break;
    }
}

/// What float and half both do.
template <typename C>
__aicore__ inline void EltApplyReal(EltOp op, const EltOperands<C>& o) {
    using namespace AscendC;
    const LocalTensor<C>& x = o.x[0];
    const LocalTensor<C>& y = o.y[0];
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
        case EltOp::scale:
            Muls(y, x, static_cast<C>(o.p[0]), n), Then(), Adds(y, y, static_cast<C>(o.p[1]), n);
            break;
        case EltOp::clamp:
            Maxs(y, x, static_cast<C>(o.p[0]), n), Then(), Mins(y, y, static_cast<C>(o.p[1]), n);
            break;
        case EltOp::logical_not:
            EltCompareScalar(o, static_cast<C>(0.0f), CMPMODE::EQ);
            break;
        case EltOp::greater_scalar:
        case EltOp::less_scalar:
        case EltOp::equal_scalar:
            EltCompareScalar(o, static_cast<C>(o.p[0]), EltModeOf<C>(op));
            break;
        case EltOp::less:
        case EltOp::less_equal:
        case EltOp::greater:
        case EltOp::greater_equal:
        case EltOp::equal:
        case EltOp::not_equal:
            EltCompare(o, EltModeOf<C>(op));
            break;
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
        case EltOp::relu_grad:  // x0 where x1 > 0
            CompareScalar(o.Scratch(0).template ReinterpretCast<uint8_t>(),
                          o.x[1],
                          static_cast<C>(0.0f),
                          CMPMODE::GT,
                          n),
                Then();
            Select(y,
                   o.Scratch(0).template ReinterpretCast<uint8_t>(),
                   x,
                   static_cast<C>(0.0f),
                   SELMODE::VSEL_TENSOR_SCALAR_MODE,
                   n);
            break;
        case EltOp::dropout_mask:  // x0 * p0 where the bit of x1 is set
            Muls(y, x, static_cast<C>(o.p[0]), n), Then();
            Select(y,
                   o.x[1].template ReinterpretCast<uint8_t>(),
                   y,
                   static_cast<C>(0.0f),
                   SELMODE::VSEL_TENSOR_SCALAR_MODE,
                   n);
            break;
        case EltOp::masked_fill:  // p0 where x1 != 0, else x0
            CompareScalar(o.Scratch(0).template ReinterpretCast<uint8_t>(),
                          o.x[1],
                          static_cast<C>(0.0f),
                          CMPMODE::EQ,
                          n),
                Then();
            Select(y,
                   o.Scratch(0).template ReinterpretCast<uint8_t>(),
                   x,
                   static_cast<C>(o.p[0]),
                   SELMODE::VSEL_TENSOR_SCALAR_MODE,
                   n);
            break;
        case EltOp::where:
            EltWhere(o, x, o.x[1]);
            break;
        case EltOp::is_nan:  // the only value that differs from itself
            EltCompare(EltOperands<C>{{x, x}, {y}, o.scratch, o.pitch, o.flags, o.p, o.count}, CMPMODE::NE);
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
            if constexpr (std::is_same_v<C, float>) {
                EltApplyFloat(op, o);
            } else if (op == EltOp::logical_and || op == EltOp::logical_or) {
                // Truth values come as halves 0 and 1.
                if (op == EltOp::logical_and) {
                    Mul(o.flags, x, o.x[1], n);
                } else {
                    Max(o.flags, x, o.x[1], n);
                }
            }
            break;
    }
}

/// Whole numbers, in their own type.
template <typename C>
__aicore__ inline void EltApplyWhole(EltOp op, const EltOperands<C>& o) {
    using namespace AscendC;
    const LocalTensor<C>& x = o.x[0];
    const LocalTensor<C>& y = o.y[0];
    const int32_t n = o.count;
    switch (op) {
        case EltOp::fill:
            Duplicate(y, static_cast<C>(o.p[0]), n);
            break;
        case EltOp::copy:
            Adds(y, x, C(0), n);
            break;
        case EltOp::neg:
            Muls(y, x, C(-1), n);
            break;
        case EltOp::scale:
            Muls(y, x, static_cast<C>(o.p[0]), n), Then(), Adds(y, y, static_cast<C>(o.p[1]), n);
            break;
        case EltOp::clamp:
            Maxs(y, x, static_cast<C>(o.p[0]), n), Then(), Mins(y, y, static_cast<C>(o.p[1]), n);
            break;
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
        case EltOp::bit_and:
        case EltOp::bit_or: {
            const LocalTensor<uint16_t> a = x.template ReinterpretCast<uint16_t>();
            const LocalTensor<uint16_t> b = o.x[1].template ReinterpretCast<uint16_t>();
            const LocalTensor<uint16_t> c = y.template ReinterpretCast<uint16_t>();
            const int32_t words = n * static_cast<int32_t>(sizeof(C) / 2);
            if (op == EltOp::bit_and) {
                And(c, a, b, words);
            } else {
                Or(c, a, b, words);
            }
            break;
        }
        case EltOp::gcd:
            EltGcd(o, static_cast<int32_t>(o.p[0]));
            break;
        default:
            break;
    }
}

template <typename C>
__aicore__ inline void EltApply(EltOp op, const EltOperands<C>& o) {
    if constexpr (std::is_same_v<C, float> || std::is_same_v<C, half>) {
        EltApplyReal(op, o);
    } else {
        EltApplyWhole(op, o);
    }
}
