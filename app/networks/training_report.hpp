// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include <nlohmann/json_fwd.hpp>

#include "app/networks/network_report.hpp"
#include "models/spec/chip_spec.hpp"
#include "networks/run/numbers.hpp"
#include "networks/training/training.hpp"

namespace ascendsim::report {

/// Where a step's time and memory go: `optimiser`, `losses`, `phases` {forward, backward, optimiser: kernels,
/// time_us, share, flops}, `memory` {weight_bytes, optimiser_bytes, input_bytes, peak_bytes, peak_operator,
/// peak_phase, at_peak {activation_bytes, gradient_bytes, temporary_bytes}, saved_bytes}, `flops` as the
/// network states them, `mfu`, and `without_gradient`, weights that the loss does not depend on.
[[nodiscard]] nlohmann::ordered_json training_json(const NetworkRun& run,
                                                   const networks::TrainingGraph& step,
                                                   networks::Optimiser optimiser,
                                                   const ChipSpec& chip);

/// The same for people.
void print_training(std::ostream& out, const nlohmann::ordered_json& training);

/// Puts what a first step finds into the elements of inputs that no file gives: masters are the weights,
/// moments are zero, scalars as the step states them.
void set_first_step(const networks::TrainingGraph& step,
                    const std::vector<std::string>& files,
                    networks::Elements& elements);

/// Multiply-adds of all cube units, in operations a second.
[[nodiscard]] double peak_flops(const ChipSpec& chip, isa::DataType type);

/// The optimiser (sgd, adam, adamw; adamw if empty) and loss (cross_entropy, mean_square, sum; by the
/// output's shape if empty) of these names, as --optimizer and --loss take them. Throws UserError with the
/// nearest name.
[[nodiscard]] networks::TrainingOptions training_options(const std::string& optimiser,
                                                         const std::string& loss);

}  // namespace ascendsim::report
