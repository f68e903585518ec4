// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>

#include <nlohmann/json_fwd.hpp>

#include "models/spec/chip_spec.hpp"
#include "networks/run/numbers.hpp"
#include "networks/training/loss_scale.hpp"
#include "networks/training/training.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::report {

/// What is trained, and how long.
struct TrainingRun {
    const networks::TrainingGraph& step;
    const networks::NetworkPlan& plan;
    const networks::TrainingOptions& options;
    networks::LossScaleOptions scale{};
    std::uint64_t steps = 1;
};

/// Trains on simulated kernels, from `elements` of all inputs, in a process of its own. Returns `steps`
/// [{loss, loss_scale, taken, gradient_norm, largest_gradient, not_finite, zeros, largest_activation,
/// saturated}], `taken`, `skipped`, `clipped`, `loss_scale` at the end, `first_loss` and `last_loss` of steps
/// that were taken. What is not finite is null.
[[nodiscard]] nlohmann::ordered_json train_network(const TrainingRun& run,
                                                   const networks::Elements& elements,
                                                   const ChipSpec& chip,
                                                   const toolchain::Installation& installation);

/// Prints the monitor's table: all steps that were skipped, and others evenly.
void print_stability(std::ostream& out, const nlohmann::ordered_json& stability);

}  // namespace ascendsim::report
