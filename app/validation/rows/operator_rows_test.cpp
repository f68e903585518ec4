// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/operator_rows.hpp"

#include <gtest/gtest.h>

namespace ascendsim::validation {
namespace {

struct Chosen {
    std::string kernel;
    std::vector<scenario::Override> set;

    [[nodiscard]] std::string knob(const std::string& name) const { return value("kernel." + name); }

    [[nodiscard]] std::string value(const std::string& path) const {
        for (const scenario::Override& one : set) {
            if (one.path == path) {
                return one.value;
            }
        }
        return {};
    }
};

/// The first run of a row, or its reason as the kernel's name.
Chosen chosen(const char* kernel, const char* shape, const char* dtype, const char* notes = "") {
    const Measurement measurement{.id = "VEC-1",
                                  .source = "x",
                                  .chip = "910B2",
                                  .kernel = kernel,
                                  .shape = shape,
                                  .dtype = dtype,
                                  .notes = notes};
    ChipSpec chip;
    chip.arch = "2201";
    chip.cores.aiv = 48;
    chip.cores.split = true;
    const SourceRule source{};
    const Adapted adapted = operator_case(Row{measurement}, Context{chip, source});
    if (const auto* why = std::get_if<WhyNot>(&adapted)) {
        return {why->reason, {}};
    }
    const KernelRun& run = std::get<Case>(adapted).runs.front();
    return {run.kernel, run.set};
}

TEST(OperatorRows, NamesAreReadInAnySpelling) {
    for (const char* name : {"Mul", "aclnnMul_MulAiCore_Mul", "torch mul", "foreach_mul"}) {
        const Chosen run = chosen(name, "4x8; 4x8", "fp32");
        EXPECT_EQ(run.kernel, "elementwise") << name;
        EXPECT_EQ(run.knob("op"), "\"mul\"") << name;
    }
    EXPECT_EQ(chosen("RealDiv", "4x8; 4x8", "fp32").knob("op"), "\"div\"");
    EXPECT_EQ(chosen("ApplyAdamW", "9; 9; 9; 9", "fp32").knob("op"), "\"adam_w\"");
}

TEST(OperatorRows, NormsAreToldFromSums) {
    EXPECT_EQ(chosen("rms_norm", "32x128x768; 768", "fp16").kernel, "row_norm");
    EXPECT_EQ(chosen("LayerNormV3", "4x768; 768; 768", "fp16").knob("kind"), "\"layer\"");
    EXPECT_EQ(chosen("foreach_norm", "[2048x2048]", "fp16").kernel, "reduce");
    EXPECT_EQ(chosen("group_norm (GroupNormSilu)", "8x32x64x64; 32; 32", "fp16", "num_groups: 8").kernel,
              "group_norm");
}

TEST(OperatorRows, OperatorsOfTheLibraryKeepItsOrderOfWork) {
    EXPECT_EQ(chosen("rms_norm", "32x128x768; 768", "fp16").knob("schedule"), "\"library\"");
    EXPECT_EQ(chosen("dynamic_quant", "1023x1023", "fp16").knob("schedule"), "\"library\"");
    EXPECT_EQ(chosen("swi_glu", "1009x2016", "fp16", "dim: -1").knob("schedule"), "\"library\"");
    EXPECT_EQ(chosen("LayerNormV3", "4x768; 768; 768", "fp16").knob("schedule"), "\"batched\"");
    const Chosen routed = chosen("moe_re_routing", "65536x256; 64x8", "fp16+int64");
    EXPECT_EQ(routed.kernel, "moe_re_routing");
    EXPECT_EQ(routed.knob("ranks"), "64");
    EXPECT_EQ(routed.knob("experts"), "8");
}

// As their published sources do: none for compiled operators, in the object of some, in the entry function
// else.
TEST(OperatorRows, OperatorsOfTheLibrarySetUpTheirPipeWhereTheirSourcesDo) {
    const char* lines = "chip.scalar.pipe_lines";
    EXPECT_EQ(chosen("sigmoid", "1009x1021", "fp16").value(lines), "0");
    EXPECT_EQ(chosen("swi_glu", "1009x2016", "fp16", "dim: -1").value(lines), "30");
    EXPECT_EQ(chosen("rms_norm", "32x128x768; 768", "fp16").value(lines), "30");
    EXPECT_EQ(chosen("dynamic_quant", "1023x1023", "fp16").value(lines), "");  // the chip's own
}

TEST(OperatorRows, AReductionKeepsWhatItsOutputKeeps) {
    const Chosen run = chosen("ReduceSumD", "1024x4x6400", "fp32", "out 1024,4");
    EXPECT_EQ(run.knob("first"), "2");
    EXPECT_EQ(chosen("ReduceSumD", "12288", "fp32", "out scalar").knob("first"), "0");
}

TEST(OperatorRows, AnOperatorIsNotTakenForItsRelative) {
    EXPECT_EQ(chosen("ReduceSum", "1024x64 -> 1024", "fp32").knob("first"), "1");
    EXPECT_EQ(chosen("InstanceNorm", "8x64x32x32", "fp16").knob("groups"), "64");
    const Chosen fixed = chosen("AscendQuant", "16x64", "fp16->int8");
    EXPECT_EQ(fixed.kernel, "elementwise");
    EXPECT_EQ(fixed.knob("out_dtype"), "\"int8\"");
}

TEST(OperatorRows, FactorsKnownBeforehandAreOnesOfColumnsOrOneOfAll) {
    const Chosen columns = chosen("AscendQuantV2", "16x64; 64; 64", "bf16->int8");
    EXPECT_EQ(columns.kernel, "static_quant");
    EXPECT_EQ(columns.knob("channels"), "true");
    EXPECT_EQ(columns.knob("offset"), "true");
    const Chosen all = chosen("AscendQuantV2", "16x64; 1", "fp16->int8");
    EXPECT_EQ(all.knob("channels"), "false");
    EXPECT_EQ(all.knob("offset"), "false");
}

TEST(OperatorRows, ANormBehindAResidualKeepsTheOrderOfTheLibraries) {
    const Chosen bias = chosen("AddRmsNormBias", "256x7168; 256x7168; 7168; 7168", "bf16");
    EXPECT_EQ(bias.kernel, "add_rms_norm");
    EXPECT_EQ(bias.knob("shape"), "[256, 7168]");
    EXPECT_EQ(bias.knob("bias"), "true");
    EXPECT_EQ(chosen("add_rms_norm", "8x2048; 8x2048; 2048", "fp16").knob("bias"), "false");
    // Longer rows than it takes at once, and those that are quantised, go another way.
    EXPECT_EQ(chosen("AddRmsNorm", "8x16384; 8x16384; 16384", "fp16").kernel, "row_norm");
    EXPECT_EQ(chosen("AddRmsNormDynamicQuant", "8x2048; 8x2048; 2048", "fp16").kernel, "row_norm");
}

TEST(OperatorRows, ATransposeFollowsPermutationOrOutput) {
    EXPECT_EQ(chosen("Transpose", "64x32x512x128", "fp16", "perm: [0, 2, 1, 3]").knob("perm"),
              "[0, 2, 1, 3]");
    EXPECT_EQ(chosen("Transpose", "4x1024x12288; 3", "fp16+int32", "out 1024,4,12288").knob("perm"),
              "[1, 0, 2]");
}

TEST(OperatorRows, PublishedKernelsKeepTheirTiles) {
    const Chosen scan = chosen("MCScan s=64 (cube+vector prefix sum)", "327680 elem", "fp16");
    EXPECT_EQ(scan.kernel, "long_scan");
    EXPECT_EQ(scan.knob("side"), "64");
    EXPECT_EQ(scan.knob("length"), "327680");
    EXPECT_EQ(scan.knob("schedule"), "\"full\"");
    EXPECT_EQ(chosen("row_scan s=128 (up-sweep only)", "327680 elem", "fp16").knob("schedule"), "\"rows\"");
    EXPECT_EQ(chosen("TurboQuantCompressLatent", "128x512", "fp32->4bit").knob("batch"), "0");
    EXPECT_EQ(chosen("TurboQuant 1 token per vector instruction", "1024x512", "fp32").knob("batch"), "1");
}

TEST(OperatorRows, APartOfANameIsNotTheName) {
    EXPECT_EQ(chosen("masked_scale", "4x8; 4x8", "fp16").knob("op"), "\"masked_scale\"");
    EXPECT_EQ(chosen("MaskedScale", "4x8; 4x8", "fp16+uint8").knob("dtype1"), "\"uint8\"");
    EXPECT_EQ(chosen("unsorted_segment_mean", "64x8; 64", "fp32+int32").set.size(), 0U);
    EXPECT_EQ(chosen("mhc_post (1 read, N scaled writes)", "4x8", "fp32").set.size(), 0U);
    EXPECT_EQ(chosen("mhc_post (1 read, N scaled writes)", "x 4x8x16 -> x4", "fp32").knob("streams"), "4");
    EXPECT_EQ(chosen("polar fused", "64x64", "fp32").kernel, "polar");
    EXPECT_NE(chosen("gru", "16x64x256", "fp16").kernel.find("recurrent"), std::string::npos);
    EXPECT_EQ(chosen("gru", "16x64x256", "fp16", "inputSize: 256, hiddenSize: 128").knob("n"), "384");
    EXPECT_EQ(chosen("lstm", "16x64x256", "fp16", "hiddenSize: 128, batchFirst: true").knob("m"), "1024");
    EXPECT_NE(chosen("FooGrad", "16x64", "fp16").kernel.find("gradient"), std::string::npos);
    EXPECT_EQ(chosen("GeluGrad", "16x64; 16x64; 16x64", "fp16").knob("op"), "\"gelu_grad\"");
}

TEST(OperatorRows, NamesOfLibrariesAndProfilersAreOneOperator) {
    for (const char* name : {"torch_npu.npu_sigmoid",
                             "F.sigmoid",
                             "aclnnSigmoid",
                             "torch.nn.functional.sigmoid",
                             "SigmoidV2",
                             "aten::sigmoid_"}) {
        EXPECT_EQ(chosen(name, "4x8", "fp32").knob("op"), "\"sigmoid\"") << name;
    }
    EXPECT_EQ(chosen("AddN", "4x8;4x8;4x8", "fp32").knob("op"), "\"add3\"");
    EXPECT_EQ(chosen("AddN", "[4x8, 4x8]", "fp32").knob("shape"), "[4, 8]");
    EXPECT_EQ(chosen("Atan", "4x8", "fp32").knob("op"), "\"atan\"");
    EXPECT_EQ(chosen("torch.remainder", "4x8;4x8", "fp32").knob("op"), "\"floor_mod\"");
}

TEST(OperatorRows, TensorsAreJoinedWhereTheirExtentsDiffer) {
    const Chosen joined = chosen("ConcatD", "8x10;8x20 -> 8x30", "fp16");
    EXPECT_EQ(joined.kernel, "rearrange");
    EXPECT_EQ(joined.knob("axis"), "1");
    EXPECT_EQ(joined.knob("parts"), "[10, 20]");
    EXPECT_EQ(chosen("torch.cat", "[8x10, 8x10]", "fp16", "dim: -1").knob("parts"), "[10, 10]");
    EXPECT_EQ(chosen("SplitVD", "8x30 -> 8x10;8x20", "fp16").knob("parts"), "[10, 20]");
    EXPECT_EQ(chosen("torch.split", "8x30", "fp16", "split_size: 12, dim: 1").knob("parts"), "[12, 12, 6]");
    EXPECT_EQ(chosen("Pack", "4x8;4x8", "fp16", "axis: 1").knob("shape"), "[4, 2, 8]");
}

TEST(OperatorRows, SlicesFollowBeginEndAndStrides) {
    const Chosen run = chosen("strided_slice",
                              "64x32x9",
                              "fp16",
                              "begin: [4, -1, 0], end: [64, -33, 9], strides: [2, -3, 1], end_mask: 2");
    EXPECT_EQ(run.knob("begin"), "[4, 31, 0]");
    EXPECT_EQ(run.knob("out"), "[30, 11, 9]");
    EXPECT_EQ(run.knob("step"), "[2, 3, 1]");
    EXPECT_EQ(run.knob("flip"), "[1]");
    EXPECT_EQ(chosen("PadV3", "10x10", "fp16", "paddings: [[1, 2], [0, 6]]").knob("out"), "[13, 16]");
    EXPECT_EQ(chosen("F.pad", "10x10", "fp16", "pad: [3, 3]").knob("out"), "[10, 16]");
    EXPECT_EQ(chosen("BroadcastTo", "16x1 -> 16x64", "fp16").kernel, "elementwise");
    EXPECT_EQ(chosen("Tile", "16x8", "fp16", "multiples: [2, 3]").knob("repeats"), "[2, 3]");
    EXPECT_EQ(chosen("torch.flip", "16x8", "fp16", "dims: [0]").knob("flip"), "[0]");
}

TEST(OperatorRows, RunningSumsGoDownColumns) {
    const Chosen down = chosen("Cumsum", "64x32x10", "fp16", "axis: 1");
    EXPECT_EQ(down.kernel, "cumulate");
    EXPECT_EQ(down.knob("shape"), "[64, 32, 10]");
    EXPECT_EQ(chosen("torch cumsum", "128x4000", "fp32").kernel, "transpose");
    EXPECT_EQ(chosen("cummin", "64x32", "fp32", "dim: 0").knob("indices"), "true");
}

TEST(OperatorRows, ABatchIsNormalisedByItself) {
    EXPECT_EQ(chosen("torch BatchNorm", "16x64x256x256", "fp32").kernel, "batch_norm");
    EXPECT_EQ(chosen("BatchNormV3", "8x64x32x32", "fp16").knob("shape"), "[8, 64, 32, 32]");
}

TEST(OperatorRows, SmallMatricesAreMadeDoublyStochastic) {
    const Chosen run = chosen("mhc_sinkhorn", "1024x4x4", "fp32", "iter_step: 7, eps: 1e-06");
    EXPECT_EQ(run.kernel, "sinkhorn");
    EXPECT_EQ(run.knob("steps"), "7");
}

TEST(OperatorRows, AMaskOfScoresIsRead) {
    EXPECT_EQ(chosen("ScaledMaskedSoftmax", "4x2x8x64; 1x1x8x64", "fp16+bool").knob("mask"), "[1, 1, 8, 64]");
    EXPECT_EQ(chosen("scaled_masked_softmax", "2x8x64", "fp16").knob("mask"), "[1, 1, 8, 64]");
    EXPECT_EQ(chosen("ScaledMaskedSoftmax", "4x2x8x50; 4x1x8x50", "fp16+bool").kernel, "softmax");
}

TEST(OperatorRows, GradientsOfRowsKnowTheirKind) {
    EXPECT_EQ(chosen("SoftmaxGrad", "64x32; 64x32", "fp16").knob("kind"), "\"softmax_grad\"");
    EXPECT_EQ(chosen("aclnnRmsNormGrad", "8x64x32; 8x64x32; 512; 32", "fp16").knob("shape"), "[512, 32]");
    EXPECT_EQ(chosen("LayerNormGradV3", "64x32; 64x32; 64; 64; 32", "fp16").knob("kind"),
              "\"layer_norm_grad\"");
    EXPECT_EQ(chosen("cross_entropy_loss", "64x1000; 64", "fp32+int64").kernel, "softmax");
}

TEST(OperatorRows, HeadsAreTheAxesTheAnglesLack) {
    EXPECT_EQ(chosen("RotaryMul", "2x64x32x128; 1x64x1x128; 1x64x1x128", "fp16").knob("shape"),
              "[128, 32, 128]");
    EXPECT_EQ(chosen("RotaryMul", "2x64x32x128; 1x64x1x128; 1x64x1x128", "fp16").knob("positions"), "64");
    EXPECT_EQ(chosen("RotaryMul", "2x32x64x128; 1x1x64x128; 1x1x64x128", "fp16").knob("shape"),
              "[4096, 1, 128]");
    const char* notes =
        "case 1; ConcatD\u00d72 + BroadcastTo\u00d72 + ApplyRotaryPosEmb; layout: 0, rotaryMode: half";
    EXPECT_EQ(
        chosen("apply_rotary_pos_emb", "16x512x16x128; 16x512x16x128; 512x64; 512x64", "fp16", notes).kernel,
        "rearrange");
    const Chosen both =
        chosen("apply_rotary_pos_emb", "16x512x16x128; 16x512x16x128; 512x128; 512x128", "fp16");
    EXPECT_EQ(both.kernel, "apply_rotary");
    EXPECT_EQ(both.knob("tokens"), "8192");
    EXPECT_EQ(both.knob("queries"), "16");
    EXPECT_EQ(both.knob("keys"), "16");
    // Heads of another width turn by the kernel for any.
    EXPECT_EQ(
        chosen("apply_rotary_pos_emb", "16x512x16x64; 16x512x16x64; 512x64; 512x64", "fp16").knob("shape"),
        "[8192, 32, 64]");
}

TEST(OperatorRows, IndicesSayWhereRowsAndElementsGo) {
    EXPECT_EQ(
        chosen("unsorted_segment_sum", "2048x2048; 2048", "fp32+int32", "num_segments: 512").knob("rows"),
        "512");
    EXPECT_EQ(chosen("EmbeddingDenseGrad", "4096x1024; 4096 -> 50000x1024", "fp32").knob("schedule"),
              "\"sorted\"");
    EXPECT_EQ(chosen("ScatterNdUpdate", "10000x128; 512x1; 512x128", "fp16").knob("shape"), "[512, 128]");
    EXPECT_EQ(chosen("IndexPutV2", "10000x128; 512x128; 512", "fp16").knob("rows"), "10000");
    EXPECT_EQ(chosen("GatherElements", "363x367x373; 181x367x373", "fp16+int32", "dim: 1").knob("axis"), "1");
    EXPECT_EQ(chosen("scatter", "64x32; 16x32; 16x32", "fp32", "dim: 0, reduce: add").kernel, "elementwise");
    EXPECT_EQ(chosen("GatherV2", "9496x5120; 41040; 1", "bf16+int32").kernel, "elementwise");
    const Chosen shard = chosen("GatherV2", "9496x5120; 41040; 1", "bf16+int32", "shards: 16");
    EXPECT_EQ(shard.kernel, "index_rows");
    EXPECT_EQ(shard.knob("count"), "41040");
    EXPECT_EQ(shard.knob("shards"), "16");
    EXPECT_EQ(chosen("Sort", "16x151936", "fp32").kernel, "sort");
    EXPECT_EQ(chosen("Sort", "64x1000", "fp32").knob("shape"), "[64, 1000]");
    EXPECT_EQ(chosen("torch topk k=100", "64x1000", "fp32").knob("k"), "100");
    EXPECT_EQ(chosen("TransData", "1000x1024", "fp16", "ND to FRACTAL_NZ").knob("shape"),
              "[1, 1008, 64, 16]");
}

TEST(OperatorRows, WhatCannotRunSaysWhy) {
    EXPECT_NE(chosen("top_k", "2048x2048", "int8", "k: 100").kernel.find("AI CPU"), std::string::npos);
    EXPECT_NE(chosen("FlashFoo", "8x8", "fp16").kernel.find("FlashFoo"), std::string::npos);
}

TEST(OperatorRows, NamesThatSayMoreThanAKernelDoesAreRefused) {
    EXPECT_EQ(chosen("add_rms_norm_dynamic_quant", "152x7680; 152x7680; 7680", "bf16").kernel, "row_norm");
    for (const char* name : {"multi_add_rms_norm_dynamic_quant", "MultiAddRmsNormDynamicQuant"}) {
        const std::string reason = chosen(name, "152x7680; 152x7680; 7680; 7680; 7680", "bf16").kernel;
        EXPECT_NE(reason.find("no kernel of ours does the work of"), std::string::npos) << reason;
        EXPECT_NE(reason.find("is unknown"), std::string::npos) << reason;
    }
    for (const char* name : {"arg_max", "ArgMaxWithValue", "argmin"}) {
        EXPECT_EQ(chosen(name, "16x256", "fp32", "dim: 1").kernel,
                  "the index of an extreme is found by no kernel of ours");
    }
    const std::string sampled = chosen("top_k_top_p_sample_v2", "4x1024; 4; 4", "fp16", "k: 4").kernel;
    EXPECT_NE(sampled.find("'p' in its name is unknown"), std::string::npos) << sampled;
}

}  // namespace
}  // namespace ascendsim::validation
