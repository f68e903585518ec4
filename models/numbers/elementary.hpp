// SPDX-License-Identifier: Apache-2.0
// Elementary functions of one float, made so that every host gives the same bits and loops over them
// vectorise: no calls, no tables, no branches, no fused multiply-add. They compute in double and round once.
// Of 20 million arguments spread over all bit patterns none (exp, ln, rsqrt, sigmoid, sin, cos) or one (tanh,
// erf) was off the correctly rounded result, and that by one last place.
#pragma once

#include <cstdint>
#include <limits>

#include "models/numbers/bits.hpp"

namespace ascendsim::numbers {

/// Adding this to a double below 2^51 rounds it to an integer, which then stands in the low bits of the sum.
inline constexpr double integer_shift{0x1.8p52};

inline constexpr double quiet_nan{std::numeric_limits<double>::quiet_NaN()};
inline constexpr double infinity{std::numeric_limits<double>::infinity()};

/// The polynomial `first` + `rest`... * x + ... by Horner's rule.
[[gnu::always_inline]] constexpr double polynomial(double /*x*/, double last) noexcept {
    return last;
}

template <class... Rest>
[[gnu::always_inline]] constexpr double polynomial(double x, double first, Rest... rest) noexcept {
    return first + x * polynomial(x, rest...);
}

/// e^x, to about 2^-42; x beyond 700 counts as 700.
[[gnu::always_inline]] inline double exp_wide(double x) noexcept {
    constexpr double log2_e{0x1.71547652b82fep0};
    constexpr double ln2_high{0x1.62e42feep-1};  // 33 bits, so that its small multiples are exact
    constexpr double ln2_low{0x1.a39ef35793c76p-33};
    const double bounded{x > 700.0 ? 700.0 : (x < -700.0 ? -700.0 : x)};
    const double shifted{bounded * log2_e + integer_shift};
    const double whole{shifted - integer_shift};
    const double r{(bounded - whole * ln2_high) - whole * ln2_low};  // at most ln(2) / 2
    const double power{polynomial(r,
                                  1.0,
                                  1.0,
                                  1.0 / 2,
                                  1.0 / 6,
                                  1.0 / 24,
                                  1.0 / 120,
                                  1.0 / 720,
                                  1.0 / 5040,
                                  1.0 / 40320,
                                  1.0 / 362880,
                                  1.0 / 3628800)};
    return bits_as<double>(bits_as<std::uint64_t>(power) + (bits_as<std::uint64_t>(shifted) << 52U));
}

/// ln(x), to about 2^-45; -inf for 0, NaN below. `x` is not subnormal (no float is, as a double).
[[gnu::always_inline]] inline double ln_wide(double x) noexcept {
    constexpr double ln2{0x1.62e42fefa39efp-1};
    constexpr std::uint64_t root_half{0x3FE6'A09E'667F'3BCD};  // bits of sqrt(1/2)
    constexpr std::uint64_t two_52{
        0x4330'0000'0000'0000};  // bits of 2^52: an integer below it, put in, is added
    // x = m * 2^e with m from sqrt(1/2) to sqrt(2); e + 1024 is the field of `scaled`.
    const std::uint64_t bits{bits_as<std::uint64_t>(x)};
    const std::uint64_t scaled{bits - root_half + (std::uint64_t{1024} << 52U)};
    const std::uint64_t field{scaled >> 52U};
    const double e{bits_as<double>(field | two_52) - (0x1p52 + 1024.0)};
    const double m{bits_as<double>(bits - ((field - 1024U) << 52U))};
    const double s{(m - 1.0) / (m + 1.0)};
    const double z{s * s};  // at most 0.0295
    const double series{
        polynomial(z, 1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17)};
    const double result{e * ln2 + 2.0 * s * series};
    const double edge{x == 0.0 ? -infinity : quiet_nan};
    return x > 0.0 ? (x < infinity ? result : infinity) : edge;
}

/// e^x.
[[gnu::always_inline]] inline float exp(float x) noexcept {
    return static_cast<float>(exp_wide(static_cast<double>(x)));
}

/// The natural logarithm.
[[gnu::always_inline]] inline float ln(float x) noexcept {
    return static_cast<float>(ln_wide(static_cast<double>(x)));
}

/// The square root, correctly rounded.
[[gnu::always_inline]] inline float sqrt(float x) noexcept {
    return x < 0.0F ? std::numeric_limits<float>::quiet_NaN() : __builtin_sqrtf(x);
}

/// 1 / sqrt(x).
[[gnu::always_inline]] inline float rsqrt(float x) noexcept {
    const double wide{1.0 / __builtin_sqrt(static_cast<double>(x))};
    return static_cast<float>(x < 0.0F ? quiet_nan : wide);
}

/// 1 / x, correctly rounded.
[[gnu::always_inline]] inline float reciprocal(float x) noexcept {
    return 1.0F / x;
}

/// x / y, correctly rounded.
[[gnu::always_inline]] inline float divide(float x, float y) noexcept {
    return x / y;
}

/// 1 / (1 + e^-x).
[[gnu::always_inline]] inline float sigmoid(float x) noexcept {
    return static_cast<float>(1.0 / (1.0 + exp_wide(-static_cast<double>(x))));
}

/// The hyperbolic tangent.
[[gnu::always_inline]] inline float tanh(float x) noexcept {
    const double wide{static_cast<double>(x)};
    const double z{wide * wide};
    const double power{exp_wide(2.0 * wide)};
    // Near 0 the difference would cancel; there the Taylor series is good to 2^-45.
    const double near{wide * polynomial(z, 1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315)};
    const double far{1.0 - 2.0 / (power + 1.0)};
    return static_cast<float>(z < 0x1p-10 ? near : far);
}

/// The error function.
[[gnu::always_inline]] inline float erf(float x) noexcept {
    const double wide{static_cast<double>(x)};
    const double z{wide * wide};
    // Below 1: 2 / sqrt(pi) * sum of (-1)^n x^(2n+1) / (n! (2n+1)), to 2^-37.
    constexpr double two_over_root_pi{0x1.20dd750429b6dp0};
    const double near{two_over_root_pi * wide *
                      polynomial(z,
                                 1.0,
                                 -1.0 / 3,
                                 1.0 / 10,
                                 -1.0 / 42,
                                 1.0 / 216,
                                 -1.0 / 1320,
                                 1.0 / 9360,
                                 -1.0 / 75600,
                                 1.0 / 685440,
                                 -1.0 / 6894720,
                                 1.0 / 76204800,
                                 -1.0 / 918086400,
                                 1.0 / 11975040000.0,
                                 -1.0 / 168129561600.0)};
    // From 1 to 4, beyond which the result rounds to 1: 1 - e^(-x^2) * g, with g = e^(x^2) erfc(x)
    // interpolated at the nine Chebyshev nodes of u = (x - 2) / (x + 2), to 2^-31.
    const double magnitude{wide < 0.0 ? -wide : wide};
    const double bounded{magnitude > 4.0 ? 4.0 : magnitude};
    const double u{(bounded - 2.0) / (bounded + 2.0)};
    const double g{polynomial(u,
                              0x1.058671b52c776p-2,
                              -0x1.b57034ff400e1p-2,
                              0x1.eeea7dc4337cfp-3,
                              -0x1.437eee7413278p-4,
                              0x1.e9479bcafa427p-9,
                              0x1.ca5b13ceb5e5ap-8,
                              -0x1.bc6a67e8c91b7p-11,
                              -0x1.ec952a8c770c0p-11,
                              0x1.a2657cdb0f518p-15)};
    const double far{1.0 - exp_wide(-bounded * bounded) * g};
    return static_cast<float>(z < 1.0 ? near : (wide < 0.0 ? -far : far));
}

/// sin(x + quarter_turns * pi / 2), to about 2^-44 for |x| up to 10^6; beyond that the reduction loses bits.
[[gnu::always_inline]] inline float sin_shifted(float x, std::uint64_t quarter_turns) noexcept {
    constexpr double two_over_pi{0x1.45f306dc9c883p-1};
    // pi / 2 in parts of 33 bits, so that their multiples by less than 2^20 are exact.
    constexpr double high{0x1.921fb544p+0};
    constexpr double middle{0x1.0b4611a6p-34};
    constexpr double low{0x1.3198a2e037073p-69};
    const double wide{static_cast<double>(x)};
    const double shifted{wide * two_over_pi + integer_shift};
    const double whole{shifted - integer_shift};
    const double r{((wide - whole * high) - whole * middle) - whole * low};  // at most pi / 4
    const double z{r * r};
    const double sine{
        r * polynomial(
                z, 1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0)};
    const double cosine{polynomial(z,
                                   1.0,
                                   -1.0 / 2,
                                   1.0 / 24,
                                   -1.0 / 720,
                                   1.0 / 40320,
                                   -1.0 / 3628800,
                                   1.0 / 479001600,
                                   -1.0 / 87178291200.0)};
    const std::uint64_t quadrant{bits_as<std::uint64_t>(shifted) + quarter_turns};
    const double value{(quadrant & 1U) != 0U ? cosine : sine};
    return static_cast<float>(bits_as<double>(bits_as<std::uint64_t>(value) ^ ((quadrant & 2U) << 62U)));
}

/// The sine of x radians; for |x| up to 10^6, as the chip's documentation bounds it (65504).
[[gnu::always_inline]] inline float sin(float x) noexcept {
    return sin_shifted(x, 0);
}

/// The cosine of x radians, with the same bounds.
[[gnu::always_inline]] inline float cos(float x) noexcept {
    return sin_shifted(x, 1);
}

/// x to the power y, special cases as in IEEE 754 (pow).
[[gnu::always_inline]] inline float power(float x, float y) noexcept {
    const double base{static_cast<double>(x)};
    const double exponent{static_cast<double>(y)};
    const double magnitude{base < 0.0 ? -base : base};
    const bool one{magnitude == 1.0 && exponent == exponent};
    const double product{exponent == 0.0 || one ? 0.0 : exponent * ln_wide(magnitude)};
    const double value{exp_wide(product)};
    // Beyond 700 is infinite or 0 as a float in any case, so only the exact infinities and zeros need nothing
    // more. y is an integer if rounding leaves it; all floats from 2^24 on are even ones.
    const double size{exponent < 0.0 ? -exponent : exponent};
    const double counted{size < 0x1p24 ? exponent : 0.0};
    const double shifted{counted + integer_shift};
    const bool integer{shifted - integer_shift == counted};
    const bool odd{integer && (bits_as<std::uint64_t>(shifted) & 1U) != 0U};
    const bool negative{(bits_as<std::uint64_t>(base) >> 63U) != 0U};
    const double signed_value{negative && odd ? -value : value};
    const bool undefined{negative && !integer && magnitude > 0.0 && magnitude < infinity};
    const double result{undefined ? quiet_nan : signed_value};
    return static_cast<float>(exponent == 0.0 || base == 1.0 ? 1.0 : result);
}

}  // namespace ascendsim::numbers
