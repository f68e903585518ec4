// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/training/pipeline_order.hpp"
#include "app/training/step_network.hpp"
#include "app/training/training_run.hpp"
#include "models/node/schedule.hpp"

namespace ascendsim::training {

/// The step as tasks of each stage's device and its network: passes in the stages' order; gradients are
/// reduced while the last backward pass runs.
class StepTimeline {
public:
    StepTimeline(const TrainingConfig& config, const StepProfile& profile, CollectiveTimes& known);

    [[nodiscard]] StepTimes run();

private:
    /// One stage's device and its network.
    struct Stage {
        node::LaneId compute;
        node::LaneId network;
        node::LaneId sends;                                // to the next stage
        node::LaneId returns;                              // to the one before
        std::vector<std::vector<node::TaskId>> forwards;   // by chunk, then pass
        std::vector<std::vector<node::TaskId>> backwards;  // the same
        std::optional<node::TaskId> worked;                // its last backward pass
        std::optional<node::TaskId> reduced;               // the last collective of gradients
        double collectives_us = 0;
    };

    node::LaneId lane(const char* name, std::uint32_t number);
    node::TaskId add(node::LaneId lane, const char* name, double us, std::span<const node::TaskId> after);
    void lay_out_passes();
    [[nodiscard]] std::optional<node::TaskId> from_before(std::uint32_t stage, const PassUnit& unit) const;
    [[nodiscard]] bool ready(std::uint32_t stage, const PassUnit& unit) const;
    node::TaskId gathered_work(Stage& stage,
                               const char* name,
                               double us,
                               const std::vector<node::TaskId>& after);
    node::TaskId collective(Stage& stage,
                            node::CollectiveKind kind,
                            std::uint64_t bytes,
                            std::span<const node::TaskId> after,
                            bool of_experts = false);

    [[nodiscard]] bool gathers() const { return config_.zero == 3 && config_.copies() > 1; }

    [[nodiscard]] bool begins(std::uint32_t stage, const PassUnit& unit) const;
    void forward(std::uint32_t number, const PassUnit& unit);
    void backward(std::uint32_t number, const PassUnit& unit);
    void reduce(Stage& stage, const std::vector<node::TaskId>& parts);
    void update(std::uint32_t number);
    [[nodiscard]] StepTimes times(const node::Schedule& schedule) const;
    [[nodiscard]] std::vector<StepSpan> spans(const node::Schedule& schedule) const;
    [[nodiscard]] double joules(const StepTimes& times) const;
    [[nodiscard]] node::HostEnergy host(const StepTimes& times) const;
    [[nodiscard]] double moved_bytes(const std::vector<Exchange>& exchanges) const;

    const TrainingConfig& config_;
    const StepProfile& profile_;
    StepNetwork network_;
    std::uint32_t layers_;  // of a chunk
    double forward_exchange_us_;
    double backward_exchange_us_ = 0;
    std::vector<Piece> buckets_;
    node::TaskGraph graph_;
    std::vector<Stage> stages_;
};

}  // namespace ascendsim::training
