// SPDX-License-Identifier: Apache-2.0
// What reductions of (outer, length, inner) over `length` share. The arithmetic is in float.
#pragma once

#include "kernels/shared/row_kernel.h"

enum class ReduceOp : uint8_t { sum, mean, max, min, sum_abs, sum_square, norm };

struct ReduceTiling {
    uint64_t outer;
    uint64_t length;
    uint64_t inner;
    uint64_t share;    // of a core: rows, elements (everything reduced) or units of columns
    uint32_t tile;     // rows of a buffer; elements where everything is reduced
    uint32_t chunk;    // columns of a buffer
    uint32_t pitch;    // from row to row of a buffer
    uint32_t buffers;  // 2: copies and arithmetic overlap
    uint32_t
        piece;  // elements folded by themselves where everything is reduced in foreach norm's order, or 0
    uint32_t lists;  // bytes of lists in global memory that the scalar unit reads before it starts
    ReduceOp op;
};

struct RowMin {
    template <typename... Args>
    __aicore__ static inline void Call(Args... args) {
        AscendC::Min(args...);
    }

    __aicore__ static inline void Reduce(const AscendC::LocalTensor<float>& dst,
                                         const AscendC::LocalTensor<float>& src,
                                         uint32_t lanes,
                                         uint32_t repeats,
                                         uint32_t stride) {
        AscendC::WholeReduceMin(
            dst, src, lanes, repeats, 1, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    }
};

/// What folding starts from.
template <typename Fold>
constexpr float fold_start = 0.0f;
template <>
constexpr float fold_start<RowMax> = -3.4e38f;
template <>
constexpr float fold_start<RowMin> = 3.4e38f;

/// What all three layouts share: elements as floats, prepared for folding, and the last step of a result.
template <typename T, typename Fold>
class Reduction {
protected:
    __aicore__ inline explicit Reduction(const ReduceTiling& tiling) : t(tiling) {}

    /// x as floats, squared or without sign where the operation folds those; `wide` is where they go.
    __aicore__ inline AscendC::LocalTensor<float> Prepared(const AscendC::LocalTensor<float>& wide,
                                                           const AscendC::LocalTensor<T>& x,
                                                           uint32_t count) const {
        AscendC::LocalTensor<float> in = Widened(wide, x, count);
        if (t.op == ReduceOp::sum_abs) {
            AscendC::Abs(wide, in, count);
        } else if (t.op == ReduceOp::sum_square || t.op == ReduceOp::norm) {
            AscendC::Mul(wide, in, in, count);
        } else {
            return in;
        }
        AscendC::PipeBarrier<PIPE_V>();
        return wide;
    }

    __aicore__ inline void Finish(const AscendC::LocalTensor<float>& value, uint32_t count) const {
        if (t.op == ReduceOp::mean) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Muls(value, value, 1.0f / static_cast<float>(t.length), count);
        } else if (t.op == ReduceOp::norm) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Sqrt(value, value, count);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    ReduceTiling t;
};
