// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/training/step_profile.hpp"

namespace ascendsim::training {

/// Bytes of one device by what they hold, when most are alive.
struct DeviceMemory {
    std::uint64_t weights = 0;
    std::uint64_t optimiser = 0;
    std::uint64_t gradients = 0;
    std::uint64_t activations = 0;
    std::uint64_t working = 0;  // temporaries, inputs, buffers of collectives
    std::string when;           // "first backward pass", …

    [[nodiscard]] std::uint64_t all() const {
        return weights + optimiser + gradients + activations + working;
    }
};

/// The fullest device of a layout. `memory` is that of one layer.
[[nodiscard]] DeviceMemory memory_of(const TrainingConfig& config, const LayerMemory& memory);

/// Throws UserError with what is too much, by how much, and what would help, unless it fits the chip.
void check_memory(const TrainingConfig& config, const DeviceMemory& memory);

/// One step on all devices.
struct StepTimes {
    std::uint32_t devices = 1;
    double step_us = 0;
    // The first stage's device; these add up to the step.
    double forward_us = 0;
    double backward_us = 0;
    double recompute_us = 0;
    double optimiser_us = 0;
    double bubble_us = 0;         // waiting for other stages
    double communication_us = 0;  // that nothing hides
    double collectives_us = 0;    // all that its network does, hidden or not
    double samples_per_s = 0;
    double mfu = 0;
    double joules = 0;  // of all devices
};

/// Times of collectives by what they are, computed once.
using CollectiveTimes = std::map<std::pair<std::string, std::uint64_t>, double>;

/// Lays the step out as tasks of each stage's device and network, and runs it.
[[nodiscard]] StepTimes times_of(const TrainingConfig& config,
                                 const StepProfile& profile,
                                 CollectiveTimes& known);

}  // namespace ascendsim::training
