// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace ascendsim {

/// Holds a number whose unit is its type; a way out exists only through count().
template <class Unit, class Rep = std::uint64_t>
class Quantity {
public:
    using rep = Rep;

    constexpr Quantity() = default;

    constexpr explicit Quantity(Rep value) : value_{value} {}

    [[nodiscard]] constexpr Rep count() const { return value_; }

    constexpr Quantity& operator+=(Quantity other) {
        value_ += other.value_;
        return *this;
    }

    constexpr Quantity& operator-=(Quantity other) {
        value_ -= other.value_;
        return *this;
    }

    friend constexpr Quantity operator+(Quantity a, Quantity b) {
        return Quantity{static_cast<Rep>(a.value_ + b.value_)};
    }

    friend constexpr Quantity operator-(Quantity a, Quantity b) {
        return Quantity{static_cast<Rep>(a.value_ - b.value_)};
    }

    friend constexpr Quantity operator*(Quantity a, Rep n) {
        return Quantity{static_cast<Rep>(a.value_ * n)};
    }

    friend constexpr auto operator<=>(Quantity, Quantity) = default;

private:
    Rep value_{};
};

struct CyclesUnit;
struct BytesUnit;

/// AI-core cycles, always of the chip's core clock.
using Cycles = Quantity<CyclesUnit>;
/// Bytes.
using Bytes = Quantity<BytesUnit>;

inline namespace literals {
constexpr Cycles operator""_cyc(unsigned long long n) {
    return Cycles{n};
}

constexpr Bytes operator""_B(unsigned long long n) {
    return Bytes{n};
}

constexpr Bytes operator""_KiB(unsigned long long n) {
    return Bytes{n << 10U};
}

constexpr Bytes operator""_MiB(unsigned long long n) {
    return Bytes{n << 20U};
}
}  // namespace literals

/// Divides rounding up; `b` must not be zero.
template <class T>
[[nodiscard]] constexpr T ceil_div(T a, T b) {
    return static_cast<T>((a + b - 1) / b);
}

/// Rounds `a` up to a multiple of `b`.
template <class T>
[[nodiscard]] constexpr T round_up(T a, T b) {
    return static_cast<T>(ceil_div(a, b) * b);
}

}  // namespace ascendsim
