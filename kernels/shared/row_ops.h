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
    template <typename... Args>
    __aicore__ static inline void Call(Args... args) {
        AscendC::Max(args...);
    }

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
    template <typename... Args>
    __aicore__ static inline void Call(Args... args) {
        AscendC::Add(args...);
    }

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

/// dst[r, c] = left[r, c] op right[r, c] for `chunks` times 64 columns (or `lanes` of one chunk); each
/// operand has its own pitch.
template <typename Op>
__aicore__ inline void FoldChunks(const AscendC::LocalTensor<float>& dst,
                                  uint32_t dst_pitch,
                                  const AscendC::LocalTensor<float>& left,
                                  uint32_t left_pitch,
                                  const AscendC::LocalTensor<float>& right,
                                  uint32_t right_pitch,
                                  uint32_t rows,
                                  uint32_t chunks,
                                  uint64_t lanes) {
    const bool near = dst_pitch / 8 <= 255 && left_pitch / 8 <= 255 && right_pitch / 8 <= 255;
    if (near && chunks <= rows) {
        const AscendC::BinaryRepeatParams params(1, 1, 1, dst_pitch / 8, left_pitch / 8, right_pitch / 8);
        for (uint32_t c = 0; c < chunks; ++c) {
            const uint32_t at = c * row_lanes;
            Op::Call(dst[at], left[at], right[at], lanes, static_cast<uint8_t>(rows), params);
        }
        return;
    }
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t c = 0; c < chunks; c += row_repeats) {
            const uint8_t repeats = chunks - c < row_repeats ? chunks - c : row_repeats;
            const uint32_t at = c * row_lanes;
            Op::Call(dst[r * dst_pitch + at],
                     left[r * left_pitch + at],
                     right[r * right_pitch + at],
                     lanes,
                     repeats,
                     AscendC::BinaryRepeatParams());
        }
    }
}

/// Floats from row to row of the scratch that ReduceRows folds rows into.
__aicore__ inline uint32_t FoldPitch(uint32_t width) {
    return width < 2 * row_lanes ? row_lanes : width / row_lanes / 2 * row_lanes;
}

/// Folds `chunks` chunks of 64 columns into one, in place. What is folded onto what lies an odd number of
/// chunks away, so that the vector unit reads different banks.
template <typename Op>
__aicore__ inline void FoldInPlace(const AscendC::LocalTensor<float>& work,
                                   uint32_t pitch,
                                   uint32_t rows,
                                   uint32_t chunks) {
    while (chunks > 1) {
        uint32_t kept = (chunks + 1) / 2;
        if (kept % 2 == 0 && kept + 1 < chunks) {
            ++kept;
        }
        FoldChunks<Op>(
            work, pitch, work, pitch, work[kept * row_lanes], pitch, rows, chunks - kept, row_lanes);
        AscendC::PipeBarrier<PIPE_V>();
        chunks = kept;
    }
}

/// dst[r] = src[r, 0] op src[r, 1] op ..., folded within src, which is of no use afterwards. Rows are folded
/// in half with whole-vector operations until 64 columns are left: a reduction inside a vector costs many
/// times as much.
template <typename Op>
__aicore__ inline void ReduceRowsInPlace(const AscendC::LocalTensor<float>& dst,
                                         const AscendC::LocalTensor<float>& src,
                                         const Rows& rows) {
    const uint32_t whole = rows.width / row_lanes;
    const uint32_t tail = rows.width % row_lanes;
    if (rows.width > row_lanes && tail > 0) {
        FoldChunks<Op>(
            src, rows.pitch, src, rows.pitch, src[whole * row_lanes], rows.pitch, rows.count, 1, tail);
        AscendC::PipeBarrier<PIPE_V>();
    }
    FoldInPlace<Op>(src, rows.pitch, rows.count, whole);
    Op::Reduce(dst, src, whole == 0 ? tail : row_lanes, rows.count, rows.pitch / 8);
}

/// The same with src kept; `work` holds rows.count * FoldPitch floats.
template <typename Op>
__aicore__ inline void ReduceRows(const AscendC::LocalTensor<float>& dst,
                                  const AscendC::LocalTensor<float>& src,
                                  const AscendC::LocalTensor<float>& work,
                                  const Rows& rows) {
    using namespace AscendC;
    const uint32_t whole = rows.width / row_lanes;
    const uint32_t tail = rows.width % row_lanes;
    if (rows.width <= row_lanes) {
        Op::Reduce(dst, src, rows.width, rows.count, rows.pitch / 8);
        return;
    }
    const uint32_t pitch = FoldPitch(rows.width);
    const uint32_t half = whole / 2;
    if (whole == 1) {  // nothing to fold but the tail
        Adds(work,
             src,
             0.0f,
             uint64_t{row_lanes},
             static_cast<uint8_t>(rows.count),
             UnaryRepeatParams(1, 1, pitch / 8, rows.pitch / 8));
    } else {
        FoldChunks<Op>(
            work, pitch, src, rows.pitch, src[half * row_lanes], rows.pitch, rows.count, half, row_lanes);
    }
    PipeBarrier<PIPE_V>();
    if (whole > 1 && whole % 2 == 1) {
        FoldChunks<Op>(
            work, pitch, work, pitch, src[(whole - 1) * row_lanes], rows.pitch, rows.count, 1, row_lanes);
        PipeBarrier<PIPE_V>();
    }
    if (tail > 0) {
        FoldChunks<Op>(work, pitch, work, pitch, src[whole * row_lanes], rows.pitch, rows.count, 1, tail);
        PipeBarrier<PIPE_V>();
    }
    FoldInPlace<Op>(work, pitch, rows.count, whole == 1 ? 1 : half);
    Op::Reduce(dst, work, row_lanes, rows.count, pitch / 8);
}
