// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ascendsim::host {

/// A reference product of row-major matrices of floats.
struct ReferenceProduct {
    std::span<const float> a;  // [m, k], or [k, m] if transposed
    std::span<const float> b;  // [k, n], or [n, k] if transposed
    std::uint64_t m = 0;
    std::uint64_t n = 0;
    std::uint64_t k = 0;
    bool transpose_a = false;
    bool transpose_b = false;
};

/// C[m, n] in doubles. Runs of 32 products are summed in fp32, the runs in double: the error stays below 32 *
/// 2^-24 of the sum of magnitudes, whatever k; integers up to 8 bits are exact.
[[nodiscard]] std::vector<double> multiply(const ReferenceProduct& product);

/// The Euclidean norms of the rows of A, and of the columns of B. By Cauchy and Schwarz the magnitudes of the
/// products of a row and a column add up to their norms' product at the most, and to not much less in
/// matrices of numbers of one size (by 4/3 for uniform ones, pi/2 for normal ones).
[[nodiscard]] std::vector<double> row_norms(const ReferenceProduct& product);
[[nodiscard]] std::vector<double> column_norms(const ReferenceProduct& product);

}  // namespace ascendsim::host
