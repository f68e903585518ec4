// SPDX-License-Identifier: Apache-2.0
// What kernels that work row by row share: the rows of a core, their way in and out, tiles of whole rows.
#pragma once

#include "kernel_operator.h"
#include "kernels/shared/gm_copy.h"
#include "kernels/shared/row_ops.h"

struct RowTiling {
    uint64_t rows;      // of the tensor
    uint64_t share;     // rows of one core; the last core has what is left
    uint32_t width;     // elements of a row
    uint32_t pitch;     // elements from row to row in a buffer: whole 32-byte blocks
    uint32_t tile;      // rows in a buffer
    uint32_t chunk;     // elements of a row taken at a time, where a row does not fit
    uint32_t buffers;   // 2: copies and arithmetic overlap
    uint32_t schedule;  // 0: whole rows, 1: rows in chunks, 2: whole rows in a library's order
    float epsilon;
};

/// Rows that this core works on: first row and number.
struct RowShare {
    __aicore__ inline explicit RowShare(const RowTiling& tiling) {
        first = tiling.share * AscendC::GetBlockIdx();
        count = first >= tiling.rows                 ? 0
                : tiling.rows - first < tiling.share ? tiling.rows - first
                                                     : tiling.share;
    }

    uint64_t first;
    uint64_t count;
};

/// (rows, width) GM -> (rows, pitch) UB.
template <typename T>
__aicore__ inline void CopyRowsIn(const AscendC::LocalTensor<T>& dst,
                                  const AscendC::GlobalTensor<T>& src,
                                  uint32_t rows,
                                  const RowTiling& tiling) {
    if (tiling.width == tiling.pitch) {
        AscendC::DataCopy(dst, src, rows * tiling.width);
        return;
    }
#if KERNEL_HAS_COPY_PAD
    const uint32_t bytes = tiling.width * static_cast<uint32_t>(sizeof(T));
    AscendC::DataCopyPad(
        dst, src, AscendC::DataCopyExtParams(rows, bytes, 0, 0, 0), AscendC::DataCopyPadExtParams<T>());
#endif
}

/// (rows, pitch) UB -> (rows, width) GM.
template <typename T>
__aicore__ inline void CopyRowsOut(const AscendC::GlobalTensor<T>& dst,
                                   const AscendC::LocalTensor<T>& src,
                                   uint32_t rows,
                                   const RowTiling& tiling) {
    if (tiling.width == tiling.pitch) {
        AscendC::DataCopy(dst, src, rows * tiling.width);
        return;
    }
#if KERNEL_HAS_COPY_PAD
    const uint32_t bytes = tiling.width * static_cast<uint32_t>(sizeof(T));
    AscendC::DataCopyPad(dst, src, AscendC::DataCopyExtParams(rows, bytes, 0, 0, 0));
#endif
}

/// A tensor's elements as floats: cast into `wide`, or itself.
template <typename T>
__aicore__ inline AscendC::LocalTensor<float> Widened(const AscendC::LocalTensor<float>& wide,
                                                      const AscendC::LocalTensor<T>& x,
                                                      uint32_t count) {
    if constexpr (std::is_same_v<T, float>) {
        return x;
    } else {
        AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, count);
        AscendC::PipeBarrier<PIPE_V>();
        return wide;
    }
}

/// Floats rounded to the tensor's type.
template <typename T>
__aicore__ inline void Narrow(const AscendC::LocalTensor<T>& y,
                              const AscendC::LocalTensor<float>& wide,
                              uint32_t count) {
    if constexpr (std::is_same_v<T, float>) {
        AscendC::Adds(y, wide, 0.0f, count);
    } else {
        AscendC::Cast(y, wide, AscendC::RoundMode::CAST_RINT, count);
    }
}
