// SPDX-License-Identifier: Apache-2.0
// Softmax of rows. A row that fits the unified buffer is read once; a longer one is read twice, its maximum
// and sum kept up to date chunk by chunk (on-line softmax).
#pragma once

#include "kernels/shared/order.h"
#include "kernels/shared/row_kernel.h"

/// The scores of rows that are x itself. What else they may be has the same functions.
template <typename T>
struct PlainScores {
    /// Takes what it needs of the unified buffer.
    __aicore__ inline void Init(AscendC::TPipe&, const RowTiling&) {}

    /// Fetches what belongs to `rows` rows from `row` of the tensor on, besides x.
    __aicore__ inline void Fetch(uint64_t row, uint32_t rows) {}

    /// The scores of the rows fetched last, in `wide` or in x.
    __aicore__ inline AscendC::LocalTensor<float> Of(const AscendC::LocalTensor<float>& wide,
                                                     const AscendC::LocalTensor<T>& x,
                                                     uint32_t count) {
        return Widened(wide, x, count);
    }
};

/// Tiles of whole rows. In the operator library's order (schedule 2) copies and arithmetic take turns, and
/// each row's maximum and sum pass through the scalar unit.
template <typename T, typename Scores = PlainScores<T>>
class SoftmaxRows {
public:
    __aicore__ inline SoftmaxRows(GM_ADDR x, GM_ADDR y, const RowTiling& tiling, const Scores& of_rows = {})
        : tiling(tiling), share(tiling), scores(of_rows) {
        xGm.SetGlobalBuffer((__gm__ T*)x + share.first * tiling.width, share.count * tiling.width);
        yGm.SetGlobalBuffer((__gm__ T*)y + share.first * tiling.width, share.count * tiling.width);
        const uint32_t elements = tiling.tile * tiling.pitch;
        const uint32_t groups = (tiling.tile + 7) / 8 * 8;
        pipe.InitBuffer(inX, tiling.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, tiling.buffers, elements * sizeof(T));
        pipe.InitBuffer(wideX, elements * sizeof(float));
        pipe.InitBuffer(work, tiling.tile * FoldPitch(tiling.width) * sizeof(float));
        pipe.InitBuffer(value, groups * sizeof(float));
        pipe.InitBuffer(ones, groups * sizeof(float));
        pipe.InitBuffer(spread, groups * 8 * sizeof(float));
        scores.Init(pipe, tiling);
        AscendC::Duplicate(ones.template Get<float>(), 1.0f, groups);
        // Values are spread in groups of 8 rows, whether there are as many or not.
        AscendC::Duplicate(value.template Get<float>(), 1.0f, groups);
        if (tiling.width != tiling.pitch) {
            AscendC::Duplicate(wideX.template Get<float>(), 0.0f, elements);  // also between the rows
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Process() {
        for (uint64_t row = 0; row < share.count; row += tiling.tile) {
            const uint32_t rows = share.count - row < tiling.tile ? share.count - row : tiling.tile;
            AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
            CopyRowsIn(x, xGm[row * tiling.width], rows, tiling);  // (rows, width) GM -> UB
            inX.EnQue(x);
            scores.Fetch(share.first + row, rows);
            Compute(rows);
            AscendC::LocalTensor<T> y = outY.template DeQue<T>();
            CopyRowsOut(yGm[row * tiling.width], y, rows, tiling);  // (rows, width) UB -> GM
            outY.FreeTensor(y);
            if (tiling.schedule == 2) {
                AscendC::PipeBarrier<PIPE_ALL>();
            }
        }
    }

private:
    /// to[r, :] = from[r, :] - values[r], or divided by it: the value comes from the unified buffer, row by
    /// row.
    template <bool divides>
    __aicore__ inline void EachRow(const AscendC::LocalTensor<float>& to,
                                   const AscendC::LocalTensor<float>& from,
                                   const AscendC::LocalTensor<float>& values,
                                   uint32_t rows) {
        Order<AscendC::HardEvent::V_S>(pipe);
        for (uint32_t r = 0; r < rows; ++r) {
            const uint32_t at = r * tiling.pitch;
            if constexpr (divides) {
                AscendC::Muls(to[at], from[at], 1.0f / values.GetValue(r), tiling.width);
            } else {
                AscendC::Adds(to[at], from[at], -values.GetValue(r), tiling.width);
            }
        }
    }

    __aicore__ inline void Compute(uint32_t rows) {
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        AscendC::LocalTensor<float> e = wideX.template Get<float>();      // (rows, pitch)
        AscendC::LocalTensor<float> each = value.template Get<float>();   // (rows)
        AscendC::LocalTensor<float> wide = spread.template Get<float>();  // (rows, 8)
        AscendC::LocalTensor<float> scratch = work.template Get<float>();
        const Rows shape{rows, tiling.width, tiling.pitch};
        const uint32_t count = rows * tiling.pitch;
        const AscendC::LocalTensor<float> in = scores.Of(e, x, count);
        ReduceRows<RowMax>(each, in, scratch, shape);
        AscendC::PipeBarrier<PIPE_V>();
        if (tiling.schedule == 2) {
            EachRow<false>(e, in, each, rows);
        } else {
            SpreadRowValues(wide, each, rows);
            AscendC::PipeBarrier<PIPE_V>();
            RowsWithValues<RowSub>(e, in, wide, shape);
        }
        inX.FreeTensor(x);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(e, e, count);
        AscendC::PipeBarrier<PIPE_V>();
        ReduceRows<RowSum>(each, e, scratch, shape);
        AscendC::PipeBarrier<PIPE_V>();
        if (tiling.schedule == 2) {
            EachRow<true>(e, e, each, rows);
        } else {
            AscendC::Div(each, ones.template Get<float>(), each, rows);
            AscendC::PipeBarrier<PIPE_V>();
            SpreadRowValues(wide, each, rows);
            AscendC::PipeBarrier<PIPE_V>();
            RowsWithValues<RowMul>(e, e, wide, shape);
        }
        AscendC::PipeBarrier<PIPE_V>();
        Narrow(y, e, count);
        outY.template EnQue<T>(y);
    }

    RowTiling tiling;
    RowShare share;
    Scores scores;
    AscendC::GlobalTensor<T> xGm, yGm;  // (share.count, width)
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;    // (tile, pitch)
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;  // (tile, pitch)
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, work, value, ones, spread;
};

/// Rows in chunks: m is the maximum so far, s the sum of exp(x - m) so far, each filling a block of 8.
template <typename T>
class SoftmaxChunks {
public:
    __aicore__ inline SoftmaxChunks(GM_ADDR x, GM_ADDR y, const RowTiling& tiling)
        : tiling(tiling), share(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x + share.first * tiling.width, share.count * tiling.width);
        yGm.SetGlobalBuffer((__gm__ T*)y + share.first * tiling.width, share.count * tiling.width);
        pipe.InitBuffer(inX, tiling.buffers, tiling.chunk * sizeof(T));
        pipe.InitBuffer(outY, tiling.buffers, tiling.chunk * sizeof(T));
        pipe.InitBuffer(wideX, tiling.chunk * sizeof(float));
        pipe.InitBuffer(work, FoldPitch(tiling.chunk) * sizeof(float));
        pipe.InitBuffer(state, 5 * 64 * sizeof(float));
        AscendC::Duplicate(
            state.template Get<float>(), 1.0f, 5 * 64);  // spread in groups of 8, of which one is used
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Process() {
        for (uint64_t row = 0; row < share.count; ++row) {
            Start();
            for (uint32_t at = 0; at < tiling.width; at += tiling.chunk) {
                Take(row, at);
            }
            Finish();
            for (uint32_t at = 0; at < tiling.width; at += tiling.chunk) {
                Give(row, at);
            }
        }
    }

private:
    // Blocks of 8 in the state; a reduced value and what Brcb makes of it need 8 and 64 floats.
    __aicore__ inline AscendC::LocalTensor<float> M() { return state.template Get<float>(); }

    __aicore__ inline AscendC::LocalTensor<float> S() { return state.template Get<float>()[64]; }

    __aicore__ inline AscendC::LocalTensor<float> Spread() { return state.template Get<float>()[128]; }

    __aicore__ inline AscendC::LocalTensor<float> Value() { return state.template Get<float>()[192]; }

    __aicore__ inline AscendC::LocalTensor<float> Factor() { return state.template Get<float>()[256]; }

    __aicore__ inline uint32_t CountAt(uint32_t at) const {
        return tiling.width - at < tiling.chunk ? tiling.width - at : tiling.chunk;
    }

    __aicore__ inline void Start() {
        constexpr float lowest = -3.0e38f;
        AscendC::Duplicate(M(), lowest, 8);
        AscendC::Duplicate(S(), 0.0f, 8);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Fetch(uint64_t row, uint32_t at, uint32_t count) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        CopyElementsIn(x, xGm[row * tiling.width + at], count);  // (count) GM -> UB
        inX.EnQue(x);
    }

    // m' = max(m, max(x)); s = s exp(m - m') + sum(exp(x - m')); m = m'.
    __aicore__ inline void Take(uint64_t row, uint32_t at) {
        const uint32_t count = CountAt(at);
        Fetch(row, at, count);
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        AscendC::LocalTensor<float> e = wideX.template Get<float>();  // (count)
        AscendC::LocalTensor<float> scratch = work.template Get<float>();
        const Rows shape{1, count, tiling.chunk};
        const AscendC::LocalTensor<float> in = Widened(e, x, count);
        ReduceRows<RowMax>(Value(), in, scratch, shape);
        AscendC::PipeBarrier<PIPE_V>();
        SpreadRowValues(Spread(), Value(), 1);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Max(Spread(), Spread(), M(), 8);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sub(Factor(), M(), Spread(), 8);
        RowsWithValues<RowSub>(e, in, Spread(), shape);
        inX.FreeTensor(x);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(M(), Spread(), 0.0f, 8);
        AscendC::Exp(Factor(), Factor(), 8);
        AscendC::Exp(e, e, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(S(), S(), Factor(), 8);
        ReduceRows<RowSum>(Value(), e, scratch, shape);
        AscendC::PipeBarrier<PIPE_V>();
        SpreadRowValues(Spread(), Value(), 1);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(S(), S(), Spread(), 8);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Finish() {
        AscendC::Duplicate(Factor(), 1.0f, 8);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(S(), Factor(), S(), 8);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Give(uint64_t row, uint32_t at) {
        const uint32_t count = CountAt(at);
        Fetch(row, at, count);
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        AscendC::LocalTensor<float> e = wideX.template Get<float>();  // (count)
        const Rows shape{1, count, tiling.chunk};
        const AscendC::LocalTensor<float> in = Widened(e, x, count);
        RowsWithValues<RowSub>(e, in, M(), shape);
        inX.FreeTensor(x);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(e, e, count);
        AscendC::PipeBarrier<PIPE_V>();
        RowsWithValues<RowMul>(e, e, S(), shape);
        AscendC::PipeBarrier<PIPE_V>();
        Narrow(y, e, count);
        AscendC::PipeBarrier<PIPE_V>();
        outY.template EnQue<T>(y);
        AscendC::LocalTensor<T> out = outY.template DeQue<T>();
        CopyElementsOut(yGm[row * tiling.width + at], out, count);  // (count) UB -> GM
        outY.FreeTensor(out);
    }

    RowTiling tiling;
    RowShare share;
    AscendC::GlobalTensor<T> xGm, yGm;  // (share.count, width)
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;    // (chunk)
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;  // (chunk)
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, work, state;
};
