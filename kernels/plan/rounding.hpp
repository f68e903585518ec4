// SPDX-License-Identifier: Apache-2.0
// How far a sum of products in fp32 may be off. With u = 2^-24 the error of n roundings, in whatever order
// the terms are added, is at most
//     n u / (1 - n u) times the sum of the terms' magnitudes
// (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002, eq. 3.5), and, if the
// errors of single roundings are independent and of mean zero, with a probability of at least
// 1 - 2 n exp(-lambda^2 / 2) at most
//     lambda sqrt(n) u times that sum, to first order in u
// (N. J. Higham and T. Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput.
// 41(5), 2019, theorem 3.1). The smaller one is allowed here: of 10,000 terms the second still notices one
// that is left out.
#pragma once

#include <algorithm>
#include <cmath>

namespace ascendsim::host {

/// The error of a sum in fp32 of so many products whose magnitudes add up to `magnitudes`.
[[nodiscard]] inline double fp32_sum_error(double products, double magnitudes) {
    constexpr double unit = 0x1p-24;
    constexpr double lambda = 8;            // 2 n exp(-32) = 2.5e-10 for 10,000 terms: one element in 4e9
    const double roundings = products + 1;  // of a product, of as many sums, the bias among them
    const double certain = roundings * unit / (1 - std::min(roundings * unit, 0.5));
    return std::min(certain, lambda * std::sqrt(roundings) * unit) * magnitudes;
}

}  // namespace ascendsim::host
