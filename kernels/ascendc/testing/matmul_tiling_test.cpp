// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/ascendc/tiling/tiling_api.h"

namespace matmul_tiling {
namespace {

/// Shares of two cores, for halves and K = 128.
TCubeTiling shares(int32_t m, int32_t n) {
    MultiCoreMatmulTiling tiling;
    tiling.SetDim(2);
    tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    tiling.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    tiling.SetOrgShape(m, n, 128);
    tiling.SetShape(m, n, 128);
    TCubeTiling chosen;
    EXPECT_EQ(tiling.GetTiling(chosen), 0);
    return chosen;
}

TEST(MatmulTiling, ASquareProductInL1IsSharedAlongM) {
    // Both operands take 2 * 512 * 128 * 2 B = 256 KiB of the 512 KiB of L1.
    const TCubeTiling chosen = shares(512, 512);
    EXPECT_EQ(chosen.usedCoreNum, 2);
    EXPECT_EQ(chosen.singleCoreM, 512 / 2);
    EXPECT_EQ(chosen.singleCoreN, 512);
}

TEST(MatmulTiling, AnyOtherProductInL1IsSharedAlongN) {
    const TCubeTiling chosen = shares(256, 512);
    EXPECT_EQ(chosen.usedCoreNum, 2);
    EXPECT_EQ(chosen.singleCoreM, 256);
    EXPECT_EQ(chosen.singleCoreN, 512 / 2);
}

// The published sample of this schedule asks no core for a rest of 256 x 512 x 192.
TEST(MatmulTiling, NineBlocksOfAStayInL1AndNIsSharedByWholeBlocks) {
    MultiCoreMatmulTiling tiling;
    tiling.SetDim(24);
    tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    tiling.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    tiling.SetOrgShape(256, 512, 192);
    tiling.SetShape(256, 512, 192);
    tiling.SetMatmulConfigParams(1, false, ScheduleType::N_BUFFER_33);
    TCubeTiling chosen;
    ASSERT_EQ(tiling.GetTiling(chosen), 0);
    EXPECT_LE(chosen.singleCoreM, 3 * chosen.baseM);
    EXPECT_LE(chosen.singleCoreK, 3 * chosen.baseK);
    EXPECT_EQ(256 % chosen.singleCoreM, 0);
    EXPECT_EQ(512 % chosen.singleCoreN, 0);
}

// Published feed-forward operators fix a block and state as many bytes of the unified buffer as it has
// elements.
TEST(MatmulTiling, ABlockThatIsFixedIsNotHeldAgainstTheUnifiedBuffer) {
    MatmulApiTiling tiling;
    tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    tiling.SetCType(TPosition::VECCALC, CubeFormat::ND_ALIGN, DataType::DT_FLOAT16);
    tiling.SetOrgShape(256, 512, 128);
    tiling.SetShape(256, 256, 128);
    tiling.SetFixSplit(128, 256);
    tiling.SetBufferSpace(512 * 1024, 128 * 1024, 128 * 256);
    TCubeTiling chosen;
    ASSERT_EQ(tiling.GetTiling(chosen), 0);
    EXPECT_EQ(chosen.baseM, 128);
    EXPECT_EQ(chosen.baseN, 256);
    // Left to choose, it keeps results in what there is: 3 blocks of halves.
    tiling.SetFixSplit();
    ASSERT_EQ(tiling.GetTiling(chosen), 0);
    EXPECT_LE(chosen.baseM * chosen.baseN * 2 * 3, 128 * 256);
}

}  // namespace
}  // namespace matmul_tiling
