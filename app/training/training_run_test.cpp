// SPDX-License-Identifier: Apache-2.0
#include "app/training/training_run.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/training/training_plots.hpp"
#include "app/training/training_text.hpp"
#include "models/node/collectives.hpp"
#include "models/node/node_file.hpp"
#include "sim/base/error.hpp"
#include "sim/process/temporary_folder.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::training {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::uint64_t mb = 1'000'000;

/// A layer of 100 us forward and 200 us backward, 10 MB of gradients in two halves.
class TrainingStep : public testing::Test {
protected:
    void SetUp() override {
        config_.chip = open_chip("910b3", installation_.chips());
        config_.node = node::open_node("atlas800t_a2_x128", installation_.root / "models" / "nodes").spec;
        config_.bucket_bytes = 5 * mb;
        profile_.memory = {
            .weights = 10 * mb, .optimiser = 60 * mb, .gradients = 10 * mb, .inputs = mb, .saved = 20 * mb};
        profile_.forward_us = 100;
        profile_.backward = {
            {.us = 100, .gradient_bytes = 5 * mb}, {.us = 100, .gradient_bytes = 5 * mb}, {}};
        profile_.optimiser_us = 64;
        profile_.flops = 1e9;
    }

    StepTimes times() { return times_of(config_, profile_, known_); }

    [[nodiscard]] static double sum(const StepTimes& of) {
        return of.forward_us + of.backward_us + of.recompute_us + of.exchange_us + of.optimiser_us +
               of.bubble_us + of.communication_us;
    }

    [[nodiscard]] double collective(node::CollectiveKind kind,
                                    std::uint64_t bytes,
                                    std::uint32_t ranks) const {
        std::vector<std::uint32_t> all(ranks);
        for (std::uint32_t i = 0; i < ranks; ++i) {
            all[i] = i;
        }
        return node::collective_us(config_.node, {.kind = kind, .bytes = bytes, .ranks = all});
    }

    toolchain::Installation installation_ = toolchain::Installation::find();
    TrainingConfig config_;
    StepProfile profile_;
    CollectiveTimes known_;
};

TEST_F(TrainingStep, IsRecordedWithItsMemory) {
    config_.devices = 2;
    config_.pipeline = 2;
    config_.layers = 2;
    config_.accumulation = 4;
    TrainingFigures figures{.step = times()};
    figures.memory_over_step = memory_over_step(config_, profile_.memory, figures.step);
    const record::testing::TemporaryFile file;
    write_training_recording(file.path(), config_, figures, {});
    const record::Recording recording{file.path()};
    EXPECT_NEAR(static_cast<double>(recording.cycles()), figures.step.step_us * 1e3, 1);
    std::size_t work = 0;
    for (const char* const stage : {"device0/stream:computing", "device1/stream:computing"}) {
        const auto lane = recording.find(record::TrackPath::parse(stage));
        ASSERT_TRUE(lane.has_value()) << stage;
        for (std::size_t i = 0; i < recording.lane(*lane).size(); ++i) {
            work += recording.lane(*lane).reason[i] == record::Reason::none ? 1U : 0U;
        }
    }
    // Of each of two stages: four passes forward, four back, and the update.
    EXPECT_GE(work, 2U * (4 + 4 + 1));
    const std::vector<analysis::RecordedPlot> plots = analysis::plots_of(recording);
    ASSERT_FALSE(plots.empty());
    EXPECT_EQ(plots[0].title, "Memory over the step");
    EXPECT_EQ(plots[0].series.size(), 5U);
    EXPECT_NEAR(plots[0].limit.value_or(0),
                static_cast<double>(config_.chip.spec.hbm.bytes) / (1024.0 * 1024 * 1024),
                1e-9);
}

TEST_F(TrainingStep, OfOneDeviceIsItsWork) {
    config_.accumulation = 3;
    config_.layers = 2;
    const StepTimes step = times();
    EXPECT_NEAR(step.step_us, 3 * 2 * 300 + 2 * 64, 1e-6);
    EXPECT_NEAR(step.samples_per_s, 3 / (step.step_us * 1e-6), 1e-6);
    EXPECT_EQ(step.collectives_us, 0);
    // 2 GFLOP in each of three passes, by 20 cores of 16 x 16 x 16 multiply-adds at 1.8 GHz.
    EXPECT_NEAR(step.mfu, 6e9 / (step.step_us * 1e-6) / (2.0 * 4096 * 20 * 1.8e9), 1e-9);
}

