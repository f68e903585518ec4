// SPDX-License-Identifier: Apache-2.0
// Sine, cosine, tangent and their inverses. Polynomials were fitted for these files (Chebyshev
// interpolation).
#pragma once

#include "kernels/ascendc/ascendc/adv/elementwise.h"

namespace AscendC {

enum class SinAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION };
enum class CosAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION };
enum class AtanAlgo { TAYLOR_EXPANSION = 0, POLYNOMIAL_APPROXIMATION };

struct SinConfig {
    SinAlgo algo = SinAlgo::POLYNOMIAL_APPROXIMATION;
};

struct CosConfig {
    CosAlgo algo = CosAlgo::POLYNOMIAL_APPROXIMATION;
};

struct AtanConfig {
    AtanAlgo algo = AtanAlgo::TAYLOR_EXPANSION;
};

inline constexpr SinConfig defaultSinConfig{};
inline constexpr CosConfig defaultCosConfig{};
inline constexpr AtanConfig defaultAtanConfig{};

namespace adv {

/// r = x - k pi. Pi comes in parts of 8 bits, whose products with k of 16 bits are exact.
inline void subtract_pi(const FloatSteps& v, const Floats& r, const Floats& x, const Floats& k) {
    v.copy(r, x);
    v.axpy(r, k, -3.140625F);
    v.axpy(r, k, -9.651184082031e-4F);
    v.axpy(r, k, -2.533197402954e-6F);
    v.axpy(r, k, -1.984187159361e-9F);
}

/// y = sin(r) for |r| up to pi / 2, within 1e-10 before rounding; z is used.
inline void sin_of_rest(const FloatSteps& v, const Floats& y, const Floats& r, const Floats& z) {
    v.mul(z, r, r);
    v.polynomial(
        y,
        z,
        {-2.4080473305e-08F, 2.7536477531e-06F, -1.9841086777e-04F, 8.3333327698e-03F, -1.6666666664e-01F});
    v.mul(y, y, z);
    v.mul(y, y, r);
    v.add(y, y, r);
}

/// k = 1 where k was even, -1 where it was odd; z is used.
inline void sign_of_parity(const FloatSteps& v, const Floats& k, const Floats& z) {
    v.muls(z, k, 0.5F);
    v.cast(z, z, RoundMode::CAST_FLOOR);
    v.axpy(k, z, -2.0F);
    v.muls(k, k, -2.0F);
    v.adds(k, k, 1.0F);
}

inline constexpr auto sin_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    const Floats &k = t[0], &r = t[1], &z = t[2];
    v.muls(k, x, 0.318309886F);
    v.cast(k, k, RoundMode::CAST_RINT);
    subtract_pi(v, r, x, k);
    sin_of_rest(v, y, r, z);
    sign_of_parity(v, k, z);
    v.mul(y, y, k);
};

/// cos((k + 1/2) pi + r) = -(-1)^k sin(r)
inline constexpr auto cos_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    const Floats &k = t[0], &r = t[1], &z = t[2];
    v.muls(k, x, 0.318309886F);
    v.adds(k, k, -0.5F);
    v.cast(k, k, RoundMode::CAST_RINT);
    v.adds(z, k, 0.5F);
    subtract_pi(v, r, x, z);
    sin_of_rest(v, y, r, z);
    sign_of_parity(v, k, z);
    v.muls(k, k, -1.0F);
    v.mul(y, y, k);
};

/// sin(r) / sin(pi / 2 - |r|), whose sign changes cancel.
inline constexpr auto tan_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    const Floats &k = t[0], &r = t[1], &z = t[2], &c = t[3];
    v.muls(k, x, 0.318309886F);
    v.cast(k, k, RoundMode::CAST_RINT);
    subtract_pi(v, r, x, k);
    v.abs(k, r);
    v.muls(k, k, -1.0F);
    v.adds(k, k, 1.5703125F);
    v.adds(k, k, 4.83826794897e-4F);
    sin_of_rest(v, c, k, z);
    sin_of_rest(v, y, r, z);
    v.div(y, y, c);
};

