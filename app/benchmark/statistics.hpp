// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ascendsim::benchmark {

/// What samples of a time tell. All but `count`, `outliers` and `p99_of_all` leave the outliers out.
struct Statistics {
    std::size_t count = 0;     // all samples
    std::size_t outliers = 0;  // of them beyond the fences
    double mean = 0;
    double std = 0;  // of a sample: divided by one less than there are
    double min = 0;
    double max = 0;
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double p99_of_all = 0;
};

/// The value below which `share` (0 to 1) of sorted samples lie, between two of them in proportion. 0 without
/// samples.
[[nodiscard]] double percentile(const std::vector<double>& sorted, double share);

/// Samples further than `fence` times the distance of the quartiles from these, beyond which lie outliers.
struct Fences {
    double low = 0;
    double high = 0;

    [[nodiscard]] bool hold(double sample) const { return sample >= low && sample <= high; }
};

/// Fences of samples; those of fewer than four samples, and of a `fence` of 0, hold everything.
[[nodiscard]] Fences fences_of(const std::vector<double>& samples, double fence);

[[nodiscard]] Statistics statistics_of(const std::vector<double>& samples, double fence);

}  // namespace ascendsim::benchmark
