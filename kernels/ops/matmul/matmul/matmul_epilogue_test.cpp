// SPDX-License-Identifier: Apache-2.0
// What matmul does to its sums before they leave: a bias, and activations.
#include <random>

#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "kernels/testing/plain_run.hpp"

namespace ascendsim {
namespace {

using testing::Settings;

void expect_right(const Settings& settings, std::uint64_t elements, const char* chip) {
    const testing::KernelRun run = testing::run_kernel("matmul", settings, {.chip = chip});
    EXPECT_TRUE(run.clean()) << run.report();
    EXPECT_TRUE(run.passed()) << run.report();
    ASSERT_EQ(run.comparisons.size(), 1U);
    EXPECT_EQ(run.comparisons[0].count, elements);
}

TEST(MatmulEpilogue, RandomProductsBeginWithABiasAndLeaveByRelu) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 source{seed};
    const auto random = [&source](int low, int high) {
        return std::uniform_int_distribution<std::int64_t>{low, high}(source);
    };
    testing::PlainRun run{"matmul"};
    for (int trial = 0; trial < 40; ++trial) {
        host::Knobs knobs = run.knobs();
        knobs.set("m", random(1, 300));
        knobs.set("n", random(1, 300));
        knobs.set("k", random(1, 400));
        const char* const types[]{"float16", "bfloat16", "float32"};
        knobs.set("dtype", std::string{types[random(0, 2)]});
        knobs.set("out_dtype", std::string{types[random(0, 2)]});
        knobs.set("transpose_a", random(0, 1) == 1);
        knobs.set("transpose_b", random(0, 1) == 1);
        knobs.set("unit_flag", random(0, 1) == 1);
        if (random(0, 1) == 1) {
            knobs.set("base_m", 32 * random(1, 4));
            knobs.set("base_n", 32 * random(1, 4));
            knobs.set("base_k", 32 * random(1, 2));
            knobs.set("step_k", random(1, 3));
        }
        knobs.set("l1_buffers", random(0, 2));
        knobs.set("l0_buffers", random(0, 2));
        knobs.set("blocks", random(0, 24));
        knobs.set("bias", random(0, 3) != 0);
        knobs.set("activation", std::string{random(0, 1) == 1 ? "relu" : "none"});
        const std::vector<host::Comparison> results = run.run(knobs, seed);
        ASSERT_EQ(results.size(), 1U);
        EXPECT_EQ(results[0].failures, 0U)
            << run.plan(knobs).problem << ": max error " << results[0].max_absolute;
    }
}

// Tiles of 32 x 48 of 77 rows and 112 columns, on two cores: biases change from tile to tile.
Settings tiled(const Settings& more) {
    Settings all{{"m", "77"},
                 {"n", "112"},
                 {"k", "200"},
                 {"base_m", "32"},
                 {"base_n", "48"},
                 {"blocks", "2"},
                 {"bias", "true"}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

TEST(MatmulEpilogue, FixpipeDoesRelu) {
    expect_right(tiled({{"activation", "relu"}}), 77 * 112, "910b3");
    EXPECT_EQ(testing::plan_kernel("matmul", tiled({{"activation", "relu"}}), "910b3").launches[0].cores,
              CoreUse::aic);
}

TEST(MatmulEpilogue, AShortDepthChangesTheTableAtEveryStep) {
    Settings settings = tiled({});
    settings[2].second = "16";  // one Mmad a tile
    expect_right(settings, 77 * 112, "910b3");
}

TEST(MatmulEpilogue, VectorCoresDoOtherActivations) {
    expect_right(tiled({{"activation", "gelu_erf"}}), 77 * 112, "910b3");
    EXPECT_EQ(testing::plan_kernel("matmul", tiled({{"activation", "gelu_erf"}}), "910b3").launches[0].cores,
              CoreUse::mix_1_2);
}

TEST(MatmulEpilogue, VectorCoresTakeRowsThatAreNoWholeBlocks) {
    expect_right(
        {{"m", "50"}, {"n", "37"}, {"k", "64"}, {"bias", "true"}, {"activation", "silu"}}, 50 * 37, "910b3");
}

TEST(MatmulEpilogue, ProductsInABatchShareTheBias) {
    expect_right(tiled({{"groups", "3"}, {"activation", "tanh"}}), 3 * 77 * 112, "910b3");
}

TEST(MatmulEpilogue, ABiasIsAddedOnTheWayOutOn310p) {
    expect_right(tiled({{"activation", "relu"}}), 77 * 112, "310p3");
}

TEST(MatmulEpilogue, FloatsAreActivatedOnTheWayOutOn910a) {
    expect_right(tiled({{"activation", "silu"}, {"out_dtype", "float32"}}), 77 * 112, "910a");
}

TEST(MatmulEpilogue, WideTilesLeaveInSeveralPiecesOn910a) {
    // 528 columns are more than one piece of the way through the unified buffer.
    expect_right({{"m", "77"},
                  {"n", "528"},
                  {"k", "64"},
                  {"bias", "true"},
                  {"activation", "leaky_relu"},
                  {"low", "0.5"}},
                 77 * 528,
                 "910a");
}

std::string refusal(const Settings& settings) {
    try {
        static_cast<void>(testing::plan_kernel("matmul", settings, "910b3"));
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

TEST(MatmulEpilogue, SumsThatAreNotWholeAreRefused) {
    EXPECT_THAT(refusal({{"activation", "relu"}, {"split_k", "2"}, {"out_dtype", "float32"}}),
                ::testing::HasSubstr("no sum is complete"));
    EXPECT_THAT(refusal({{"bias", "true"}, {"dtype", "int8"}}), ::testing::HasSubstr("matmul_object"));
    EXPECT_THAT(refusal({{"bias", "true"}, {"k", "0"}}), ::testing::HasSubstr("k must be at least 1"));
    EXPECT_THAT(refusal({{"bias", "true"}, {"base_n", "512"}}),
                ::testing::HasSubstr("the bias table holds 256 columns"));
    EXPECT_THAT(refusal({{"activation", "clip"}, {"low", "2"}, {"high", "1"}}),
                ::testing::HasSubstr("at least low"));
}

}  // namespace
}  // namespace ascendsim
