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

}  // namespace
}  // namespace matmul_tiling
