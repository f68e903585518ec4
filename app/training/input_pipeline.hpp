// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/training/training_config.hpp"

namespace ascendsim::training {

/// How a training run with its inputs is put together.
struct InputMode {
    std::string name;
    bool stages = false;    // host, devices and network work on different batches at the same time
    bool balanced = false;  // devices get samples as fast as they are; else each as many
    bool unified = false;   // devices read the host's memory: nothing is copied first
};

/// What a run of many steps came to.
struct InputRun {
    InputMode mode;
    double samples_per_s = 0;
    double host_busy = 0;     // of the time, of the workers
    double device_busy = 0;   // of the slowest device
    double network_busy = 0;  // of reductions
    double queued = 0;        // batches that wait for the devices, on average
};

/// Times of one step, as simulated.
struct StepParts {
    double sample_us = 0;   // of a device of speed 1, forward and backward pass of one sample
    double update_us = 0;   // of the optimiser
    double network_us = 0;  // reductions, not hidden by anything
};

/// Runs as many steps as it takes for the rate to settle. Batches are prepared by the host's workers, wait in
/// a queue of `queue` batches, are copied, worked on by all devices, and their gradients are reduced. Without
/// `stages` one batch is finished before the next is begun.
[[nodiscard]] InputRun run_with_inputs(const TrainingConfig& config,
                                       const StepParts& parts,
                                       const InputMode& mode);

/// The modes that reports compare, each with what those before it have: one after the other, stages, balance,
/// unified memory.
[[nodiscard]] std::vector<InputMode> input_modes();

}  // namespace ascendsim::training