TEST_F(TrainingStep, HidesReductionsBehindTheBackwardPass) {
    config_.devices = 8;
    const double each = collective(node::CollectiveKind::all_reduce, 5 * mb, 8);
    const StepTimes step = times();
    // The first starts after 100 us of backward work, the second behind it.
    EXPECT_NEAR(step.communication_us, std::max(100 + 2 * each, 200 + each) - 200, 1e-3);
    EXPECT_NEAR(sum(step), step.step_us, 1e-6);
    EXPECT_NEAR(step.collectives_us, 2 * each, 1e-6);
    config_.overlap = false;
    EXPECT_NEAR(times().communication_us, 2 * each, 1e-3);
}

TEST_F(TrainingStep, SharesTheOptimiserAndGathersWeights) {
    config_.devices = 8;
    config_.zero = 1;
    const StepTimes step = times();
    EXPECT_NEAR(step.optimiser_us, 8, 1e-9);
    EXPECT_NEAR(step.collectives_us,
                2 * collective(node::CollectiveKind::all_reduce, 5 * mb, 8) +
                    collective(node::CollectiveKind::all_gather, 10 * mb / 8, 8),
                1e-3);
    EXPECT_NEAR(sum(step), step.step_us, 1e-6);
    config_.zero = 3;
    const StepTimes spread = times();
    // Two parts of the weights before each pass, and gradients are given away.
    EXPECT_NEAR(spread.collectives_us,
                4 * collective(node::CollectiveKind::all_gather, 5 * mb / 8, 8) +
                    2 * collective(node::CollectiveKind::reduce_scatter, 5 * mb / 8, 8),
                1e-3);
    EXPECT_NEAR(sum(spread), spread.step_us, 1e-6);
}

TEST_F(TrainingStep, FillsAndDrainsAPipeline) {
    config_.devices = 4;
    config_.pipeline = 4;
    config_.layers = 4;
    config_.accumulation = 8;
    profile_.memory.inputs = 0;  // nothing to send
    const StepTimes step = times();
    // One forward, one backward: (stages - 1) passes of both are waited for.
    EXPECT_NEAR(step.bubble_us, 3 * 300, 1e-6);
    EXPECT_NEAR(step.step_us, (8 + 3) * 300 + 64, 1e-6);
    profile_.memory.inputs = mb;
    EXPECT_GT(times().bubble_us, 3 * 300);
}

TEST_F(TrainingStep, InterleavedStagesWaitForShorterChunks) {
    config_.devices = 4;
    config_.pipeline = 4;
    config_.layers = 8;
    config_.accumulation = 8;
    profile_.memory.inputs = 0;
    const double whole = times().bubble_us;
    EXPECT_NEAR(whole, 3 * 2 * 300, 1e-6);
    config_.interleave = 2;
    const StepTimes step = times();
    // Narayanan et al. 2021: the bubble becomes as many times shorter as there are chunks.
    EXPECT_NEAR(step.bubble_us, whole / 2, 1e-6);
    EXPECT_NEAR(sum(step), step.step_us, 1e-6);
    // Eleven passes through chunks of one layer wait on the first stage, instead of four through two layers.
    EXPECT_EQ(memory_of(config_, profile_.memory).activations, 11 * 20 * mb);
    config_.interleave = 1;
    EXPECT_EQ(memory_of(config_, profile_.memory).activations, 4 * 2 * 20 * mb);
}

TEST_F(TrainingStep, WaitsForExchangesWithinALayer) {
    config_.devices = 8;
    config_.tensor = 4;
    config_.accumulation = 2;
    const Exchange sum{node::CollectiveKind::all_reduce, 2 * mb, false};
    profile_.forward_exchanges = {sum, sum};
    profile_.backward[0].exchanges = {sum};
    const double each = collective(node::CollectiveKind::all_reduce, 2 * mb, 4);
    const StepTimes step = times();
    EXPECT_NEAR(step.exchange_us, 2 * 3 * each, 1e-3);
    EXPECT_NEAR(this->sum(step), step.step_us, 1e-6);
    EXPECT_NEAR(step.samples_per_s, 2 * 2 / (step.step_us * 1e-6), 1e-6);  // two copies, two passes
    config_.recompute = true;
    EXPECT_NEAR(times().exchange_us, 2 * 5 * each, 1e-3);
}

