// SPDX-License-Identifier: Apache-2.0
// What the kernels of the corpus share: arguments of 64 KiB, and four buffers of 1 KiB in the unified buffer.
#pragma once

#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t N = 256;  // elements of a tile
constexpr uint32_t BYTES = N * sizeof(float);
constexpr int32_t ALL = 16384;  // elements of an argument

struct Args {
    GlobalTensor<float> x, y, z, w;

    __aicore__ inline Args(GM_ADDR x_, GM_ADDR y_, GM_ADDR z_, GM_ADDR w_) {
        x.SetGlobalBuffer((__gm__ float*)x_, ALL);
        y.SetGlobalBuffer((__gm__ float*)y_, ALL);
        z.SetGlobalBuffer((__gm__ float*)z_, ALL);
        w.SetGlobalBuffer((__gm__ float*)w_, ALL);
    }
};

struct Tiles {
    TPipe pipe;
    TBuf<TPosition::VECCALC> bufA, bufB, bufC, bufD;
    LocalTensor<float> a, b, c, d;

    __aicore__ inline Tiles() {
        pipe.InitBuffer(bufA, BYTES);
        pipe.InitBuffer(bufB, BYTES);
        pipe.InitBuffer(bufC, BYTES);
        pipe.InitBuffer(bufD, BYTES);
        a = bufA.Get<float>();
        b = bufB.Get<float>();
        c = bufC.Get<float>();
        d = bufD.Get<float>();
    }
};

template <HardEvent event>
__aicore__ inline void Sync(int32_t id = 0) {
    SetFlag<event>(id);
    WaitFlag<event>(id);
}
