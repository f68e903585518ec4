// SPDX-License-Identifier: Apache-2.0
#include "scenarios/validation/operator_rows.hpp"

#include <gtest/gtest.h>

namespace ascendsim::validation {
namespace {

struct Chosen {
    std::string kernel;
    std::vector<Override> set;

    [[nodiscard]] std::string knob(const std::string& name) const { return value("kernel." + name); }

    [[nodiscard]] std::string value(const std::string& path) const {
        for (const Override& one : set) {
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

// As their published sources do: none for compiled operators, in the object of some, in the entry function else.
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

TEST(OperatorRows, WhatCannotRunSaysWhy) {
    EXPECT_NE(chosen("top_k", "2048x2048", "int8", "k: 100").kernel.find("AI CPU"), std::string::npos);
    EXPECT_NE(chosen("FlashFoo", "8x8", "fp16").kernel.find("FlashFoo"), std::string::npos);
}

}  // namespace
}  // namespace ascendsim::validation
