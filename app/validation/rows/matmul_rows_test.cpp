// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/matmul_rows.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "models/spec/chip_file.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {
namespace {

Measurement row_of(const std::string& id,
                   const std::string& source,
                   const std::string& kernel,
                   const std::string& shape,
                   const std::string& dtype,
                   const std::string& notes = {},
                   const std::string& cores = "24") {
    Measurement row;
    row.id = id;
    row.source = source;
    row.kernel = kernel;
    row.shape = shape;
    row.dtype = dtype;
    row.metric = "task_duration";
    row.value = 1;
    row.unit = "us";
    row.notes = notes;
    row.cores = cores;
    return row;
}

/// The value of a knob in the row's only run, as it would be set; what stands against it otherwise.
std::string knob(const Measurement& measurement, const std::string& name) {
    const ChipSpec chip = load_chip("910b1", toolchain::Installation::find().chips());
    const SourceRule source;
    const Row row{measurement};
    for (const NamedFamily& family : make_families()) {
        if (family.name != measurement.family()) {
            continue;
        }
        const Adapted adapted = family.family->adapt(row, {.chip = chip, .source = source});
        if (const auto* why = std::get_if<WhyNot>(&adapted)) {
            return "why not: " + why->reason;
        }
        const KernelRun& run = std::get<Case>(adapted).runs.at(0);
        const auto found = std::ranges::find(run.set, "kernel." + name, &scenario::Override::path);
        return found == run.set.end() ? "unset" : found->value;
    }
    return "no family";
}

TEST(MatmulRows, ProductsAreReadInAnySpelling) {
    for (const auto& [shape, kernel] : {std::pair{"M4096 N6144 K12288", "aclnn MatMul (B transposed)"},
                                        {"m=4096, n=6144, k=12288", "matmul b_transposed"},
                                        {"4096x12288; 6144x12288", "MatMulV2"},
                                        {"[4096,12288] [6144,12288]", "torch.matmul (transpose B)"}}) {
        const Measurement measurement = row_of("GEMM-1", "x", kernel, shape, "fp16");
        const std::optional<Product> product = product_of(Row{measurement});
        ASSERT_TRUE(product) << shape;
        EXPECT_EQ(product->m, 4096U) << shape;
        EXPECT_EQ(product->n, 6144U) << shape;
        EXPECT_EQ(product->k, 12288U) << shape;
        EXPECT_TRUE(product->transpose_b) << shape;
    }
}

TEST(MatmulRows, BatchesAndVectorsAreProductsToo) {
    const Measurement batch = row_of("GEMM-1", "x", "BatchMatMul", "12x1024x512; 12x512x256", "bf16");
    EXPECT_EQ(knob(batch, "groups"), "12");
    EXPECT_EQ(knob(batch, "n"), "256");
    EXPECT_EQ(knob(batch, "dtype"), "\"bfloat16\"");
    EXPECT_EQ(knob(row_of("GEMM-3", "x", "MatMul", "M8 N16 K32, batch 4", "fp16"), "groups"), "4");
    EXPECT_EQ(knob(row_of("GEMM-4", "x", "MatMul", "1024x512 x 512x64", "fp16"), "n"), "64");
    const Measurement vector = row_of("GEMM-2", "x", "torch addmv", "4096x8192 addmv", "fp16");
    EXPECT_EQ(knob(vector, "m"), "1");
    EXPECT_EQ(knob(vector, "n"), "4096");
    EXPECT_EQ(knob(vector, "k"), "8192");
}

TEST(MatmulRows, TheVendorsLadderIsTakenStepByStep) {
    const auto step = [](const std::string& notes, const std::string& cores, const std::string& name) {
        return knob(row_of("GEMM-1",
                           "asc-devkit/matmul_high_performance/README",
                           "Matmul",
                           "M8192 N8192 K8192",
                           "fp16",
                           notes,
                           cores),
                    name);
    };
    EXPECT_EQ(step("case0 base 64x64x64, single core", "1", "base_m"), "64");
    EXPECT_EQ(step("case0 base 64x64x64, single core", "1", "blocks"), "1");
    EXPECT_EQ(step("case0 base 64x64x64, single core", "1", "l1_buffers"), "1");
    EXPECT_EQ(step("case2 24 cores 2x12 split", "24", "grid_m"), "2");
    EXPECT_EQ(step("case2 24 cores 2x12 split (singleM 4096, singleN 683)", "24", "core_columns"), "683");
    EXPECT_EQ(step("case3 24 cores 4x6 split", "24", "core_columns"),
              "unset");  // whole tiles, as the sample's 1536
    EXPECT_EQ(step("case3 24 cores 4x6 split", "24", "direction"), "\"columns\"");
    EXPECT_EQ(step("case3 24 cores 4x6 split", "24", "rounds"), "1");
    EXPECT_EQ(step("case6 +L2 M split", "24", "rounds"), "2");
    EXPECT_EQ(step("case4 +MDL bulk copy, depthA1=4", "24", "step_k"), "2");
    EXPECT_EQ(step("case4 +MDL bulk copy, depthA1=4", "24", "step_k_b"), "4");
    EXPECT_EQ(step("case5 +L1 depthA1=16", "24", "step_k"), "8");
    EXPECT_EQ(step("case4 +MDL bulk copy, depthA1=4", "24", "l1_buffers"), "2");
    EXPECT_EQ(step("case4 +MDL bulk copy, depthA1=4", "24", "grid_m"), "4");
    EXPECT_EQ(step("case0 base 64x64x64, single core", "1", "unit_flag"),
              "true");  // the Norm template's default
    EXPECT_EQ(step("case8 +UnitFlag", "24", "unit_flag"), "true");
    EXPECT_EQ(step("case5 +L1 depthA1=16", "24", "unit_flag"), "unset");
}

TEST(MatmulRows, TilesOfLibrariesAreInTheirOwnOrder) {
    const Measurement pto =
        row_of("GEMM-1", "pto-isa gemm", "GEMM base 128/64/256 stepK 4", "M1536 N1536 K1536", "fp16");
    EXPECT_EQ(knob(pto, "base_n"), "256");  // m / k / n
    EXPECT_EQ(knob(pto, "base_k"), "64");
    const Measurement catlass = row_of("GEMM-2",
                                       "catlass docs",
                                       "catlass matmul",
                                       "M20 N6144 K16384",
                                       "fp16",
                                       "B zN, tile 32x320x128",
                                       "20");
    EXPECT_EQ(knob(catlass, "base_n"), "320");
    EXPECT_EQ(knob(catlass, "b_format"), "\"nz\"");
    EXPECT_EQ(knob(catlass, "blocks"), "20");
    EXPECT_EQ(knob(catlass, "base_k"), "32");              // a quarter of the tile's
    EXPECT_EQ(knob(catlass, "direction"), "\"columns\"");  // m < n
}

// docs/en/1_Practice/11_matmul_optimization.md: <3, 1> before, <4, 1> after; <32, 320, 128> for the retuned
// row-major B.
TEST(MatmulRows, CatlassCasesTakeTheTilesAndSwizzlesOfTheirGuide) {
    const auto stated = [](const std::string& notes, const std::string& name) {
        return knob(
            row_of("GEMM-1", "catlass docs", "catlass matmul", "M160 N6144 K2048", "fp16", notes, "20"),
            name);
    };
    EXPECT_EQ(stated("B zN, before swizzle", "swizzle"), "3");
    EXPECT_EQ(stated("B zN, after swizzle", "swizzle"), "4");
    EXPECT_EQ(stated("B row-major, retuned (slower)", "base_n"), "320");
    EXPECT_EQ(stated("B row-major, before", "base_n"), "256");
}

TEST(QuantisedRows, GroupsFollowTheListOrAreEven) {
    const std::string source = "cann-bench";
    const Measurement listed =
        row_of("QGEMM-1",
               source,
               "grouped_matmul",
               "769x127; 4x127x255; 4x255",
               "bf16+fp32",
               "group_list: [192, 385, 577, 769], split_item: 0, transpose_weight: false",
               "n/s");
    EXPECT_EQ(knob(listed, "group_ends"), "[192, 385, 577, 769]");
    EXPECT_EQ(knob(listed, "n"), "255");
    const Measurement even = row_of("QGEMM-2", source, "GroupedMatmulV4", "100x64; 4x32x64", "fp16");
    EXPECT_EQ(knob(even, "group_ends"), "[25, 50, 75, 100]");
    EXPECT_EQ(knob(even, "transpose_b"), "true");
}

TEST(QuantisedRows, ScalesOfColumnsLeaveTheCubeAsHalf) {
    const Measurement columns = row_of("QGEMM-1",
                                       "cann-bench",
                                       "quant_matmul (QuantBatchMatmulV3)",
                                       "1024x4096; 4096x4096; 4096",
                                       "int8+fp32",
                                       "output_dtype: float16",
                                       "n/s");
    EXPECT_EQ(knob(columns, "out_dtype"), "\"float16\"");
    const Measurement rows = row_of("QGEMM-2",
                                    "cann-bench",
                                    "quant_matmul (QuantBatchMatmulV3)",
                                    "1024x4096; 4096x4096; 4096; -; 1024",
                                    "int8+fp32",
                                    "output_dtype: float16",
                                    "n/s");
    EXPECT_EQ(knob(rows, "out_dtype"), "\"int32\"");
    const Measurement weights =
        row_of("QGEMM-3", "x", "WeightQuantBatchMatmulV2", "8x4096; 4096x2048; 2048", "fp16+int8");
    EXPECT_EQ(knob(weights, "n"), "2048");
}

// ops-transformer, grouped_matmul_tiling.cpp: 256 columns; L0B holds two pieces of them, 64 deep for 2 B and
// 32 for 4 B an element; at most 128 rows; all cores are launched.
TEST(QuantisedRows, TheLibrarysGroupsAreCutAsPublished) {
    const Measurement wide =
        row_of("QGEMM-1",
               "cann-bench",
               "grouped_matmul",
               "7001x127; 4x255x127; 4x255",
               "fp16",
               "group_list: [1750, 3500, 5250, 7001], split_item: 2, transpose_weight: true",
               "n/s");
    EXPECT_EQ(knob(wide, "base_m"), "128");
    EXPECT_EQ(knob(wide, "base_n"), "256");
    EXPECT_EQ(knob(wide, "base_k"), "64");
    EXPECT_EQ(knob(wide, "blocks"), "24");
    const Measurement few = row_of("QGEMM-2",
                                   "cann-bench",
                                   "grouped_matmul",
                                   "130x511; 4x128x511",
                                   "fp32",
                                   "group_list: [30, 70, 100, 130], split_item: 3, transpose_weight: true",
                                   "n/s");
    EXPECT_EQ(knob(few, "base_m"), "48");  // the largest group's 40 rows in whole fractals
    EXPECT_EQ(knob(few, "base_k"), "32");
}

// Up to 64 rows of whole blocks are split, more are multiplied with widened weights, whose kernel knows
// base_n alone.
TEST(QuantisedRows, FewRowsAreSplitInsteadOfWideningWeights) {
    const auto kernel = [](const char* shape) {
        const ChipSpec chip = load_chip("910b2", toolchain::Installation::find().chips());
        const SourceRule source;
        const Measurement row = row_of("QGEMM-1",
                                       "cann-bench",
                                       "weight_quant_batch_matmul (WeightQuantBatchMatmulV2)",
                                       shape,
                                       "fp16+int8");
        for (const NamedFamily& family : make_families()) {
            if (family.name == "QGEMM") {
                const Adapted adapted = family.family->adapt(Row{row}, {.chip = chip, .source = source});
                return std::get<Case>(adapted).runs.at(0).kernel;
            }
        }
        return std::string{};
    };
    EXPECT_EQ(kernel("64x4096; 4096x14336; 14336"), "weight_quant_few_rows");
    EXPECT_EQ(kernel("65x4096; 4096x14336; 14336"), "weight_quant_matmul");
}

TEST(QuantisedRows, TheVendorsGeluStepsDifferInVectorCoresAndSlots) {
    const auto step = [](const char* notes, const char* name) {
        return knob(row_of("QGEMM-1",
                           "asc-devkit",
                           "QuantGroupMatmul+Gelu MIX",
                           "x[8192,1024] w[8,1024,8192] NZ",
                           "int8->fp16",
                           notes),
                    name);
    };
    EXPECT_EQ(step("s0 1 AIV per AIC, serial", "vectors"), "1");
    EXPECT_EQ(step("s0 1 AIV per AIC, serial", "slots"), "1");
    EXPECT_EQ(step("s1 2 AIV per AIC", "vectors"), "2");
    EXPECT_EQ(step("s1 2 AIV per AIC", "slots"), "1");
    EXPECT_EQ(step("s2 +4-stage cube/vector pipeline", "slots"), "4");
    EXPECT_EQ(step("s2 +4-stage cube/vector pipeline", "group_ends"),
              "[1024, 2048, 3072, 4096, 5120, 6144, 7168, 8192]");
}

// ops-nn, quant_batch_matmul_v3_basic_tiling.cpp: basic blocks of 128 x 256 unless one side fits a single
// block.
TEST(QuantisedRows, TheLibrarysBasicBlocksTakeLargeProducts) {
    const auto chosen = [](const char* shape, const char* name) {
        return knob(row_of("QGEMM-1",
                           "cann-bench",
                           "quant_matmul (QuantBatchMatmulV3)",
                           shape,
                           "int8+fp32",
                           "output_dtype: float16",
                           "n/s"),
                    name);
    };
    EXPECT_EQ(chosen("1024x3584; 3584x3584; 3584", "base_m"), "128");
    EXPECT_EQ(chosen("1024x3584; 3584x3584; 3584", "base_n"), "256");
    EXPECT_EQ(chosen("1024x3584; 3584x3584; 3584", "base_k"), "128");
    EXPECT_EQ(chosen("32x256; 256x512; 512", "base_m"), "unset");
    EXPECT_EQ(chosen("8x128x2048; 8x2048x4096; 4096", "base_m"), "unset");
}

// ops-nn, matmul_v3_base_tiling.cpp: rows of 2080 B are no whole 256 B, those of 2048 B are; 128 B are read
// as they are.
TEST(MatmulRows, TheLibraryTurnsUnalignedOperandsIntoNzFirst) {
    const auto runs = [](const char* shape) {
        const ChipSpec chip = load_chip("910b2", toolchain::Installation::find().chips());
        const SourceRule source;
        const Measurement row = row_of("GEMM-1", "x", "aclnn MatMul", shape, "fp16");
        std::vector<std::string> kernels;
        const Adapted adapted = matmul_case(Row{row}, {.chip = chip, .source = source});
        for (const KernelRun& run : std::get<Case>(adapted).runs) {
            kernels.push_back(run.kernel);
        }
        return kernels;
    };
    EXPECT_THAT(runs("M512 N1024 K1040"), testing::ElementsAre("nd2nz", "matmul"));
    EXPECT_THAT(runs("M512 N1009 K1040"), testing::ElementsAre("nd2nz", "nd2nz", "matmul"));
    EXPECT_THAT(runs("M1009 N1024 K1024"), testing::ElementsAre("matmul"));
    EXPECT_THAT(runs("M64 N64 K64"), testing::ElementsAre("matmul"));
}

// ops-transformer, mla_prolog_tiling.cpp: 1536 columns over 24 cores are 64 each, the 576 of the keys strips
// of 64; of 24576, 1024 each core's, blocks of 128 are taken at a time.
TEST(FusedRows, TheProloguesProductsAreCutAsPublished) {
    const Measurement row =
        row_of("FUSED-1",
               "cann-bench",
               "mla_prolog",
               "4x16x7168; 7168x1536; 1536x24576; 128x128x512; 7168x576; 1536; 512; 4x16x64; 4x16x64",
               "bf16");
    EXPECT_EQ(knob(row, "m"), "64");
    EXPECT_EQ(knob(row, "base_n"), "64");
    EXPECT_EQ(knob(row, "b_format"), "\"nz\"");
    const auto blocks = [](const Measurement& measurement) {
        const ChipSpec chip = load_chip("910b2", toolchain::Installation::find().chips());
        const SourceRule source;
        std::vector<std::string> found;
        for (const NamedFamily& family : make_families()) {
            if (family.name == "FUSED") {
                const Adapted adapted =
                    family.family->adapt(Row{measurement}, {.chip = chip, .source = source});
                for (const KernelRun& run : std::get<Case>(adapted).runs) {
                    const auto base = std::ranges::find(run.set, "kernel.base_n", &scenario::Override::path);
                    found.push_back(base == run.set.end() ? "unset" : base->value);
                }
            }
        }
        return found;
    };
    EXPECT_THAT(blocks(row), testing::ElementsAre("64", "64", "128", "128"));
    const Measurement other = row_of("FUSED-2",
                                     "cann-bench",
                                     "mla_prolog",
                                     "4x16x7168; 7168x1536; 1024x24576; 128x128x512; 7168x576",
                                     "bf16");
    EXPECT_EQ(knob(other, "m"), "why not: the shapes are not those of x and four weights");
}

TEST(ConvolutionRows, BlockedImagesSayTheirFilter) {
    const Measurement row = row_of("CONV-1",
                                   "pto-isa",
                                   "Conv2d 3x3 stride1 pad1",
                                   "X NC1HWC0 [4,16,12,64,16] K [144,192,16,16]",
                                   "fp16");
    EXPECT_EQ(knob(row, "filter"), "3");
    EXPECT_EQ(knob(row, "n1"), "192");
    EXPECT_EQ(knob(row, "width"), "64");
}

}  // namespace
}  // namespace ascendsim::validation
