// SPDX-License-Identifier: Apache-2.0
// Winograd's matrices for 3 x 3 filters, for host sides and networks: filters transformed, and the exact
// result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace winograd {

/// G, by rows of three: what a filter's column becomes.
[[nodiscard]] inline std::vector<std::array<double, 3>> filter_rows(std::uint32_t tile) {
    if (tile == 2) {
        return {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
    }
    constexpr double sixth = 1.0 / 6;
    constexpr double twelfth = 1.0 / 12;
    constexpr double small = 1.0 / 24;
    return {{0.25, 0, 0},
            {-sixth, -sixth, -sixth},
            {-sixth, sixth, -sixth},
            {small, twelfth, sixth},
            {small, -twelfth, sixth},
            {0, 0, 1}};
}

/// G w G^T of filters [count, 3, 3], as [count, a, a].
[[nodiscard]] inline std::vector<double> transformed_filters(const std::vector<double>& filters,
                                                             std::uint32_t tile) {
    const auto g = filter_rows(tile);
    const std::size_t a = g.size();
    std::vector<double> result(filters.size() / 9 * a * a);
    for (std::size_t filter = 0; filter < filters.size() / 9; ++filter) {
        for (std::size_t i = 0; i < a; ++i) {
            for (std::size_t j = 0; j < a; ++j) {
                double sum = 0;
                for (std::size_t row = 0; row < 3; ++row) {
                    for (std::size_t column = 0; column < 3; ++column) {
                        sum += g[i][row] * filters[filter * 9 + row * 3 + column] * g[j][column];
                    }
                }
                result[(filter * a + i) * a + j] = sum;
            }
        }
    }
    return result;
}

}  // namespace winograd
