// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ascendsim::gui {

/// Hatches that tell wait causes apart without colour. All repeat every `pattern_period` pixels and are fixed
/// to the screen, so neighbouring boxes join.
enum class Pattern : std::uint8_t {
    solid,
    diagonal,
    back_diagonal,
    cross,
    horizontal,
    vertical,
    grid,
    dots,
    checker,
    sparse_diagonal,
    sparse_back_diagonal,
    sparse_horizontal,
    sparse_vertical,
    dashes,
    sparse_dots,
};

inline constexpr std::size_t pattern_count = 15;
inline constexpr int pattern_period = 8;

/// Whether a pattern inks the pixel (x, y) of its tile, both from 0 to pattern_period - 1.
[[nodiscard]] constexpr bool inked(Pattern pattern, int x, int y) {
    const int sum = (x + y) % pattern_period;
    const int difference = (x - y + pattern_period) % pattern_period;
    switch (pattern) {
        case Pattern::solid:
            return true;
        case Pattern::diagonal:
            return sum % 4 == 0;
        case Pattern::back_diagonal:
            return difference % 4 == 0;
        case Pattern::cross:
            return sum == 0 || difference == 0;
        case Pattern::horizontal:
            return y % 4 == 1;
        case Pattern::vertical:
            return x % 4 == 1;
        case Pattern::grid:
            return y == 1 || x == 1;
        case Pattern::dots:
            return x % 4 == 1 && y % 4 == 1;
        case Pattern::checker:
            return (x / 2 + y / 2) % 2 == 0;
        case Pattern::sparse_diagonal:
            return sum == 0;
        case Pattern::sparse_back_diagonal:
            return difference == 0;
        case Pattern::sparse_horizontal:
            return y == 3;
        case Pattern::sparse_vertical:
            return x == 3;
        case Pattern::dashes:
            return (y == 1 && x < 5) || (y == 5 && (x + 4) % pattern_period < 5);
        case Pattern::sparse_dots:
            return (x == 1 && y == 1) || (x == 5 && y == 5);
    }
    return false;
}

}  // namespace ascendsim::gui
