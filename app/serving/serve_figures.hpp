// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/serving/engine.hpp"

namespace ascendsim::serving {

inline constexpr double us_a_ms = 1e3;
inline constexpr double us_a_second = 1e6;

/// Where a percentile lies with 95 % confidence.
struct Confidence {
    double low = 0;
    double high = 0;
};

/// Of a figure over all requests. `low` and `high` hold the mean in 95 of 100 draws of as many requests from
/// these (bootstrap). Percentiles lie between two of the values, whatever they are distributed like: how many
/// of so many values lie below a percentile is binomial, taken as normal here. Of few values, the one of a
/// far percentile is the largest there is.
struct Distribution {
    double mean = 0;
    double low = 0;
    double high = 0;
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    Confidence of_p50 = {};
    Confidence of_p90 = {};
    Confidence of_p99 = {};
};

/// Percentiles are the smallest value that so many are not above (nearest rank).
[[nodiscard]] Distribution distribution_of(std::vector<double> values);

/// What a served load comes to.
struct ServeFigures {
    Distribution ttft_ms;
    Distribution tpot_ms;  // of requests with two tokens of output or more
    Distribution e2e_ms;
    Distribution queued_ms;
    double output_tokens_per_s = 0;
    double requests_per_s = 0;
    double mean_sequences = 0;  // decoding in a step, over time
    double seconds = 0;
    double joules_a_token = 0;       // of output, all devices, idle or not
    double host_joules_a_token = 0;  // of output, what hosts take beside these
    double copies = 0;               // of the time of steps, copies that the host waits for
};

[[nodiscard]] ServeFigures figures_of(const ServedLoad& load);

}  // namespace ascendsim::serving
