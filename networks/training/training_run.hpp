// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "networks/run/numbers.hpp"
#include "networks/training/loss_scale.hpp"
#include "networks/training/training.hpp"

namespace ascendsim::networks {

/// What the stability monitor noted of one step.
struct NotedStep {
    double loss = 0;
    double loss_scale = 1;  // of this step
    GradientHealth gradients;
    std::uint64_t saturated = 0;  // activations that are not finite, or as large as float16 goes
    double largest_activation = 0;
    bool taken = true;
};

/// Computes `count` steps, on the same samples. `first` runs forward and backward pass from the elements that
/// it is given and returns what they make; `second` the optimiser. Moves the weights in `elements`.
using ComputePart = std::function<Elements(const Elements&)>;
[[nodiscard]] std::vector<NotedStep> train(const TrainingGraph& step,
                                           const TrainingOptions& options,
                                           LossScale& scale,
                                           std::uint64_t count,
                                           Elements& elements,
                                           const ComputePart& first,
                                           const ComputePart& second);

/// The nodes of a plan up to the optimiser, and those of the optimiser.
struct StepParts {
    NetworkPlan passes;
    NetworkPlan update;
};

[[nodiscard]] StepParts parts_of(const NetworkPlan& plan);

/// What the first part is to hand over: losses, gradients, and activations that the backward pass reads.
[[nodiscard]] std::vector<std::string> watched_tensors(const TrainingGraph& step, const NetworkPlan& plan);
/// What the second part makes.
[[nodiscard]] std::vector<std::string> updated_tensors(const TrainingGraph& step);

}  // namespace ascendsim::networks
