// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/networks/network_report.hpp"
#include "app/training/training_config.hpp"

namespace ascendsim::training {

/// Backward work, and the gradient that is ready behind it.
struct Piece {
    double us = 0;
    std::uint64_t gradient_bytes = 0;
};

/// Memory of one device that holds one layer, without what is spread over others.
struct LayerMemory {
    std::uint64_t weights = 0;    // as they are held
    std::uint64_t optimiser = 0;  // masters and moments
    std::uint64_t gradients = 0;  // of all weights
    std::uint64_t inputs = 0;     // activations that come from the layer before
    std::uint64_t saved = 0;      // activations that wait for the backward pass
    std::uint64_t working = 0;    // most that is alive beside these
};

/// A pass over one layer, as one device does it.
struct StepProfile {
    LayerMemory memory;
    std::uint64_t parameters = 0;
    double forward_us = 0;
    std::vector<Piece> backward;
    double optimiser_us = 0;
    double flops = 0;                // of forward and backward pass, as the network states them
    double joules = 0;               // of both passes, beyond an idle chip
    double update_joules = 0;        // of the optimiser, the same
    std::vector<std::string> notes;  // operators whose time is not known

    [[nodiscard]] double backward_us() const;
};

/// A step of one device, planned and not simulated: its memory and its tasks.
struct PlannedStep {
    networks::TrainingGraph step;
    report::NetworkRun run;  // no results yet
};

[[nodiscard]] PlannedStep planned_step(const TrainingConfig& config);
[[nodiscard]] LayerMemory memory_of(const PlannedStep& planned);
/// What its simulation found; `planned.run.results` are there.
[[nodiscard]] StepProfile profile_of(const TrainingConfig& config, const PlannedStep& planned);

}  // namespace ascendsim::training
