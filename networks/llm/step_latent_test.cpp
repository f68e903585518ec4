// SPDX-License-Identifier: Apache-2.0
// Latent keys and values in a cache of bytes: the latent row is quantised, the rotated part stays of 16 bits.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/node/node_file.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/llm/step.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks::llm {
namespace {

/// A step of a DeepSeek model on sixteen devices of an A3 server.
class LatentStep : public ::testing::Test {
protected:
    static inline const std::filesystem::path place{ASCENDSIM_ROOT};
    ChipSpec chip = load_chip("910c", place / "models" / "chips");
    node::NodeSpec server = node::open_node("atlas800t_a3", place / "models" / "nodes").spec;

    [[nodiscard]] StepProgram step_of(const std::string& model,
                                      Cache cache,
                                      Weights weights = Weights::half) const {
        const Deployment deployment{
            .model = open_model(place / "scenarios" / "serving" / "models" / (model + ".json")),
            .layout = {.tensor = 16},
            .weights = weights,
            .cache = cache,
            .chip = chip,
            .node = server};
        return step_program(deployment, 128);
    }

    /// The first operator of this name; of attention that is decoding.
    static const StepOperator* find(const StepProgram& program, const std::string& name) {
        const auto found = std::ranges::find(program.operators, name, &StepOperator::name);
        return found == program.operators.end() ? nullptr : &*found;
    }

    static Task task_of(const StepProgram& program, const std::string& name, std::uint64_t rows) {
        const StepOperator* one = find(program, name);
        return one == nullptr ? throw UserError{"no operator {}", name} : one->task(rows, 4096);
    }

    static bool has(const Task& task, const std::string& name) {
        return std::ranges::find(task.knobs, name, &std::pair<std::string, host::KnobValue>::first) !=
               task.knobs.end();
    }

