// SPDX-License-Identifier: Apache-2.0
// Loads a feature map of 6 x 6 positions and 16 channels under a filter of 2 x 2 with LoadData3DParamsV1.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void tap_loads() {
    const LocalTensor<half> map(TPosition::A1, 0, 576);
    const LocalTensor<half> matrix(TPosition::A2, 0, 8192);
    LoadData3DParamsV1<half> params;
    params.l1H = 6;
    params.l1W = 6;
    params.strideW = 1;
    params.strideH = 1;
    params.filterW = 2;
    params.filterH = 2;
    params.dilationFilterW = 1;
    params.dilationFilterH = 1;
    params.jumpStride = 1;
    params.padValue = half(-1.0f);
    // All four taps of the first 16 positions.
    params.repeatMode = 0;
    params.repeatTime = 4;
    LoadData(matrix, map, params);
    // The tap below the first one, of positions 0 to 31.
    params.fetchFilterH = 1;
    params.repeatMode = 1;
    params.repeatTime = 2;
    LoadDataImpl(matrix[2048], map, params);
    // Two taps from the second on, of 16 positions from (1, 1) on, a fractal apart.
    params.fetchFilterH = 0;
    params.fetchFilterW = 1;
    params.leftTopW = 1;
    params.leftTopH = 1;
    params.repeatMode = 0;
    params.jumpStride = 2;
    LoadData(matrix[4096], map, params);
}
