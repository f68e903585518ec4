// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/node/node_file.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/llm/step_costs.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks::llm {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::filesystem::path root{ASCENDSIM_ROOT};
const std::filesystem::path models = root / "scenarios" / "serving" / "models";

const std::string tiny = R"("model_type": "qwen3", "num_hidden_layers": 2, "hidden_size": 256,
    "intermediate_size": 512, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 1000)";

ModelConfig model_of(const std::string& keys) {
    return parse_model("{" + keys + "}", "tiny", "config.json");
}

/// A model on the 910C of an A3 server.
struct Placed {
    ChipSpec chip = load_chip("910c", root / "models" / "chips");
    node::NodeSpec node = node::open_node("atlas800t_a3", root / "models" / "nodes").spec;
    node::HostSpec host = node::open_host("kunpeng920", root / "models" / "hosts").spec;

    [[nodiscard]] Deployment on(const ModelConfig& model, const Layout& layout = {}) const {
        return {.model = model, .layout = layout, .chip = chip, .node = node};
    }
};

const StepOperator& operator_of(const StepProgram& program, const std::string& name) {
    const auto found = std::ranges::find(program.operators, name, &StepOperator::name);
    if (found == program.operators.end()) {
        throw UserError{"no operator {}", name};
    }
    return *found;
}

std::int64_t knob_of(const Task& task, const std::string& name) {
    const auto found = std::ranges::find(task.knobs, name, &std::pair<std::string, host::KnobValue>::first);
    return std::get<std::int64_t>(found->second);
}

TEST(ModelConfig, CountsTheParametersOfPublishedModels) {
    // embedding and head, and in each of 36 layers q, k, v, o and three matrices of the feed-forward part
    const std::uint64_t layer = 4096ULL * 128 * (2 * 32 + 2 * 8) + 3ULL * 4096 * 12288;
    EXPECT_EQ(open_model(models / "qwen3_8b.json").parameters(), 2ULL * 151936 * 4096 + 36 * layer);
    // published: 671 B parameters, of which 37 B are active for a token
    const ModelConfig deepseek = open_model(models / "deepseek_v3.json");
    EXPECT_NEAR(static_cast<double>(deepseek.parameters()) / 1e9, 671, 1);
    EXPECT_NEAR(static_cast<double>(deepseek.active_parameters()) / 1e9, 37, 1);
    // published: 30.5 B, of which 3.3 B are active
    const ModelConfig mixture = open_model(models / "qwen3_30b_a3b.json");
    EXPECT_NEAR(static_cast<double>(mixture.parameters()) / 1e9, 30.5, 0.1);
    EXPECT_NEAR(static_cast<double>(mixture.active_parameters()) / 1e9, 3.3, 0.1);
}

TEST(ModelConfig, CountsTablesOfWords) {
    // published: 69 B, of which 31 B are twelve tables of words (cann-recipes-infer, longcat_flash_lite)
    const ModelConfig model = open_model(models / "longcat_flash_lite.json");
    EXPECT_EQ(model.word_tables->tables(), 12U);
    EXPECT_EQ(model.word_tables->rows, 78ULL * 131072);  // 10.22 M
    EXPECT_NEAR(static_cast<double>(model.parameters()) / 1e9, 69, 1);
    const std::string keys =
        tiny + R"(, "ngram_vocab_size_ratio": 2, "emb_neighbor_num": 4, "emb_split_num": 5)";
    EXPECT_THAT([&] { (void)model_of(keys); },
                ThrowsMessage<UserError>(HasSubstr("tables of words do not share 256 values evenly")));
}

