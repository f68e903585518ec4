// SPDX-License-Identifier: Apache-2.0
// The arithmetic of element-wise operations on whole vector buffers. Every operation leaves its inputs alone
// unless it says otherwise, and ends without a barrier behind its last instruction.
#pragma once

#include "kernel_operator.h"
#include "kernels/ops/elementwise/elementwise/eltwise_tiling.h"
#include "kernels/shared/gelu.h"
#include "kernels/shared/library_cost.h"

/// Where an operation finds its operands; all hold `count` elements.
template <typename C>
struct EltOperands {
    AscendC::LocalTensor<C> x[elt_most_inputs];
    AscendC::LocalTensor<C> y[elt_most_outputs];
    AscendC::LocalTensor<C> scratch;  // from one to the next: `pitch` elements
    uint32_t pitch;
    AscendC::LocalTensor<half> flags;  // of a predicate: the result, as halves
    const float* p;                    // the operation's scalars
    int32_t count;

    __aicore__ inline AscendC::LocalTensor<C> Scratch(uint32_t i) const { return scratch[i * pitch]; }
};

__aicore__ inline void Then() {
    AscendC::PipeBarrier<PIPE_V>();
}

/// x tanh(softplus(x)) as the operator library composes it (its TBE source, impl/dynamic/mish.py): the
/// quotient of e = exp(-x) for positive x and that of e = exp(x) for the others, both everywhere, each chosen
/// by its own mask.
__aicore__ inline void EltMish(const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float>&x = o.x[0], &y = o.y[0];
    const LocalTensor<uint8_t> bits = o.Scratch(0).template ReinterpretCast<uint8_t>();
    const LocalTensor<float> a = o.Scratch(1), b = o.Scratch(2);
    const int32_t n = o.count;
    const auto choose = [&](const LocalTensor<float>& of) {
        Select(of, bits, of, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, n), Then();
    };
    // (2e + 1) / (2e^2 + 2e + 1)
    CompareScalar(bits, x, 0.0f, CMPMODE::GT, n);
    Muls(a, x, -1.0f, n), Muls(b, x, -2.0f, n), Then();
    Exp(a, a, n), Exp(b, b, n), Then();
    Muls(a, a, 2.0f, n), Muls(b, b, 2.0f, n), Then();
    Add(b, a, b, n), Then();
    Adds(a, a, 1.0f, n), Adds(b, b, 1.0f, n), Then();
    Div(y, a, b, n), Then();
    choose(y);
    // (2e + e^2) / (2 + 2e + e^2)
    CompareScalar(bits, x, 0.0f, CMPMODE::LE, n);
    Muls(b, x, 2.0f, n), Exp(a, x, n), Then();
    Muls(a, a, 2.0f, n), Exp(b, b, n), Then();
    Add(a, a, b, n), Then();
    Adds(b, a, 2.0f, n), Then();
    Div(a, a, b, n), Then();
    choose(a);
    Add(y, y, a, n), Then();
    Mul(y, y, x, n);
}

/// flags = 1 where x0 `mode` x1, else 0. The bits lie in scratch 0.
template <typename C>
__aicore__ inline void EltCompare(const EltOperands<C>& o, AscendC::CMPMODE mode) {
    const AscendC::LocalTensor<uint8_t> bits = o.Scratch(0).template ReinterpretCast<uint8_t>();
    AscendC::Compare(bits, o.x[0], o.x[1], mode, o.count);
    AscendC::Duplicate(o.flags, half(1.0f), o.count);
    Then();
    AscendC::Select(o.flags, bits, o.flags, half(0.0f), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, o.count);
}

/// The same against a scalar.
template <typename C>
__aicore__ inline void EltCompareScalar(const EltOperands<C>& o, C value, AscendC::CMPMODE mode) {
    const AscendC::LocalTensor<uint8_t> bits = o.Scratch(0).template ReinterpretCast<uint8_t>();
    AscendC::CompareScalar(bits, o.x[0], value, mode, o.count);
    AscendC::Duplicate(o.flags, half(1.0f), o.count);
    Then();
    AscendC::Select(o.flags, bits, o.flags, half(0.0f), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, o.count);
}

template <typename C>
KERNEL_FOLDED __aicore__ inline AscendC::CMPMODE EltModeOf(EltOp op) {
    switch (op) {
        case EltOp::less:
        case EltOp::less_scalar:
            return AscendC::CMPMODE::LT;
        case EltOp::less_equal:
            return AscendC::CMPMODE::LE;
        case EltOp::greater:
        case EltOp::greater_scalar:
            return AscendC::CMPMODE::GT;
        case EltOp::greater_equal:
            return AscendC::CMPMODE::GE;
        case EltOp::not_equal:
            return AscendC::CMPMODE::NE;
        default:
            return AscendC::CMPMODE::EQ;
    }
}

