// SPDX-License-Identifier: Apache-2.0
// A small network's gradients on simulated kernels against those in float64.
#include "app/training/step_precision.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/training/training_run.hpp"
#include "models/node/collectives.hpp"
#include "models/node/node_file.hpp"
#include "networks/run/run_tasks.hpp"
#include "sim/base/error.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::training {
namespace {

/// Two products of 32 rows with an activation between, in a folder of the test's own.
class PrecisionOfAStep : public ::testing::Test {
protected:
    void SetUp() override {
        const std::filesystem::path file = folder_.path() / "network.onnxtxt";
        std::ofstream{file} << R"(<ir_version: 8, opset_import: ["" : 17]>
network (float[N,32,64] x, float[64,128] weights_0, float[128,48] weights_1) => (float[N,32,48] y) {
  a = MatMul (x, weights_0)
  b = Relu (a)
  y = MatMul (b, weights_1)
})";
        config_.title = "two products";
        config_.network = file;
        config_.chip = open_chip("910b3", installation_.chips());
        config_.node = node::open_node("atlas800t_a2", installation_.root / "models" / "nodes").spec;
        config_.devices = 8;
        config_.batch = 4;
        config_.options.loss = networks::Loss::mean_square;
    }

    [[nodiscard]] StepPrecision precision() {
        return precisions_.of(config_, [&](const std::vector<networks::Task>& tasks) {
            return networks::run_tasks(tasks, config_.chip.spec, installation_, {.jobs = 1, .progress = {}});
        });
    }

    toolchain::Installation installation_ = toolchain::Installation::find();
    StepPrecisions precisions_{installation_};
    process::TemporaryFolder folder_;
    TrainingConfig config_;
};

TEST_F(PrecisionOfAStep, IsThatOfItsType) {
    config_.precision = networks::Precision::as_stated;
    const StepPrecision single = precision();
    // three roundings to float32 of values that add up from 128 products, and the rounding of results
    EXPECT_LT(single.gradient_error, 1e-5);
    EXPECT_EQ(single.loss_scale, 1);
    config_.precision = networks::Precision::half;
    const StepPrecision half = precision();
    // operands are within 2^-11 of theirs: more than float32, and less than one in a hundred
    EXPECT_GT(half.gradient_error, 10 * single.gradient_error);
    EXPECT_LT(half.gradient_error, 1e-2);
    EXPECT_LT(half.loss_error, 1e-2);
    EXPECT_NEAR(half.percent(), 100 * (1 - half.gradient_error), 1e-9);
    config_.zero = 1;  // layouts change nothing: it is not computed again
    EXPECT_EQ(precision().gradient_error, half.gradient_error);
}

/// What a device sends to the next of its neighbours while it gets as much from the other.
TEST(SlabExchange, TakesTheTimeOfASend) {
    const toolchain::Installation installation = toolchain::Installation::find();
    TrainingConfig config;
    config.node = node::open_node("atlas800t_a2", installation.root / "models" / "nodes").spec;
    config.devices = 4;
    config.tensor = 4;
    config.cut = LayerCut::slabs;
    CollectiveTimes known;
    StepNetwork network{config, known};
    constexpr std::uint64_t slice = 1'000'000;
    const Exchange halo{.kind = node::CollectiveKind::send_receive, .bytes = slice, .experts = false};
    EXPECT_DOUBLE_EQ(
        network.of(halo),
        node::collective_us(config.node,
                            {.kind = node::CollectiveKind::send_receive, .bytes = slice, .ranks = {0, 1}}));
    EXPECT_DOUBLE_EQ(network.moved_bytes(halo), 4.0 * slice);  // to and from both neighbours
}

TEST(TrainingConfigs, OfInferenceHaveNoBackwardPass) {
    const toolchain::Installation installation = toolchain::Installation::find();
    const std::filesystem::path file = installation.scenarios() / "training" / "unet3d_slabs_a2.toml";
    const TrainingConfig config = read_training(file, installation);
    EXPECT_TRUE(config.inference);
    EXPECT_EQ(config.cut, LayerCut::slabs);
    EXPECT_THAT(
        [&] { static_cast<void>(read_training(file, installation, {"training.zero=1"})); },
        ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("nothing waits for a backward pass")));
    EXPECT_THAT([&] { static_cast<void>(read_training(file, installation, {"training.tensor=1"})); },
                ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("takes tensor = 2 or more")));
}

}  // namespace
}  // namespace ascendsim::training