TEST(StepProgram, LooksUpWordsInTables) {
    const Placed placed;
    const ModelConfig model = open_model(models / "longcat_flash_lite.json");
    const StepProgram program = step_program(placed.on(model, {.tensor = 8}), 128);
    // of a table's rows, an eighth, as wide as a twelfth of the hidden values
    const Task lookup = operator_of(program, "WordLookup").task(4, 0);
    const auto shape =
        std::ranges::find(lookup.knobs, "shape", &std::pair<std::string, host::KnobValue>::first);
    EXPECT_EQ(std::get<host::Shape>(shape->second), (host::Shape{78ULL * 131072 / 8, 256}));
    EXPECT_EQ(operator_of(program, "WordLookup").times, 12U);
    // of two, three and four words, for each of four tables: a copy, a product and a sum for each word
    // before, a remainder, five to see which rows are here; and 18 to find the words before
    EXPECT_EQ(operator_of(program, "WordNumbers").times, 4U * (9 + 11 + 13) + 3 * 18);
    EXPECT_FALSE(operator_of(program, "WordNumbers").drafts);
}

TEST(StepProgram, HasTheFrameworksOwnCallsInStepsWithPrompts) {
    const Placed placed;
    Deployment deployment = placed.on(open_model(models / "longcat_flash_lite.json"), {.tensor = 8});
    deployment.framework_calls = 14;
    const StepProgram program = step_program(deployment, 128);
    const StepOperator& calls = operator_of(program, "FrameworkCalls");
    EXPECT_EQ(calls.times, 14U * 28);  // layers are counted by their attention
    EXPECT_TRUE(calls.steps.has(1, true));
    EXPECT_FALSE(calls.steps.has(1, false));
    const Task one = calls.task(1024, 0);
    const auto shape = std::ranges::find(one.knobs, "shape", &std::pair<std::string, host::KnobValue>::first);
    EXPECT_EQ(std::get<host::Shape>(shape->second), (host::Shape{1024, 3072 / 8}));
}

TEST(ModelConfig, ReadsEveryShippedModel) {
    for (const auto& entry : std::filesystem::directory_iterator{models}) {
        if (entry.path().extension() == ".json") {
            EXPECT_GT(open_model(entry.path()).parameters(), 400'000'000U) << entry.path();
        }
    }
}

TEST(ModelConfig, CountsTheParametersOfModelsOfEveryKind) {
    struct Published {
        const char* file;
        double billions;
        double active;
    };

    // As their publishers state them; active ones without tables where they leave these out.
    for (const Published& one : {Published{"qwen3.5_397b_a17b", 397, 17},
                                 Published{"qwen3_next_80b_a3b", 80, 3.9},
                                 Published{"glm5", 744, 40},
                                 Published{"deepseek_v4_flash", 284, 13},
                                 Published{"deepseek_v4_pro", 1600, 49},
                                 Published{"longcat_flash", 560, 27},
                                 Published{"kimi_k2", 1040, 32},
                                 Published{"glm4.5", 355, 32},
                                 Published{"gpt_oss_120b", 117, 5.7}}) {
        const ModelConfig model = open_model(models / (std::string{one.file} + ".json"));
        EXPECT_NEAR(static_cast<double>(model.parameters()) / 1e9, one.billions, 0.04 * one.billions)
            << one.file;
        EXPECT_NEAR(static_cast<double>(model.active_parameters()) / 1e9, one.active, 0.1 * one.active)
            << one.file;
    }
}

TEST(ModelConfig, KnowsWhatATokenSees) {
    // 43 layers: two of the last 128 keys alone; 21 beside these of 512 picked among those that stand for 4
    // tokens; 20 of all that stand for 128
    const ModelConfig model = open_model(models / "deepseek_v4_flash.json");
    std::map<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>> seen;
    for (const AttentionLayers& group : model.attention) {
        seen[group.compressed] = {group.layers, group.seen(65536)};
    }
    EXPECT_EQ(seen.at(0), std::pair(2U, std::uint64_t{128}));
    EXPECT_EQ(seen.at(4), std::pair(21U, std::uint64_t{128 + 512}));
    EXPECT_EQ(seen.at(128), std::pair(20U, std::uint64_t{128 + 65536 / 128}));
    const ModelConfig sparse = open_model(models / "deepseek_v3.2.json");
    EXPECT_EQ(sparse.attention.front().seen(1000), 1000U);
    EXPECT_EQ(sparse.attention.front().seen(65536), 2048U);
    // of GLM-5.2, the first three layers and every fourth of 75 have an index
    EXPECT_EQ(open_model(models / "glm5.2.json").attention.front().index->layers, 3U + 75 / 4);
    const ModelConfig hybrid = open_model(models / "qwen3.5_27b.json");
    ASSERT_EQ(hybrid.attention.size(), 2U);
    EXPECT_EQ(hybrid.attention[0].layers, 16U);
    EXPECT_EQ(hybrid.attention[1].layers, 48U);
    EXPECT_EQ(hybrid.attention[1].linear->state(), 48U * 128 * 128);
}

