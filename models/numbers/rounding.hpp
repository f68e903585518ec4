// SPDX-License-Identifier: Apache-2.0
// The conversions of the chip's Cast. What is documented and what is assumed: docs/numerics.md.
// Included by kernels too, so it stays within C++17.
#pragma once

#include <cstdint>
#include <type_traits>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/bits.hpp"
#include "models/numbers/float16.hpp"
#include "models/numbers/half.hpp"
#include "models/numbers/int4.hpp"

namespace ascendsim {

/// How a conversion rounds what its destination cannot represent; the order of Ascend C's RoundMode.
enum class RoundMode : std::uint8_t {
    none,    ///< as rint where precision is lost
    rint,    ///< to nearest, ties to even
    floor,   ///< towards minus infinity
    ceil,    ///< towards plus infinity
    round,   ///< to nearest, ties away from zero
    trunc,   ///< towards zero
    odd,     ///< inexact results to the neighbour whose last bit is 1 (von Neumann)
    hybrid,  ///< only for 8-bit floats of later chips; here as rint
};

/// What a conversion does with values outside the range of its destination. The defaults are those of A2 and
/// A3.
struct CastRange {
    /// Floating-point destination: infinite and NaN become the largest finite number and 0 (CTRL bit 48
    /// clear).
    bool saturate_float{false};
    /// Integer destination: clamp, else keep the low bits (CTRL bit 59 set).
    bool saturate_integer{true};
};

namespace numbers {

/// A finite magnitude `significand` * 2^`exponent`, with its sign.
struct Unpacked {
    std::uint64_t significand;
    int exponent;
    bool negative;
};

/// The parts of a finite `value`.
[[nodiscard]] constexpr Unpacked unpack(double value) noexcept {
    const std::uint64_t bits{bits_as<std::uint64_t>(value)};
    const std::uint64_t mantissa{bits & ((std::uint64_t{1} << 52U) - 1U)};
    const int field{static_cast<int>((bits >> 52U) & 0x7FFU)};
    return {field == 0 ? mantissa : mantissa | (std::uint64_t{1} << 52U),
            (field == 0 ? 1 : field) - 1075,
            (bits >> 63U) != 0U};
}

/// `magnitude` / 2^`shift`, rounded to an integer; `shift` is positive, `magnitude` below 2^62, and
/// `negative` says which way floor and ceil go.
[[nodiscard]] constexpr std::uint64_t shift_rounded(std::uint64_t magnitude,
                                                    int shift,
                                                    RoundMode mode,
                                                    bool negative) noexcept {
    const unsigned distance{shift > 63 ? 63U : static_cast<unsigned>(shift)};
    const std::uint64_t kept{magnitude >> distance};
    const std::uint64_t lost{magnitude & ((std::uint64_t{1} << distance) - 1U)};
    const std::uint64_t middle{std::uint64_t{1} << (distance - 1U)};
    bool up{false};
    switch (mode) {
        case RoundMode::none:
        case RoundMode::rint:
        case RoundMode::hybrid:
            up = lost > middle || (lost == middle && (kept & 1U) != 0U);
            break;
        case RoundMode::floor:
            up = negative && lost != 0U;
            break;
        case RoundMode::ceil:
            up = !negative && lost != 0U;
            break;
        case RoundMode::round:
            up = lost >= middle;
            break;
        case RoundMode::trunc:
            break;
        case RoundMode::odd:
            up = lost != 0U && (kept & 1U) == 0U;
            break;
    }
    return kept + (up ? 1U : 0U);
}

/// The position of the highest set bit; `value` is not 0.
[[nodiscard]] constexpr int highest_bit(std::uint64_t value) noexcept {
    return 63 - __builtin_clzll(value);
}

/// The bits of `value` rounded to a binary format of `mantissa_bits` and exponent `bias`. A finite value that
/// rounds beyond the largest number becomes infinite in every mode; a NaN keeps the upper part of its
/// payload.
[[nodiscard]] constexpr std::uint32_t encode(
    double value, int mantissa_bits, int bias, RoundMode mode, CastRange range) noexcept {
    const unsigned width{static_cast<unsigned>(mantissa_bits)};
    const std::uint32_t infinite{static_cast<std::uint32_t>(2 * bias + 1) << width};
    const std::uint64_t raw{bits_as<std::uint64_t>(value)};
    const std::uint64_t sign{(raw >> 63U) * ((static_cast<std::uint64_t>(bias) + 1U) << (width + 1U))};
    std::uint64_t magnitude{infinite};
    if (value != value) {
        const std::uint64_t payload{(raw & ((std::uint64_t{1} << 52U) - 1U)) >> (52U - width)};
        magnitude = infinite | payload | (std::uint64_t{1} << (width - 1U));
        return range.saturate_float ? 0U : static_cast<std::uint32_t>(sign | magnitude);
    }
    if (value - value == 0.0) {
        const Unpacked parts{unpack(value)};
        if (parts.significand == 0U) {
            return static_cast<std::uint32_t>(sign);
        }
        const int top{parts.exponent + highest_bit(parts.significand)};
        const int exponent{top < 1 - bias ? 1 - bias : top};
        // At least 53 - 24 bits go. The leading bit of `rounded` adds one to the exponent field, so that a
        // subnormal and a carry need no case of their own.
        const int shift{exponent - mantissa_bits - parts.exponent};
        const std::uint64_t rounded{shift_rounded(parts.significand, shift, mode, parts.negative)};
        magnitude = rounded + (static_cast<std::uint64_t>(exponent + bias - 1) << width);
        magnitude = magnitude > infinite ? infinite : magnitude;
    }
    const bool saturate{range.saturate_float && magnitude == infinite};
    return static_cast<std::uint32_t>(sign | (saturate ? magnitude - 1U : magnitude));
}

/// `value` rounded to an integer of `bits` bits, in two's complement; NaN gives 0.
[[nodiscard]] constexpr std::uint64_t encode_integer(
    double value, int bits, bool is_signed, RoundMode mode, CastRange range) noexcept {
    const bool negative{value < 0.0};
    const std::uint64_t positive_limit{~std::uint64_t{0} >>
                                       static_cast<unsigned>(64 - bits + (is_signed ? 1 : 0))};
    const std::uint64_t negative_limit{is_signed ? positive_limit + 1U : 0U};
    const std::uint64_t limit{negative ? negative_limit : positive_limit};
    if (value != value) {
        return 0U;
    }
    const Unpacked parts{unpack(value)};
    std::uint64_t magnitude{0};
    if (parts.exponent < 0) {
        magnitude = shift_rounded(parts.significand, -parts.exponent, mode, negative);
    } else if (parts.exponent < 64) {
        magnitude = parts.significand << static_cast<unsigned>(parts.exponent);
    }
    const bool too_large{value >= 0x1p64 || value <= -0x1p64 || magnitude > limit};
    if (too_large && range.saturate_integer) {
        magnitude = limit;
    }
    return negative ? std::uint64_t{0} - magnitude : magnitude;
}

template <class T>
inline constexpr bool is_float16{false};
template <class Format>
inline constexpr bool is_float16<Float16<Format>>{true};

/// A double that converts as `value` does: exact, but for the sticky last bit of a large 64-bit integer.
template <class T>
[[nodiscard]] constexpr double exact_double(T value) noexcept {
    if constexpr (std::is_integral_v<T>) {
        return odd_double(value);
    } else if constexpr (is_float16<T>) {
        return static_cast<double>(T::format::to_float(value.bits()));
    } else {
        return static_cast<double>(value);
    }
}

/// `value` rounded to an integral float; infinite and NaN stay.
[[nodiscard]] constexpr float integral_float(float value, RoundMode mode) noexcept {
    constexpr float all_integral{8388608.0F};
    if (!(value < all_integral && value > -all_integral)) {
        return value;
    }
    const std::uint64_t whole{encode_integer(static_cast<double>(value), 64, true, mode, CastRange{})};
    const float result{static_cast<float>(static_cast<std::int64_t>(whole))};
    const std::uint32_t sign{bits_as<std::uint32_t>(value) & 0x8000'0000U};
    return bits_as<float>((bits_as<std::uint32_t>(result) & 0x7FFF'FFFFU) | sign);
}

/// Converts an integer to another one: clamped to the range of `Dst`, or its low bits.
template <class Dst, class Src>
[[nodiscard]] constexpr Dst cast_integer(Src value, CastRange range) noexcept {
    static_assert(std::is_signed_v<Src> || sizeof(Src) < sizeof(std::int64_t));
    if (range.saturate_integer) {
        constexpr int size{static_cast<int>(sizeof(Dst) * 8U)};
        constexpr int value_bits{std::is_signed_v<Dst> || size == 64 ? size - 1 : size};
        constexpr std::int64_t max{
            static_cast<std::int64_t>(~std::uint64_t{0} >> static_cast<unsigned>(64 - value_bits))};
        constexpr std::int64_t min{std::is_signed_v<Dst> ? -max - 1 : 0};
        const std::int64_t wide{static_cast<std::int64_t>(value)};
        return static_cast<Dst>(wide > max ? max : (wide < min ? min : wide));
    }
    return static_cast<Dst>(value);
}

}  // namespace numbers

/// Converts as the chip's Cast does, between any two of float, half, bfloat16 and the integers. float to
/// float rounds to an integral value. Whether the chip documents a pair and mode: documented_cast().
template <class Dst, class Src>
[[nodiscard]] constexpr Dst cast(Src value, RoundMode mode, CastRange range = {}) noexcept {
    static_assert(numbers::is_float16<Dst> || std::is_arithmetic_v<Dst>);
    static_assert(numbers::is_float16<Src> || std::is_arithmetic_v<Src>);
    if constexpr (std::is_same_v<Dst, Src> && std::is_same_v<Dst, float>) {
        return numbers::integral_float(value, mode);
    } else if constexpr (std::is_integral_v<Dst> && std::is_integral_v<Src>) {
        return numbers::cast_integer<Dst>(value, range);
    } else if constexpr (std::is_integral_v<Dst>) {
        return static_cast<Dst>(numbers::encode_integer(numbers::exact_double(value),
                                                        static_cast<int>(sizeof(Dst) * 8U),
                                                        std::is_signed_v<Dst>,
                                                        mode,
                                                        range));
    } else if constexpr (numbers::is_float16<Dst>) {
        using Format = typename Dst::format;
        const std::uint32_t bits{
            numbers::encode(numbers::exact_double(value), Format::mantissa_bits, Format::bias, mode, range)};
        return Dst::from_bits(static_cast<std::uint16_t>(bits));
    } else {
        static_assert(std::is_same_v<Dst, float>);
        return numbers::bits_as<float>(numbers::encode(numbers::exact_double(value), 23, 127, mode, range));
    }
}

/// Converts to one int4, -8 to 7, as the chip's Cast to int4b_t does per element.
[[nodiscard]] constexpr std::int8_t cast_to_int4(half value, RoundMode mode, CastRange range = {}) noexcept {
    const std::uint64_t bits{numbers::encode_integer(numbers::exact_double(value), 4, true, mode, range)};
    return int4b_t::pack(static_cast<int>(bits & 0xFU), 0).low();
}

/// Converts int32 to half with the factor given to SetDeqScale, rounding the exact product once.
[[nodiscard]] constexpr half cast_dequantized(std::int32_t value, half scale, CastRange range = {}) noexcept {
    const double product{static_cast<double>(value) * numbers::exact_double(scale)};
    return half::from_bits(
        static_cast<std::uint16_t>(numbers::encode(product, 10, 15, RoundMode::rint, range)));
}

/// Whether the documentation of Cast lists this pair and mode for A2 and A3.
template <class Dst, class Src>
[[nodiscard]] constexpr bool documented_cast(RoundMode mode) noexcept {
    const bool directed{mode >= RoundMode::rint && mode <= RoundMode::trunc};
    const bool none{mode == RoundMode::none};
    constexpr bool to_half{std::is_same_v<Dst, half>};
    constexpr bool to_float{std::is_same_v<Dst, float>};
    constexpr bool narrow{std::is_same_v<Dst, std::int8_t> || std::is_same_v<Dst, std::uint8_t> ||
                          std::is_same_v<Dst, int4b_t>};
    constexpr bool middle{std::is_same_v<Dst, std::int16_t> || std::is_same_v<Dst, std::int32_t>};
    if constexpr (std::is_same_v<Src, half>) {
        return narrow ? directed || none : (middle ? directed : to_float && none);
    } else if constexpr (std::is_same_v<Src, float>) {
        return to_half ? directed || none || mode == RoundMode::odd
                       : directed && (to_float || middle || std::is_same_v<Dst, std::int64_t> ||
                                      std::is_same_v<Dst, bfloat16>);
    } else if constexpr (std::is_same_v<Src, bfloat16>) {
        return to_float ? none : directed && std::is_same_v<Dst, std::int32_t>;
    } else if constexpr (std::is_same_v<Src, std::int16_t>) {
        return to_half ? directed || none : to_float && none;
    } else if constexpr (std::is_same_v<Src, std::int32_t>) {
        return to_float
                   ? directed || none
                   : to_half ||
                         (none && (std::is_same_v<Dst, std::int16_t> || std::is_same_v<Dst, std::int64_t>));
    } else if constexpr (std::is_same_v<Src, std::int64_t>) {
        return to_float ? directed : none && std::is_same_v<Dst, std::int32_t>;
    } else {
        return to_half && none;  // int4b_t, int8_t, uint8_t
    }
}

}  // namespace ascendsim
