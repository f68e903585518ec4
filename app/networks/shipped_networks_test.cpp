// SPDX-License-Identifier: Apache-2.0
// The networks of scenarios/networks, lowered; nothing is simulated.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/run/network_plan.hpp"
#include "networks/training/training.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::report {
namespace {

using networks::Extent;
using networks::Graph;
using networks::Input;
using networks::NetworkPlan;
using networks::PlannedNode;

NetworkPlan lowered(const std::string& name, const char* chip_name, bool trained = false) {
    const toolchain::Installation installation = toolchain::Installation::find();
    const Graph graph =
        networks::read_onnx(installation.root / "scenarios" / "networks" / (name + ".onnxtxt"));
    std::vector<std::string> extents;
    for (const Input& input : graph.inputs) {
        for (const Extent& extent : input.shape) {
            const auto* open = std::get_if<std::string>(&extent);
            if (open != nullptr && (*open == "tokens" || *open == "past")) {
                extents = {*open + "=128"};
            }
        }
    }
    const ChipSpec chip = load_chip(chip_name, installation.chips());
    const auto shapes = networks::bind_inputs(graph, extents, 1);
    if (!trained) {
        return networks::plan_network(graph, shapes, {.chip = chip});
    }
    const networks::TrainingGraph step = networks::training_graph(graph, shapes, {.chip = chip}, {});
    for (std::size_t i = 0; i < step.parameters.size(); ++i) {
        EXPECT_NE(step.gradients[i], "") << step.parameters[i];
    }
    return networks::plan_network(step.graph, step.shapes, {.chip = chip});
}

void expect_kernels_alone(const NetworkPlan& plan) {
    std::size_t kernels = 0;
    for (const PlannedNode& node : plan.nodes) {
        EXPECT_EQ(node.refusal, "") << node.op << " " << node.outputs.at(0);
        EXPECT_FALSE(node.on_host) << node.op;
        kernels += node.tasks.size();
    }
    EXPECT_GT(kernels, 0U);
}

class ShippedNetworks : public testing::TestWithParam<const char*> {};

TEST_P(ShippedNetworks, AreKernels) {
    expect_kernels_alone(lowered(GetParam(), "910b3"));
}

TEST(ShippedNetworksOf310p, AreKernels) {
    expect_kernels_alone(lowered("lstm", "310p3"));
    expect_kernels_alone(lowered("embedding_mlp", "310p3"));
}

class TrainedNetworks : public testing::TestWithParam<const char*> {};

TEST_P(TrainedNetworks, AreKernels) {
    expect_kernels_alone(lowered(GetParam(), "910b3", true));
}

INSTANTIATE_TEST_SUITE_P(All,
                         TrainedNetworks,
                         testing::Values("bert_base",
                                         "lstm",
                                         "embedding_mlp",
                                         "vision_block",
                                         "text_block",
                                         "cross_attention",
                                         "llama_prefill"),
                         [](const auto& network) { return std::string{network.param}; });

TEST(TrainedNetworksWithout, AGradientAreRefusedByName) {
    try {
        static_cast<void>(lowered("yolov5s", "910b3", true));
        FAIL() << "nothing was thrown";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("Resize: no gradient is known"));
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         ShippedNetworks,
                         testing::Values("resnet50",
                                         "bert_base",
                                         "yolov5s",
                                         "lstm",
                                         "embedding_mlp",
                                         "vision_block",
                                         "text_block",
                                         "cross_attention",
                                         "llama_prefill",
                                         "llama_decode"),
                         [](const auto& network) { return std::string{network.param}; });

}  // namespace
}  // namespace ascendsim::report