TEST(ModelConfig, ReadsHowWeightsAreStored) {
    const auto stored = [](const std::string& quantisation) {
        return model_of(tiny + R"(, "quantization_config": )" + quantisation).stored;
    };
    const StoredWeights four = stored(
        R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 4}, "input_activations": null}}})");
    EXPECT_EQ(four.bits, 4U);
    EXPECT_EQ(four.activation_bits, 16U);
    const StoredWeights bytes = stored(
        R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8}, "input_activations": {"num_bits": 8}}}})");
    EXPECT_EQ(bytes.bits, 8U);
    EXPECT_EQ(bytes.activation_bits, 8U);
    EXPECT_TRUE(stored(R"({"quant_method": "fp8"})").floating);
    EXPECT_EQ(stored(R"({"quant_method": "gptq", "bits": 4})").bits, 4U);
    EXPECT_EQ(model_of(tiny).stored.bits, 16U);
    EXPECT_THAT([&] { static_cast<void>(stored(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})")); },
                ThrowsMessage<UserError>(HasSubstr("does not say how many bits")));
}

TEST(ModelConfig, ShippedModelsAreStoredAsPublished) {
    const auto stored = [](const char* name) {
        return open_model(models / (std::string{name} + ".json")).stored;
    };
    EXPECT_TRUE(stored("deepseek_v3").floating);
    EXPECT_EQ(stored("deepseek_v3").bits, 8U);
    EXPECT_EQ(stored("deepseek_v3").activation_bits, 8U);
    EXPECT_EQ(stored("deepseek_v4_pro").expert_bits, 4U);
    EXPECT_EQ(stored("gpt_oss_120b").bits, 4U);
    EXPECT_EQ(stored("kimi_k2_thinking").bits, 4U);
    EXPECT_EQ(stored("kimi_k2_thinking").activation_bits, 16U);
    EXPECT_EQ(stored("qwen3_32b").bits, 16U);
}

TEST(ModelConfig, CountsLayersWithExperts) {
    const auto layers = [](const std::string& keys) {
        return model_of(R"("model_type": "qwen2_moe", "num_hidden_layers": 24, "hidden_size": 256,
            "intermediate_size": 512, "num_attention_heads": 4, "vocab_size": 1000, "num_experts": 8,
            "num_experts_per_tok": 2, "moe_intermediate_size": 128)" +
                        keys)
            .expert_layers();
    };
    EXPECT_EQ(layers(""), 24U);
    EXPECT_EQ(layers(R"(, "decoder_sparse_step": 2)"), 12U);
    EXPECT_EQ(layers(R"(, "decoder_sparse_step": 2, "mlp_only_layers": [1, 2])"), 11U);  // 2 has none anyway
    EXPECT_EQ(layers(R"(, "first_k_dense_replace": 1, "moe_layer_freq": 2)"), 11U);      // 2, 4, … 22
    EXPECT_THAT([&] { static_cast<void>(layers(R"(, "moe_layer_freq": [0, 1])")); },
                ThrowsMessage<UserError>(HasSubstr("has 2 values for 24 layers")));
}

