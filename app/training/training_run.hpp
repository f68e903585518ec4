// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/training/step_network.hpp"
#include "app/training/step_profile.hpp"
#include "models/node/host_energy.hpp"

namespace ascendsim::training {

/// Bytes of one device by what they hold.
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

/// The fullest device of a layout, when most is alive. `memory` is that of one layer.
[[nodiscard]] DeviceMemory memory_of(const TrainingConfig& config, const LayerMemory& memory);

/// Throws UserError with what is too much, by how much, and what would help, unless it fits the chip.
void check_memory(const TrainingConfig& config, const DeviceMemory& memory);

/// Of all weights' optimiser state, what one device holds and updates.
[[nodiscard]] double share_of_state(const TrainingConfig& config, const LayerMemory& memory);

/// Something that a device or its network does.
struct StepSpan {
    std::string lane;  // "device 0", "network 0", "sends 0", "returns 0"
    std::string name;
    double start_us = 0;
    double end_us = 0;
};

/// One step on all devices.
struct StepTimes {
    std::uint32_t devices = 1;
    double step_us = 0;
    // The first stage's device; these add up to the step.
    double forward_us = 0;
    double backward_us = 0;
    double recompute_us = 0;
    double exchange_us = 0;  // within layers, all devices of which wait for it
    double optimiser_us = 0;
    double bubble_us = 0;         // waiting for other stages
    double communication_us = 0;  // that nothing hides
    double collectives_us = 0;    // all that its network does, hidden or not
    double samples_per_s = 0;
    double mfu = 0;
    double joules = 0;           // of all devices
    node::HostEnergy host = {};  // of their share of servers, beside that
    std::vector<StepSpan> spans;
};

/// Lays the step out as tasks of each stage's device and network, and runs it.
[[nodiscard]] StepTimes times_of(const TrainingConfig& config,
                                 const StepProfile& profile,
                                 CollectiveTimes& known);

/// Memory of the first stage at a moment of the step.
struct MemoryMoment {
    double us = 0;
    DeviceMemory memory;
};

/// From the start of the step on, whenever it changes: activations come with forward passes and go with
/// backward passes, gradients come with these.
[[nodiscard]] std::vector<MemoryMoment> memory_over_step(const TrainingConfig& config,
                                                         const LayerMemory& memory,
                                                         const StepTimes& step);

}  // namespace ascendsim::training