TEST_F(TrainingStep, ReducesExpertsOverFewerCopies) {
    config_.devices = 8;
    config_.experts = 8;
    profile_.backward[0].expert_bytes = 5 * mb;
    profile_.backward[0].gradient_bytes = 0;
    const double each = collective(node::CollectiveKind::all_reduce, 5 * mb, 8);
    EXPECT_NEAR(times().collectives_us, each, 1e-3);  // of eight copies each has experts of its own
    config_.devices = 64;
    EXPECT_GT(times().collectives_us, each);
    // Half of the weights are experts', of which eight copies hold the same.
    profile_.memory.expert_weights = profile_.memory.weights / 2;
    config_.zero = 1;
    EXPECT_NEAR(share_of_state(config_, profile_.memory), 0.5 / 64 + 0.5 / 8, 1e-12);
}

TEST_F(TrainingStep, AddsGradientsOfFurtherPasses) {
    config_.accumulation = 3;
    profile_.accumulate_us = 10;
    EXPECT_NEAR(times().step_us, 3 * 300 + 2 * 10 + 64, 1e-6);
}

TEST_F(TrainingStep, HasItsMemoryOverTime) {
    config_.devices = 2;
    config_.pipeline = 2;
    config_.layers = 2;
    config_.accumulation = 4;
    const StepTimes step = times();
    const std::vector<MemoryMoment> moments = memory_over_step(config_, profile_.memory, step);
    std::uint64_t most = 0;
    for (const MemoryMoment& moment : moments) {
        most = std::max(most, moment.memory.activations);
    }
    EXPECT_EQ(most, memory_of(config_, profile_.memory).activations);
    EXPECT_EQ(moments.back().memory.activations, 0U);
    EXPECT_NEAR(moments.back().us, step.step_us, 1e-6);
}

TEST_F(TrainingStep, RecomputesTheForwardPass) {
    config_.recompute = true;
    EXPECT_NEAR(times().step_us, 400 + 64, 1e-6);
    EXPECT_EQ(times().recompute_us, 100);
}

TEST_F(TrainingStep, LosesEfficiencyOnManyServers) {
    const double alone = times().samples_per_s;
    double before = 1;
    for (const std::uint32_t devices : {8U, 64U, 1024U}) {
        config_.devices = devices;
        const double efficiency = times().samples_per_s / devices / alone;
        EXPECT_LT(efficiency, before) << devices;
        before = efficiency;
    }
    EXPECT_GT(before, 0);
}

TEST_F(TrainingStep, HoldsSharesOfItsMemory) {
    config_.devices = 8;
    EXPECT_EQ(memory_of(config_, profile_.memory).optimiser, 60 * mb);
    config_.zero = 1;
    EXPECT_EQ(memory_of(config_, profile_.memory).optimiser, 60 * mb / 8);
    config_.zero = 2;
    EXPECT_EQ(memory_of(config_, profile_.memory).gradients, 10 * mb / 8 + 5 * mb);  // and a bucket
    config_.zero = 3;
    EXPECT_EQ(memory_of(config_, profile_.memory).weights, 10 * mb / 8 + 10 * mb);  // and a whole layer
}

TEST_F(TrainingStep, IsFullestWhereActivationsOrGradientsAre) {
    config_.layers = 10;
    const DeviceMemory first = memory_of(config_, profile_.memory);
    EXPECT_EQ(first.activations, 10 * 20 * mb);
    EXPECT_THAT(first.when, HasSubstr("first to run"));
    config_.recompute = true;  // the inputs of ten layers, and one layer's activations
    const DeviceMemory last = memory_of(config_, profile_.memory);
    EXPECT_EQ(last.activations, 21 * mb);
    EXPECT_EQ(last.gradients, 100 * mb);
    config_.accumulation = 2;
    EXPECT_EQ(memory_of(config_, profile_.memory).activations, 30 * mb);
}

TEST_F(TrainingStep, SaysHowMuchDoesNotFit) {
    config_.batch = 2;
    config_.devices = 8;
    const auto room = static_cast<std::uint64_t>(config_.chip.spec.hbm.bytes);
    DeviceMemory memory{.weights = room, .optimiser = 1 << 30, .when = "the backward pass"};
    EXPECT_THAT([&] { check_memory(config_, memory); },
                ThrowsMessage<UserError>(HasSubstr(
                    "1.00 GiB too much; try recompute = true, zero = 1, tensor = 2, a smaller batch")));
    memory.optimiser = 0;
    EXPECT_NO_THROW(check_memory(config_, memory));
}