/// y = x0 where x1 != 0, else x2 or, without x2, `other`.
template <typename C>
__aicore__ inline void EltWhere(const EltOperands<C>& o,
                                const AscendC::LocalTensor<C>& condition,
                                const AscendC::LocalTensor<C>& yes) {
    const AscendC::LocalTensor<uint8_t> bits = o.Scratch(0).template ReinterpretCast<uint8_t>();
    AscendC::CompareScalar(bits, condition, static_cast<C>(0.0f), AscendC::CMPMODE::NE, o.count);
    Then();
    AscendC::Select(o.y[0], bits, yes, o.x[2], AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, o.count);
}

/// y = 1 / (1 + exp(-x)); y may be x.
template <typename C>
__aicore__ inline void EltSigmoid(const AscendC::LocalTensor<C>& y,
                                  const AscendC::LocalTensor<C>& x,
                                  const AscendC::LocalTensor<C>& one,
                                  int32_t n) {
    AscendC::Muls(y, x, C(-1.0f), n);
    AscendC::Duplicate(one, C(1.0f), n);
    Then();
    AscendC::Exp(y, y, n);
    Then();
    AscendC::Adds(y, y, C(1.0f), n);
    Then();
    AscendC::Div(y, one, y, n);
}

/// y = tanh(x) = 1 - 2 / (exp(2 x) + 1), x kept within +-15 where tanh is +-1.
__aicore__ inline void EltTanh(const AscendC::LocalTensor<float>& y,
                               const AscendC::LocalTensor<float>& x,
                               const AscendC::LocalTensor<float>& t,
                               int32_t n) {
    AscendC::Mins(y, x, 15.0f, n);
    Then();
    AscendC::Maxs(y, y, -15.0f, n);
    Then();
    AscendC::Muls(y, y, 2.0f, n);
    Then();
    AscendC::Exp(y, y, n);
    Then();
    AscendC::Adds(t, y, 1.0f, n);
    AscendC::Adds(y, y, -1.0f, n);
    Then();
    AscendC::Div(y, y, t, n);
}

/// y = max(x, 0) + ln(1 + exp(-|x|)).
__aicore__ inline void EltSoftplus(const AscendC::LocalTensor<float>& y,
                                   const AscendC::LocalTensor<float>& x,
                                   const AscendC::LocalTensor<float>& t,
                                   int32_t n) {
    AscendC::Abs(t, x, n);
    Then();
    AscendC::Muls(t, t, -1.0f, n);
    Then();
    AscendC::Exp(t, t, n);
    Then();
    AscendC::Adds(t, t, 1.0f, n);
    Then();
    AscendC::Ln(t, t, n);
    AscendC::Maxs(y, x, 0.0f, n);
    Then();
    AscendC::Add(y, y, t, n);
}

/// y = x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|)), the approximation the operator library names fast.
__aicore__ inline void EltFastGelu(const AscendC::LocalTensor<float>& y,
                                   const AscendC::LocalTensor<float>& x,
                                   const AscendC::LocalTensor<float>& a,
                                   const AscendC::LocalTensor<float>& b,
                                   int32_t n) {
    AscendC::Abs(a, x, n);
    Then();
    AscendC::Sub(b, x, a, n);
    AscendC::Muls(a, a, -1.702f, n);
    Then();
    AscendC::Muls(b, b, 0.851f, n);
    AscendC::Exp(a, a, n);
    Then();
    AscendC::Exp(b, b, n);
    AscendC::Adds(a, a, 1.0f, n);
    Then();
    AscendC::Div(y, x, a, n);
    Then();
    AscendC::Mul(y, y, b, n);
}

/// y = x / (1 + exp(-1.5957691 (x + 0.044715 x^3))) term by term, as the operator library's tests state it:
/// one instruction more than GeluTanh, which folds the constants.
__aicore__ inline void EltGelu(const AscendC::LocalTensor<float>& y,
                               const AscendC::LocalTensor<float>& x,
                               const AscendC::LocalTensor<float>& t,
                               int32_t n) {
    AscendC::Mul(t, x, x, n);
    Then();
    AscendC::Mul(t, t, x, n);
    Then();
    AscendC::Muls(t, t, 0.044715f, n);
    Then();
    AscendC::Add(t, x, t, n);
    Then();
    AscendC::Muls(t, t, -1.5957691216057308f, n);
    Then();
    AscendC::Exp(t, t, n);
    Then();
    AscendC::Adds(t, t, 1.0f, n);
    Then();
    AscendC::Div(y, x, t, n);
}

/// For sin(x), |x| < 2^15 or so: the remainder x - k pi, taken in three parts, with the sign (-1)^k to
/// scratch 1, its square to y. `phase` 1/2 is for the cosine.
__aicore__ inline void EltSineRemainder(const EltOperands<float>& o, float phase) {
    const AscendC::LocalTensor<float> k = o.Scratch(0);
    const AscendC::LocalTensor<float> s = o.Scratch(1);
    const AscendC::LocalTensor<float> r = o.y[0];
    constexpr float parts[]{-3.140625f, -0.0009670257568359375f, -6.277114152908325195e-7f};
    AscendC::Muls(k, o.x[0], 0.31830988618f, o.count);
    Then();
    AscendC::Adds(k, k, phase, o.count);
    Then();
    AscendC::Cast(k, k, AscendC::RoundMode::CAST_RINT, o.count);
    Then();
    AscendC::Adds(r, o.x[0], 0.0f, o.count);
    AscendC::Adds(s, k, -phase, o.count);
    Then();
    for (float part : parts) {
        AscendC::Axpy(r, s, part, o.count);
        Then();
    }
    // The sign is (-1)^k: 1 - 2 (k - 2 floor(k / 2)).
    AscendC::Muls(s, k, 0.5f, o.count);
    Then();
    AscendC::Cast(s, s, AscendC::RoundMode::CAST_FLOOR, o.count);
    Then();
    AscendC::Muls(s, s, 4.0f, o.count);
    AscendC::Muls(k, k, -2.0f, o.count);
    Then();
    AscendC::Add(s, s, k, o.count);
    Then();
    AscendC::Adds(s, s, 1.0f, o.count);
    Then();
    AscendC::Mul(s, s, r, o.count);  // signed remainder
    AscendC::Mul(r, r, r, o.count);
}

