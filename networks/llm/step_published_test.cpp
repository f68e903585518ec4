// SPDX-License-Identifier: Apache-2.0
// Operators of a step that run in the orders of published sources, and on which chips.
#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "models/node/node_file.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/llm/step.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks::llm {
namespace {

class PublishedOrders : public ::testing::Test {
protected:
    static inline const std::filesystem::path place{ASCENDSIM_ROOT};
    node::NodeSpec server = node::open_node("atlas800t_a3", place / "models" / "nodes").spec;

    /// The task of the first operator of this name, of 256 rows; on so many devices.
    [[nodiscard]] Task task_of(const std::string& name,
                               const std::string& model,
                               Weights weights,
                               const std::string& chip_name = "910c",
                               std::uint32_t tensor = 8) const {
        constexpr std::uint64_t rows = 256;
        const ChipSpec chip = load_chip(chip_name, place / "models" / "chips");
        const Deployment deployment{
            .model = open_model(place / "scenarios" / "serving" / "models" / (model + ".json")),
            .layout = {.tensor = tensor},
            .weights = weights,
            .chip = chip,
            .node = server};
        const StepProgram program = step_program(deployment, 128);
        const auto found = std::ranges::find(program.operators, name, &StepOperator::name);
        if (found == program.operators.end()) {
            throw UserError{"no operator {}", name};
        }
        return found->task(rows, rows);
    }

    template <class Value>
    static Value knob_as(const Task& task, const std::string& name) {
        return std::get<Value>(
            std::ranges::find(task.knobs, name, &std::pair<std::string, host::KnobValue>::first)->second);
    }
};

// A profile of DeepSeek-V3 W8A8 has AddRmsNormBias of "256,7168;256,7168;7168;7168", one of Qwen3-32B in
// bfloat16 "2565,5120;2565,5120;5120;".
TEST_F(PublishedOrders, ANormBehindAResidualHasABetaWithWeightsOfBytes) {
    const Task bytes = task_of("AddRmsNorm", "deepseek_v3", Weights::int8);
    EXPECT_EQ(bytes.kernel, "add_rms_norm");
    EXPECT_TRUE(knob_as<bool>(bytes, "bias"));
    EXPECT_EQ(knob_as<host::Shape>(bytes, "shape"), (host::Shape{256, 7168}));
    EXPECT_FALSE(knob_as<bool>(task_of("AddRmsNorm", "qwen3_32b", Weights::half), "bias"));
    EXPECT_EQ(task_of("AddRmsNorm", "qwen3_32b", Weights::half, "310p3").kernel, "row_norm");
    EXPECT_EQ(task_of("RmsNorm q", "qwen3_32b", Weights::half, "310p3").kernel, "rms_norm");
}

// The same profile quantises by factors of columns in front of attention's products, other products of it,
// and all of Qwen's, by the rows' own.
TEST_F(PublishedOrders, LatentAttentionIsQuantisedByFactorsOfColumns) {
    EXPECT_EQ(task_of("AscendQuantV2", "deepseek_v3", Weights::int8).kernel, "static_quant");
    const Task own = task_of("DynamicQuant", "deepseek_v3", Weights::int8);
    EXPECT_EQ(own.kernel, "row_norm");
    EXPECT_EQ(knob_as<std::string>(own, "schedule"), "library");
    EXPECT_THROW(static_cast<void>(task_of("AscendQuantV2", "qwen3_32b", Weights::int8)), UserError);
    EXPECT_THROW(static_cast<void>(task_of("AscendQuantV2", "deepseek_v3", Weights::half)), UserError);
}

// n_group 8, topk_group 4 and scoring_func "sigmoid" of DeepSeek-V3; Qwen3 has a softmax of 128 experts.
TEST_F(PublishedOrders, ExpertsAreChosenAsTheConfigurationSays) {
    const Task groups = task_of("MoeGatingTopK", "deepseek_v3", Weights::half);
    EXPECT_EQ(groups.kernel, "moe_gating");
    EXPECT_EQ(knob_as<std::int64_t>(groups, "groups"), 8);
    EXPECT_EQ(knob_as<std::string>(groups, "score"), "sigmoid");
    const Task all = task_of("MoeGatingTopK", "qwen3_235b_a22b", Weights::half);
    EXPECT_EQ(knob_as<std::int64_t>(all, "groups"), 1);
    EXPECT_EQ(knob_as<std::string>(all, "score"), "softmax");
    EXPECT_FALSE(knob_as<bool>(all, "bias"));
    // glm4_moe states no function of scores: that of vLLM's model is a sigmoid.
    EXPECT_EQ(knob_as<std::string>(task_of("MoeGatingTopK", "glm4.5", Weights::half), "score"), "sigmoid");
    EXPECT_EQ(knob_as<std::string>(task_of("MoeGatingTopK", "minimax_m2", Weights::half), "score"),
              "sigmoid");
}

// 128 heads on eight devices, whose key is turned with the cache's update (KvRmsNormRopeCache).
TEST_F(PublishedOrders, PairsOfLatentQueriesAreTurnedTokenByToken) {
    const Task turned = task_of("RotaryEmbedding", "deepseek_v3", Weights::half);
    EXPECT_EQ(turned.kernel, "interleave_rope");
    EXPECT_EQ(knob_as<std::int64_t>(turned, "heads"), 16);
    const Task halves = task_of("RotaryEmbedding", "qwen3_32b", Weights::half);  // 64 heads, 8 of keys
    EXPECT_EQ(halves.kernel, "apply_rotary");
    EXPECT_EQ(knob_as<std::int64_t>(halves, "queries"), 8);
    EXPECT_EQ(knob_as<std::int64_t>(halves, "keys"), 1);
    EXPECT_EQ(task_of("RotaryEmbedding", "qwen3_32b", Weights::half, "310p3").kernel, "rotary");
    // 96 heads and 8 of keys on one device: more than a token's buffers have room for.
    EXPECT_EQ(task_of("RotaryEmbedding", "qwen3_coder_480b_a35b", Weights::half, "910c", 1).kernel, "rotary");
}

}  // namespace
}  // namespace ascendsim::networks::llm
