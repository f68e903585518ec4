// SPDX-License-Identifier: Apache-2.0
#include "app/benchmark/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ascendsim::benchmark {
namespace {

constexpr double lower_quartile = 0.25;
constexpr double upper_quartile = 0.75;

std::vector<double> sorted(std::vector<double> samples) {
    std::ranges::sort(samples);
    return samples;
}

}  // namespace

double percentile(const std::vector<double>& sorted, double share) {
    if (sorted.empty()) {
        return 0;
    }
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

Fences fences_of(const std::vector<double>& samples, double fence) {
    constexpr std::size_t least = 4;  // fewer have no quartiles worth the name
    constexpr double endless = std::numeric_limits<double>::infinity();
    if (samples.size() < least || fence <= 0) {
        return {-endless, endless};
    }
    const std::vector<double> in_order = sorted(samples);
    const double low = percentile(in_order, lower_quartile);
    const double high = percentile(in_order, upper_quartile);
    const double reach = fence * (high - low);
    return {low - reach, high + reach};
}

Statistics statistics_of(const std::vector<double>& samples, double fence) {
    Statistics result{.count = samples.size()};
    if (samples.empty()) {
        return result;
    }
    const Fences fences = fences_of(samples, fence);
    const std::vector<double> all = sorted(samples);
    std::vector<double> kept;
    std::ranges::copy_if(all, std::back_inserter(kept), [&](double one) { return fences.hold(one); });
    const auto count = static_cast<double>(kept.size());
    result.outliers = all.size() - kept.size();
    // Differences to the smallest, so that equal samples have their own value as the mean, and no deviation.
    const double base = kept.front();
    const double sum = std::accumulate(
        kept.begin(), kept.end(), 0.0, [&](double total, double one) { return total + (one - base); });
    result.mean = base + sum / count;
    double squares = 0;
    for (const double one : kept) {
        squares += (one - result.mean) * (one - result.mean);
    }
    result.std = kept.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
    result.min = kept.front();
    result.max = kept.back();
    result.p50 = percentile(kept, 0.5);
    result.p90 = percentile(kept, 0.9);
    result.p99 = percentile(kept, 0.99);
    result.p99_of_all = percentile(all, 0.99);
    return result;
}

}  // namespace ascendsim::benchmark
