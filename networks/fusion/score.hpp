// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace ascendsim::networks {

/// What a way to compute something costs.
struct Costs {
    double time_us = 0;              // with the launches
    double core_us = 0;              // of the cores alone: what bounds the throughput of many at a time
    std::uint64_t memory_bytes = 0;  // of what its kernels write
};

/// How candidates are judged: weights of ratios to what they replace, which scores the sum of the weights.
struct ScoreWeights {
    double latency = 0.5;
    double throughput = 0.3;  // of its inverse
    double memory = 0.2;
    bool stated = false;  // by the user: then the score alone decides, also of what is slower

    [[nodiscard]] double all() const { return latency + throughput + memory; }
};

/// Less than `weights.all()` is better than what is replaced.
[[nodiscard]] inline double score_of(const Costs& fused, const Costs& apart, const ScoreWeights& weights) {
    const auto ratio = [](double a, double b) { return b > 0 ? a / b : a > 0 ? 2.0 : 1.0; };
    return weights.latency * ratio(fused.time_us, apart.time_us) +
           weights.throughput * ratio(fused.core_us, apart.core_us) +
           weights.memory *
               ratio(static_cast<double>(fused.memory_bytes), static_cast<double>(apart.memory_bytes));
}

}  // namespace ascendsim::networks
