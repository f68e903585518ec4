// SPDX-License-Identifier: Apache-2.0
// Arithmetic on rows in the unified buffer: each row with a value of its own, with a row of weights, or
// reduced to one value. Every operation issues the fewest instructions its shape allows.
#pragma once

#include "kernel_operator.h"

/// Rows of floats in a vector buffer.
struct Rows {
    uint32_t count;  // up to 255
    uint32_t width;
    uint32_t pitch;  // from row to row, a multiple of 8
};

struct RowAdd {
    template <typename... Args>
    __aicore__ static inline void Call(Args... args) {
        AscendC::Add(args...);
    }
};

struct RowSub {
    template <typename... Args>
    __aicore__ static inline void Call(Args... args) {
        AscendC::Sub(args...);
    }
};

struct RowMul {
    template <typename... Args>
    __aicore__ static inline void Call(Args... args) {
        AscendC::Mul(args...);
    }
};

struct RowMax {
    __aicore__ static inline void Reduce(const AscendC::LocalTensor<float>& dst,
                                         const AscendC::LocalTensor<float>& src,
                                         uint32_t lanes,
                                         uint32_t repeats,
                                         uint32_t stride) {
        AscendC::WholeReduceMax(
            dst, src, lanes, repeats, 1, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    }
};

struct RowSum {
    __aicore__ static inline void Reduce(const AscendC::LocalTensor<float>& dst,
                                         const AscendC::LocalTensor<float>& src,
                                         uint32_t lanes,
                                         uint32_t repeats,
                                         uint32_t stride) {
        AscendC::WholeReduceSum(dst, src, lanes, repeats, 1, 1, stride);
    }
};

constexpr uint32_t row_lanes = 64;     // floats of one repeat
constexpr uint32_t row_blocks = 8;     // 32-byte blocks of one repeat
constexpr uint32_t row_repeats = 255;  // most of one instruction

/// True if one instruction for 64 columns of all rows beats one for all columns of a row.
__aicore__ inline bool ByColumns(const Rows& rows) {
    return rows.pitch / 8 <= 255 && (rows.width + row_lanes - 1) / row_lanes <= rows.count;
}

/// dst[r, :] = src[r, :] op other, where other advances by `row_stride` blocks a row and, if `along`, with
/// the columns.
template <typename Op>
__aicore__ inline void RowsWithRight(const AscendC::LocalTensor<float>& dst,
                                     const AscendC::LocalTensor<float>& src,
                                     const AscendC::LocalTensor<float>& other,
                                     const Rows& rows,
                                     uint32_t row_stride,
                                     bool along) {
    const uint8_t block = along ? 1 : 0;
    const uint32_t whole = rows.width / row_lanes;
    const uint32_t tail = rows.width % row_lanes;
    if (ByColumns(rows)) {
        const uint8_t pitch = rows.pitch / 8;
        const AscendC::BinaryRepeatParams params(1, 1, block, pitch, pitch, row_stride);
        for (uint32_t c = 0; c <= whole; ++c) {
            const uint64_t lanes = c < whole ? row_lanes : tail;
            const uint32_t at = c * row_lanes;
            if (lanes > 0) {
                Op::Call(
                    dst[at], src[at], other[along ? at : 0], lanes, static_cast<uint8_t>(rows.count), params);
            }
        }
        return;
    }
    const AscendC::BinaryRepeatParams params(1, 1, block, 8, 8, along ? 8 : 0);
    for (uint32_t r = 0; r < rows.count; ++r) {
        const uint32_t row = r * rows.pitch;
        const uint32_t right = r * row_stride * 8;
        for (uint32_t c = 0; c < whole; c += row_repeats) {
            const uint8_t repeats = whole - c < row_repeats ? whole - c : row_repeats;
            const uint32_t at = c * row_lanes;
            Op::Call(dst[row + at],
                     src[row + at],
                     other[right + (along ? at : 0)],
                     uint64_t{row_lanes},
                     repeats,
                     params);
        }
        if (tail > 0) {
            const uint32_t at = whole * row_lanes;
            Op::Call(dst[row + at],
                     src[row + at],
                     other[right + (along ? at : 0)],
                     uint64_t{tail},
                     uint8_t{1},
                     params);
        }
    }
}

/// dst[r, :] = src[r, :] op values[r], each value filling a block of 8 (see SpreadRowValues).
template <typename Op>
__aicore__ inline void RowsWithValues(const AscendC::LocalTensor<float>& dst,
                                      const AscendC::LocalTensor<float>& src,
                                      const AscendC::LocalTensor<float>& values,
                                      const Rows& rows) {
    RowsWithRight<Op>(dst, src, values, rows, 1, false);
}

/// dst[r, :] = src[r, :] op weights[:].
template <typename Op>
__aicore__ inline void RowsWithWeights(const AscendC::LocalTensor<float>& dst,
                                       const AscendC::LocalTensor<float>& src,
                                       const AscendC::LocalTensor<float>& weights,
                                       const Rows& rows) {
    RowsWithRight<Op>(dst, src, weights, rows, 0, true);
}

/// dst[8 r ... 8 r + 7] = src[r]; both padded to whole groups of 8 rows.
__aicore__ inline void SpreadRowValues(const AscendC::LocalTensor<float>& dst,
                                       const AscendC::LocalTensor<float>& src,
                                       uint32_t count) {
    AscendC::Brcb(dst, src, static_cast<uint8_t>((count + 7) / 8), AscendC::BrcbRepeatParams(1, 8));
}

/// Reduces `width` floats to ceil(width / 64).
template <typename Op>
__aicore__ inline void ReduceOnce(const AscendC::LocalTensor<float>& dst,
                                  const AscendC::LocalTensor<float>& src,
                                  uint32_t width) {
    const uint32_t whole = width / row_lanes;
    for (uint32_t c = 0; c < whole; c += row_repeats) {
        const uint32_t repeats = whole - c < row_repeats ? whole - c : row_repeats;
        Op::Reduce(dst[c], src[c * row_lanes], row_lanes, repeats, row_blocks);
    }
    if (width % row_lanes > 0) {
        Op::Reduce(dst[whole], src[whole * row_lanes], width % row_lanes, 1, row_blocks);
    }
}

/// dst[r] = src[r, 0] op src[r, 1] op ...; `work` holds ReduceWork(rows) floats.
template <typename Op>
__aicore__ inline void ReduceRows(const AscendC::LocalTensor<float>& dst,
                                  const AscendC::LocalTensor<float>& src,
                                  const AscendC::LocalTensor<float>& work,
                                  const Rows& rows) {
    const uint32_t partials = (rows.width + row_lanes - 1) / row_lanes;
    if (partials == 1) {
        Op::Reduce(dst, src, rows.width, rows.count, rows.pitch / 8);
        return;
    }
    if (partials <= row_lanes) {
        for (uint32_t r = 0; r < rows.count; ++r) {
            ReduceOnce<Op>(work[r * row_lanes], src[r * rows.pitch], rows.width);
        }
        AscendC::PipeBarrier<PIPE_V>();
        Op::Reduce(dst, work, partials, rows.count, row_blocks);
        return;
    }
    const uint32_t second = (partials + row_lanes - 1) / row_lanes * row_lanes;
    for (uint32_t r = 0; r < rows.count; ++r) {
        ReduceOnce<Op>(work, src[r * rows.pitch], rows.width);
        AscendC::PipeBarrier<PIPE_V>();
        ReduceOnce<Op>(work[second], work, partials);
        AscendC::PipeBarrier<PIPE_V>();
        Op::Reduce(dst[r], work[second], (partials + row_lanes - 1) / row_lanes, 1, row_blocks);
        AscendC::PipeBarrier<PIPE_V>();
    }
}

/// Floats of scratch that ReduceRows needs.
__aicore__ inline uint32_t ReduceWork(uint32_t count, uint32_t width) {
    const uint32_t partials = (width + row_lanes - 1) / row_lanes;
    return partials <= row_lanes ? count * row_lanes
                                 : (partials + row_lanes - 1) / row_lanes * row_lanes + row_lanes;
}
