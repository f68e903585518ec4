// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ascendsim {

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
