// SPDX-License-Identifier: Apache-2.0
// Whole-number arithmetic of the operator libraries' base package: division by zero gives what tiling code
// counts on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace Ops {
namespace Base {

template <class T>

requires std::is_integral_v<T> T FloorDiv(T x, T y) {
    return y == 0 ? x : x / y;
}

template <class T>

requires std::is_integral_v<T> T FloorAlign(T x, T align) {
    return align == 0 ? 0 : x / align * align;
}

/// Rounds up, also between numbers below zero.
template <class T>

requires std::is_integral_v<T> T CeilDiv(T x, T y) {
    if (y == 0 || x == 0) {
        return x;
    }
    const bool rest = x % y != 0;
    if constexpr (std::is_signed_v<T>) {
        return x / y + (rest && (x < 0) == (y < 0) ? 1 : 0);
    } else {
        return x / y + (rest ? 1 : 0);
    }
}

/// The largest number there is where the multiple would not fit.
template <class T>

requires std::is_integral_v<T> T CeilAlign(T x, T align) {
    if (align == 0) {
        return 0;
    }
    const T parts = CeilDiv(x, align);
    return parts > std::numeric_limits<T>::max() / align ? std::numeric_limits<T>::max() : parts * align;
}

template <class T>
requires std::is_floating_point_v<T>

bool IsFloatEqual(T a, T b) {
    if (std::isnan(a) || std::isnan(b)) {
        return false;
    }
    if (std::isinf(a) || std::isinf(b)) {
        return std::isinf(a) && std::isinf(b) && std::signbit(a) == std::signbit(b);
    }
    return std::fabs(a - b) <= std::numeric_limits<T>::epsilon();
}

/// The largest power of two that is not above n; 0 of 0.
inline uint64_t LastPow2(uint64_t n) {
    uint64_t power = n == 0 ? 0 : 1;
    while (power != 0 && power <= n / 2) {
        power *= 2;
    }
    return power;
}

}  // namespace Base
}  // namespace Ops
