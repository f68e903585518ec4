// SPDX-License-Identifier: Apache-2.0
// Error functions, and the logarithm of the gamma function with its derivative.
#pragma once

#include "kernels/ascendc/ascendc/adv/elementwise.h"
#include "kernels/ascendc/ascendc/adv/trigonometry.h"

namespace AscendC {

enum class ErfAlgo { INTRINSIC = 0, SUBSECTION_POLYNOMIAL_APPROXIMATION };

struct ErfConfig {
    ErfAlgo algo = ErfAlgo::INTRINSIC;
};

inline constexpr ErfConfig defaultErfConfig{};

namespace adv {

/// t e^(P(t) - x^2) with t = 1 / (1 + |x| / 2), P fitted to 5e-8 over |x| up to 21; 2 minus it below 0.
inline constexpr auto erfc_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    const Floats &u = t[0], &z = t[1];
    v.abs(z, x);
    v.muls(u, z, 0.5F);
    v.adds(u, u, 1.0F);
    v.reciprocal(u, u);
    v.polynomial(y,
                 u,
                 {1.4879115541e-01F,
                  -7.0184726867e-01F,
                  1.2061695364e+00F,
                  -7.6198419419e-01F,
                  -2.5994681188e-02F,
                  -2.7512092546e-02F,
                  4.4362343818e-02F,
                  3.8460636767e-01F,
                  9.9886840667e-01F,
                  -1.2654595235e+00F});
    v.mul(z, z, z);
    v.sub(y, y, z);
    v.exp(y, y);
    v.mul(y, y, u);
    v.muls(z, y, -1.0F);
    v.adds(z, z, 2.0F);
    v.compare(u, x, CMPMODE::LT, 0.0F);
    v.select(y, u, z, y);
};

/// x P(x^2) / Q(x^2), fitted to 6e-8 of erf(x) up to 3.92, where erf rounds to 1: so close to 0 as far from
/// it.
inline constexpr auto erf_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    const Floats &z = t[0], &square = t[1];
    constexpr float end = 3.92F;
    v.mins(z, x, end);
    v.maxs(z, z, -end);
    v.mul(square, z, z);
    v.polynomial(y,
                 square,
                 {1.9924260538e-08F,
                  -1.9578330216e-06F,
                  1.4184983248e-04F,
                  3.7015842159e-03F,
                  5.0573251114e-02F,
                  1.9992392832e-01F,
                  1.1283791090e+00F});
    v.mul(y, y, z);
    v.polynomial(
        z, square, {9.5603282171e-04F, 1.4353153665e-02F, 1.1499816802e-01F, 5.1050962369e-01F, 1.0F});
    v.div(y, y, z);
    v.mins(y, y, 1.0F);
    v.maxs(y, y, -1.0F);
};

/// What both gamma functions share: a = x where x > 0, else 1 - x.
inline void reflect(const FloatSteps& v, const Floats& a, const Floats& x, const Floats& bits) {
    v.muls(a, x, -1.0F);
    v.adds(a, a, 1.0F);
    v.compare(bits, x, CMPMODE::GT, 0.0F);
    v.select(a, bits, x, a);
}

/// r = pi (x - the nearest integer)
inline void angle_of_reflection(const FloatSteps& v, const Floats& r, const Floats& x) {
    v.cast(r, x, RoundMode::CAST_RINT);
    v.sub(r, x, r);
    v.muls(r, r, 3.14159265359F);
}

/// Stirling's series at w = a or, below 8, a + 8, whose product a (a + 1) ... (a + 7) is then divided away.
/// Below 0: ln(pi / |sin(pi x)|) - lgamma(1 - x).
inline constexpr auto lgamma_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    const Floats &a = t[0], &w = t[1], &p = t[2], &bits = t[3], &q = t[4];
    reflect(v, a, x, bits);
    v.mins(q, a, 8.0F);
    v.copy(p, q);
    for (int i = 1; i < 8; ++i) {
        v.adds(w, q, static_cast<float>(i));
        v.mul(p, p, w);
    }
    v.ln(p, p);
    v.compare(bits, a, CMPMODE::LT, 8.0F);
    v.select(p, bits, p, 0.0F);
    v.adds(w, a, 8.0F);
    v.select(w, bits, w, a);
    v.ln(y, w);
    v.adds(q, w, -0.5F);
    v.mul(y, y, q);
    v.sub(y, y, w);
    v.reciprocal(q, w);
    v.mul(w, q, q);
    v.muls(w, w, -1.0F / 360.0F);
    v.adds(w, w, 1.0F / 12.0F);
    v.mul(w, w, q);
    v.add(y, y, w);
    v.adds(y, y, 0.918938533205F);
    v.sub(y, y, p);
    angle_of_reflection(v, a, x);
    sin_of_rest(v, p, a, w);
    v.abs(p, p);
    v.reciprocal(p, p);
    v.muls(p, p, 3.14159265359F);
    v.ln(p, p);
    v.sub(p, p, y);
    v.compare(bits, x, CMPMODE::GT, 0.0F);
    v.select(y, bits, y, p);
};

/// ln w - 1 / 2w - 1 / 12 w^2 + 1 / 120 w^4 at w = a + 8, less 1 / a + ... + 1 / (a + 7).
/// Below 0: digamma(1 - x) - pi cot(pi x).
inline constexpr auto digamma_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    const Floats &a = t[0], &w = t[1], &p = t[2], &bits = t[3], &q = t[4];
    reflect(v, a, x, bits);
    v.reciprocal(p, a);
    for (int i = 1; i < 8; ++i) {
        v.adds(w, a, static_cast<float>(i));
        v.reciprocal(w, w);
        v.add(p, p, w);
    }
    v.adds(w, a, 8.0F);
    v.ln(y, w);
    v.reciprocal(w, w);
    v.axpy(y, w, -0.5F);
    v.mul(w, w, w);
    v.muls(q, w, 1.0F / 120.0F);
    v.adds(q, q, -1.0F / 12.0F);
    v.mul(q, q, w);
    v.add(y, y, q);
    v.sub(y, y, p);
    angle_of_reflection(v, a, x);
    v.abs(p, a);
    v.muls(p, p, -1.0F);
    v.adds(p, p, 1.57079632679F);
    sin_of_rest(v, q, p, w);
    sin_of_rest(v, p, a, w);
    v.div(q, q, p);
    v.muls(q, q, 3.14159265359F);
    v.sub(q, y, q);
    v.select(y, bits, y, q);
};

}  // namespace adv

/// Error function, within 5e-7 of itself.
ASCENDSIM_UNARY_FUNCTION(Erf, 2, false, erf_steps, const ErfConfig& config = defaultErfConfig)

/// 1 - Erf, within 2e-6 of itself.
ASCENDSIM_UNARY_FUNCTION(Erfc, 2, false, erfc_steps)

/// Logarithm of the absolute value of the gamma function.
ASCENDSIM_UNARY_FUNCTION(Lgamma, 5, false, lgamma_steps)

/// Derivative of the logarithm of the gamma function.
ASCENDSIM_UNARY_FUNCTION(Digamma, 5, false, digamma_steps)

}  // namespace AscendC
