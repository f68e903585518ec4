// SPDX-License-Identifier: Apache-2.0
// Copies of any element count between global memory and a vector buffer.
#pragma once

#include "kernel_operator.h"

// A2 and A3 pad in the copy itself. Older chips copy whole 32-byte blocks only; there the scalar unit carries
// the rest.
#if __NPU_ARCH__ == 2201
#define KERNEL_HAS_COPY_PAD 1
#else
#define KERNEL_HAS_COPY_PAD 0
#endif

/// GM -> UB. Elements behind `count` up to the next 32-byte block are undefined.
template <typename T>
__aicore__ inline void CopyElementsIn(const AscendC::LocalTensor<T>& dst,
                                      const AscendC::GlobalTensor<T>& src,
                                      uint32_t count) {
    constexpr uint32_t block = 32 / sizeof(T);
    if (count % block == 0) {
        AscendC::DataCopy(dst, src, count);
        return;
    }
#if KERNEL_HAS_COPY_PAD
    const AscendC::DataCopyExtParams rows(1, count * static_cast<uint32_t>(sizeof(T)), 0, 0, 0);
    AscendC::DataCopyPad(dst, src, rows, AscendC::DataCopyPadExtParams<T>());
#else
    const uint32_t whole = count / block * block;
    if (whole > 0) {
        AscendC::DataCopy(dst, src, whole);
    }
    AscendC::PipeBarrier<PIPE_ALL>();  // readers of this buffer are done
    for (uint32_t i = whole; i < count; ++i) {
        dst.SetValue(i, src.GetValue(i));
    }
    AscendC::PipeBarrier<PIPE_ALL>();
#endif
}

#if KERNEL_HAS_COPY_PAD
/// (rows, width) of rows `stride` elements apart in GM -> (rows, pitch) UB; what follows a row in its last
/// 32-byte block is zero.
template <typename T>
__aicore__ inline void CopyRowsIn(const AscendC::LocalTensor<T>& dst,
                                  const AscendC::GlobalTensor<T>& src,
                                  uint32_t rows,
                                  uint32_t width,
                                  uint32_t stride,
                                  uint32_t pitch) {
    const uint32_t bytes = width * sizeof(T);
    const uint32_t padded = (bytes + 31) / 32 * 32;
    AscendC::DataCopyPad(dst,
                         src,
                         AscendC::DataCopyExtParams(
                             rows, bytes, (stride - width) * sizeof(T), (pitch * sizeof(T) - padded) / 32, 0),
                         AscendC::DataCopyPadExtParams<T>(true, 0, (padded - bytes) / sizeof(T), T{}));
}
#endif

/// UB -> GM. Without padding copies `dst` must lie at a multiple of 64 bytes: the rest goes through a line of
/// the scalar unit's data cache that no copy may touch.
template <typename T>
__aicore__ inline void CopyElementsOut(AscendC::GlobalTensor<T> dst,
                                       const AscendC::LocalTensor<T>& src,
                                       uint32_t count) {
    constexpr uint32_t block = 32 / sizeof(T);
    if (count % block == 0) {
        AscendC::DataCopy(dst, src, count);
        return;
    }
#if KERNEL_HAS_COPY_PAD
    AscendC::DataCopyPad(
        dst, src, AscendC::DataCopyExtParams(1, count * static_cast<uint32_t>(sizeof(T)), 0, 0, 0));
#else
    constexpr uint32_t line = 64 / sizeof(T);
    const uint32_t whole = count / line * line;
    if (whole > 0) {
        AscendC::DataCopy(dst, src, whole);
    }
    AscendC::PipeBarrier<PIPE_ALL>();
    for (uint32_t i = whole; i < count; ++i) {
        dst.SetValue(i, src.GetValue(i));
    }
    AscendC::DataCacheCleanAndInvalid<T,
                                      AscendC::CacheLine::SINGLE_CACHE_LINE,
                                      AscendC::DcciDst::CACHELINE_OUT>(dst[whole]);
#endif
}
