// SPDX-License-Identifier: Apache-2.0
// What a kernel for lists of tensors does first: copies its tiling, word by word, out of global memory.
#pragma once

#include "kernel_operator.h"

/// Reads `bytes` (a multiple of 8) by the scalar unit.
__aicore__ inline void ReadTilingLists(GM_ADDR from, uint32_t bytes) {
    AscendC::GlobalTensor<int64_t> words;
    words.SetGlobalBuffer((__gm__ int64_t*)from, bytes / 8);
#pragma clang loop unroll_count(8)
    for (uint32_t i = 0; i < bytes / 8; ++i) {
        static_cast<void>(words.GetValue(i));
    }
}
