// SPDX-License-Identifier: Apache-2.0
// Softmax of (outer, length, inner) along `length`: columns side by side, so that no reduction goes within a
// vector. Where a piece of columns does not fit as a whole, it is read twice, its maximum and sum kept up to
// date.
#pragma once

#include "kernels/common/row_kernel.h"

struct SoftmaxAxisTiling {
    uint64_t outer;
    uint64_t length;
    uint64_t inner;
    uint64_t units;  // pieces of columns
    uint64_t share;  // of a core
    uint32_t chunk;  // columns of a piece
    uint32_t pitch;  // from row to row of a buffer
    uint32_t tile;   // rows in a buffer
    uint32_t buffers;
};

template <typename T>
class SoftmaxAxis {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline SoftmaxAxis(GM_ADDR x, GM_ADDR y, const SoftmaxAxisTiling& tiling) : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        const uint32_t elements = t.tile * t.pitch;
        pipe.InitBuffer(inX, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(wide, elements * sizeof(float));
        pipe.InitBuffer(beforeWork, 256);  // what is folded lies in other banks
        pipe.InitBuffer(work, (t.tile + 1) / 2 * t.pitch * sizeof(float));
        pipe.InitBuffer(state, 4 * t.pitch * sizeof(float));
    }

    __aicore__ inline void Process() {
        const uint64_t rest = t.inner % t.chunk;
        if (rest != 0 && rest * sizeof(T) + 32 <= t.pitch * sizeof(T)) {
            Clear();  // what a narrower piece leaves is computed on as well
        }
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        const uint64_t pieces = (t.inner + t.chunk - 1) / t.chunk;
        for (uint64_t u = first; u < first + t.share && u < t.units; ++u) {
            const uint64_t column = u % pieces * t.chunk;
            const uint32_t n = t.inner - column < t.chunk ? t.inner - column : t.chunk;
            Piece(u / pieces * t.length * t.inner + column, n);
        }
    }

private:
    __aicore__ inline void Clear() {
        for (uint32_t i = 0; i < t.buffers; ++i) {
            AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
            AscendC::Duplicate(x.template ReinterpretCast<int16_t>(),
                               int16_t{0},
                               static_cast<int32_t>(t.tile * t.pitch * sizeof(T) / 2));
            inX.FreeTensor(x);
        }
    }

    __aicore__ inline Floats State(uint32_t i) { return state.template Get<float>()[i * t.pitch]; }

    __aicore__ inline Floats Load(uint64_t from, uint32_t rows, uint32_t n) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        CopyRowsIn(x, xGm[from], rows, n, t.inner, t.pitch);
        inX.EnQue(x);
        x = inX.template DeQue<T>();
        const Floats e = wide.template Get<float>();
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Adds(e, x, 0.0f, rows * t.pitch);
        } else {
            AscendC::Cast(e, x, AscendC::RoundMode::CAST_NONE, rows * t.pitch);
        }
        AscendC::PipeBarrier<PIPE_V>();
        inX.FreeTensor(x);
        return e;
    }

    /// to = e[0, :] op e[1, :] op ...
    template <typename Fold>
    __aicore__ inline void FoldRows(const Floats& to, const Floats& e, uint32_t rows) {
        const Floats folded = work.template Get<float>();
        const uint32_t half_of = rows / 2;
        if (rows == 1) {
            AscendC::Adds(to, e, 0.0f, t.pitch);
            AscendC::PipeBarrier<PIPE_V>();
            return;
        }
        Fold::Call(folded, e, e[(rows - half_of) * t.pitch], static_cast<int32_t>(half_of * t.pitch));
        AscendC::PipeBarrier<PIPE_V>();
        if (rows % 2 == 1) {
            Fold::Call(folded, folded, e[half_of * t.pitch], static_cast<int32_t>(t.pitch));
            AscendC::PipeBarrier<PIPE_V>();
        }
        for (uint32_t left = half_of; left > 1;) {
            const uint32_t upper = left / 2;
            Fold::Call(
                folded, folded, folded[(left - upper) * t.pitch], static_cast<int32_t>(upper * t.pitch));
            AscendC::PipeBarrier<PIPE_V>();
            left -= upper;
        }
        AscendC::Adds(to, folded, 0.0f, t.pitch);
        AscendC::PipeBarrier<PIPE_V>();
    }

    template <typename Op>
    __aicore__ inline void EachRow(const Floats& e, const Floats& with, uint32_t rows) {
        for (uint32_t r = 0; r < rows; r += 240) {
            const uint32_t n = rows - r < 240 ? rows - r : 240;
            RowsWithWeights<Op>(e[r * t.pitch], e[r * t.pitch], with, {n, t.pitch, t.pitch});
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// e = exp(e - maximum); maximum and sum take these rows in.
    __aicore__ inline void Take(const Floats& e, uint32_t rows, bool starts) {
        const Floats most = State(0);
        const Floats sum = State(1);
        const Floats fresh = State(2);
        const Floats factor = State(3);
        FoldRows<RowMax>(fresh, e, rows);
        if (!starts) {
            AscendC::Max(fresh, fresh, most, t.pitch);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Sub(factor, most, fresh, t.pitch);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Exp(factor, factor, t.pitch);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Mul(sum, sum, factor, t.pitch);
        }
        AscendC::Adds(most, fresh, 0.0f, t.pitch);
        AscendC::PipeBarrier<PIPE_V>();
        EachRow<RowSub>(e, most, rows);
        AscendC::Exp(e, e, rows * t.pitch);
        AscendC::PipeBarrier<PIPE_V>();
        FoldRows<RowSum>(fresh, e, rows);
        if (starts) {
            AscendC::Adds(sum, fresh, 0.0f, t.pitch);
        } else {
            AscendC::Add(sum, sum, fresh, t.pitch);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Invert() {
        AscendC::Duplicate(State(3), 1.0f, t.pitch);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(State(1), State(3), State(1), t.pitch);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Give(const Floats& e, uint64_t to, uint32_t rows, uint32_t n) {
        EachRow<RowMul>(e, State(1), rows);
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        Narrow(y, e, rows * t.pitch);
        outY.template EnQue<T>(y);
        y = outY.template DeQue<T>();
        const uint32_t bytes = n * sizeof(T);
        AscendC::DataCopyPad(yGm[to],
                             y,
                             AscendC::DataCopyExtParams(rows,
                                                        bytes,
                                                        (t.pitch * sizeof(T) - (bytes + 31) / 32 * 32) / 32,
                                                        (t.inner - n) * sizeof(T),
                                                        0));
        outY.FreeTensor(y);
    }

    __aicore__ inline void Piece(uint64_t at, uint32_t n) {
        if (t.tile >= t.length) {
            const uint32_t rows = t.length;
            const Floats e = Load(at, rows, n);
            Take(e, rows, true);
            Invert();
            Give(e, at, rows, n);
            return;
        }
        for (uint64_t r = 0; r < t.length; r += t.tile) {
            const uint32_t rows = t.length - r < t.tile ? t.length - r : t.tile;
            Take(Load(at + r * t.inner, rows, n), rows, r == 0);
        }
        Invert();
        for (uint64_t r = 0; r < t.length; r += t.tile) {
            const uint32_t rows = t.length - r < t.tile ? t.length - r : t.tile;
            const Floats e = Load(at + r * t.inner, rows, n);
            EachRow<RowSub>(e, State(0), rows);
            AscendC::Exp(e, e, rows * t.pitch);
            AscendC::PipeBarrier<PIPE_V>();
            Give(e, at + r * t.inner, rows, n);
        }
    }

    SoftmaxAxisTiling t;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide, beforeWork, work, state;
};
