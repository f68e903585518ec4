// SPDX-License-Identifier: Apache-2.0
// Included by kernels too, so it stays within C++17.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "models/numbers/bits.hpp"

namespace ascendsim::numbers {

/// A 16-bit floating-point type that behaves in expressions as a built-in one does:
///
///     half op half, half op integer -> half     (computed in float, rounded once to nearest even)
///     half op float -> float                    half op double -> double
///
/// `Format` gives the layout and the conversions of bits from and to float; see half.hpp and bfloat16.hpp.
/// The default constructor leaves the value unset, as for a built-in type, so unions and device buffers may
/// hold it.
template <class Format>
class Float16 {
    template <class T>
    static constexpr bool is_integer{std::is_integral_v<T>};
    template <class T>
    using IfNumber = std::enable_if_t<std::is_arithmetic_v<T>, int>;
    template <class T>
    using IfOtherNumber = std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, float>, int>;
    template <class T>
    using IfInteger = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int>;
    // The type of `Float16 op T`, following the usual arithmetic conversions.
    template <class T>
    using Common = std::conditional_t<std::is_integral_v<T>, Float16, T>;

public:
    using format = Format;

    Float16() = default;

    /// Rounds to nearest, ties to even; too large values become infinite. Implicit, as for a built-in type.
    constexpr Float16(float value) noexcept : bits_{Format::from_float(value)} {}

    /// The same for double and the integers, rounding once.
    template <class T, IfOtherNumber<T> = 0>
    constexpr Float16(T value) noexcept : bits_{Format::from_float(nearly(value))} {}

    /// The number with this representation.
    [[nodiscard]] static constexpr Float16 from_bits(std::uint16_t bits) noexcept {
        Float16 result{};
        result.bits_ = bits;
        return result;
    }

    /// Exact; implicit, as for a built-in type.
    constexpr operator float() const noexcept { return Format::to_float(bits_); }

    /// Rounds towards zero and clamps to the range of `T`; NaN gives 0.
    template <class T, IfInteger<T> = 0>
    constexpr explicit operator T() const noexcept {
        return saturated<T>(Format::to_float(bits_));
    }

    [[nodiscard]] constexpr std::uint16_t bits() const noexcept { return bits_; }

    constexpr Float16 operator+() const noexcept { return *this; }

    constexpr Float16 operator-() const noexcept {
        return from_bits(static_cast<std::uint16_t>(bits_ ^ 0x8000U));
    }

    friend constexpr Float16 operator+(Float16 a, Float16 b) noexcept { return {a.value() + b.value()}; }

    friend constexpr Float16 operator-(Float16 a, Float16 b) noexcept { return {a.value() - b.value()}; }

    friend constexpr Float16 operator*(Float16 a, Float16 b) noexcept { return {a.value() * b.value()}; }

    friend constexpr Float16 operator/(Float16 a, Float16 b) noexcept { return {a.value() / b.value()}; }

    friend constexpr bool operator==(Float16 a, Float16 b) noexcept { return a.value() == b.value(); }

    friend constexpr bool operator!=(Float16 a, Float16 b) noexcept { return a.value() != b.value(); }

    friend constexpr bool operator<(Float16 a, Float16 b) noexcept { return a.value() < b.value(); }

    friend constexpr bool operator<=(Float16 a, Float16 b) noexcept { return a.value() <= b.value(); }

    friend constexpr bool operator>(Float16 a, Float16 b) noexcept { return a.value() > b.value(); }

    friend constexpr bool operator>=(Float16 a, Float16 b) noexcept { return a.value() >= b.value(); }

