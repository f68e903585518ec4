// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace ascendsim::validation {

/// A measured time and the simulated one, in the same unit.
struct TimePair {
    double measured = 0;
    double simulated = 0;

    /// Simulated over measured, minus one: +0.1 is 10 % too slow.
    [[nodiscard]] double error() const { return simulated / measured - 1; }
};

/// How a set of cases fits; ratios are fractions, not per cent.
struct Fit {
    std::size_t cases = 0;
    double mape = 0;        // mean absolute error
    double median_ape = 0;  // median absolute error
    double p90_ape = 0;     // 90 % of the cases err by at most this (nearest rank)
    double bias = 0;        // mean error
    double kendall = 0;     // rank correlation, tau-b; 0 for fewer than two different times
};

[[nodiscard]] Fit fit(std::span<const TimePair> pairs);

/// Kendall's tau-b of measured against simulated times, ties in both respected.
[[nodiscard]] double kendall(std::span<const TimePair> pairs);

}  // namespace ascendsim::validation
