// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/training/step_profile.hpp"

namespace ascendsim::training {

/// Times of collectives by what they are, computed once.
using CollectiveTimes = std::map<std::pair<std::string, std::uint64_t>, double>;

/// What a device's network does in a step. Devices that hold strips of one layer are neighbours in the
/// numbering of the machine, then come the copies of a stage, then the stages.
class StepNetwork {
public:
    StepNetwork(const TrainingConfig& config, CollectiveTimes& known) : config_{config}, known_{known} {}

    /// Among the copies of a stage that hold the same weights. `bytes` are of the whole tensor.
    double among_copies(node::CollectiveKind kind, std::uint64_t bytes, bool of_experts);
    /// Within a layer.
    double of(const Exchange& exchange);
    double of(const std::vector<Exchange>& exchanges);
    /// From a stage to the next, each device of a layer to its counterpart.
    double to_next_stage(std::uint64_t bytes);

    /// What leaves and reaches a device in a call, for its energy.
    [[nodiscard]] double moved_bytes(const Exchange& exchange) const;

private:
    double time_of(node::CollectiveKind kind, std::uint64_t bytes, std::vector<std::uint32_t> ranks);
    [[nodiscard]] static std::vector<std::uint32_t> ranks_of(std::uint32_t count, std::uint32_t apart);

    const TrainingConfig& config_;
    CollectiveTimes& known_;
};

}  // namespace ascendsim::training
