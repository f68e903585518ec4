// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/attention_rows.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {
namespace {

Measurement stated(std::string kernel, std::string shape, std::string notes = {}) {
    return {.kernel = std::move(kernel), .shape = std::move(shape), .notes = std::move(notes)};
}

TEST(AttentionRows, LettersSayLengthsHeadsAndWidth) {
    const Measurement given = stated("FlashAttention, non-causal", "B1 H2 Sq128 Skv4096 D64");
    const auto shape = attention_shape(Row{given});
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->q_len, 128U);
    EXPECT_EQ(shape->kv_len, 4096U);
    EXPECT_EQ(shape->heads, 2U);
    EXPECT_EQ(shape->head_dim, 64U);
    EXPECT_FALSE(shape->causal);
}

TEST(AttentionRows, OneLengthIsThatOfBoth) {
    const Measurement given = stated("FlashAttentionScore fwd", "B2 N4 S4096 D128 (SBH 4096,2,512) masked");
    const auto shape = attention_shape(Row{given});
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->q_len, 4096U);
    EXPECT_EQ(shape->kv_len, 4096U);
    EXPECT_EQ(shape->batch, 2U);
    EXPECT_EQ(shape->heads, 4U);
    EXPECT_TRUE(shape->causal);
}

TEST(AttentionRows, DecodingTakesATokenAtATime) {
    const Measurement given = stated("IncreFlashAttention", "B16 N8 Skv1024 D128");
    const auto shape = attention_shape(Row{given});
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->q_len, 1U);
    EXPECT_EQ(shape->kv_len, 1024U);
    const Measurement other = stated("PromptFlashAttention", "B16 N8 Skv1024 D128");
    EXPECT_FALSE(attention_shape(Row{other}));
}

TEST(AttentionRows, HeadsMayBeSpelledOut) {
    const Measurement given = stated("FlashAttention Ascend C", "12 heads, 1 KV head, S32768, D128");
    const auto shape = attention_shape(Row{given});
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->heads, 12U);
    EXPECT_EQ(shape->kv_heads, 1U);
    EXPECT_EQ(shape->q_len, 32768U);
}

TEST(AttentionRows, TensorsFollowTheLayout) {
    const Measurement given = stated(
        "gqa (FusedInferAttentionScore)", "4x512x64x128; 4x512x8x128; 4x512x8x128", "is_causal: true; x");
    const auto shape = attention_shape(Row{given});
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->q_len, 512U);
    EXPECT_EQ(shape->heads, 64U);
    EXPECT_EQ(shape->kv_heads, 8U);
    EXPECT_TRUE(shape->causal);
}

TEST(AttentionRows, LatentAttentionHasFiveTensors) {
    const Measurement given = stated("mla",
                                     "60x128x1x512; 60x128x1x64; 60x1x2048x512; 60x1x2048x64; 60x1x2048x512",
                                     "inputLayout: BNSD, is_causal: false");
    const auto shape = attention_shape(Row{given});
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->batch, 60U);
    EXPECT_EQ(shape->heads, 128U);
    EXPECT_EQ(shape->kv_heads, 1U);
    EXPECT_EQ(shape->q_len, 1U);
    EXPECT_EQ(shape->kv_len, 2048U);
    EXPECT_EQ(shape->rope_dim, 64U);
    EXPECT_EQ(shape->value_dim, 512U);
    EXPECT_TRUE(shape->by_head);
}

TEST(AttentionRows, ChosenKeysAreCounted) {
    const Measurement given = stated("sparse_flash_attention",
                                     "1x128x128x512; 1x2048x1x512; 1x2048x1x512; 1x128x1x256",
                                     "inputLayout: BSND");
    const auto shape = attention_shape(Row{given});
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->chosen, 256U);
    // 128 tokens x 128 heads x 256 keys, 2 operations of 512 + 512 columns each
    EXPECT_DOUBLE_EQ(shape->flops(), 2.0 * 128 * 128 * 256 * 1024);
}

TEST(AttentionRows, ChosenKeysMayHoldTheirRotatedPart) {
    const Measurement given = stated("sparse_flash_attention",
                                     "2x128x128x576; 2x1x1024x576; 2x1x1024x512; 2x1x128x512",
                                     "inputLayout: BNSD");
    const auto shape = attention_shape(Row{given});
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->head_dim, 512U);
    EXPECT_EQ(shape->rope_dim, 64U);
}

