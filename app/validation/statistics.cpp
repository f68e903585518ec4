// SPDX-License-Identifier: Apache-2.0
#include "app/validation/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ascendsim::validation {
namespace {

int sign(double difference) {
    return (difference > 0 ? 1 : 0) - (difference < 0 ? 1 : 0);
}

}  // namespace

double kendall(std::span<const TimePair> pairs) {
    double concordant = 0;
    double measured_differ = 0;
    double simulated_differ = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        for (std::size_t j = i + 1; j < pairs.size(); ++j) {
            const int measured = sign(pairs[i].measured - pairs[j].measured);
            const int simulated = sign(pairs[i].simulated - pairs[j].simulated);
            concordant += measured * simulated;
            measured_differ += measured != 0 ? 1 : 0;
            simulated_differ += simulated != 0 ? 1 : 0;
        }
    }
    const double scale = std::sqrt(measured_differ * simulated_differ);
    return scale > 0 ? concordant / scale : 0;
}

Fit fit(std::span<const TimePair> pairs) {
    Fit result{.cases = pairs.size()};
    if (pairs.empty()) {
        return result;
    }
    std::vector<double> errors;
    for (const TimePair& pair : pairs) {
        errors.push_back(std::abs(pair.error()));
        result.mape += errors.back();
        result.bias += pair.error();
    }
    const auto count = static_cast<double>(pairs.size());
    result.mape /= count;
    result.bias /= count;
    std::ranges::sort(errors);
    const std::size_t middle = errors.size() / 2;
    result.median_ape = errors.size() % 2 == 1 ? errors[middle] : (errors[middle - 1] + errors[middle]) / 2;
    constexpr double most = 0.9;
    result.p90_ape = errors[static_cast<std::size_t>(std::ceil(most * count)) - 1];
    result.kendall = kendall(pairs);
    return result;
}

}  // namespace ascendsim::validation