    template <class Value>
    static Value knob_as(const Task& task, const std::string& name) {
        return std::get<Value>(
            std::ranges::find(task.knobs, name, &std::pair<std::string, host::KnobValue>::first)->second);
    }
};

TEST_F(LatentStep, IsBetweenPiecewiseGraphs) {
    const auto between = [](const StepProgram& program) {
        std::vector<std::string> names;
        for (const StepOperator& one : program.operators) {
            if (one.between_graphs) {
                names.push_back(one.name);
            }
        }
        for (const StepExchange& one : program.exchanges) {
            if (one.between_graphs) {
                names.push_back(one.name);
            }
        }
        return names;
    };
    // all but the norm in front, attention and the cache's update, which any model's graphs leave out
    EXPECT_THAT(between(step_of("deepseek_v3", Cache::half)),
                testing::ElementsAre("MatMul qkv_a",
                                     "RmsNorm q",
                                     "MatMul q_b",
                                     "RmsNorm kv",
                                     "RotaryEmbedding",
                                     "BatchMatMul uk",
                                     "BatchMatMul uv",
                                     "MatMul kv_b",
                                     "MatMul o",
                                     "attention"));
    EXPECT_THAT(between(step_of("qwen3_32b", Cache::half)), testing::IsEmpty());
}

TEST_F(LatentStep, QuantisesTheLatentRowAlone) {
    const StepProgram program = step_of("deepseek_v3", Cache::int8);
    const Task quantised = task_of(program, "Quantize", 8);
    EXPECT_EQ(knob_as<host::Shape>(quantised, "shape"), (host::Shape{8, 512}));  // without the rotated 64
    EXPECT_EQ(knob_as<std::string>(quantised, "quant"), "int8");
    EXPECT_EQ(find(program, "Quantize")->times, 61U);  // once a layer
    const Task kept = task_of(program, "ReshapeAndCache", 8);
    EXPECT_EQ(kept.kernel, "cache_rows");
    EXPECT_EQ(knob_as<host::Shape>(kept, "shape"), (host::Shape{8, 512 / 2}));  // bytes in pairs
    EXPECT_EQ(knob_as<std::int64_t>(kept, "value_width"), 64);                  // words of 16 bits
}

TEST_F(LatentStep, KeepsHalvesWithoutQuantising) {
    const StepProgram program = step_of("deepseek_v3", Cache::half);
    EXPECT_EQ(find(program, "Quantize"), nullptr);
    const Task kept = task_of(program, "ReshapeAndCache", 8);
    EXPECT_EQ(knob_as<host::Shape>(kept, "shape"), (host::Shape{8, 512}));
    EXPECT_EQ(knob_as<std::int64_t>(kept, "value_width"), 64);
}

TEST_F(LatentStep, DecodingReadsTheBytes) {
    const Task bytes = task_of(step_of("deepseek_v3", Cache::int8), "FusedInferAttentionScore", 8);
    EXPECT_EQ(knob_as<std::string>(bytes, "cache"), "int8");
    EXPECT_EQ(knob_as<std::int64_t>(bytes, "head_dim"), 512);
    EXPECT_EQ(knob_as<std::int64_t>(bytes, "rope_dim"), 64);
    EXPECT_EQ(knob_as<std::int64_t>(bytes, "block_keys"), 128);
    const Task halves = task_of(step_of("deepseek_v3", Cache::half), "FusedInferAttentionScore", 8);
    EXPECT_NE(knob_as<std::string>(halves, "cache"), "int8");
}

TEST_F(LatentStep, MultipliesBytesWhereWeightsAreBytesToo) {
    const StepProgram program = step_of("deepseek_v3", Cache::int8, Weights::int8);
    const Task attention = task_of(program, "FusedInferAttentionScore", 8);
    EXPECT_EQ(knob_as<std::string>(attention, "queries"), "int8");
    // eight sequences' queries of eight of 128 heads, each a row of the latent width
    EXPECT_EQ(knob_as<host::Shape>(task_of(program, "DynamicQuant q", 8), "shape"), (host::Shape{64, 512}));
    EXPECT_FALSE(has(task_of(step_of("deepseek_v3", Cache::int8), "FusedInferAttentionScore", 8), "queries"));
    const StepProgram halves = step_of("deepseek_v3", Cache::half, Weights::int8);
    EXPECT_FALSE(has(task_of(halves, "FusedInferAttentionScore", 8), "queries"));
    // an index picks rows for each token, of which the vector cores make 16 bits
    const StepProgram picked = step_of("deepseek_v3.2", Cache::int8, Weights::int8);
    EXPECT_FALSE(has(task_of(picked, "FusedInferAttentionScore", 8), "queries"));
}

/// The kernel gathers picked rows of 16 bits alone: those of bytes are read block by block.
TEST_F(LatentStep, PickedRowsOfBytesAreNotGathered) {
    for (const std::string name : {"FusedInferAttentionScore", "SparseFlashAttention"}) {
        const Task halves = task_of(step_of("deepseek_v3.2", Cache::half), name, 8);
        EXPECT_TRUE(has(halves, "gather")) << name;
        EXPECT_EQ(knob_as<std::int64_t>(halves, "block_keys"), 1) << name;
        const Task bytes = task_of(step_of("deepseek_v3.2", Cache::int8), name, 8);
        EXPECT_FALSE(has(bytes, "gather")) << name;
        EXPECT_EQ(knob_as<std::int64_t>(bytes, "block_keys"), 128) << name;
        EXPECT_EQ(knob_as<std::string>(bytes, "cache"), "int8") << name;
    }
}

/// A step of DeepSeek-V3.2 on eight devices that share tokens, or heads.
class SharedTokens : public LatentStep {
protected:
    [[nodiscard]] Deployment on(bool by_tokens, const std::string& model = "deepseek_v3.2") const {
        return {.model = open_model(place / "scenarios" / "serving" / "models" / (model + ".json")),
                .layout = {.tensor = 8, .row_by_row = 64, .attention_by_tokens = by_tokens},
                .chip = chip,
                .node = server};
    }

