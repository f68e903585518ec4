// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/networks/network_report.hpp"
#include "app/training/training_config.hpp"
#include "models/node/collectives.hpp"

namespace ascendsim::training {

/// What devices that share a layer tell each other, while all of them wait.
struct Exchange {
    node::CollectiveKind kind = node::CollectiveKind::all_reduce;
    std::uint64_t bytes = 0;  // as the call counts them
    bool experts = false;     // among copies that hold other experts; else among those of a strip
};

/// Backward work, and the gradient that is ready behind it.
struct Piece {
    double us = 0;
    std::uint64_t gradient_bytes = 0;
    std::uint64_t expert_bytes = 0;  // gradients of experts, which fewer copies have
    std::vector<Exchange> exchanges = {};
};

/// Memory of one device that holds one layer, without what is spread over others.
struct LayerMemory {
    std::uint64_t weights = 0;           // as they are held
    std::uint64_t optimiser = 0;         // masters and moments
    std::uint64_t gradients = 0;         // of all weights
    std::uint64_t inputs = 0;            // activations that come from the layer before
    std::uint64_t saved = 0;             // activations that wait for the backward pass
    std::uint64_t working = 0;           // most that is alive beside these
    std::uint64_t expert_weights = 0;    // of `weights`
    std::uint64_t expert_gradients = 0;  // of `gradients`
};

/// A pass over one layer, as one device does it.
struct StepProfile {
    LayerMemory memory;
    std::uint64_t parameters = 0;  // of the layer, over all devices that share it
    double forward_us = 0;
    std::vector<Piece> backward;
    std::vector<Exchange> forward_exchanges;
    double accumulate_us = 0;  // adding the gradients to those of passes before
    double optimiser_us = 0;
    double flops = 0;                // of forward and backward pass, as the network states them
    double joules = 0;               // of both passes, beyond an idle chip
    double update_joules = 0;        // of the optimiser, the same
    double issue_us = 0;             // for which host threads are busy with calls of both passes
    double update_issue_us = 0;      // of the optimiser, the same
    std::vector<std::string> notes;  // operators whose time is not known

    [[nodiscard]] double backward_us() const;
};

/// A step of one device, planned and not simulated: its memory and its tasks.
struct PlannedStep {
    networks::TrainingGraph step;
    std::map<std::string, std::size_t, std::less<>> strips;  // see networks::SharedLayers
    std::set<std::string, std::less<>> experts;
    report::NetworkRun run;  // no results yet
};

/// What a step is planned for: its times, which tasks that stand for numbers alone are left out of, or both.
enum class Purpose : std::uint8_t { times, numbers };

/// `time` is asked where operators are joined, which simulates them apart and together.
[[nodiscard]] PlannedStep planned_step(const TrainingConfig& config,
                                       const networks::TimeTasks& time,
                                       Purpose purpose = Purpose::times);
[[nodiscard]] LayerMemory memory_of(const PlannedStep& planned);
/// What its simulation found; `planned.run.results` are there.
[[nodiscard]] StepProfile profile_of(const TrainingConfig& config, const PlannedStep& planned);

}  // namespace ascendsim::training
