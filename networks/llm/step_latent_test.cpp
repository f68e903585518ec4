// SPDX-License-Identifier: Apache-2.0
// Latent keys and values in a cache of bytes: the latent row is quantised, the rotated part stays of 16 bits.
#include <algorithm>
#include <filesystem>
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

    [[nodiscard]] StepProgram step_of(const std::string& model, Cache cache) const {
        const Deployment deployment{
            .model = open_model(place / "scenarios" / "serving" / "models" / (model + ".json")),
            .layout = {.tensor = 16},
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

}  // namespace
}  // namespace ascendsim::networks::llm
