// SPDX-License-Identifier: Apache-2.0
// Layer normalisation and root-mean-square normalisation of rows, with GELU behind them if wanted.
#pragma once

#include "kernels/shared/gelu.h"
#include "kernels/shared/row_kernel.h"

/// What to do to a row.
enum class NormKind : uint8_t { layer, layer_gelu, root_mean_square };

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta, or y = x / sqrt(mean(x^2) + epsilon) * gamma.
template <typename T, NormKind kind>
class Norm {
public:
    __aicore__ inline Norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, const RowTiling& tiling)
        : tiling(tiling), share(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x + share.first * tiling.width, share.count * tiling.width);
        yGm.SetGlobalBuffer((__gm__ T*)y + share.first * tiling.width, share.count * tiling.width);
        gammaGm.SetGlobalBuffer((__gm__ T*)gamma, tiling.width);
        betaGm.SetGlobalBuffer((__gm__ T*)beta, tiling.width);
        const uint32_t elements = tiling.tile * tiling.pitch;
        const uint32_t groups = (tiling.tile + 7) / 8 * 8;
        pipe.InitBuffer(inX, tiling.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, tiling.buffers, elements * sizeof(T));
        pipe.InitBuffer(inWeights, 1, tiling.pitch * sizeof(T));
        pipe.InitBuffer(wideX, elements * sizeof(float));
        pipe.InitBuffer(beforeScratch, 256);  // x and its scratch in different banks
        pipe.InitBuffer(scratch, elements * sizeof(float));
        pipe.InitBuffer(weights, (centred ? 2 : 1) * tiling.pitch * sizeof(float));
        pipe.InitBuffer(value, 2 * groups * sizeof(float));
        pipe.InitBuffer(spread, groups * 8 * sizeof(float));
    }

    __aicore__ inline void Process() {
        if (share.count == 0 || tiling.width == 0) {
            return;
        }
        // Spreading takes values in groups of 8 rows, whether there are as many or not.
        AscendC::Duplicate(value.template Get<float>(), 1.0f, 2 * ((tiling.tile + 7) / 8 * 8));
        if (tiling.width != tiling.pitch) {
            AscendC::Duplicate(
                wideX.template Get<float>(), 0.0f, tiling.tile * tiling.pitch);  // also between rows
        }
        AscendC::PipeBarrier<PIPE_V>();
        FetchWeights();
        for (uint64_t row = 0; row < share.count; row += tiling.tile) {
            const uint32_t rows = share.count - row < tiling.tile ? share.count - row : tiling.tile;
            AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
            CopyRowsIn(x, xGm[row * tiling.width], rows, tiling);  // (rows, width) GM -> UB
            inX.EnQue(x);
            Compute(rows);
            AscendC::LocalTensor<T> y = outY.template DeQue<T>();
            CopyRowsOut(yGm[row * tiling.width], y, rows, tiling);  // (rows, width) UB -> GM
            outY.FreeTensor(y);
        }
    }

private:
    static constexpr bool centred = kind != NormKind::root_mean_square;

    // gamma and beta in float, once for all rows.
    __aicore__ inline void FetchWeights() {
        Fetch(gammaGm, weights.template Get<float>());
        if constexpr (centred) {
            Fetch(betaGm, weights.template Get<float>()[tiling.pitch]);
        }
    }

    __aicore__ inline void Fetch(const AscendC::GlobalTensor<T>& from,
                                 const AscendC::LocalTensor<float>& to) {
        AscendC::LocalTensor<T> w = inWeights.template AllocTensor<T>();
        CopyRowsIn(w, from, 1, tiling);  // (width) GM -> UB
        inWeights.EnQue(w);
        w = inWeights.template DeQue<T>();
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Adds(to, w, 0.0f, tiling.width);
        } else {
            AscendC::Cast(to, w, AscendC::RoundMode::CAST_NONE, tiling.width);
        }
        AscendC::PipeBarrier<PIPE_V>();
        inWeights.FreeTensor(w);
    }

    // From each row's sum to its mean.
    __aicore__ inline void Average(uint32_t rows) {
        const AscendC::LocalTensor<float> each = value.template Get<float>();
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(each, each, 1.0f / static_cast<float>(tiling.width), rows);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Compute(uint32_t rows) {
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        AscendC::LocalTensor<float> wide = wideX.template Get<float>();       // (rows, pitch)
        AscendC::LocalTensor<float> squares = scratch.template Get<float>();  // (rows, pitch)
        const Rows shape{rows, tiling.width, tiling.pitch};
        const uint32_t count = rows * tiling.pitch;
        const AscendC::LocalTensor<float> in = Widened(wide, x, count);
        if constexpr (centred) {
            ReduceRows<RowSum>(value.template Get<float>(), in, squares, shape);
            Average(rows);
            SpreadRowValues(spread.template Get<float>(), value.template Get<float>(), rows);
            AscendC::PipeBarrier<PIPE_V>();
            RowsWithValues<RowSub>(wide, in, spread.template Get<float>(), shape);
            AscendC::PipeBarrier<PIPE_V>();
            Scale(wide, wide, squares, shape);
        } else {
            Scale(wide, in, squares, shape);
        }
        inX.FreeTensor(x);
        Finish(wide, squares, shape);
    }

    // y = x / sqrt(mean(x^2) + epsilon)
    __aicore__ inline void Scale(const AscendC::LocalTensor<float>& y,
                                 const AscendC::LocalTensor<float>& x,
                                 const AscendC::LocalTensor<float>& squares,
                                 const Rows& rows) {
        const AscendC::LocalTensor<float> each = value.template Get<float>();
        const AscendC::LocalTensor<float> one = each[(tiling.tile + 7) / 8 * 8];
        AscendC::Mul(squares, x, x, rows.count * rows.pitch);
        AscendC::Duplicate(one, 1.0f, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        ReduceRowsInPlace<RowSum>(each, squares, rows);
        Average(rows.count);
        AscendC::Adds(each, each, tiling.epsilon, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sqrt(each, each, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(each, one, each, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        SpreadRowValues(spread.template Get<float>(), each, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        RowsWithValues<RowMul>(y, x, spread.template Get<float>(), rows);
        AscendC::PipeBarrier<PIPE_V>();
    }

    // Weights, GELU if wanted, rounding.
    __aicore__ inline void Finish(const AscendC::LocalTensor<float>& wide,
                                  const AscendC::LocalTensor<float>& squares,
                                  const Rows& rows) {
        const uint32_t count = rows.count * rows.pitch;
        RowsWithWeights<RowMul>(wide, wide, weights.template Get<float>(), rows);
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (centred) {
            RowsWithWeights<RowAdd>(wide, wide, weights.template Get<float>()[tiling.pitch], rows);
            AscendC::PipeBarrier<PIPE_V>();
        }
        if constexpr (kind == NormKind::layer_gelu) {
            GeluTanh(wide, wide, squares, count);
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        Narrow(y, wide, count);
        outY.template EnQue<T>(y);
    }

    RowTiling tiling;
    RowShare share;
    AscendC::GlobalTensor<T> xGm, yGm;         // (share.count, width)
    AscendC::GlobalTensor<T> gammaGm, betaGm;  // (width)
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;        // (tile, pitch)
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inWeights;  // (pitch)
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;      // (tile, pitch)
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, beforeScratch, scratch, weights, value, spread;
};
