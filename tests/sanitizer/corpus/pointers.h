// SPDX-License-Identifier: Apache-2.0
// What the kernels that go through plain pointers share. Indices come from block_num so that the compiler
// does not know them.
#pragma once

#include "corpus.h"

struct Pointers {
    __gm__ float* x;
    __gm__ float* y;
    __gm__ float* z;
    __gm__ float* w;

    __aicore__ inline Pointers(GM_ADDR x_, GM_ADDR y_, GM_ADDR z_, GM_ADDR w_)
        : x((__gm__ float*)x_), y((__gm__ float*)y_), z((__gm__ float*)z_), w((__gm__ float*)w_) {}
};

struct Record {
    int32_t rows;
    int32_t columns;
    float scale;
    float offset[5];
};

// 1 in a launch of one block, which the compiler cannot tell.
__aicore__ inline int32_t One() {
    return static_cast<int32_t>(GetBlockNum());
}

__aicore__ inline __ubuf__ float* PointerTo(const LocalTensor<float>& tensor) {
    return (__ubuf__ float*)tensor.GetPhyAddr();
}

__aicore__ inline void CleanAt(__gm__ float* word) {
    dcci((__gm__ void*)word, SINGLE_CACHE_LINE);
}
