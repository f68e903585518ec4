// SPDX-License-Identifier: Apache-2.0
// Softmax of (outer, length, inner) along `length`: columns side by side, so that no reduction goes within a
// vector. Where a piece of columns does not fit as a whole, it is read twice, its maximum and sum kept up to
// date; or, in the operator library's order, its exponentials are written to global memory and read back.
#pragma once

#include "kernels/shared/row_kernel.h"

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
    uint32_t
        turns;  // 1: a piece begins when the one before is written, as buffers are used for several tensors
    uint32_t spills;  // 1: pieces that do not fit leave floats in global memory
};

template <typename T>
class SoftmaxAxis {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline SoftmaxAxis(GM_ADDR x, GM_ADDR y, GM_ADDR kept, const SoftmaxAxisTiling& tiling)
        : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        keptGm.SetGlobalBuffer((__gm__ float*)kept);
        const uint32_t elements = t.tile * t.pitch;
        pipe.InitBuffer(inX, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(wide, elements * sizeof(float));
        pipe.InitBuffer(beforeWork, 256);  // what is folded lies in other banks
        pipe.InitBuffer(work, (t.tile + 1) / 2 * t.pitch * sizeof(float));
        pipe.InitBuffer(state, 4 * t.pitch * sizeof(float));
        if (t.spills != 0) {
            pipe.InitBuffer(inKept, t.buffers, elements * sizeof(float));
            pipe.InitBuffer(outKept, t.buffers, elements * sizeof(float));
        }
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
            const uint64_t at = u / pieces * t.length * t.inner + column;
            if (t.spills != 0) {
                Spilled(at, n);
            } else {
                Piece(at, n);
            }
            if (t.turns != 0) {
                AscendC::PipeBarrier<PIPE_ALL>();
            }
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
        EachRow<Op>(e, e, with, rows);
    }

    template <typename Op>
    __aicore__ inline void EachRow(const Floats& to, const Floats& e, const Floats& with, uint32_t rows) {
        for (uint32_t r = 0; r < rows; r += 240) {
            const uint32_t n = rows - r < 240 ? rows - r : 240;
            RowsWithWeights<Op>(to[r * t.pitch], e[r * t.pitch], with, {n, t.pitch, t.pitch});
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
        StoreRows(yGm[to], y, rows, n);
        outY.FreeTensor(y);
    }

    // (rows, pitch) UB -> (rows, n) of rows `inner` elements apart
    template <typename U>
    __aicore__ inline void StoreRows(const AscendC::GlobalTensor<U>& to,
                                     const AscendC::LocalTensor<U>& from,
                                     uint32_t rows,
                                     uint32_t n) {
        const uint32_t bytes = n * sizeof(U);
        AscendC::DataCopyPad(to,
                             from,
                             AscendC::DataCopyExtParams(rows,
                                                        bytes,
                                                        (t.pitch * sizeof(U) - (bytes + 31) / 32 * 32) / 32,
                                                        (t.inner - n) * sizeof(U),
                                                        0));
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

    // Three passes: maxima, exponentials and their sums, quotients; the floats in between go to global
    // memory.
    __aicore__ inline void Spilled(uint64_t at, uint32_t n) {
        for (uint64_t r = 0; r < t.length; r += t.tile) {
            Widest(at + r * t.inner, RowsFrom(r), n, r == 0);
        }
        AscendC::PipeBarrier<PIPE_ALL>();  // what is written is there before it is read
        for (uint64_t r = 0; r < t.length; r += t.tile) {
            Exponentials(at + r * t.inner, RowsFrom(r), n, r == 0);
        }
        Invert();
        AscendC::PipeBarrier<PIPE_ALL>();
        for (uint64_t r = 0; r < t.length; r += t.tile) {
            const Floats in = LoadKept(keptGm[at + r * t.inner], RowsFrom(r), n);
            const Floats e = wide.template Get<float>();
            AscendC::Adds(e, in, 0.0f, RowsFrom(r) * t.pitch);
            AscendC::PipeBarrier<PIPE_V>();
            FreeKept(in);
            Give(e, at + r * t.inner, RowsFrom(r), n);
        }
    }

    __aicore__ inline uint32_t RowsFrom(uint64_t r) const {
        return t.length - r < t.tile ? t.length - r : t.tile;
    }

    __aicore__ inline Floats LoadKept(const AscendC::GlobalTensor<float>& from, uint32_t rows, uint32_t n) {
        Floats in = inKept.template AllocTensor<float>();
        CopyRowsIn(in, from, rows, n, t.inner, t.pitch);
        inKept.EnQue(in);
        in = inKept.template DeQue<float>();
        AscendC::PipeBarrier<PIPE_V>();
        return in;
    }

    __aicore__ inline void FreeKept(Floats in) { inKept.FreeTensor(in); }

    __aicore__ inline void StoreKept(Floats out, uint64_t to, uint32_t rows, uint32_t n) {
        outKept.template EnQue<float>(out);
        out = outKept.template DeQue<float>();
        StoreRows(keptGm[to], out, rows, n);
        outKept.FreeTensor(out);
    }

    /// The maximum takes these rows in; elements of 16 bits are left as floats.
    __aicore__ inline void Widest(uint64_t at, uint32_t rows, uint32_t n, bool starts) {
        const Floats e = Load(at, rows, n);
        const Floats fresh = State(2);
        FoldRows<RowMax>(fresh, e, rows);
        if (starts) {
            AscendC::Adds(State(0), fresh, 0.0f, t.pitch);
        } else {
            AscendC::Max(State(0), State(0), fresh, t.pitch);
        }
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (!std::is_same_v<T, float>) {
            Floats out = outKept.template AllocTensor<float>();
            AscendC::Adds(out, e, 0.0f, rows * t.pitch);
            AscendC::PipeBarrier<PIPE_V>();
            StoreKept(out, at, rows, n);
        }
    }

    /// Exponentials of these rows are left, the sum takes them in.
    __aicore__ inline void Exponentials(uint64_t at, uint32_t rows, uint32_t n, bool starts) {
        const Floats e = wide.template Get<float>();
        if constexpr (std::is_same_v<T, float>) {
            EachRow<RowSub>(Load(at, rows, n), State(0), rows);
        } else {
            const Floats in = LoadKept(keptGm[at], rows, n);
            EachRow<RowSub>(e, in, State(0), rows);
            FreeKept(in);
        }
        Floats out = outKept.template AllocTensor<float>();
        AscendC::Exp(out, e, rows * t.pitch);
        AscendC::PipeBarrier<PIPE_V>();
        FoldRows<RowSum>(State(2), out, rows);
        if (starts) {
            AscendC::Adds(State(1), State(2), 0.0f, t.pitch);
        } else {
            AscendC::Add(State(1), State(1), State(2), t.pitch);
        }
        AscendC::PipeBarrier<PIPE_V>();
        StoreKept(out, at, rows, n);
    }

    SoftmaxAxisTiling t;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::TPipe pipe;
    AscendC::GlobalTensor<float> keptGm;  // (outer, length, inner) as x
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX, inKept;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY, outKept;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide, beforeWork, work, state;
};