TEST_F(TrainingStep, CountsItsHosts) {
    config_.devices = 4;
    profile_.issue_us = 30;
    profile_.update_issue_us = 5;
    const StepTimes of = times();
    EXPECT_NEAR(of.host.busy_us, 4 * 35, 1e-9);
    // Four of eight devices have half of a server.
    const double idle = of.step_us * 1e-6 * config_.host.idle_w / 2;
    EXPECT_NEAR(of.host.joules, 4 * 35e-6 * config_.host.core_w + idle, 1e-9);
    EXPECT_NEAR(of.host.spread, config_.host.power_spread * of.host.joules, 1e-9);
    config_.accumulation = 3;
    EXPECT_NEAR(times().host.busy_us, 4 * (3 * 30 + 5), 1e-9);
}

TEST_F(TrainingStep, IsReportedWithItsParts) {
    config_.title = "a test";
    config_.devices = 8;
    TrainingFigures figures{.step = times(),
                            .memory = memory_of(config_, profile_.memory),
                            .scaling = {},
                            .notes = {"a note"},
                            .memory_over_step = {},
                            .inputs = {}};
    figures.scaling = {figures.step};
    const auto json = training_json(config_, figures);
    double all = 0;
    for (const auto& [name, us] : json["parts_us"].items()) {
        all += us.get<double>();
    }
    EXPECT_NEAR(all, json["step_us"].get<double>(), 1e-6);
    EXPECT_EQ(json["scaling"][0]["efficiency"], 1);
    const std::string text = training_text(config_, figures, {});
    EXPECT_THAT(text, HasSubstr("8 x 910b3: 8 copies of 1 stage, 1 pass of 1 samples"));
    EXPECT_THAT(text, HasSubstr("communication not hidden"));
    EXPECT_THAT(text, HasSubstr("note: a note"));
}

/// A configuration in a file.
class TrainingFile : public testing::Test {
protected:
    [[nodiscard]] TrainingConfig read(const std::string& lines) const {
        const std::filesystem::path file = folder_.path() / "training.toml";
        std::ofstream{file} << "[training]\nnetwork = \"vision_block\"\n" << lines;
        return read_training(file, installation_);
    }

    process::TemporaryFolder folder_;
    toolchain::Installation installation_ = toolchain::Installation::find();
};

TEST_F(TrainingFile, RefusesABatchByItsMemoryBeforeAKernelDoes) {
    // its images by 16 heads are more products than one kernel takes
    const TrainingConfig config = read("batch = 20000\n");
    const networks::TimeTasks none = [](const std::vector<networks::Task>&) {
        ADD_FAILURE() << "nothing is simulated before";
        return std::vector<networks::TaskResult>{};
    };
    EXPECT_THAT([&] { static_cast<void>(train(config, none)); },
                ThrowsMessage<UserError>(HasSubstr("it does not fit")));
}

TEST_F(TrainingFile, TakesTheNodesDevicesAndChip) {
    const TrainingConfig config = read("batch = 4\noptimizer = \"sgd\"\n");
    EXPECT_EQ(config.devices, 8U);
    EXPECT_EQ(config.chip.spec.name, "910b3");
    EXPECT_EQ(config.options.optimiser, networks::Optimiser::sgd);
    EXPECT_EQ(config.bucket_bytes, 25U << 20U);
}

TEST_F(TrainingFile, RefusesLayoutsThatDoNotDivide) {
    const auto refused = [&](const char* lines, const char* text) {
        EXPECT_THAT([&] { static_cast<void>(read(lines)); }, ThrowsMessage<UserError>(HasSubstr(text)))
            << lines;
    };
    refused("layers = 6\npipeline = 4", "layers = 6 cannot be shared by pipeline = 4 stages");
    refused("pipeline = 3", "devices = 8 are no multiple of pipeline = 3");
    refused("devices = 16", "devices = 16: ");
    refused("scaling = [8, 64]", "devices = 64: ");
    refused("tensor = 3", "devices = 8 are no multiple of pipeline = 1 times tensor = 3");
    refused("experts = 3", "there are 8 copies");
    refused("interleave = 2", "pipeline is 1");
    refused("layers = 8\npipeline = 4\ninterleave = 2\naccumulation = 6", "no multiple");
    refused("network2 = \"x\"", "network2");
    refused("zero = 2\npipeline = 2\nlayers = 2", "take zero = 1");
}

}  // namespace
}  // namespace ascendsim::training
