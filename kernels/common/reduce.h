// SPDX-License-Identifier: Apache-2.0
// Reductions of (outer, length, inner) over `length`: sums, norms, extremes. The arithmetic is in float.
#pragma once

#include "kernels/common/row_kernel.h"

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
    uint32_t lists;    // bytes of lists in global memory that the scalar unit reads before it starts
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

/// inner = 1: tiles of whole rows, or of pieces of long ones.
template <typename T, typename Fold>
class ReduceRowsKernel : private Reduction<T, Fold> {
public:
    __aicore__ inline ReduceRowsKernel(GM_ADDR x, GM_ADDR y, const ReduceTiling& tiling)
        : Reduction<T, Fold>(tiling) {
        first = tiling.share * AscendC::GetBlockIdx();
        count = first >= tiling.outer                 ? 0
                : tiling.outer - first < tiling.share ? tiling.outer - first
                                                      : tiling.share;
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        const uint32_t elements = tiling.tile * tiling.pitch;
        const uint32_t rows = (tiling.tile + 15) / 16 * 16;
        pipe.InitBuffer(inX, tiling.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, tiling.buffers, rows * sizeof(T));
        pipe.InitBuffer(wideX, elements * sizeof(float));
        pipe.InitBuffer(work, tiling.tile * FoldPitch(tiling.chunk) * sizeof(float));
        pipe.InitBuffer(value, 2 * rows * sizeof(float));
    }

    __aicore__ inline void Process() {
        for (uint64_t row = 0; row < count; row += this->t.tile) {
            const uint32_t rows = count - row < this->t.tile ? count - row : this->t.tile;
            for (uint64_t at = 0; at < this->t.length; at += this->t.chunk) {
                const uint32_t width =
                    this->t.length - at < this->t.chunk ? this->t.length - at : this->t.chunk;
                Fetch(first + row, at, rows, width);
                Take(rows, width, at == 0);
            }
            Give(first + row, rows);
        }
    }

private:
    // (rows, width) GM -> (rows, pitch) UB
    __aicore__ inline void Fetch(uint64_t row, uint64_t at, uint32_t rows, uint32_t width) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        const auto from = xGm[row * this->t.length + at];
        if (rows == 1 || (width == this->t.pitch && width == this->t.length)) {
            CopyElementsIn(x, from, rows * width);
        } else {
#if KERNEL_HAS_COPY_PAD
            const uint32_t bytes = width * sizeof(T);
            AscendC::DataCopyPad(
                x,
                from,
                AscendC::DataCopyExtParams(rows,
                                           bytes,
                                           (this->t.length - width) * sizeof(T),
                                           (this->t.pitch * sizeof(T) - (bytes + 31) / 32 * 32) / 32,
                                           0),
                AscendC::DataCopyPadExtParams<T>());
#endif
        }
        inX.EnQue(x);
    }

    __aicore__ inline void Take(uint32_t rows, uint32_t width, bool starts) {
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        const AscendC::LocalTensor<float> wide = wideX.template Get<float>();
        const AscendC::LocalTensor<float> each = value.template Get<float>();
        const AscendC::LocalTensor<float> piece = each[(this->t.tile + 15) / 16 * 16];
        AscendC::PipeBarrier<PIPE_V>();
        if (width % 8 != 0 && !std::is_same_v<T, float>) {
            AscendC::Duplicate(wide, 0.0f, rows * this->t.pitch);  // also between the rows
            AscendC::PipeBarrier<PIPE_V>();
        }
        const AscendC::LocalTensor<float> in =
            this->Prepared(wide, x, rows == 1 ? width : rows * this->t.pitch);
        ReduceRows<Fold>(starts ? each : piece, in, work.template Get<float>(), {rows, width, this->t.pitch});
        AscendC::PipeBarrier<PIPE_V>();
        if (!starts) {
            Fold::Call(each, each, piece, static_cast<int32_t>(rows));
            AscendC::PipeBarrier<PIPE_V>();
        }
        inX.FreeTensor(x);
    }

    __aicore__ inline void Give(uint64_t row, uint32_t rows) {
        const AscendC::LocalTensor<float> each = value.template Get<float>();
        this->Finish(each, rows);
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        Narrow(y, each, rows);
        outY.template EnQue<T>(y);
        y = outY.template DeQue<T>();
        CopyElementsOut(yGm[row], y, rows);  // (rows) UB -> GM
        outY.FreeTensor(y);
    }

    uint64_t first, count;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, work, value;
};

