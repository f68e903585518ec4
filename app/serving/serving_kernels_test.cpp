// SPDX-License-Identifier: Apache-2.0
// Steps of small models on real kernels: every operator of a step finds its kernel, and all of it counts.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/serving/engine.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::serving {
namespace {

struct SmallModel {
    const char* name;
    const char* config;  // as Hugging Face has it
    const char* tables;  // of the serving file
    std::vector<std::string> operators;
};

class ServedSteps : public testing::TestWithParam<SmallModel> {};

TEST_P(ServedSteps, TakeTheTimesOfTheirKernels) {
    const SmallModel& model = GetParam();
    const process::TemporaryFolder temporary;
    const std::filesystem::path& folder = temporary.path();
    std::ofstream{folder / "config.json"} << model.config;
    const std::string text = std::string{"[serve]\nmodel = \"config.json\"\n"} + model.tables +
                             "[requests]\ncount = 2\nprompt = 40\noutput = 2\n";
    const toolchain::Installation installation = toolchain::Installation::find();
    const ServeConfig config = parse_serving(text, folder / "serve.toml", installation);
    const networks::llm::Deployment deployment = config.deployment();
    networks::llm::StepCosts costs{deployment, config.program(), config.host};
    const ServedLoad load = serve(config, costs, installation, {.jobs = 2, .progress = {}});

    EXPECT_GT(load.end_us, 0);
    std::vector<std::string> timed;
    for (const OperatorTime& one : load.typical) {
        timed.push_back(one.name);
    }
    for (const std::string& name : model.operators) {
        EXPECT_THAT(timed, testing::Contains(name));
    }
    // a step of two layers is no shorter than its kernels
    const ServedStep& typical = load.steps.at(load.typical_step);
    double kernels = 0;
    for (const OperatorTime& one : load.typical) {
        kernels += one.us * one.times;
    }
    EXPECT_GE(typical.us, kernels);
}

INSTANTIATE_TEST_SUITE_P(
    Models,
    ServedSteps,
    testing::Values(
        SmallModel{"dense",
                   R"({"model_type": "qwen3", "num_hidden_layers": 2, "hidden_size": 256,
                       "intermediate_size": 512, "num_attention_heads": 4, "num_key_value_heads": 2,
                       "head_dim": 64, "vocab_size": 1000})",
                   "node = \"atlas800t_a2\"\nmode = \"queue\"\ncache = \"int8\"\n[speculation]\ndrafted = "
                   "2\nacceptance = 0.5\n",
                   {"GatherV2",
                    "AddRmsNorm",
                    "RmsNorm q",
                    "MatMul qkv",
                    "RotaryEmbedding",
                    "Quantize",
                    "ReshapeAndCache",
                    "FusedInferAttentionScore",
                    "SwiGlu",
                    "MatMul head",
                    "ArgMax"}},
        SmallModel{"mixture",
                   R"({"model_type": "deepseek_v3", "num_hidden_layers": 2, "hidden_size": 256,
                       "intermediate_size": 512, "num_attention_heads": 4, "num_key_value_heads": 4,
                       "q_lora_rank": 128, "kv_lora_rank": 128, "qk_nope_head_dim": 64, "qk_rope_head_dim": 64,
                       "v_head_dim": 64, "n_routed_experts": 16, "num_experts_per_tok": 4, "n_shared_experts": 1,
                       "moe_intermediate_size": 128, "first_k_dense_replace": 1, "vocab_size": 1000})",
                   "node = \"atlas800t_a3\"\nweights = \"int8\"\n[layout]\ntensor = 2\nreplicas = "
                   "2\nexpert_parallel = true\nrow_by_row = 0\n",
                   {"DynamicQuant",
                    "MatMul q_b",
                    "BatchMatMul uk",
                    "BatchMatMul uv",
                    "FusedInferAttentionScore",
                    "MoeGatingTopK",
                    "MoeTokenCounts",
                    "MoeTokenPermute",
                    "MoeInitRouting",
                    "GroupedMatmul gate_up",
                    "MoeTokenUnpermute",
                    "MoeFinalizeRouting",
                    "all_gather counts",
                    "all_to_all sorted dispatch",
                    "all_reduce attention"}}),
    [](const auto& tested) { return std::string{tested.param.name}; });

}  // namespace
}  // namespace ascendsim::serving