/// y = x < 0 ? -y : y; bits and z are used.
inline void take_sign(
    const FloatSteps& v, const Floats& y, const Floats& x, const Floats& bits, const Floats& z) {
    v.muls(z, y, -1.0F);
    v.compare(bits, x, CMPMODE::LT, 0.0F);
    v.select(y, bits, z, y);
}

/// Up to 1/2 a polynomial; above it pi / 2 - 2 asin(sqrt((1 - x) / 2)).
inline constexpr auto asin_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    const Floats &z = t[0], &large = t[1], &p = t[2], &s = t[3];
    v.abs(s, x);
    v.compare(large, s, CMPMODE::GT, 0.5F);
    v.muls(p, s, -0.5F);
    v.adds(p, p, 0.5F);
    v.mul(z, s, s);
    v.select(z, large, p, z);
    v.sqrt(s, z);
    v.polynomial(p,
                 z,
                 {3.3805908434e-02F,
                  1.7077749281e-02F,
                  3.1116183963e-02F,
                  4.4598029219e-02F,
                  7.5000987762e-02F,
                  1.6666666317e-01F});
    v.mul(p, p, z);
    v.mul(p, p, s);
    v.add(p, p, s);
    v.muls(z, p, -2.0F);
    v.adds(z, z, 1.57079632679F);
    v.select(y, large, z, p);
    take_sign(v, y, x, large, z);
};

inline constexpr auto acos_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    asin_steps(v, y, x, t);
    v.muls(y, y, -1.0F);
    v.adds(y, y, 1.57079632679F);
};

/// Above 1 of the reciprocal, above tan(pi / 8) of (w - 1) / (w + 1), then a polynomial.
inline constexpr auto atan_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    const Floats &w = t[0], &z = t[1], &above = t[2], &middle = t[3], &s = t[4];
    v.abs(w, x);
    v.compare(above, w, CMPMODE::GT, 1.0F);
    v.reciprocal(z, w);
    v.select(w, above, z, w);
    v.compare(middle, w, CMPMODE::GT, 0.41421356237F);
    v.adds(s, w, -1.0F);
    v.adds(z, w, 1.0F);
    v.div(s, s, z);
    v.select(s, middle, s, w);
    v.mul(z, s, s);
    v.polynomial(
        y,
        z,
        {-6.4593758781e-02F, 1.0746298280e-01F, -1.4264232533e-01F, 1.9999550075e-01F, -3.3333331813e-01F});
    v.mul(y, y, z);
    v.mul(y, y, s);
    v.add(y, y, s);
    v.adds(z, y, 0.78539816339F);
    v.select(y, middle, z, y);
    v.muls(z, y, -1.0F);
    v.adds(z, z, 1.57079632679F);
    v.select(y, above, z, y);
    take_sign(v, y, x, above, z);
};

}  // namespace adv

/// Sine, for arguments up to 65504 as documented.
ASCENDSIM_UNARY_FUNCTION(Sin, 3, false, sin_steps, const SinConfig& config = defaultSinConfig)

/// Cosine, for arguments up to 65504 as documented.
ASCENDSIM_UNARY_FUNCTION(Cos, 3, false, cos_steps, const CosConfig& config = defaultCosConfig)

/// Tangent, for arguments up to 65504 as documented.
ASCENDSIM_UNARY_FUNCTION(Tan, 4, false, tan_steps)

/// Inverse sine, of -1 to 1.
ASCENDSIM_UNARY_FUNCTION(Asin, 4, false, asin_steps)

/// Inverse cosine, of -1 to 1.
ASCENDSIM_UNARY_FUNCTION(Acos, 4, false, acos_steps)

/// Inverse tangent.
ASCENDSIM_UNARY_FUNCTION(Atan, 5, false, atan_steps, const AtanConfig& config = defaultAtanConfig)

}  // namespace AscendC