TEST(ModelConfig, TakesTheLanguageModelOfSeveralParts) {
    const ModelConfig model =
        parse_model(R"({"model_type": "vl", "text_config": {)" + tiny + "}}", "vl", "x");
    EXPECT_EQ(model.layers, 2U);
    EXPECT_TRUE(model.head_norm);
}

TEST(ModelConfig, RefusesWhatItCannotRead) {
    const auto parse = [](const std::string& text) {
        return [=] { (void)parse_model(text, "m", "f.json"); };
    };
    EXPECT_THAT(parse("[1]"), ThrowsMessage<UserError>(HasSubstr("f.json: this is no JSON object")));
    EXPECT_THAT(parse("{}"), ThrowsMessage<UserError>(HasSubstr("'num_hidden_layers' is missing")));
    EXPECT_THAT(
        parse(R"({"num_hidden_layers": 2.5})"),
        ThrowsMessage<UserError>(HasSubstr("'num_hidden_layers' is 2.5, and must be a whole number")));
    EXPECT_THAT(parse(R"({"num_hidden_layers": 99999999999})"),
                ThrowsMessage<UserError>(HasSubstr("99999999999")));
    EXPECT_THAT(parse("{" + tiny + R"(, "mamba_d_state": 16})"),
                ThrowsMessage<UserError>(HasSubstr("state space layers, which is not simulated")));
    EXPECT_THAT(parse("{" + tiny + R"(, "num_experts": 8, "num_experts_per_tok": 9})"),
                ThrowsMessage<UserError>(HasSubstr("9 of 8 experts")));
}

TEST(Deployment, SharesWeightsAndCacheByDevices) {
    const Placed placed;
    const ModelConfig model = open_model(models / "qwen3_8b.json");
    const MemoryUse one = memory_of(placed.on(model), 0);
    EXPECT_EQ(one.weights, model.parameters() * 2);
    EXPECT_EQ(one.cache_of_token, 36U * 2 * 8 * 128 * 2);  // layers, keys and values, heads, width, bytes
    const MemoryUse two = memory_of(placed.on(model, {.tensor = 2}), 0);
    EXPECT_EQ(two.weights, model.parameters());
    EXPECT_EQ(two.cache_of_token, one.cache_of_token / 2);
    // sixteen devices have twice as many as there are heads of keys and values: each keeps one
    EXPECT_EQ(memory_of(placed.on(model, {.tensor = 16}), 0).cache_of_token, one.cache_of_token / 8);
}

TEST(Deployment, CachesOfBytesTakeHalfButForRotatedParts) {
    const Placed placed;
    const ModelConfig dense = open_model(models / "qwen3_8b.json");
    Deployment of_dense = placed.on(dense);
    of_dense.cache = Cache::int8;
    EXPECT_EQ(memory_of(of_dense, 0).cache_of_token,
              36U * 2 * 8 * 128);  // layers, keys and values, heads, width
    const ModelConfig latent = open_model(models / "deepseek_v3.json");
    Deployment of_latent = placed.on(latent);
    of_latent.cache = Cache::int8;
    EXPECT_EQ(memory_of(of_latent, 0).cache_of_token,
              61U * (512 + 64 * 2));  // layers, latent row, rotated part
    of_dense.attention = AttentionKernels::apart;
    EXPECT_THAT([&] { check_layout(of_dense, "x.toml"); },
                ThrowsMessage<UserError>(HasSubstr("read by the fused kernel alone")));
}

