// SPDX-License-Identifier: Apache-2.0
// What the cube's kernels share: tiles of 16 x 16 halves, one fractal each, in fixed places.
#pragma once

#include "corpus.h"

constexpr uint32_t M16 = 16;
constexpr uint32_t CELLS = M16 * M16;

struct CubeTiles {
    GlobalTensor<half> x, y;
    GlobalTensor<float> z, w;
    LocalTensor<half> a1{TPosition::A1, 0, CELLS};
    LocalTensor<half> b1{TPosition::B1, 512, CELLS};
    LocalTensor<half> a2{TPosition::A2, 0, CELLS};
    LocalTensor<half> b2{TPosition::B2, 0, CELLS};
    LocalTensor<float> c{TPosition::CO1, 0, CELLS};
    LoadData2DParams one{0, 1, 1, 0, 0, false, 0};
    MmadParams first{M16, M16, M16, 0, false, true};
    MmadParams more{M16, M16, M16, 0, false, false};
    FixpipeParamsV220 out{M16, M16, M16, M16, false};

    __aicore__ inline CubeTiles(GM_ADDR x_, GM_ADDR y_, GM_ADDR z_, GM_ADDR w_) {
        x.SetGlobalBuffer((__gm__ half*)x_, 2 * ALL);
        y.SetGlobalBuffer((__gm__ half*)y_, 2 * ALL);
        z.SetGlobalBuffer((__gm__ float*)z_, ALL);
        w.SetGlobalBuffer((__gm__ float*)w_, ALL);
    }
};
