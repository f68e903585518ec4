// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/child_run.hpp"
#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

void expect_right(const Settings& settings, std::uint64_t elements, const char* chip = "910b2") {
    const KernelRun run = run_kernel("conv2d", settings, {.chip = chip});
    EXPECT_TRUE(run.clean()) << run.report();
    EXPECT_TRUE(run.passed()) << run.report();
    ASSERT_EQ(run.comparisons.size(), 1U);
    EXPECT_EQ(run.comparisons[0].count, elements);
}

bool right_in_child(const Settings& settings, const char* chip) {
    return testing::in_child([&]() -> std::uint64_t {
               const KernelRun run = run_kernel("conv2d", settings, {.chip = chip});
               return run.clean() && run.passed() ? 1 : 0;
           }) == 1;
}

TEST(Conv2d, ThreeByThreeWithTilesThatBeginWithinARow) {
    // Output 9 x 20 = 180 positions: tiles of 48 begin at columns 0, 8, 16, 4.
    expect_right({{"batch", "2"},
                  {"c1", "3"},
                  {"height", "9"},
                  {"width", "20"},
                  {"n1", "3"},
                  {"base_m", "48"},
                  {"base_n", "32"},
                  {"chunk", "2"}},
                 2 * 3 * 9 * 20 * 16);
}

TEST(Conv2d, AStrideOfTwoWithoutPadding) {
    // (11 - 5) / 2 + 1 = 4 rows of (17 - 5) / 2 + 1 = 7.
    expect_right({{"batch", "1"},
                  {"c1", "1"},
                  {"height", "11"},
                  {"width", "17"},
                  {"n1", "2"},
                  {"filter", "5"},
                  {"stride", "2"},
                  {"pad", "0"},
                  {"dtype", "bfloat16"}},
                 2 * 4 * 7 * 16);
}

TEST(Conv2d, AFilterOfOneTapIsAProduct) {
    expect_right({{"batch", "1"},
                  {"c1", "5"},
                  {"height", "6"},
                  {"width", "10"},
                  {"n1", "1"},
                  {"filter", "1"},
                  {"pad", "0"}},
                 6 * 10 * 16);
}

TEST(Conv2d, TapsApartAndMorePaddingThanAFilterOfNeighboursHas) {
    // The filter reaches 5: 9 + 4 - 5 + 1 = 9 rows of 13 + 4 - 5 + 1 = 13, of 32 channels.
    expect_right({{"batch", "1"},
                  {"c1", "2"},
                  {"height", "9"},
                  {"width", "13"},
                  {"n1", "2"},
                  {"dilation", "2"},
                  {"pad", "2"},
                  {"base_m", "48"}},
                 9 * 13 * 32);
}

TEST(Conv2d, RowsAndColumnsOfTheirOwn) {
    // Rows: (9 + 1 + 0 - 2) / 1 + 1 = 9; columns: the filter reaches 7, (20 + 3 + 2 - 7) / 3 + 1 = 7.
    expect_right({{"batch", "2"},
                  {"c1", "2"},
                  {"height", "9"},
                  {"width", "20"},
                  {"n1", "1"},
                  {"filter", "2"},
                  {"filter_w", "4"},
                  {"stride_w", "3"},
                  {"dilation_w", "2"},
                  {"pads", "1,3,0,2"},
                  {"base_m", "0"}},
                 2 * 9 * 7 * 16);
}

TEST(Conv2d, ASingleRowWithALongFilter) {
    // Sound: 300 samples, 128 taps, a stride of 63: (300 + 32 + 32 - 128) / 63 + 1 = 4.
    expect_right({{"batch", "1"},
                  {"c1", "1"},
                  {"height", "1"},
                  {"width", "300"},
                  {"n1", "9"},
                  {"filter", "1"},
                  {"filter_w", "128"},
                  {"stride_w", "63"},
                  {"pads", "0,32,0,32"},
                  {"base_m", "0"}},
                 4 * 9 * 16);
}

TEST(Conv2d, ImagesOfMoreThanAGapOfACopy) {
    // 260 x 260 positions are beyond 65535: two blocks of channels are copied one by one.
    expect_right({{"batch", "1"},
                  {"c1", "2"},
                  {"height", "260"},
                  {"width", "260"},
                  {"n1", "1"},
                  {"filter", "1"},
                  {"pad", "0"},
                  {"stride", "13"},
                  {"base_m", "0"}},
                 20 * 20 * 16);
}

TEST(Conv2d, FourBytesHaveEightChannelsToABlock) {
    expect_right({{"batch", "2"},
                  {"c1", "3"},
                  {"height", "7"},
                  {"width", "10"},
                  {"n1", "2"},
                  {"dtype", "float32"},
                  {"base_m", "32"},
                  {"base_n", "16"}},
                 2 * 7 * 10 * 32);
}

TEST(Conv2d, RoundedToHf32) {
    expect_right({{"batch", "1"},
                  {"c1", "4"},
                  {"height", "6"},
                  {"width", "8"},
                  {"n1", "1"},
                  {"dtype", "float32"},
                  {"hf32", "true"},
                  {"base_m", "0"}},
                 6 * 8 * 16);
}