TEST(StepProgram, ReadsBytesOfTheCacheUnlessThePromptHasJustMadeThem) {
    const Placed placed;
    const ModelConfig model = model_of(tiny);
    Deployment deployment = placed.on(model);
    deployment.cache = Cache::int8;
    const StepProgram program = step_program(deployment, 128);
    const auto cache_of = [](const Task& task) {
        const auto found =
            std::ranges::find(task.knobs, "cache", &std::pair<std::string, host::KnobValue>::first);
        return found == task.knobs.end() ? "as_q" : std::get<std::string>(found->second);
    };
    std::vector<std::string> read;
    for (const StepOperator& one : program.operators) {
        if (one.name == "FusedInferAttentionScore" && one.axis == Axis::prefill) {
            read.push_back(cache_of(one.task(64, 64)));
            read.push_back(cache_of(one.task(64, 192)));
        } else if (one.name == "FusedInferAttentionScore") {
            read.push_back(cache_of(one.task(4, 64)));
        }
    }
    EXPECT_THAT(read, ::testing::ElementsAre("int8", "as_q", "int8"));
    // keys of two heads of 64, in pairs of bytes, and as many values
    const Task kept = operator_of(program, "ReshapeAndCache").task(8, 0);
    const auto knob = [&kept](std::string_view name) {
        return std::ranges::find(kept.knobs, name, &std::pair<std::string, host::KnobValue>::first)->second;
    };
    EXPECT_EQ(kept.kernel, "cache_rows");
    EXPECT_EQ(std::get<host::Shape>(knob("shape")), (host::Shape{8, 2 * 64 / 2}));
    EXPECT_EQ(std::get<std::int64_t>(knob("value_width")), 2 * 64 / 2);
    EXPECT_NO_THROW((void)operator_of(program, "Quantize"));
}

/// Which kernel of the library attention is: 16 sequences of one head of keys are 16 tasks.
TEST(StepProgram, HasTheAttentionThatTheLibraryChooses) {
    const Placed placed;
    const ModelConfig model = open_model(models / "qwen3_32b.json");  // 8 heads of keys, 128 wide
    const Deployment deployment = placed.on(model, {.tensor = 8});
    const StepProgram program = step_program(deployment, 128);
    const auto asks = [](const Task& task) {
        return std::ranges::find(task.knobs, "requests", &std::pair<std::string, host::KnobValue>::first) !=
               task.knobs.end();
    };
    std::vector<bool> found;
    for (const StepOperator& one : program.operators) {
        if (one.name == "FusedInferAttentionScore" && one.axis == Axis::decode) {
            found = {asks(one.task(16, 4096)),   // 16 tasks by two parts of 2048 keys
                     asks(one.task(128, 1024)),  // 128 tasks by one part: the last that ask
                     asks(one.task(128, 4096)),  // 256
                     asks(one.task(4, 4096))};   // so few that keys are split over cores
        }
    }
    EXPECT_THAT(found, ::testing::ElementsAre(true, true, false, false));
}

TEST(Deployment, RefusesLayoutsThatDoNotDivide) {
    const Placed placed;
    const ModelConfig model = model_of(tiny);
    const auto check = [&](const Layout& layout) {
        return [&placed, &model, layout] { check_layout(placed.on(model, layout), "x.toml"); };
    };
    EXPECT_NO_THROW(check({.tensor = 4})());
    EXPECT_THAT(check({.tensor = 3}),
                ThrowsMessage<UserError>(HasSubstr("4 heads cannot be shared evenly by 3")));
    EXPECT_THAT(check({.tensor = 4, .replicas = 8}),
                ThrowsMessage<UserError>(HasSubstr("takes 32 devices (4 x 8), and atlas800t_a3 has 16")));
    EXPECT_THAT(check({.expert_parallel = true}), ThrowsMessage<UserError>(HasSubstr("has no experts")));
}