/// Everything to one value: cores fold their shares, the first one folds what they found.
template <typename T, typename Fold>
class ReduceAllKernel : private Reduction<T, Fold> {
public:
    __aicore__ inline ReduceAllKernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, const ReduceTiling& tiling)
        : Reduction<T, Fold>(tiling) {
        first = tiling.share * AscendC::GetBlockIdx();
        count = first >= tiling.length                 ? 0
                : tiling.length - first < tiling.share ? tiling.length - first
                                                       : tiling.share;
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        partGm.SetGlobalBuffer((__gm__ float*)workspace);
        pipe.InitBuffer(inX, tiling.buffers, tiling.tile * sizeof(T));
        pipe.InitBuffer(wideX, tiling.tile * sizeof(float));
        pipe.InitBuffer(beforeSum, 256);  // what is added lies in other banks than what it is added to
        pipe.InitBuffer(sum, tiling.tile * sizeof(float));
        pipe.InitBuffer(part, 64 * 8 * sizeof(float));
    }

    __aicore__ inline void Process() {
        const AscendC::LocalTensor<float> all = sum.template Get<float>();
        const uint32_t used = count < this->t.tile ? (count + 63) / 64 * 64 : this->t.tile;
        AscendC::Duplicate(all, fold_start<Fold>, used < 64 ? 64 : used);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint64_t at = 0; at < count; at += this->t.tile) {
            const uint32_t n = count - at < this->t.tile ? count - at : this->t.tile;
            AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
            CopyElementsIn(x, xGm[first + at], n);  // (n) GM -> UB
            inX.EnQue(x);
            x = inX.template DeQue<T>();
            const AscendC::LocalTensor<float> in = this->Prepared(wideX.template Get<float>(), x, n);
            Fold::Call(all, all, in, static_cast<int32_t>(n));
            AscendC::PipeBarrier<PIPE_V>();
            inX.FreeTensor(x);
        }
        const AscendC::LocalTensor<float> mine = part.template Get<float>();
        AscendC::Duplicate(mine, fold_start<Fold>, 8);  // a whole block to publish, of which one value counts
        AscendC::PipeBarrier<PIPE_V>();
        ReduceRowsInPlace<Fold>(mine, all, {1, used < 64 ? 64 : used, this->t.tile});
        Publish(mine);
        AscendC::SyncAll();
        if (AscendC::GetBlockIdx() == 0) {
            Collect(mine);
        }
    }

private:
    __aicore__ inline void Publish(const AscendC::LocalTensor<float>& mine) {
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopy(partGm[AscendC::GetBlockIdx() * 8], mine, 8);  // (1, 8) UB -> GM
        AscendC::PipeBarrier<PIPE_ALL>();
    }

    __aicore__ inline void Collect(const AscendC::LocalTensor<float>& parts) {
        const uint32_t cores = AscendC::GetBlockNum();
        AscendC::Duplicate(parts, fold_start<Fold>, 512);
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopy(parts, partGm, cores * 8);  // (cores, 8) GM -> UB
        AscendC::PipeBarrier<PIPE_ALL>();
        const AscendC::LocalTensor<float> all = sum.template Get<float>();
        ReduceRowsInPlace<Fold>(all, parts, {1, 512, 512});
        this->Finish(all, 1);
        AscendC::LocalTensor<T> y = part.template Get<T>();
        Narrow(y, all, 1);
        AscendC::PipeBarrier<PIPE_ALL>();
        CopyElementsOut(yGm, y, 1);
    }

    uint64_t first, count;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::GlobalTensor<float> partGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, beforeSum, sum, part;
};