TEST(Conv2d, GroupsOfADepthwiseConvolution) {
    // Each of three groups has 16 output channels and as many input channels, of four bytes two blocks.
    expect_right({{"batch", "2"},
                  {"c1", "6"},
                  {"height", "8"},
                  {"width", "9"},
                  {"n1", "3"},
                  {"groups", "3"},
                  {"dtype", "float32"},
                  {"base_m", "0"}},
                 2 * 3 * 8 * 9 * 16);
}

TEST(Conv2d, GroupsOfMoreTilesThanOne) {
    // Groups of two blocks of input and three of output channels, which are two tiles of at most 32.
    expect_right({{"batch", "1"},
                  {"c1", "4"},
                  {"height", "5"},
                  {"width", "11"},
                  {"n1", "6"},
                  {"groups", "2"},
                  {"base_m", "32"},
                  {"base_n", "32"}},
                 5 * 11 * 96);
}

TEST(Conv2d, LeavesByTheVectorUnitOn310p) {
    // 7 rows of 10, a stride of 2: 4 x 5 positions, which no tile of 16 fills, of 80 channels.
    expect_right({{"batch", "2"},
                  {"c1", "3"},
                  {"height", "7"},
                  {"width", "10"},
                  {"n1", "5"},
                  {"stride", "2"},
                  {"base_m", "16"},
                  {"base_n", "48"}},
                 2 * 4 * 5 * 80,
                 "310p3");
}

/// Three tiles of positions, and two of channels in each of two groups, so that biases follow each other.
Settings with_bias(const Settings& more) {
    Settings all{{"batch", "1"},
                 {"c1", "4"},
                 {"height", "9"},
                 {"width", "10"},
                 {"n1", "6"},
                 {"groups", "2"},
                 {"base_m", "32"},
                 {"base_n", "32"},
                 {"chunk", "1"},
                 {"bias", "true"}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

constexpr std::uint64_t biased_elements = 9 * 10 * 96;

TEST(Conv2d, SumsBeginWithABias) {
    expect_right(with_bias({}), biased_elements);
}

TEST(Conv2d, SumsOfFloatsBeginWithABias) {
    expect_right(with_bias({{"dtype", "float32"}}), biased_elements);
}

TEST(Conv2d, SumsOfBfloat16BeginWithABiasOfFloats) {
    expect_right(with_bias({{"dtype", "bfloat16"}, {"activation", "relu"}}), biased_elements);
}

TEST(Conv2d, FixpipeDoesRelu) {
    expect_right(with_bias({{"activation", "relu"}}), biased_elements);
    const host::Plan plan = testing::plan_kernel("conv2d", with_bias({{"activation", "relu"}}), "910b2");
    EXPECT_EQ(plan.launches[0].cores, CoreUse::aic);
}

TEST(Conv2d, VectorCoresOfSplitChipsDoOtherActivations) {
    expect_right(with_bias({{"activation", "silu"}}), biased_elements);
    const host::Plan plan = testing::plan_kernel("conv2d", with_bias({{"activation", "silu"}}), "910b2");
    EXPECT_EQ(plan.launches[0].cores, CoreUse::mix_1_2);
}

TEST(Conv2d, VectorCoresFollowManyTiles) {
    // 60 tiles of one core: more than a cube core may be ahead.
    expect_right({{"batch", "2"},
                  {"c1", "1"},
                  {"height", "24"},
                  {"width", "20"},
                  {"n1", "1"},
                  {"base_m", "16"},
                  {"blocks", "1"},
                  {"activation", "leaky_relu"},
                  {"low", "0.125"}},
                 2 * 24 * 20 * 16);
}

TEST(Conv2d, VectorCoresActivateFloats) {
    expect_right(with_bias({{"dtype", "float32"}, {"activation", "gelu_erf"}}), biased_elements);
}

TEST(Conv2d, VectorCoresActivateBfloat16) {
    expect_right(with_bias({{"dtype", "bfloat16"}, {"activation", "clip"}, {"low", "-0.5"}}),
                 biased_elements);
}

TEST(Conv2d, ABiasIsAddedOnTheWayOutOn310p) {
    expect_right(with_bias({{"activation", "relu"}}), biased_elements, "310p3");
}

TEST(Conv2d, ABiasIsAddedOnTheWayOutOn910a) {
    expect_right(with_bias({{"activation", "hard_swish"}}), biased_elements, "910a");
}

TEST(Conv2d, EveryActivationIsRight) {
    for (const char* activation :
         {"sigmoid", "tanh", "silu", "gelu_tanh", "gelu_erf", "leaky_relu", "clip"}) {
        EXPECT_TRUE(right_in_child(with_bias({{"activation", activation}}), "310p3")) << activation;
    }
}

TEST(Conv2d, TilesWiderThanTheBiasTableAreRefused) {
    EXPECT_THAT(
        [] {
            static_cast<void>(testing::plan_kernel(
                "conv2d", {{"n1", "32"}, {"base_n", "512"}, {"base_m", "16"}, {"bias", "true"}}, "910b2"));
        },
        ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("the bias table holds 256 channels")));
}

TEST(Conv2d, TakesFloat16AloneOn310p) {
    EXPECT_THROW(static_cast<void>(testing::plan_kernel("conv2d", {{"dtype", "float32"}}, "310p3")),
                 UserError);
}

}  // namespace
}  // namespace ascendsim
