// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "app/training/step_profile.hpp"
#include "networks/run/numbers.hpp"

namespace ascendsim::training {

/// How far a step's gradients are from those in float64.
struct StepPrecision {
    double loss_error = 0;      // of the loss, by itself
    double gradient_error = 0;  // of all gradients as one vector, by its length
    double loss_scale = 1;      // with which they were finite

    /// In percent: 100 are gradients as exact as float64's.
    [[nodiscard]] double percent() const { return 100 * std::max(0.0, 1 - gradient_error); }
};

/// Computes a pass of one sample, forward and backward, on the configuration's chip as it holds and joins
/// operators, and compares it with the same in float64. Layouts do not matter: each configuration of one
/// network, precision and joining is computed once.
class StepPrecisions {
public:
    explicit StepPrecisions(const toolchain::Installation& installation) : installation_{installation} {}

    /// `time` is asked where operators are joined. Throws UserError for what cannot be computed.
    [[nodiscard]] StepPrecision of(const TrainingConfig& config, const networks::TimeTasks& time);

private:
    [[nodiscard]] const networks::Elements& exact(const TrainingConfig& config);

    const toolchain::Installation& installation_;
    std::map<std::string, StepPrecision> known_;
    std::map<std::string, networks::Elements> exact_;  // by network: losses and gradients
};

}  // namespace ascendsim::training
