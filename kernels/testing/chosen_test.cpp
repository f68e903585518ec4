// SPDX-License-Identifier: Apache-2.0
// What plans say of knobs that are left to them. The chip is the 910B3: 20 cube and 40 vector cores, 192 KiB
// of UB, 192 MiB of L2.
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::map<std::string, std::uint64_t> chosen_by(const std::string& kernel,
                                               const testing::Settings& settings = {}) {
    return testing::plan_kernel(kernel, settings).chosen;
}

constexpr std::uint64_t ub = 192 * 1024;

TEST(Chosen, RowsOfATileOrElementsOfARow) {
    // A row of 4096 takes x, y twice in 2 B, two floats and 200 B; the weights stand beside it, and 4 KiB are
    // kept back.
    constexpr std::uint64_t row = 4096 * (2 * (2 + 2) + 8) + 200;
    EXPECT_THAT(chosen_by("row_norm", {{"shape", "4096,4096"}}),
                ElementsAre(Pair("tile", (ub - 4096 - 4096 * (4 + 2)) / row)));
    // No row of 200000 fits: pieces in whole repeats of 128, the weights' pieces with them.
    EXPECT_THAT(chosen_by("row_norm", {{"shape", "4,200000"}}),
                ElementsAre(Pair("chunk", (ub - 4096 - 512) / (16 + 6) / 128 * 128)));
    // As many as a core has, in four tiles: 64 rows on 40 cores are 2 each, but 4096 elements at the least.
    EXPECT_THAT(chosen_by("rms_norm", {{"shape", "64,4096"}}), ElementsAre(Pair("tile", 1)));
    EXPECT_THAT(chosen_by("layer_norm_gelu", {{"shape", "64,4096"}}), ElementsAre(Pair("tile", 1)));
}

TEST(Chosen, TokensBlocksAndChunksOfACore) {
    EXPECT_THAT(chosen_by("topk_gating", {{"tokens", "1024"}}), ElementsAre(Pair("tile", 26)));  // 1024 / 40
    EXPECT_THAT(chosen_by("top_k", {{"shape", "400,1024"}}), ElementsAre(Pair("tile", 5)));      // half of 10
    // Blocks of 128 beside 25 KiB, in eights: x and y twice, two floats each, and three scales.
    constexpr std::uint64_t block = 128 * (2 * (2 + 1) + 8) + 3 * 4;
    EXPECT_THAT(chosen_by("block_quant"), ElementsAre(Pair("tile", (ub - 25 * 1024) / block / 8 * 8)));
    // The power of two below 1024 / 40.
    EXPECT_THAT(chosen_by("gdn_gating", {{"shape", "1024,32"}}), ElementsAre(Pair("chunk", 16)));
    EXPECT_THAT(chosen_by("codebook_quant", {{"shape", "100,512"}}), ElementsAre(Pair("batch", 3)));  // 2.5
    EXPECT_THAT(chosen_by("codebook_quant", {{"shape", "1024,512"}}), ElementsAre(Pair("batch", 12)));
}

TEST(Chosen, PiecesOfRows) {
    EXPECT_THAT(chosen_by("sort", {{"shape", "16,1000"}}),
                ElementsAre(Pair("piece", 1024)));  // in runs of 32
    EXPECT_THAT(chosen_by("sort", {{"shape", "16,65536"}}), ElementsAre(Pair("piece", 8192)));  // the most
    // Halves and their float sums in L2, in whole tiles of 128 x 128.
    constexpr std::uint64_t tile = 128 * 128;
    constexpr std::uint64_t l2 = 192 * 1024 * 1024;
    EXPECT_THAT(chosen_by("long_scan"), ElementsAre(Pair("part", l2 / (2 + 4) / tile * tile)));
    EXPECT_THAT(chosen_by("long_scan", {{"schedule", "rows"}}), ElementsAre());
}

TEST(Chosen, TilesOfCopies) {
    // 128 KiB a copy: 2 KiB of a row, 64 rows.
    EXPECT_THAT(chosen_by("copy", {{"route", "gm_to_ub"}}),
                ElementsAre(Pair("tile_columns", 2048 / 2), Pair("tile_rows", 64)));
    // Half of UB but 1 KiB, in lines of 512 B, in elements of 2 B.
    EXPECT_THAT(chosen_by("copy", {{"route", "through"}}),
                ElementsAre(Pair("tile_columns", (ub - 1024) / 2 / 512 * 512 / 2)));
    EXPECT_THAT(chosen_by("copy", {{"route", "spread"}}), ElementsAre());  // which reads neither knob
    EXPECT_THAT(chosen_by("nd2nz", {{"tile_rows", "144"}}), ElementsAre(Pair("column_pitch", 145)));
}

TEST(Chosen, TilesOfProducts) {
    // One round of tiles over 20 core groups: 2048 / 20 columns, in blocks of 32.
    EXPECT_THAT(chosen_by("weight_quant_matmul", {{"m", "16"}, {"n", "2048"}}),
                ElementsAre(Pair("base_n", 128)));
    // The most, which L1 holds twice: 128 channels of it, and three slices of the image.
    EXPECT_THAT(chosen_by("conv_filter_grad"), ElementsAre(Pair("chunk", 512)));
    EXPECT_GT(chosen_by("swiglu").at("vector_rows"), 0U);
    EXPECT_GT(chosen_by("matmul", {{"schedule", "grid"}}).at("grid_m"), 0U);
}

TEST(Chosen, SetByHandItIsTheSamePlan) {
    const testing::Settings size{{"m", "1024"}, {"n", "512"}, {"k", "2048"}};
    const host::Plan open = testing::plan_kernel("matmul_object", size);
    testing::Settings settings = size;
    for (const auto& [knob, value] : open.chosen) {
        settings.emplace_back(knob, std::to_string(value));
    }
    EXPECT_EQ(open.chosen.size(), 9U);  // single, base, step, depth of each operand
    const host::Plan fixed = testing::plan_kernel("matmul_object", settings);
    EXPECT_EQ(fixed.problem, open.problem);  // which names cores, shares and blocks
    EXPECT_EQ(fixed.chosen, open.chosen);
}

}  // namespace
}  // namespace ascendsim
