// SPDX-License-Identifier: Apache-2.0
// Included by kernels too, so it stays within C++17.
#pragma once

#include <cstdint>
#include <type_traits>

namespace ascendsim::numbers {

/// The object representation of `from` as a `To`; std::bit_cast for C++17.
template <class To, class From>
[[nodiscard]] constexpr To bits_as(const From& from) noexcept {
    static_assert(sizeof(To) == sizeof(From));
    static_assert(std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
    return __builtin_bit_cast(To, from);
}

inline constexpr std::uint32_t float_inf_bits{0x7F80'0000};
inline constexpr std::uint32_t float_quiet_bit{0x0040'0000};
inline constexpr std::uint32_t float_max_bits{0x7F7F'FFFF};

/// `value` as a float, an inexact result going to the neighbour with an odd last bit. Rounding that to a
/// format with at most 22 bits of significand gives the same as rounding `value` at once, which
/// round-to-nearest would not.
[[nodiscard]] constexpr float odd_float(double value) noexcept {
    constexpr double max{3.40282346638528859811704183484516925e+38};
    if (value > max || value < -max) {
        const bool infinite{value - value != 0.0};
        const std::uint32_t magnitude{infinite ? float_inf_bits : float_max_bits};
        return bits_as<float>(magnitude | (value < 0.0 ? 0x8000'0000U : 0U));
    }
    const float nearest{static_cast<float>(value)};
    const double back{static_cast<double>(nearest)};
    const std::uint32_t bits{bits_as<std::uint32_t>(nearest)};
    if (back == value || value != value || (bits & 1U) != 0U) {
        return nearest;
    }
    const bool too_large{(value < 0.0 ? -back : back) > (value < 0.0 ? -value : value)};
    // A value that vanished keeps the sign of the zero it became.
    return bits_as<float>(too_large ? bits - 1U : bits + 1U);
}

/// `value` as a double, inexact results (beyond 53 bits) going to the neighbour with an odd last bit.
template <class Integer>
[[nodiscard]] constexpr double odd_double(Integer value) noexcept {
    static_assert(std::is_integral_v<Integer>);
    if constexpr (sizeof(Integer) <= 4) {
        return static_cast<double>(value);
    } else {
        const bool negative{value < Integer{0}};
        const std::uint64_t raw{static_cast<std::uint64_t>(value)};
        const std::uint64_t magnitude{negative ? std::uint64_t{0} - raw : raw};
        const std::uint64_t kept{(magnitude >> 11U) | static_cast<std::uint64_t>((magnitude & 0x7FFU) != 0U)};
        const double result{(magnitude >> 53U) == 0U ? static_cast<double>(magnitude)
                                                     : static_cast<double>(kept) * 2048.0};
        return negative ? -result : result;
    }
}

/// `value` rounded towards zero, clamped to the range of `Integer`; NaN gives 0. As the chip's scalar unit
/// converts.
template <class Integer>
[[nodiscard]] constexpr Integer saturated(float value) noexcept {
    static_assert(std::is_integral_v<Integer>);
    constexpr int value_bits{static_cast<int>(sizeof(Integer) * 8U) - (std::is_signed_v<Integer> ? 1 : 0)};
    constexpr float limit{static_cast<float>(std::uint64_t{1} << static_cast<unsigned>(value_bits - 1)) *
                          2.0F};
    constexpr Integer max{static_cast<Integer>(~std::uint64_t{0} >> static_cast<unsigned>(64 - value_bits))};
    constexpr Integer min{std::is_signed_v<Integer> ? static_cast<Integer>(-max - Integer{1}) : Integer{0}};
    if (value != value) {
        return Integer{0};
    }
    if (value >= limit) {
        return max;
    }
    if (value <= (std::is_signed_v<Integer> ? -limit : 0.0F)) {
        return min;
    }
    return static_cast<Integer>(value);
}

}  // namespace ascendsim::numbers
