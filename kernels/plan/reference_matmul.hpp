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

}  // namespace ascendsim::host
