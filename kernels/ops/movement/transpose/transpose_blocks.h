// SPDX-License-Identifier: Apache-2.0
// The transposition of a tile within the unified buffer.
#pragma once

#include "kernels/shared/gm_copy.h"

/// Writes x, 16 * `repeats` rows of `blocks` blocks of 32 B, turned into y. `wide` and `tall` are the
/// elements from one row to the next of x and of y. One block wide, sixteen rows a repeat: every instruction
/// writes rows of its own.
template <typename T>
__aicore__ inline void TransposeBlocks(const AscendC::LocalTensor<T>& y,
                                       const AscendC::LocalTensor<T>& x,
                                       uint32_t wide,
                                       uint32_t tall,
                                       uint32_t repeats,
                                       uint32_t blocks) {
    constexpr uint32_t size = sizeof(T);
    constexpr uint32_t block = 32 / size;
    AscendC::TransDataTo5HDParams params;
    params.repeatTimes = static_cast<uint8_t>(repeats);
    params.srcRepStride = repeats > 1 ? static_cast<uint16_t>(wide * size / 2) : 0;
    params.dstRepStride = repeats > 1 ? size / 2 : 0;
    for (uint32_t b = 0; b < blocks; ++b) {
        AscendC::LocalTensor<T> source[16];
        AscendC::LocalTensor<T> target[16];
        for (uint32_t i = 0; i < 16; ++i) {
            source[i] = x[i * wide + b * block];
            // A column of four-byte elements fills two blocks.
            target[i] = size == 4 ? y[(b * block + i / 2) * tall + i % 2 * 8] : y[(b * block + i) * tall];
        }
        AscendC::TransDataTo5HD<T>(target, source, params);
    }
    AscendC::PipeBarrier<PIPE_V>();
}

/// Sixteen rows at most: one instruction goes along them, one block a repeat, so that the scalar unit hands
/// over its 32 addresses once. At most 255 blocks.
template <typename T>
__aicore__ inline void TransposeStripe(const AscendC::LocalTensor<T>& y,
                                       const AscendC::LocalTensor<T>& x,
                                       uint32_t wide,
                                       uint32_t tall,
                                       uint32_t blocks) {
    constexpr uint32_t size = sizeof(T);
    AscendC::TransDataTo5HDParams params;
    params.repeatTimes = static_cast<uint8_t>(blocks);
    params.srcRepStride = blocks > 1 ? 1 : 0;
    // A block of columns becomes as many rows as it has elements, which fill `tall` blocks.
    params.dstRepStride = blocks > 1 ? static_cast<uint16_t>(tall) : 0;
    AscendC::LocalTensor<T> source[16];
    AscendC::LocalTensor<T> target[16];
    for (uint32_t i = 0; i < 16; ++i) {
        source[i] = x[i * wide];
        target[i] = size == 4 ? y[i / 2 * tall + i % 2 * 8] : y[i * tall];
    }
    AscendC::TransDataTo5HD<T>(target, source, params);
    AscendC::PipeBarrier<PIPE_V>();
}