    static std::vector<std::string> exchanges_of(const StepProgram& program, bool prompts) {
        std::vector<std::string> names;
        for (const StepExchange& one : program.exchanges) {
            if (one.steps.has(512, prompts) && one.between_graphs) {
                names.push_back(one.name);
            }
        }
        return names;
    }
};

TEST_F(SharedTokens, HaveAllHeads) {
    const StepProgram heads = step_program(on(false), 128);
    const StepProgram tokens = step_program(on(true), 128);
    // 128 heads: 16 of each of 8 sequences that decode, or all of one
    EXPECT_EQ(knob_as<std::int64_t>(task_of(heads, "FusedInferAttentionScore", 8), "heads"), 16);
    EXPECT_EQ(knob_as<std::int64_t>(task_of(heads, "FusedInferAttentionScore", 8), "batch"), 8);
    EXPECT_EQ(knob_as<std::int64_t>(task_of(tokens, "FusedInferAttentionScore", 8), "heads"), 128);
    EXPECT_EQ(knob_as<std::int64_t>(task_of(tokens, "FusedInferAttentionScore", 8), "batch"), 1);
    // of a prompt, an eighth; keys of all tokens go to the cache, which has 512 tokens at once
    for (const char* name : {"SparseFlashAttention", "LightningIndexer top-k"}) {
        const auto of_prompt = [&](const StepProgram& program) {
            return std::ranges::find_if(program.operators, [&](const StepOperator& one) {
                return one.name == name && one.axis == Axis::prefill;
            });
        };
        EXPECT_EQ(of_prompt(heads)->share, 1U) << name;
        EXPECT_EQ(of_prompt(tokens)->share, 8U) << name;
    }
    EXPECT_EQ(knob_as<std::int64_t>(task_of(tokens, "MatMul qkv_a", 512), "m"), 64);
    EXPECT_EQ(knob_as<host::Shape>(task_of(tokens, "IndexerCache", 512), "shape")[0], 512U);
}

TEST_F(SharedTokens, GatherKeysAndGoBackToHiddenStates) {
    const StepProgram program = step_program(on(true), 128);
    EXPECT_THAT(exchanges_of(program, false), testing::ElementsAre("keys", "heads", "attention"));
    EXPECT_THAT(exchanges_of(program, true), testing::ElementsAre("keys", "attention"));
    EXPECT_THAT(exchanges_of(step_program(on(false), 128), true), testing::ElementsAre("attention"));
    // 512 + 64 elements of 16 bits for each token, and 128 of the index, of which each device has an eighth
    const auto keys = std::ranges::find(program.exchanges, "keys", &StepExchange::name);
    EXPECT_DOUBLE_EQ(keys->bytes_of_row, 2 * (512 + 64 + 128) / 8.0);
    Deployment of_bytes = on(true);
    of_bytes.cache = Cache::int8;
    EXPECT_THAT(exchanges_of(step_program(of_bytes, 128), true),
                testing::ElementsAre("keys", "keys", "attention"));
    std::vector<StepOperator> outputs;
    std::ranges::copy_if(program.operators, std::back_inserter(outputs), [](const StepOperator& one) {
        return one.name == "MatMul o";
    });
    ASSERT_EQ(outputs.size(), 2U);
    // without prompts 16 heads of 128 values for all tokens, with prompts all heads for an eighth of them
    EXPECT_EQ(knob_as<std::int64_t>(outputs[0].task(64, 0), "k"), 16 * 128);
    EXPECT_EQ(knob_as<std::int64_t>(outputs[0].task(64, 0), "m"), 64);
    EXPECT_EQ(knob_as<std::int64_t>(outputs[1].task(4096, 0), "k"), 128 * 128);
    EXPECT_EQ(knob_as<std::int64_t>(outputs[1].task(4096, 0), "m"), 512);
    EXPECT_FALSE(outputs[0].steps.has(64, true));
    EXPECT_FALSE(outputs[1].steps.has(4096, false));
}

TEST_F(SharedTokens, HoldTheWeightsOfAllHeads) {
    // 61 layers of 128 heads: 1536 by 192 for queries, 512 by 256 for keys and values, in 16 bits, and of one
    // layer 128 by 7168 for outputs; seven eighths of them are other devices' otherwise
    const std::uint64_t all = (61ULL * 128 * (1536 * 192 + 512 * 256) + 128ULL * 128 * 7168) * 2;
    EXPECT_EQ(memory_of(on(true), 0).weights - memory_of(on(false), 0).weights, all / 8 * 7);
    EXPECT_NO_THROW(check_layout(on(true), "x.toml"));
    EXPECT_THROW(check_layout(on(true, "deepseek_v3"), "x.toml"), UserError);  // no index
    EXPECT_THROW(check_layout(on(true, "minimax_m3"), "x.toml"), UserError);  // one of blocks, no latent keys
}

}  // namespace
}  // namespace ascendsim::networks::llm
