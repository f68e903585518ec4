// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/convolution_rows.hpp"

#include <gmock/gmock.h>

namespace ascendsim::validation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The runs of a row of two tensors.
std::vector<KernelRun> runs_of(const char* shape, const char* dtype, const char* notes) {
    const Measurement measurement{.id = "CONV-1",
                                  .source = "x",
                                  .chip = "910B2",
                                  .kernel = "conv_2d",
                                  .shape = shape,
                                  .dtype = dtype,
                                  .notes = notes};
    ChipSpec chip;
    chip.cores.split = true;
    const SourceRule source{};
    const Row row{measurement};
    const Adapted adapted =
        convolution_case(row, Context{chip, source}, *row.shape.tensor(0), *row.shape.tensor(1), false);
    const Case* found = std::get_if<Case>(&adapted);
    return found == nullptr ? std::vector<KernelRun>{} : found->runs;
}

std::vector<std::string> kernels_of(const std::vector<KernelRun>& runs) {
    std::vector<std::string> names;
    for (const KernelRun& run : runs) {
        names.push_back(run.kernel);
    }
    return names;
}

std::string value(const KernelRun& run, const std::string& path) {
    for (const scenario::Override& one : run.set) {
        if (one.path == path) {
            return one.value;
        }
    }
    return {};
}

TEST(ConvolutionRows, TheKernelsOfTheListRunOneAfterTheOther) {
    const auto runs =
        runs_of("2x64x32x32; 64x64x3x3; 64",
                "fp16",
                "case 1; TransData\u00d72 + MemSet + Conv2D; dilations: [2, 2]; pads: [2, 2, 2, 2]");
    ASSERT_THAT(kernels_of(runs), ElementsAre("transpose", "copy", "transpose", "conv2d"));
    EXPECT_EQ(value(runs.front(), "l2.state"), "");
    EXPECT_EQ(value(runs.back(), "l2.state"), "\"chained\"");
    EXPECT_EQ(value(runs.back(), "kernel.dilation"), "2");
    EXPECT_EQ(value(runs.back(), "kernel.c1"), "4");
}

TEST(ConvolutionRows, FourBytesHaveBlocksOfEightChannelsAndAreRoundedToHf32) {
    const auto runs = runs_of("1x40x9x9; 24x40x3x3", "fp32", "");
    ASSERT_THAT(kernels_of(runs), ElementsAre("conv2d"));
    EXPECT_EQ(value(runs.front(), "kernel.c1"), "5");
    EXPECT_EQ(value(runs.front(), "kernel.n1"), "2");
    EXPECT_EQ(value(runs.front(), "kernel.hf32"), "true");
}

TEST(ConvolutionRows, ADepthwiseConvolutionHasGroupsOfSixteenChannelsAndAFilterOnTheirDiagonals) {
    const auto runs = runs_of("2x63x32x32; 63x3x3; 63", "fp32", "groups: 63; SUM OF SEVERAL KERNELS");
    ASSERT_THAT(kernels_of(runs),
                ElementsAre("transpose", "copy", "transpose", "fractal_groups", "conv2d", "transpose"));
    EXPECT_EQ(value(runs[4], "kernel.groups"), "4");
    EXPECT_EQ(value(runs[4], "kernel.c1"), "8");
}

TEST(ConvolutionRows, TheGradientOfAFilterTakesItsTapsFromTheShapes) {
    // 8 + 2 * 2 - 8 + 1 = 5 planes, and as many rows and columns.
    const Measurement measurement{.id = "CONV-1",
                                  .source = "x",
                                  .chip = "910B2",
                                  .kernel = "conv_3d_backprop_filter",
                                  .shape = "2x128x8x64x64; 2x256x8x64x64",
                                  .dtype = "bf16",
                                  .notes =
                                      "TransData\u00d73 + MemSet + Conv3DBackpropFilter; pads: [2, 2, 2, 2, "
                                      "2, 2]; filter_size: [256, 128, 5, 5..."};
    const SourceRule source{};
    const Row row{measurement};
    const Adapted adapted =
        filter_grad_case(row, Context{ChipSpec{}, source}, *row.shape.tensor(0), *row.shape.tensor(1));
    const Case* found = std::get_if<Case>(&adapted);
    ASSERT_NE(found, nullptr);
    ASSERT_THAT(kernels_of(found->runs),
                ElementsAre("transpose", "transpose", "copy", "conv_filter_grad", "transpose"));
    EXPECT_EQ(value(found->runs[3], "kernel.filter"), "5");
    EXPECT_EQ(value(found->runs[3], "kernel.filter_depth"), "5");
    EXPECT_EQ(value(found->runs[3], "kernel.m1"), "16");
}

TEST(ConvolutionRows, GroupsOfSeveralChannelsAreRefused) {
    EXPECT_THAT(runs_of("2x64x32x32; 64x32x3x3", "fp16", "groups: 2"), IsEmpty());
}

}  // namespace
}  // namespace ascendsim::validation