/// inner > 1: a unit is `chunk` columns of one outer index; its rows are folded tile by tile.
template <typename T, typename Fold>
class ReduceColumnsKernel : private Reduction<T, Fold> {
public:
    __aicore__ inline ReduceColumnsKernel(GM_ADDR x, GM_ADDR y, const ReduceTiling& tiling)
        : Reduction<T, Fold>(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        const uint32_t elements = tiling.tile * tiling.pitch;
        pipe.InitBuffer(inX, tiling.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, tiling.buffers, tiling.pitch * sizeof(T));
        pipe.InitBuffer(wideX, elements * sizeof(float));
        pipe.InitBuffer(sum, tiling.pitch * sizeof(float));
    }

    __aicore__ inline void Process() {
        const uint64_t chunks = (this->t.inner + this->t.chunk - 1) / this->t.chunk;
        const uint64_t units = this->t.outer * chunks;
        const uint64_t first = this->t.share * AscendC::GetBlockIdx();
        for (uint64_t u = first; u < first + this->t.share && u < units; ++u) {
            const uint64_t column = u % chunks * this->t.chunk;
            Unit(u / chunks,
                 column,
                 this->t.inner - column < this->t.chunk ? this->t.inner - column : this->t.chunk);
        }
    }

private:
    __aicore__ inline void Unit(uint64_t outer, uint64_t column, uint32_t width) {
        const AscendC::LocalTensor<float> all = sum.template Get<float>();
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Duplicate(all, fold_start<Fold>, this->t.pitch);
        for (uint64_t at = 0; at < this->t.length; at += this->t.tile) {
            const uint32_t rows = this->t.length - at < this->t.tile ? this->t.length - at : this->t.tile;
            Fetch((outer * this->t.length + at) * this->t.inner + column, rows, width);
            Take(all, rows);
        }
        this->Finish(all, width);
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        Narrow(y, all, width);
        outY.template EnQue<T>(y);
        y = outY.template DeQue<T>();
        CopyElementsOut(yGm[outer * this->t.inner + column], y, width);  // (width) UB -> GM
        outY.FreeTensor(y);
    }

    // (rows, width) GM -> (rows, pitch) UB, filled to whole blocks
    __aicore__ inline void Fetch(uint64_t from, uint32_t rows, uint32_t width) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        const uint32_t bytes = width * sizeof(T);
        const uint32_t padded = (bytes + 31) / 32 * 32;
        AscendC::DataCopyPad(x,
                             xGm[from],
                             AscendC::DataCopyExtParams(rows,
                                                        bytes,
                                                        (this->t.inner - width) * sizeof(T),
                                                        (this->t.pitch * sizeof(T) - padded) / 32,
                                                        0),
                             AscendC::DataCopyPadExtParams<T>(true, 0, (padded - bytes) / sizeof(T), T{}));
        inX.EnQue(x);
    }

    // Rows are folded in half with whole vectors; the last one onto the sum.
    __aicore__ inline void Take(const AscendC::LocalTensor<float>& all, uint32_t rows) {
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        const uint32_t pitch = this->t.pitch;
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<float> in = this->Prepared(wideX.template Get<float>(), x, rows * pitch);
        while (rows > 1) {
            const uint32_t half_of = rows / 2;
            Fold::Call(in, in, in[(rows - half_of) * pitch], static_cast<int32_t>(half_of * pitch));
            AscendC::PipeBarrier<PIPE_V>();
            rows -= half_of;
        }
        Fold::Call(all, all, in, static_cast<int32_t>(pitch));
        AscendC::PipeBarrier<PIPE_V>();
        inX.FreeTensor(x);
    }

    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, sum;
};

template <typename T, typename Fold>
__aicore__ inline void Reduce(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, const ReduceTiling& tiling) {
    if (tiling.inner > 1) {
        ReduceColumnsKernel<T, Fold>(x, y, tiling).Process();
    } else if (tiling.outer > 1) {
        ReduceRowsKernel<T, Fold>(x, y, tiling).Process();
    } else {
        ReduceAllKernel<T, Fold>(x, y, workspace, tiling).Process();
    }
}

template <typename T>
__aicore__ inline void Reduce(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, const ReduceTiling& tiling) {
    if (tiling.op == ReduceOp::max) {
        Reduce<T, RowMax>(x, y, workspace, tiling);
    } else if (tiling.op == ReduceOp::min) {
        Reduce<T, RowMin>(x, y, workspace, tiling);
    } else {
        Reduce<T, RowSum>(x, y, workspace, tiling);
    }
}
