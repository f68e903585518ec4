// SPDX-License-Identifier: Apache-2.0
// Numbers of the interpreter, written from their definitions and apart from those of the simulator.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/instruction.hpp"

namespace fuzz {

[[nodiscard]] constexpr std::uint32_t size_of(Type type) {
    return type == Type::u8 || type == Type::i8                          ? 1
           : type == Type::f16 || type == Type::i16 || type == Type::u16 ? 2
                                                                         : 4;
}

[[nodiscard]] constexpr bool is_float(Type type) {
    return type == Type::f32 || type == Type::f16;
}

/// Rounding modes of Cast, in the order of the API.
enum class Round : std::uint32_t { none, rint, floor, ceil, away, trunc, odd };

/// `x`, a number of quanta without sign, rounded to a whole one.
[[nodiscard]] inline double round_quanta(double x, bool negative, Round mode) {
    const double low = std::floor(x);
    const double rest = x - low;
    const bool odd = std::fmod(low, 2.0) != 0;
    bool up = false;
    switch (mode) {
        case Round::none:
        case Round::rint:
            up = rest > 0.5 || (rest == 0.5 && odd);
            break;
        case Round::floor:
            up = negative && rest > 0;
            break;
        case Round::ceil:
            up = !negative && rest > 0;
            break;
        case Round::away:
            up = rest >= 0.5;
            break;
        case Round::trunc:
            break;
        case Round::odd:
            up = rest > 0 && !odd;
            break;
    }
    return low + (up ? 1 : 0);
}

/// `x` rounded to `digits` binary digits, with exponents from `least`; beyond `largest` infinite.
[[nodiscard]] inline double round_float(double x, int digits, int least, double largest, Round mode) {
    if (x == 0 || !std::isfinite(x)) {
        return x;
    }
    int exponent = 0;
    std::frexp(x, &exponent);  // |x| = f 2^exponent, f from 1/2
    const double quantum = std::ldexp(1.0, std::max(exponent - 1, least) - (digits - 1));
    const double rounded = round_quanta(std::fabs(x) / quantum, x < 0, mode) * quantum;
    return std::copysign(rounded > largest ? HUGE_VAL : rounded, x);
}

[[nodiscard]] inline double to_half(double x, Round mode = Round::rint) {
    return round_float(x, 11, -14, 65504.0, mode);
}

[[nodiscard]] inline double to_single(double x, Round mode = Round::rint) {
    return round_float(x, 24, -126, 0x1.fffffep127, mode);
}

[[nodiscard]] inline double to_type(Type type, double x) {
    return type == Type::f16 ? to_half(x) : to_single(x);
}

/// The value of 16 bits: sign, 5 of exponent with bias 15, 10 of fraction.
[[nodiscard]] inline double decode_half(std::uint16_t bits) {
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    const int exponent = bits >> 10U & 31;
    const int fraction = bits & 1023;
    if (exponent == 31) {
        return fraction == 0 ? sign * HUGE_VAL : std::nan("");
    }
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

/// The bits of a value that is a half, or not a number.
[[nodiscard]] inline std::uint16_t encode_half(double x) {
    if (std::isnan(x)) {
        return 0x7e00;
    }
    const unsigned sign = std::signbit(x) ? 0x8000U : 0U;
    const double size = std::fabs(x);
    if (std::isinf(x)) {
        return static_cast<std::uint16_t>(sign | 0x7c00U);
    }
    if (size < 0x1p-14) {
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(size * 0x1p24));
    }
    int exponent = 0;
    const double f = std::frexp(size, &exponent);  // from 1/2
    const auto fraction = static_cast<unsigned>(f * 2048.0) - 1024U;
    return static_cast<std::uint16_t>(sign | static_cast<unsigned>(exponent + 14) << 10U | fraction);
}

/// Two's complement within the type's width.
[[nodiscard]] inline std::int64_t wrap(Type type, std::int64_t x) {
    switch (type) {
        case Type::i32:
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(x));
        case Type::u32:
            return static_cast<std::uint32_t>(x);
        case Type::i16:
            return static_cast<std::int16_t>(static_cast<std::uint16_t>(x));
        case Type::u16:
            return static_cast<std::uint16_t>(x);
        case Type::i8:
            return static_cast<std::int8_t>(static_cast<std::uint8_t>(x));
        default:
            return static_cast<std::uint8_t>(x);
    }
}

/// `x` rounded to an integer and clamped to the type; not a number gives 0.
[[nodiscard]] inline std::int64_t to_integer(Type type, double x, Round mode) {
    const std::int64_t low = type == Type::i32   ? INT32_MIN
                             : type == Type::i16 ? INT16_MIN
                             : type == Type::i8  ? INT8_MIN
                                                 : 0;
    const std::int64_t high = type == Type::i32   ? INT32_MAX
                              : type == Type::i16 ? INT16_MAX
                              : type == Type::i8  ? INT8_MAX
                                                  : 255;
    if (std::isnan(x)) {
        return 0;
    }
    const double whole = std::isinf(x) ? x : std::copysign(round_quanta(std::fabs(x), x < 0, mode), x);
    return whole <= static_cast<double>(low)    ? low
           : whole >= static_cast<double>(high) ? high
                                                : static_cast<std::int64_t>(whole);
}

}  // namespace fuzz