TEST(StepProgram, SharesEachProductByTheDevices) {
    const Placed placed;
    const ModelConfig model = open_model(models / "qwen3_32b.json");
    const Deployment deployment = placed.on(model, {.tensor = 16});
    const StepProgram program = step_program(deployment, 128);
    // 64 heads by 16 devices, and one of 8 heads of keys and values, which two devices then share:
    // (4 + 2) * 128 columns; 25,600 columns of gate and of up: the shapes of S26's trace, 5120 x 768 and 5120
    // x 3200
    const Task qkv = operator_of(program, "MatMul qkv").task(144, 0);
    EXPECT_EQ(knob_of(qkv, "m"), 144);
    EXPECT_EQ(knob_of(qkv, "k"), 5120);
    EXPECT_EQ(knob_of(qkv, "n"), 768);
    EXPECT_EQ(knob_of(operator_of(program, "MatMul gate_up").task(144, 0), "n"), 3200);
    EXPECT_EQ(knob_of(operator_of(program, "MatMul down").task(144, 0), "k"), 1600);
    EXPECT_EQ(operator_of(program, "MatMul down").times, 64U);
    // the sums behind attention and feed-forward part of each layer
    std::uint64_t sums = 0;
    for (const StepExchange& exchange : program.exchanges) {
        sums += exchange.name == "attention" || exchange.name == "feed-forward" ? exchange.times : 0;
        EXPECT_EQ(exchange.ranks.size(), 16U);
    }
    EXPECT_EQ(sums, 128U);
}

TEST(StepProgram, ChecksDraftedTokensInOnePass) {
    const Placed placed;
    const ModelConfig model = open_model(models / "deepseek_v3.json");
    const StepProgram program = step_program(placed.on(model, {.tensor = 16}), 128, 3);
    std::map<std::uint64_t, Task> attention;
    std::map<std::uint64_t, Task> by_head;
    for (const StepOperator& one : program.operators) {
        if (one.axis == Axis::decode && one.name != "BatchMatMul uv") {
            (one.name == "BatchMatMul uk" ? by_head : attention)[one.tokens_of_sequence] = one.task(8, 1024);
        }
    }
    // 8 sequences of one token where the layer drafts, and of 1 + 3 tokens where the model checks them
    EXPECT_EQ(knob_of(attention.at(1), "q_len"), 1);
    EXPECT_EQ(knob_of(attention.at(4), "q_len"), 4);
    EXPECT_EQ(knob_of(by_head.at(1), "m"), 8);
    EXPECT_EQ(knob_of(by_head.at(4), "m"), 32);
}

TEST(StepProgram, HasEachKindOfAttentionInItsLayers) {
    const Placed placed;
    const ModelConfig hybrid = open_model(models / "qwen3.5_27b.json");
    const StepProgram program = step_program(placed.on(hybrid, {.tensor = 2}), 128);
    EXPECT_EQ(operator_of(program, "FusedInferAttentionScore").times, 16U);
    const StepOperator& rule = operator_of(program, "RecurrentGatedDeltaRule");
    EXPECT_EQ(rule.times, 48U);
    EXPECT_FALSE(rule.drafts);
    // 32 sequences of 24 of the 48 heads, each with a state of 128 x 128
    const Task task = rule.task(32, 4096);
    const auto shape =
        std::ranges::find(task.knobs, "shape", &std::pair<std::string, host::KnobValue>::first);
    EXPECT_EQ(std::get<host::Shape>(shape->second), (host::Shape{32 * 24, 128 * 128}));
}

TEST(StepProgram, ReadsAStateOnceAndWritesItForEachToken) {
    const Placed placed;
    const ModelConfig hybrid = open_model(models / "qwen3.5_27b.json");
    const StepProgram program = step_program(placed.on(hybrid, {.tensor = 2}), 128, 3);
    const auto of_four = std::ranges::find_if(program.operators, [](const StepOperator& one) {
        return one.name == "RecurrentGatedDeltaRule" && one.tokens_of_sequence == 4;
    });
    ASSERT_NE(of_four, program.operators.end());
    const Task task = of_four->task(32, 4096);
    const auto shape =
        std::ranges::find(task.knobs, "shape", &std::pair<std::string, host::KnobValue>::first);
    // each of 32 x 24 states is read once and written four times, as many as 5/2 that a kernel reads and
    // writes
    EXPECT_EQ(std::get<host::Shape>(shape->second), (host::Shape{32 * 24 * 5 / 2, 128 * 128}));
}

