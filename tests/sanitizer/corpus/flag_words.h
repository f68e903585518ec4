// SPDX-License-Identifier: Apache-2.0
// Flags made by hand of words of global memory. x holds 0 at elements 0, 776 and 1552 (multiples of 97),
// which serve as flags that are down. Block 1 runs ahead of block 0, so as a consumer it has to wait, and as
// a producer its flag is up when block 0 first looks.
#pragma once

#include "corpus.h"

constexpr int32_t FLAG = 1552;  // 97 lines of 64 bytes

__aicore__ inline void Clean(const GlobalTensor<float>& word) {
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(word);
}

__aicore__ inline void Produce(Args& g, Tiles& t) {
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w, t.a, N);
    Sync<HardEvent::MTE3_S>();
}

__aicore__ inline void Raise(GlobalTensor<float> flag) {
    flag.SetValue(0, 1.0f);
    Clean(flag);
}

__aicore__ inline void Await(GlobalTensor<float> flag) {
    do {
        Clean(flag);
    } while (flag.GetValue(0) == 0.0f);
}

__aicore__ inline void AwaitCopy(const GlobalTensor<float>& flag, LocalTensor<float>& local) {
    do {
        Sync<HardEvent::S_MTE2>();
        DataCopy(local, flag, 8);
        Sync<HardEvent::MTE2_S>();
    } while (local.GetValue(0) == 0.0f);
}

__aicore__ inline void RaiseCopy(const GlobalTensor<float>& flag, LocalTensor<float>& local) {
    Duplicate(local, 1.0f, 64);
    Sync<HardEvent::V_MTE3>();
    DataCopy(flag, local, 8);
}

__aicore__ inline void Consume(Args& g, Tiles& t) {
    Sync<HardEvent::S_MTE2>();
    DataCopy(t.b, g.w, N);
}
