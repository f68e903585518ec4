// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/report/style.hpp"
#include "app/training/training_run.hpp"

namespace ascendsim::training {

/// What was found of a configuration.
struct TrainingFigures {
    StepTimes step;
    DeviceMemory memory;
    std::vector<StepTimes> scaling;  // by number of devices, the batch of each as it is
    double flops = 0;                // of a device's step
    std::uint64_t parameters = 0;    // of the whole network
    std::vector<std::string> notes;
};

/// For people.
[[nodiscard]] std::string training_text(const TrainingConfig& config,
                                        const TrainingFigures& figures,
                                        const report::Style& style);

/// For programs: network, chip, devices, copies, pipeline, batch, samples (of a step), parameters, step_us,
/// parts_us.{forward, backward, recompute, optimiser, bubble, communication} that add up to it,
/// collectives_us, samples_per_s, mfu, joules, memory.{weights, optimiser, gradients, activations, working,
/// all, capacity (B), when}, scaling[].{devices, step_us, samples_per_s, efficiency, mfu, joules}, notes.
[[nodiscard]] nlohmann::ordered_json training_json(const TrainingConfig& config,
                                                   const TrainingFigures& figures);

}  // namespace ascendsim::training
