// SPDX-License-Identifier: Apache-2.0
#include "networks/training/loss_scale.hpp"

#include <algorithm>
#include <cmath>

namespace ascendsim::networks {

GradientHealth health_of(std::span<const std::vector<double>* const> gradients, double scale) {
    GradientHealth health;
    double squares = 0;
    for (const std::vector<double>* gradient : gradients) {
        health.elements += gradient->size();
        for (const double scaled : *gradient) {
            if (!std::isfinite(scaled)) {
                ++health.not_finite;
                continue;
            }
            const double value = std::abs(scaled) / scale;
            health.zeros += value == 0 ? 1U : 0U;
            squares += value * value;
            health.largest = std::max(health.largest, value);
        }
    }
    health.norm = std::sqrt(squares);
    return health;
}

LossScale::LossScale(const LossScaleOptions& options)
    : options_{options}, value_{std::clamp(options.start, options.least, options.most)} {}

double LossScale::gradient_factor(const GradientHealth& health) const {
    const bool clips = options_.clip_norm > 0 && health.norm > options_.clip_norm;
    return (clips ? options_.clip_norm / health.norm : 1) / value_;
}

bool LossScale::note(const GradientHealth& health) {
    const auto change = [this](double factor) {
        value_ = std::clamp(value_ * factor, options_.least, options_.most);
        clean_ = 0;
    };
    if (health.overflowed()) {
        ++skipped_;
        change(options_.backoff);
        return false;
    }
    ++taken_;
    if (++clean_ == options_.growth_steps) {
        change(options_.growth);
    }
    return true;
}

}  // namespace ascendsim::networks