    template <class T, IfNumber<T> = 0>
    friend constexpr Common<T> operator+(Float16 a, T b) noexcept {
        return Common<T>(a) + Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr Common<T> operator+(T a, Float16 b) noexcept {
        return Common<T>(a) + Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr Common<T> operator-(Float16 a, T b) noexcept {
        return Common<T>(a) - Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr Common<T> operator-(T a, Float16 b) noexcept {
        return Common<T>(a) - Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr Common<T> operator*(Float16 a, T b) noexcept {
        return Common<T>(a) * Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr Common<T> operator*(T a, Float16 b) noexcept {
        return Common<T>(a) * Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr Common<T> operator/(Float16 a, T b) noexcept {
        return Common<T>(a) / Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr Common<T> operator/(T a, Float16 b) noexcept {
        return Common<T>(a) / Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator==(Float16 a, T b) noexcept {
        return Common<T>(a) == Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator==(T a, Float16 b) noexcept {
        return Common<T>(a) == Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator!=(Float16 a, T b) noexcept {
        return Common<T>(a) != Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator!=(T a, Float16 b) noexcept {
        return Common<T>(a) != Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator<(Float16 a, T b) noexcept {
        return Common<T>(a) < Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator<(T a, Float16 b) noexcept {
        return Common<T>(a) < Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator<=(Float16 a, T b) noexcept {
        return Common<T>(a) <= Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator<=(T a, Float16 b) noexcept {
        return Common<T>(a) <= Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator>(Float16 a, T b) noexcept {
        return Common<T>(a) > Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator>(T a, Float16 b) noexcept {
        return Common<T>(a) > Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator>=(Float16 a, T b) noexcept {
        return Common<T>(a) >= Common<T>(b);
    }

    template <class T, IfNumber<T> = 0>
    friend constexpr bool operator>=(T a, Float16 b) noexcept {
        return Common<T>(a) >= Common<T>(b);
    }

    template <class T>
    constexpr Float16& operator+=(T other) noexcept {
        return *this = Float16(*this + other);
    }

    template <class T>
    constexpr Float16& operator-=(T other) noexcept {
        return *this = Float16(*this - other);
    }

    template <class T>
    constexpr Float16& operator*=(T other) noexcept {
        return *this = Float16(*this * other);
    }

    template <class T>
    constexpr Float16& operator/=(T other) noexcept {
        return *this = Float16(*this / other);
    }

    constexpr Float16& operator++() noexcept { return *this += 1; }

    constexpr Float16& operator--() noexcept { return *this -= 1; }

    constexpr Float16 operator++(int) noexcept {
        const Float16 before{*this};
        ++*this;
        return before;
    }

    constexpr Float16 operator--(int) noexcept {
        const Float16 before{*this};
        --*this;
        return before;
    }

private:
    [[nodiscard]] constexpr float value() const noexcept { return Format::to_float(bits_); }

    // A float that rounds to this format as `value` itself would.
    template <class T>
    [[nodiscard]] static constexpr float nearly(T value) noexcept {
        if constexpr (std::is_integral_v<T>) {
            return odd_float(odd_double(value));
        } else {
            return odd_float(static_cast<double>(value));
        }
    }

    std::uint16_t bits_;
};

/// std::numeric_limits of a Float16.
template <class Format>
class Float16Limits : public std::numeric_limits<float> {
    using F = Float16<Format>;
    static constexpr int mantissa{Format::mantissa_bits};
    static constexpr int bias{Format::bias};

public:
    static constexpr int digits{mantissa + 1};
    static constexpr int digits10{mantissa * 301 / 1000};
    static constexpr int max_digits10{2 + digits * 301 / 1000};
    static constexpr int min_exponent{2 - bias};
    static constexpr int max_exponent{bias + 1};
    static constexpr int min_exponent10{-((bias - 1) * 301 / 1000)};
    static constexpr int max_exponent10{(bias + 1) * 301 / 1000};
    static constexpr bool is_iec559{Format::mantissa_bits == 10};

    static constexpr F min() noexcept { return F::from_bits(std::uint16_t{1U << mantissa}); }

    static constexpr F denorm_min() noexcept { return F::from_bits(1); }

    static constexpr F max() noexcept {
        return F::from_bits(static_cast<std::uint16_t>(Format::inf_bits - 1U));
    }

    static constexpr F lowest() noexcept { return -max(); }

    static constexpr F epsilon() noexcept {
        return F::from_bits(static_cast<std::uint16_t>((bias - mantissa) << mantissa));
    }

    static constexpr F round_error() noexcept { return F{0.5F}; }

    static constexpr F infinity() noexcept { return F::from_bits(Format::inf_bits); }

    static constexpr F quiet_NaN() noexcept {
        return F::from_bits(static_cast<std::uint16_t>(Format::inf_bits | (1U << (mantissa - 1))));
    }

    static constexpr F signaling_NaN() noexcept {
        return F::from_bits(static_cast<std::uint16_t>(Format::inf_bits | (1U << (mantissa - 2))));
    }
};

}  // namespace ascendsim::numbers

template <class Format>
class std::numeric_limits<ascendsim::numbers::Float16<Format>>
    : public ascendsim::numbers::Float16Limits<Format> {};
