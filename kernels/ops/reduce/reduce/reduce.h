// SPDX-License-Identifier: Apache-2.0
// Reductions of (outer, length, inner) over `length`: sums, norms, extremes. The arithmetic is in float.
#pragma once

#include "kernels/ops/reduce/reduce/reduce_all.h"
#include "kernels/ops/reduce/reduce/reduce_base.h"

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
