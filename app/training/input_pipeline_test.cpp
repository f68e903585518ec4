// SPDX-License-Identifier: Apache-2.0
#include "app/training/input_pipeline.hpp"

#include <gtest/gtest.h>

#include "models/node/node_file.hpp"
#include "models/node/transfers.hpp"

namespace ascendsim::training {
namespace {

/// Four devices, four samples each.
class InputPipeline : public testing::Test {
protected:
    void SetUp() override {
        config_.node = node::open_node("atlas800t_a2", installation_.root / "models" / "nodes").spec;
        config_.devices = 4;
        config_.batch = 4;
        config_.input.workers = 16;
        config_.input.sample_us = 1000;
        config_.input.queue = 2;
    }

    [[nodiscard]] double rate(std::size_t mode) const {
        return run_with_inputs(config_, parts_, input_modes().at(mode)).samples_per_s;
    }

    toolchain::Installation installation_ = toolchain::Installation::find();
    TrainingConfig config_;
    StepParts parts_{.sample_us = 250, .update_us = 0, .network_us = 1000};
};

TEST_F(InputPipeline, EqualStagesSideBySideAreThreeTimesAsFast) {
    // 16 samples on 16 workers, four of 250 us on each device, and 1000 us of network: 1 ms each.
    EXPECT_NEAR(rate(0), 16 / 3e-3, 1);
    EXPECT_NEAR(rate(1), 16 / 1e-3, 16 / 1e-3 * 0.02);  // but for filling and draining
    config_.input.workers = 8;                          // the host takes 2 ms, and sets the pace
    EXPECT_NEAR(rate(1), 16 / 2e-3, 16 / 2e-3 * 0.02);
    EXPECT_NEAR(rate(0), 16 / 4e-3, 1);
}

TEST_F(InputPipeline, GivesSlowDevicesFewerSamples) {
    parts_.network_us = 0;
    config_.input.workers = 64;
    config_.input.slowness = {1, 1, 1, 3};
    EXPECT_NEAR(rate(1), 16 / 3e-3, 16 / 3e-3 * 0.02);  // all wait for four samples of 750 us
    // Shares of 3 : 3 : 3 : 1 of 16 samples: 5, 5, 5 and 1, of which five take 1.25 ms.
    EXPECT_NEAR(rate(2), 16 / 1.25e-3, 16 / 1.25e-3 * 0.02);
}

TEST_F(InputPipeline, CopiesUnlessMemoryIsShared) {
    config_.input.sample_kb = 40'000;  // 160 MB a device: more than a millisecond
    const double copy =
        node::host_copy_us(config_.node, node::Direction::to_device, std::uint64_t{4} * 40'000'000, true);
    ASSERT_GT(copy, 1000);
    EXPECT_NEAR(rate(2), 16 / (copy * 1e-6), 16 / (copy * 1e-6) * 0.02);
    EXPECT_NEAR(rate(3), rate(2), rate(2) * 0.02);  // the link's rate stays
    EXPECT_NEAR(rate(0), 16 / (3e-3 + copy * 1e-6), 1);
}

TEST_F(InputPipeline, AQueueEvensOutSamplesThatDiffer) {
    config_.batch = 1;
    config_.input.workers = 1;
    config_.input.sample_us = 250;  // four a batch: as long as a device takes, on average
    config_.input.sample_spread = 1;
    parts_ = {.sample_us = 1000, .update_us = 0, .network_us = 0};
    config_.input.queue = 1;
    const double shallow = rate(1);
    config_.input.queue = 16;
    EXPECT_GT(rate(1), shallow);
}

}  // namespace
}  // namespace ascendsim::training
