// SPDX-License-Identifier: Apache-2.0
#include "app/serving/serve_figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace ascendsim::serving {
namespace {

double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double percentile(const std::vector<double>& sorted, double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

Confidence confidence(const std::vector<double>& sorted, double share) {
    constexpr double of_95_percent = 1.96;  // deviations of a normal distribution
    const auto count = static_cast<double>(sorted.size());
    const double away = of_95_percent * std::sqrt(count * share * (1 - share));
    const auto at = [&](double rank) {
        return sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, count)) - 1];
    };
    return {.low = at(std::floor(count * share - away)), .high = at(std::ceil(count * share + away) + 1)};
}

/// Means of as many values drawn again and again from these.
std::vector<double> drawn_means(const std::vector<double>& values) {
    constexpr int draws = 200;
    std::mt19937_64 engine{1};
    std::vector<double> means;
    for (int draw = 0; draw < draws; ++draw) {
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            sum += values[engine() % values.size()];
        }
        means.push_back(sum / static_cast<double>(values.size()));
    }
    std::ranges::sort(means);
    return means;
}

}  // namespace

Distribution distribution_of(std::vector<double> values) {
    if (values.empty()) {
        return {};
    }
    const std::vector<double> means = drawn_means(values);
    const double mean = mean_of(values);
    std::ranges::sort(values);
    return {.mean = mean,
            .low = percentile(means, 0.025),
            .high = percentile(means, 0.975),
            .p50 = percentile(values, 0.5),
            .p90 = percentile(values, 0.9),
            .p99 = percentile(values, 0.99),
            .of_p50 = confidence(values, 0.5),
            .of_p90 = confidence(values, 0.9),
            .of_p99 = confidence(values, 0.99)};
}

ServeFigures figures_of(const ServedLoad& load) {
    std::vector<double> ttft;
    std::vector<double> tpot;
    std::vector<double> e2e;
    std::vector<double> queued;
    double tokens = 0;
    for (const ServedRequest& request : load.requests) {
        ttft.push_back(request.ttft_us() / us_a_ms);
        e2e.push_back((request.end_us - request.arrival_us) / us_a_ms);
        queued.push_back((request.scheduled_us - request.arrival_us) / us_a_ms);
        tokens += static_cast<double>(request.output);
        if (request.output > 1) {
            tpot.push_back(request.tpot_us() / us_a_ms);
        }
    }
    double step_us = 0;
    double sequences = 0;
    for (const ServedStep& step : load.steps) {
        step_us += step.us;
        sequences += step.us * static_cast<double>(step.decoding);
    }
    const auto copies = load.parts_us.find("copies");
    const double start = load.requests.empty() ? 0 : load.requests.front().arrival_us;
    const double seconds = std::max(1e-9, (load.end_us - start) / us_a_second);
    return {.ttft_ms = distribution_of(std::move(ttft)),
            .tpot_ms = distribution_of(std::move(tpot)),
            .e2e_ms = distribution_of(std::move(e2e)),
            .queued_ms = distribution_of(std::move(queued)),
            .output_tokens_per_s = tokens / seconds,
            .requests_per_s = static_cast<double>(load.requests.size()) / seconds,
            .mean_sequences = step_us > 0 ? sequences / step_us : 0,
            .seconds = seconds,
            .joules_a_token = tokens > 0 ? load.joules / tokens : 0,
            .host_joules_a_token = tokens > 0 ? load.host.joules / tokens : 0,
            .copies = step_us > 0 && copies != load.parts_us.end() ? copies->second / step_us : 0};
}

}  // namespace ascendsim::serving