TEST(StepProgram, ComputesAStateChunkAfterChunk) {
    const Placed placed;
    const ModelConfig hybrid = open_model(models / "qwen3.5_27b.json");
    const StepProgram program = step_program(placed.on(hybrid, {.tensor = 2}), 128);
    // a kernel for each 64 tokens of a prompt: 24 heads of both products of a chunk
    const StepOperator& state = operator_of(program, "ChunkGatedDeltaRuleFwdH");
    EXPECT_EQ(state.most_tokens, 64U);
    EXPECT_EQ(knob_of(state.task(64, 64), "groups"), 24);
    EXPECT_EQ(knob_of(state.task(64, 64), "k"), 256);
}

TEST(StepProgram, SeesTheKeysThatTheIndexPicks) {
    const Placed placed;
    const ModelConfig model = open_model(models / "deepseek_v3.2.json");
    const StepProgram program = step_program(placed.on(model, {.tensor = 16}), 128);
    const Task scores = operator_of(program, "LightningIndexer").task(8, 65536);
    EXPECT_EQ(knob_of(scores, "kv_len"), 65536);
    EXPECT_EQ(knob_of(scores, "heads"),
              32);  // every device scores with all 64, a third as long: 22, in tiles
    const Task attention = operator_of(program, "FusedInferAttentionScore").task(8, 65536);
    EXPECT_EQ(knob_of(attention, "kv_len"), 2048);
    EXPECT_EQ(knob_of(attention, "heads"), 8);
    EXPECT_EQ(operator_of(program, "SparseFlashAttention").most_tokens, 32U);
}