TEST(AttentionRows, ChosenLatentKeysAreGatheredAsByTheLibrary) {
    const ChipSpec chip;
    const SourceRule source;
    const Measurement given = stated("sparse_flash_attention",
                                     "1x128x64x512; 1x2048x1x512; 1x2048x1x512; 1x128x1x300",
                                     "inputLayout: BSND, is_causal: true");
    const Adapted adapted = attention_case(Row{given}, {chip, source});
    ASSERT_TRUE(std::holds_alternative<Case>(adapted));
    const auto& set = std::get<Case>(adapted).runs.front().set;
    const auto last = [&](const std::string& name) {
        std::string value;
        for (const auto& [path, given_value] : set) {
            value = path == name ? given_value : value;
        }
        return value;
    };
    EXPECT_EQ(last("kernel.gather"), "true");
    EXPECT_EQ(last("kernel.batch"), "128");    // every token's keys are its own
    EXPECT_EQ(last("kernel.rope_dim"), "64");  // which the operator asks for
    EXPECT_EQ(last("kernel.tile_n"), "384");   // all of 300, in whole multiplications of 128
    EXPECT_EQ(last("kernel.tile_m"), "64");    // all heads of a token
}

// Blocks of 512 keys are not cut: 2048 keys of one sequence make four parts, for four of 24 cores; of 3
// sequences with 4096, all 24 blocks find a core. As many sequences as cores are not split.
TEST(AttentionRows, LatentKeysOfFewSequencesAreSharedOutByBlocks) {
    const ChipSpec chip = load_chip("910b2", toolchain::Installation::find().chips());
    const SourceRule source;
    const auto splits = [&](const char* shape) {
        const Measurement given =
            stated("mla (FusedInferAttentionScore)", shape, "inputLayout: BSND, is_causal: false");
        const Adapted adapted = attention_case(Row{given}, {chip, source});
        const auto& set = std::get<Case>(adapted).runs.front().set;
        const auto found = std::ranges::find(set, "kernel.splits", &scenario::Override::path);
        return found == set.end() ? "unset" : found->value;
    };
    EXPECT_EQ(splits("1x1x128x512; 1x1x128x64; 1x2048x1x512; 1x2048x1x64; 1x2048x1x512"), "4");
    EXPECT_EQ(splits("3x1x128x512; 3x1x128x64; 3x4096x1x512; 3x4096x1x64; 3x4096x1x512"), "8");
    EXPECT_EQ(splits("32x1x128x512; 32x1x128x64; 32x2048x1x512; 32x2048x1x64; 32x2048x1x512"), "unset");
}

TEST(AttentionRows, TheLibrarysPrefillAsksForItsProducts) {
    const ChipSpec chip;
    const SourceRule source;
    const auto asks = [&](const char* kernel, const char* shape) {
        const Measurement given = stated(kernel, shape, "inputLayout: BSND");
        const auto set = std::get<Case>(attention_case(Row{given}, {chip, source})).runs.front().set;
        return std::ranges::any_of(set, [](const auto& entry) { return entry.path == "kernel.requests"; });
    };
    const char* const prefill = "2x128x8x64; 2x128x8x64; 2x128x8x64";
    EXPECT_TRUE(asks("mha (FusedInferAttentionScore)", prefill));
    EXPECT_FALSE(asks("FlashAttention PTO", prefill));
    EXPECT_FALSE(asks("mha (FusedInferAttentionScore)", "16x1x32x128; 16x1024x32x128; 16x1024x32x128"));
}

TEST(AttentionRows, TheBackwardPassHasFiveProducts) {
    const ChipSpec chip;
    const SourceRule source;
    const Measurement given = stated("FlashAttentionScoreGrad", "B2 N4 S4096 D128");
    const Adapted adapted = attention_case(Row{given}, {chip, source});
    ASSERT_TRUE(std::holds_alternative<Case>(adapted));
    EXPECT_EQ(std::get<Case>(adapted).runs.front().kernel, "attention_grad");
    EXPECT_DOUBLE_EQ(std::get<Case>(adapted).amount, 5 * 2.0 * 2 * 4 * 4096 * 4096 * 128);
}

TEST(AttentionRows, WhatCannotBeRunSaysWhy) {
    const ChipSpec chip;
    const SourceRule source;
    const Measurement grad = stated("FlashAttentionScoreGrad", "B2 N4 S4096 D72");
    EXPECT_TRUE(std::holds_alternative<WhyNot>(attention_case(Row{grad}, {chip, source})));
    const Measurement nothing = stated("decode attention", "context 4097");
    EXPECT_TRUE(std::holds_alternative<WhyNot>(attention_case(Row{nothing}, {chip, source})));
}

TEST(AttentionRows, AHugeRunIsOneRoundManyTimes) {
    const ChipSpec chip;
    const SourceRule source;
    const Measurement given = stated("FlashAttention, non-causal", "B1 H1 Sq131072 Skv131072 D128");
    const Adapted adapted = attention_case(Row{given}, {chip, source});
    ASSERT_TRUE(std::holds_alternative<Case>(adapted));
    const KernelRun& run = std::get<Case>(adapted).runs.front();
    // 1024 tiles of 128 queries, on all cube cores at a time
    EXPECT_EQ(run.times, (1024 + chip.cores.aic - 1) / chip.cores.aic);
    EXPECT_FALSE(run.launch_overhead);
}

}  // namespace
}  // namespace ascendsim::validation
