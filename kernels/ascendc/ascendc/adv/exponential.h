// SPDX-License-Identifier: Apache-2.0
// Exponentials, logarithms and the hyperbolic functions made of them.
#pragma once

#include "kernels/ascendc/ascendc/adv/elementwise.h"

namespace AscendC {

enum class TanhAlgo { INTRINSIC = 0, SUBSECTION_COMPENSATION };

struct TanhConfig {
    TanhAlgo algo = TanhAlgo::INTRINSIC;
};

inline constexpr TanhConfig DEFAULT_TANH_CONFIG{};

namespace adv {

/// (e^2x - 1) / (e^2x + 1); beyond 9.5 the result is 1 in float.
inline constexpr auto tanh_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    v.mins(y, x, 9.5F);
    v.maxs(y, y, -9.5F);
    v.muls(y, y, 2.0F);
    v.exp(y, y);
    v.adds(t[0], y, 1.0F);
    v.adds(y, y, -1.0F);
    v.div(y, y, t[0]);
};

/// With e^(x - ln 2) instead of e^x / 2 the largest results do not overflow.
inline constexpr auto half_exponentials =
    [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
        v.adds(y, x, -0.69314718056F);
        v.exp(y, y);
        v.reciprocal(t[0], y);
        v.muls(t[0], t[0], 0.25F);
    };

inline constexpr auto sinh_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    half_exponentials(v, y, x, t);
    v.sub(y, y, t[0]);
};

inline constexpr auto cosh_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    half_exponentials(v, y, x, t);
    v.add(y, y, t[0]);
};

/// sign(x) ln(|x| + sqrt(x^2 + 1))
inline constexpr auto asinh_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    v.mul(y, x, x);
    v.adds(y, y, 1.0F);
    v.sqrt(y, y);
    v.abs(t[0], x);
    v.add(y, y, t[0]);
    v.ln(y, y);
    v.muls(t[0], y, -1.0F);
    v.compare(t[1], x, CMPMODE::LT, 0.0F);
    v.select(y, t[1], t[0], y);
};

/// ln(x + sqrt(x^2 - 1))
inline constexpr auto acosh_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.mul(y, x, x);
    v.adds(y, y, -1.0F);
    v.sqrt(y, y);
    v.add(y, y, x);
    v.ln(y, y);
};

/// ln((1 + x) / (1 - x)) / 2
inline constexpr auto atanh_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    v.adds(y, x, 1.0F);
    v.muls(t[0], x, -1.0F);
    v.adds(t[0], t[0], 1.0F);
    v.div(y, y, t[0]);
    v.ln(y, y);
    v.muls(y, y, 0.5F);
};

inline constexpr auto log_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.ln(y, x);
};

inline constexpr auto log2_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.ln(y, x);
    v.muls(y, y, 1.4426950408889634F);
};

inline constexpr auto log10_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.ln(y, x);
    v.muls(y, y, 0.4342944819032518F);
};

/// e^floor(x) times the Taylor series of e^(x - floor(x)) with `terms` terms after the first.
template <uint8_t terms>
inline constexpr auto exp_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    if constexpr (terms == 0) {
        v.exp(y, x);
    } else {
        v.cast(t[0], x, RoundMode::CAST_FLOOR);
        v.sub(t[1], x, t[0]);
        v.exp(t[0], t[0]);
        v.fill(y, 1.0F);
        for (uint32_t i = terms; i > 0; --i) {
            v.mul(y, y, t[1]);
            v.muls(y, y, 1.0F / static_cast<float>(i));
            v.adds(y, y, 1.0F);
        }
        v.mul(y, y, t[0]);
    }
};

}  // namespace adv

/// Hyperbolic tangent, within 3e-7.
ASCENDSIM_UNARY_FUNCTION(Tanh, 1, false, tanh_steps, const TanhConfig& config = DEFAULT_TANH_CONFIG)

/// Hyperbolic sine, within 3e-7 of its cosine.
ASCENDSIM_UNARY_FUNCTION(Sinh, 1, false, sinh_steps)

/// Hyperbolic cosine.
ASCENDSIM_UNARY_FUNCTION(Cosh, 1, false, cosh_steps)

/// Inverse hyperbolic sine.
ASCENDSIM_UNARY_FUNCTION(Asinh, 2, false, asinh_steps)

/// Inverse hyperbolic cosine, from 1.
ASCENDSIM_UNARY_FUNCTION(Acosh, 0, false, acosh_steps)

/// Inverse hyperbolic tangent, between -1 and 1.
ASCENDSIM_UNARY_FUNCTION(Atanh, 1, false, atanh_steps)

/// Natural logarithm.
ASCENDSIM_UNARY_FUNCTION(Log, 0, true, log_steps)

/// Logarithm of base 2.
ASCENDSIM_UNARY_FUNCTION(Log2, 0, true, log2_steps)

/// Logarithm of base 10.
ASCENDSIM_UNARY_FUNCTION(Log10, 0, true, log10_steps)

/// e^x with a Taylor series of taylorExpandLevel terms for the fraction.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                const LocalTensor<uint8_t>& sharedTmpBuffer,
                const uint32_t calCount,
                Site site = Site::here()) {
    adv::Unary<taylorExpandLevel == 0 ? 0 : 2>(
        dst, src, {"Exp", sharedTmpBuffer, site}, calCount, adv::exp_steps<taylorExpandLevel>, site);
}

template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                const uint32_t calCount,
                Site site = Site::here()) {
    adv::Unary<taylorExpandLevel == 0 ? 0 : 2>(
        dst, src, {"Exp", site}, calCount, adv::exp_steps<taylorExpandLevel>, site);
}

}  // namespace AscendC