TEST(StepProgram, MultipliesFourBitsAsTwiceTheRowsOfHalfTheDepth) {
    const Placed placed;
    const ModelConfig model = open_model(models / "kimi_k2.json");
    Deployment deployment = placed.on(model, {.tensor = 16, .expert_parallel = true});
    deployment.weights = Weights::int4;
    deployment.routing = Routing::even;
    const StepProgram program = step_program(deployment, 128);
    // experts: 64 tokens of 8 of 384, of which a device has 24: 32 rows, and as many again
    const Task down = operator_of(program, "GroupedMatmul down").task(64, 0);
    EXPECT_EQ(knob_of(down, "m"), 2 * 32);
    EXPECT_EQ(knob_of(down, "k"), 2048 / 2);
    EXPECT_EQ(knob_of(operator_of(program, "MatMul o").task(64, 0), "m"), 64);  // of eight bits
    const std::uint64_t of_experts = 60ULL * 3 * 7168 * 2048 * 384 / 16 / 2;
    EXPECT_GT(memory_of(deployment, 0).weights, of_experts);
    EXPECT_LT(memory_of(deployment, 0).weights, of_experts + 3'000'000'000U);
}

TEST(StepCosts, BoundsKernelsByOthers) {
    const Placed placed;
    const ModelConfig model = model_of(tiny);
    const Deployment deployment = placed.on(model);
    StepCosts costs{deployment, step_program(deployment, 128), placed.host};
    // every kernel takes 2 us to launch and 6 us of its cores, whatever its extents
    const TaskResult any{.time_us = 8, .core_us = 6};
    const StepShape many{.decoding = 64, .keys = 4096, .results = 64};
    const StepShape few{.decoding = 32, .keys = 4096, .results = 32};
    const auto us_of = [&](const StepShape& shape) {
        return costs.time_of(shape, node::IssueMode::graph).work;
    };
    EXPECT_EQ(us_of(many).us, 0);  // nothing is known
    EXPECT_FALSE(costs.well_known());
    costs.take(std::vector(costs.tasks().size(), any));
    const StepWork known = us_of(many);
    EXPECT_TRUE(costs.well_known());
    EXPECT_EQ(known.unsure_us, 0);
    // half the rows take from 2 + 6 / 2 to 8 us
    const StepWork half = us_of(few);
    EXPECT_NEAR(half.us / known.us, std::sqrt(5.0 * 8) / 8, 1e-9);
    EXPECT_NEAR(half.unsure_us / known.us, 1.5 / 8, 1e-9);
    EXPECT_FALSE(costs.well_known());
    // among steps that are a thousand times as long, that is little
    for (int i = 0; i < 1000; ++i) {
        (void)us_of(many);
    }
    EXPECT_TRUE(costs.well_known());
    // among prompts it is not, however many: these are steps of another kind
    const StepShape prompt{.prompts = {{.tokens = 1024}}, .results = 1};
    StepCosts others{deployment, step_program(deployment, 128), placed.host};
    for (int round = 0; round < 3; ++round) {
        (void)others.time_of(many, node::IssueMode::graph);
        (void)others.time_of(prompt, node::IssueMode::graph);
        others.take(std::vector(others.tasks().size(), any));
    }
    (void)others.time_of(few, node::IssueMode::graph);
    for (int i = 0; i < 1000; ++i) {
        (void)others.time_of(prompt, node::IssueMode::graph);
    }
    EXPECT_FALSE(others.well_known());
    EXPECT_FALSE(others.tasks().empty());
}

TEST(StepCosts, TakesLongContextsFromShorterOnes) {
    const Placed placed;
    const ModelConfig model = model_of(tiny);
    const Deployment deployment = placed.on(model);
    StepCosts costs{deployment, step_program(deployment, 128), placed.host};
    const auto wanted = [&](const StepShape& shape) {
        const std::size_t before = costs.missing();
        (void)costs.time_of(shape, node::IssueMode::graph);
        return costs.missing() - before;
    };
    EXPECT_GT(wanted({.decoding = 4, .keys = 10'000, .results = 4}), 0U);  // 4096 and 16384
    EXPECT_EQ(wanted({.decoding = 4, .keys = 200'000, .results = 4}), 0U);
    EXPECT_GT(wanted({.decoding = 256, .keys = 1000, .results = 256}), 0U);
    EXPECT_EQ(wanted({.decoding = 256, .keys = 10'000, .results = 256}), 0U);  // more would take long
    EXPECT_GT(wanted({.prompts = {{.tokens = 1024, .past = 16384}}, .results = 4}), 0U);
    EXPECT_EQ(wanted({.prompts = {{.tokens = 1024, .past = 131072}}, .results = 4}), 0U);
}

TEST(StepCosts, TakesManyRowsFromFewer) {
    const Placed placed;
    const ModelConfig model = model_of(tiny);
    const Deployment deployment = placed.on(model);
    StepCosts costs{deployment, step_program(deployment, 128), placed.host};
    const auto wanted = [&](const PromptPart& part) {
        const std::size_t before = costs.missing();
        (void)costs.time_of({.prompts = {part}, .results = 1}, node::IssueMode::queue);
        return costs.missing() - before;
    };
    EXPECT_GT(wanted({.tokens = 16384}),
              0U);  // 1024 and 2048 rows, or twice as many; 2048 tokens behind none and 1024
    EXPECT_EQ(wanted({.tokens = 12288, .past = 4096}), 0U);
    EXPECT_GT(wanted({.tokens = 1500, .past = 6144}), 0U);
}

TEST(StepCosts, WantsKernelsAtNeighboursOfTheGridAlone) {
    const Placed placed;
    const ModelConfig model = model_of(tiny);
    const Deployment deployment = placed.on(model);
    StepCosts costs{deployment, step_program(deployment, 128), placed.host};
    const StepShape four{.decoding = 4, .keys = 1024, .results = 4};
    (void)costs.time_of(four, node::IssueMode::graph);
    const std::size_t at_four = costs.missing();
    EXPECT_EQ(at_four, costs.program().operators.size() - 1);  // all but attention of prompts
    (void)costs.time_of(four, node::IssueMode::graph);
    EXPECT_EQ(costs.missing(), at_four);
    (void)costs.time_of({.decoding = 3, .keys = 1024, .results = 3}, node::IssueMode::graph);
    EXPECT_EQ(costs.missing(), 2 * at_four);  // between 2 and 4
}

}  // namespace
}  // namespace ascendsim::networks::llm