/// y = sin(x) by an odd polynomial of the remainder; `phase` 1/2 makes it cos.
__aicore__ inline void EltSine(const EltOperands<float>& o, float phase) {
    const AscendC::LocalTensor<float> k = o.Scratch(0);
    const AscendC::LocalTensor<float> s = o.Scratch(1);
    const AscendC::LocalTensor<float> r = o.y[0];
    constexpr float odd[]{2.6000548e-6f, -1.9806615e-4f, 8.3330173e-3f, -1.66666566e-1f};
    EltSineRemainder(o, phase);
    Then();
    AscendC::Muls(k, r, odd[0], o.count);
    for (int i = 1; i < 4; ++i) {
        Then();
        AscendC::Adds(k, k, odd[i], o.count);
        Then();
        AscendC::Mul(k, k, r, o.count);
    }
    Then();
    AscendC::Mul(k, k, s, o.count);
    Then();
    AscendC::Add(r, k, s, o.count);
}

/// y = erf(x) by Abramowitz and Stegun 7.1.26 (error 1.5e-7).
__aicore__ inline void EltErf(const EltOperands<float>& o) {
    constexpr float a[]{0.254829592f, -0.284496736f, 1.421413741f, -1.453152027f, 1.061405429f};
    const AscendC::LocalTensor<float> x = o.Scratch(0);
    const AscendC::LocalTensor<float> t = o.Scratch(1);
    const AscendC::LocalTensor<float> y = o.y[0];
    AscendC::Abs(x, o.x[0], o.count);
    Then();
    AscendC::Mins(x, x, 10.0f, o.count);
    AscendC::Duplicate(y, 1.0f, o.count);
    Then();
    AscendC::Muls(t, x, 0.3275911f, o.count);
    AscendC::Mul(x, x, x, o.count);
    Then();
    AscendC::Adds(t, t, 1.0f, o.count);
    AscendC::Muls(x, x, -1.0f, o.count);
    Then();
    AscendC::Div(t, y, t, o.count);
    AscendC::Exp(x, x, o.count);
    Then();
    AscendC::Muls(y, t, a[4], o.count);
    for (int i = 3; i >= 0; --i) {
        Then();
        AscendC::Adds(y, y, a[i], o.count);
        Then();
        AscendC::Mul(y, y, t, o.count);
    }
    Then();
    AscendC::Mul(y, y, x, o.count);
    Then();
    AscendC::Muls(y, y, -1.0f, o.count);
    AscendC::Mins(x, o.x[0], 1.0e-18f, o.count);
    Then();
    AscendC::Adds(y, y, 1.0f, o.count);
    AscendC::Maxs(x, x, -1.0e-18f, o.count);
    Then();
    AscendC::Muls(x, x, 1.0e18f, o.count);  // the sign of x
    Then();
    AscendC::Mul(y, y, x, o.count);
}

/// y0, y1, y2 = variable, first and second moment after a step; p: rate / (1 - beta1^t), beta1, beta2,
/// 1 - rate * decay, epsilon, 1 / (1 - beta2^t). Decay is on the variable (AdamW).
__aicore__ inline void EltAdamW(const EltOperands<float>& o) {
    using namespace AscendC;
    const LocalTensor<float> t = o.Scratch(0);
    const LocalTensor<float> u = o.Scratch(1);
    Muls(o.y[1], o.x[1], o.p[1], o.count);
    Muls(o.y[2], o.x[2], o.p[2], o.count);
    Muls(t, o.x[3], 1.0f - o.p[1], o.count);
    Mul(u, o.x[3], o.x[3], o.count);
    Muls(o.y[0], o.x[0], o.p[3], o.count);
    Then();
    Add(o.y[1], o.y[1], t, o.count);
    Muls(u, u, 1.0f - o.p[2], o.count);
    Then();
    Add(o.y[2], o.y[2], u, o.count);
    Muls(t, o.y[1], o.p[0], o.count);
    Then();
    Muls(u, o.y[2], o.p[5], o.count);
    Then();
    Sqrt(u, u, o.count);
    Then();
    Adds(u, u, o.p[4], o.count);
    Then();
    Div(t, t, u, o.count);
    Then();
    Sub(o.y[0], o.y[0], t, o.count);
}
