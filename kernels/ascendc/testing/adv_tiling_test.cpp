// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/ascendc/tiling/adv_tiling_api.h"

namespace AscendC {
namespace {

using ge::Shape;

TEST(AdvTiling, ElementwiseSpaceCountsNodesOfWholeRepeats) {
    uint32_t most = 0;
    uint32_t least = 0;
    // Tanh keeps one node and, in place, its source: 2 of 1024 floats, the 1000 in whole repeats of 64.
    GetTanhMaxMinTmpSize(Shape{{10, 100}}, 4, false, most, least);
    EXPECT_EQ(most, 2U * 1024 * 4);
    EXPECT_EQ(least, 2U * 256);
    // Halves are widened: source and result make three nodes.
    GetTanhMaxMinTmpSize(Shape{{10, 100}}, 2, false, most, least);
    EXPECT_EQ(most, 3U * 1024 * 4);
    uint32_t nodes = 0;
    uint32_t extra = 1;
    GetTanhTmpBufferFactorSize(4, nodes, extra);
    EXPECT_EQ(nodes, 2U);
    EXPECT_EQ(extra, 0U);
}

TEST(AdvTiling, SoftmaxTilingsCarryTheShape) {
    SoftMaxTiling tiling;
    SoftMaxTilingFunc(Shape{{4, 5, 128}}, 2, 0, tiling);
    EXPECT_EQ(tiling.srcM, 20U);
    EXPECT_EQ(tiling.srcK, 128U);
    EXPECT_EQ(tiling.outMaxK, 16U);               // halves in 32 bytes
    EXPECT_FALSE(IsBasicBlockInSoftMax(tiling));  // 20 rows are no groups of 8
    EXPECT_GE(GetSoftMaxMaxTmpSize(Shape{{4, 5, 128}}, 2, false),
              GetSoftMaxMinTmpSize(Shape{{4, 5, 128}}, 2, false));
    // Eight float rows of 128: fold 8 x 64, blocks 8 x 8, five values of 8, each of 4 bytes.
    EXPECT_EQ(GetSoftMaxMinTmpSize(Shape{{8, 128}}, 4, false), 4U * (512 + 64 + 40));
    // Its gradient keeps the products besides, eight rows of 960; halves are three rows of floats each.
    EXPECT_EQ(GetSoftMaxGradMinTmpSize(Shape{{24, 960}}, 4, false, false), 4U * (512 + 64 + 40 + 8 * 960));
    EXPECT_EQ(GetSoftMaxGradMinTmpSize(Shape{{24, 960}}, 2, false, false),
              4U * (512 + 64 + 40 + 3 * 8 * 960));
}

TEST(AdvTiling, WeightsThatWidenNeedARowAtLeast) {
    uint32_t most = 0;
    uint32_t least = 0;
    // Scales and offsets of 128 channels as floats, a block of 8 and 128 B of alignment each; rows of 6 B an
    // element and 4.
    GetAscendAntiQuantMaxMinTmpSize(
        Shape{{8, 128}}, Shape{{1, 128}}, false, ge::DT_INT8, ge::DT_FLOAT16, most, least);
    EXPECT_EQ(least, 2U * (4 * 136 + 128) + 772);
    EXPECT_EQ(most, 2U * (4 * 136 + 128) + 8 * 772);
}

// Halves of up to 4096 elements and 512 bytes of bits, and dense rows where those of the mask are longer.
TEST(AdvTiling, AMaskOfBytesIsGoneThroughInPieces) {
    const auto least = [](const Shape& values, const Shape& mask) {
        return GetSelectWithBytesMaskMinTmpSize(values, Shape{{1}}, 4, mask, 1, false);
    };
    EXPECT_EQ(least(Shape{{128, 512}}, Shape{{128, 512}}), 2U * 4096 + 512);
    EXPECT_EQ(least(Shape{{8, 64}}, Shape{{8, 64}}), 2U * 8 * 64 + 512);
    EXPECT_EQ(least(Shape{{8, 64}}, Shape{{8, 96}}), 2U * 8 * 64 + 512 + 8 * 64);
    EXPECT_EQ(least(Shape{{1, 64}}, Shape{{1, 64}}), 1024U);
}

TEST(AdvTiling, NormTilingsKeepTheOriginalWidth) {
    RmsNormTiling tiling;
    EXPECT_TRUE(GetRmsNormTilingInfo(Shape{{2, 3, 64}}, Shape{{2, 3, 50}}, 0, 4, tiling));
    EXPECT_EQ(tiling.bLength * tiling.sLength, 6U);
    EXPECT_EQ(tiling.hLength, 64U);
    EXPECT_EQ(tiling.originalHLength, 50U);
}

TEST(AdvTiling, ShapesBecomeTheFieldsThatTheAlgorithmsRead) {
    GroupNormTiling group;
    GetGroupNormNDTilingInfo(Shape{{2, 6, 5, 5}}, 0, 4, false, 3, group);
    EXPECT_EQ(group.hw, 25U);
    EXPECT_EQ(group.hwAlignSize, 32U);  // whole blocks of 8 floats
    BatchNormTiling batch;
    GetBatchNormNDTilingInfo(Shape{{16, 4, 8}}, Shape{{12, 4, 8}}, 0, 4, false, batch);
    EXPECT_EQ(batch.originalBLength, 12U);
    EXPECT_EQ(batch.meanVarSize, 32U);
    ConfusionTransposeTiling transpose;
    GetConfusionTransposeTilingInfo(Shape{{32, 48}}, 0, 4, 0, transpose);
    EXPECT_EQ(transpose.param2, 32U);
    EXPECT_EQ(transpose.param1, 48U);
}

}  // namespace
}  // namespace AscendC
