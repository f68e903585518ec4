// SPDX-License-Identifier: Apache-2.0
// Rows, one after the other through the same stations, each of which may be left out: add a residual,
// normalise, weigh, quantise by the row's largest magnitude. The arithmetic is in float.
#pragma once

#include "kernels/shared/row_kernel.h"

enum class RowNormKind : uint8_t { none, rms, layer };
enum class RowQuant : uint8_t { none, int8, int4 };
enum class RowSchedule : uint8_t { batched, tiles, serial, ahead };  // all but the first: row_norm_serial.h

struct RowNormTiling {
    uint64_t rows;
    uint64_t share;    // rows of one core
    uint32_t width;    // elements of a row
    uint32_t pitch;    // from row to row of a buffer
    uint32_t tile;     // rows in a buffer
    uint32_t chunk;    // elements of a row taken at a time; not below `width`: whole rows
    uint32_t buffers;  // 2: copies and arithmetic overlap
    RowNormKind kind;
    RowQuant quant;
    uint8_t residual;  // 1: x + r is normalised, and written as well
    uint8_t smooth;    // 1: a row of factors before the quantisation
    uint8_t stats;     // 1: the mean (of kind layer) and the inverse deviation are written
    RowSchedule schedule;
    float epsilon;
};

struct RowNormAddresses {
    GM_ADDR x;
    GM_ADDR residual;
    GM_ADDR gamma;
    GM_ADDR beta;
    GM_ADDR smooth;
    GM_ADDR y;
    GM_ADDR sum;
    GM_ADDR scale;
    GM_ADDR mean;
    GM_ADDR deviation;
};

/// The stations of a tile of rows, and its way in and out.
template <typename T>
class RowNormTile {
protected:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline RowNormTile(const RowNormAddresses& a, const RowNormTiling& tiling) : t(tiling) {
        first = t.share * AscendC::GetBlockIdx();
        count = first >= t.rows ? 0 : t.rows - first < t.share ? t.rows - first : t.share;
        xGm.SetGlobalBuffer((__gm__ T*)a.x);
        residualGm.SetGlobalBuffer((__gm__ T*)a.residual);
        weightGm[0].SetGlobalBuffer((__gm__ T*)a.gamma);
        weightGm[1].SetGlobalBuffer((__gm__ T*)a.beta);
        weightGm[2].SetGlobalBuffer((__gm__ T*)a.smooth);
        yGm.SetGlobalBuffer((__gm__ uint8_t*)a.y);
        sumGm.SetGlobalBuffer((__gm__ T*)a.sum);
        scaleGm.SetGlobalBuffer((__gm__ float*)a.scale);
        meanGm.SetGlobalBuffer((__gm__ float*)a.mean);
        deviationGm.SetGlobalBuffer((__gm__ float*)a.deviation);
        Allocate();
    }

    __aicore__ inline bool Weighs(uint32_t i) const {
        return i == 2 ? t.smooth != 0 : i == 1 ? t.kind == RowNormKind::layer : t.kind != RowNormKind::none;
    }

    __aicore__ inline uint32_t OutBytes(uint32_t elements) const {
        return t.quant == RowQuant::none   ? elements * sizeof(T)
               : t.quant == RowQuant::int8 ? elements
                                           : elements / 2;
    }

    __aicore__ inline bool Fits() const { return t.chunk >= t.width; }

    __aicore__ inline void Allocate() {
        elements = t.tile * t.pitch;
        groups = (t.tile + 7) / 8 * 8;
        const uint32_t in = elements * sizeof(T);
        pipe.InitBuffer(inX, t.buffers, t.residual != 0 ? 2 * in : in);
        pipe.InitBuffer(outY, t.buffers, (t.residual != 0 ? in : 0) + (OutBytes(elements) + 31) / 32 * 32);
        pipe.InitBuffer(outRows, t.buffers, 3 * groups * sizeof(float));
        pipe.InitBuffer(wideX, elements * sizeof(float));
        pipe.InitBuffer(beforeScratch, 256);  // x and its scratch in different banks
        pipe.InitBuffer(scratch, elements * sizeof(float));
        pipe.InitBuffer(value, 4 * groups * sizeof(float));
        pipe.InitBuffer(spread, 2 * groups * 8 * sizeof(float));
        uint32_t weights = 0;
        for (uint32_t i = 0; i < 3; ++i) {
            weightAt[i] = weights * t.pitch;
            weights += Weighs(i) ? 1 : 0;
        }
        if (weights > 0) {
            pipe.InitBuffer(inWeights, 1, t.pitch * sizeof(T));
            pipe.InitBuffer(weightFloats, weights * t.pitch * sizeof(float));
        }
    }

    // Values are spread in groups of 8 rows; gaps between rows are computed on like the rest.
    __aicore__ inline void Prepare() {
        AscendC::Duplicate(value.template Get<float>(), 1.0f, 4 * groups);
        if (Fits() && t.width != t.pitch) {
            for (uint32_t i = 0; i < t.buffers; ++i) {
                AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
                AscendC::Duplicate(
                    x.template ReinterpretCast<int16_t>(),
                    int16_t{0},
                    static_cast<int32_t>((t.residual != 0 ? 2 : 1) * elements * sizeof(T) / 2));
                inX.FreeTensor(x);
            }
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t i = 0; Fits() && i < 3; ++i) {
            if (Weighs(i)) {
                FetchWeights(i, 0, t.width);
            }
        }
    }

    __aicore__ inline void FetchWeights(uint32_t i, uint32_t at, uint32_t n) {
        AscendC::LocalTensor<T> w = inWeights.template AllocTensor<T>();
        CopyElementsIn(w, weightGm[i][at], n);  // (n) GM -> UB
        inWeights.EnQue(w);
        w = inWeights.template DeQue<T>();
        AscendC::PipeBarrier<PIPE_V>();
        Widen(Weights(i), w, n);
        AscendC::PipeBarrier<PIPE_V>();
        inWeights.FreeTensor(w);
    }

    __aicore__ inline Floats Weights(uint32_t i) { return weightFloats.template Get<float>()[weightAt[i]]; }

    __aicore__ inline void Widen(const Floats& to, const AscendC::LocalTensor<T>& from, uint32_t n) const {
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Adds(to, from, 0.0f, n);
        } else {
            AscendC::Cast(to, from, AscendC::RoundMode::CAST_NONE, n);
        }
    }

    // (rows, n) GM -> (rows, pitch) UB, from column `at`
    __aicore__ inline void Fetch(const AscendC::LocalTensor<T>& to,
                                 const AscendC::GlobalTensor<T>& from,
                                 uint64_t row,
                                 uint32_t at,
                                 uint32_t rows,
                                 uint32_t n) const {
        const auto source = from[row * t.width + at];
        if (rows == 1 || (n == t.pitch && n == t.width)) {
            CopyElementsIn(to, source, rows * n);
            return;
        }
        const uint32_t bytes = n * sizeof(T);
        AscendC::DataCopyPad(to,
                             source,
                             AscendC::DataCopyExtParams(
                                 rows, bytes, 0, (t.pitch * sizeof(T) - (bytes + 31) / 32 * 32) / 32, 0),
                             AscendC::DataCopyPadExtParams<T>());
    }

    template <typename U>
    __aicore__ inline void Store(const AscendC::GlobalTensor<U>& to,
                                 const AscendC::LocalTensor<U>& from,
                                 uint64_t offset,
                                 uint32_t rows,
                                 uint32_t row_elements,
                                 uint32_t pitch) const {
        if (rows == 1 || row_elements == pitch) {
            CopyElementsOut(to[offset], from, rows * row_elements);
            return;
        }
        const uint32_t bytes = row_elements * sizeof(U);
        AscendC::DataCopyPad(
            to[offset],
            from,
            AscendC::DataCopyExtParams(rows, bytes, (pitch * sizeof(U) - (bytes + 31) / 32 * 32) / 32, 0, 0));
    }

    /// x, or x + r, of some rows as floats.
    __aicore__ inline Floats Load(uint64_t row, uint32_t at, uint32_t rows, uint32_t n, uint32_t all) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        Fetch(x, xGm, row, at, rows, n);
        if (t.residual != 0) {
            Fetch(x[elements], residualGm, row, at, rows, n);
        }
        inX.EnQue(x);
        x = inX.template DeQue<T>();
        const Floats wide = wideX.template Get<float>();
        AscendC::PipeBarrier<PIPE_V>();
        Widen(wide, x, all);
        if (t.residual != 0) {
            Widen(scratch.template Get<float>(), x[elements], all);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Add(wide, wide, scratch.template Get<float>(), all);
        }
        AscendC::PipeBarrier<PIPE_V>();
        inX.FreeTensor(x);
        return wide;
    }

    __aicore__ inline Floats Value(uint32_t i) { return value.template Get<float>()[i * groups]; }

    __aicore__ inline Floats Spread(uint32_t i) { return spread.template Get<float>()[i * groups * 8]; }

    /// 1 / sqrt(value / width + epsilon), spread.
    __aicore__ inline void InverseDeviation(const Floats& each, uint32_t rows) {
        AscendC::Muls(each, each, 1.0f / static_cast<float>(t.width), rows);
        AscendC::Duplicate(Value(3), 1.0f, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(each, each, t.epsilon, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sqrt(each, each, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(each, Value(3), each, rows);
        AscendC::PipeBarrier<PIPE_V>();
        SpreadRowValues(Spread(0), each, rows);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Centre(const Floats& x, const Rows& rows) {
        if (t.kind != RowNormKind::layer) {
            return;
        }
        ReduceRows<RowSum>(Value(1), x, scratch.template Get<float>(), rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(Value(1), Value(1), 1.0f / static_cast<float>(t.width), rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        SpreadRowValues(Spread(1), Value(1), rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        RowsWithValues<RowSub>(x, x, Spread(1), rows);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Weigh(const Floats& x, const Rows& rows) {
        if (Weighs(0)) {
            RowsWithWeights<RowMul>(x, x, Weights(0), rows);
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (Weighs(1)) {
            RowsWithWeights<RowAdd>(x, x, Weights(1), rows);
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (Weighs(2)) {
            RowsWithWeights<RowMul>(x, x, Weights(2), rows);
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    __aicore__ inline void Magnitude(const Floats& each, const Floats& x, const Rows& rows, uint32_t all) {
        AscendC::Abs(scratch.template Get<float>(), x, all);
        AscendC::PipeBarrier<PIPE_V>();
        ReduceRowsInPlace<RowMax>(each, scratch.template Get<float>(), rows);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// Value 2 becomes the scale, spread 0 its inverse.
    __aicore__ inline void Scales(uint32_t rows) {
        const float most = t.quant == RowQuant::int8 ? 127.0f : 7.0f;
        AscendC::Maxs(Value(2), Value(2), 1.0e-20f, rows);
        AscendC::Duplicate(Value(3), 1.0f, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(Value(2), Value(2), 1.0f / most, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(Value(3), Value(3), Value(2), rows);
        AscendC::PipeBarrier<PIPE_V>();
        SpreadRowValues(Spread(0), Value(3), rows);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// y / scale to whole numbers, by way of int32 and half as the chip converts; or y rounded.
    __aicore__ inline void Emit(const AscendC::LocalTensor<uint8_t>& to,
                                const Floats& x,
                                const Rows& rows,
                                uint32_t all) {
        if (t.quant == RowQuant::none) {
            Narrow(to.template ReinterpretCast<T>(), x, all);
            return;
        }
        RowsWithValues<RowMul>(x, x, Spread(0), rows);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<int32_t> whole = x.template ReinterpretCast<int32_t>();
        const AscendC::LocalTensor<half> halves = scratch.template Get<half>();
        AscendC::Cast(whole, x, AscendC::RoundMode::CAST_RINT, all);
        AscendC::SetDeqScale(static_cast<half>(1.0f));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(halves, whole, AscendC::RoundMode::CAST_NONE, all);
        AscendC::PipeBarrier<PIPE_V>();
        if (t.quant == RowQuant::int8) {
            AscendC::Cast(to.template ReinterpretCast<int8_t>(), halves, AscendC::RoundMode::CAST_TRUNC, all);
        } else {
            AscendC::Cast(
                to.template ReinterpretCast<int4b_t>(), halves, AscendC::RoundMode::CAST_TRUNC, all);
        }
    }

    __aicore__ inline void StoreTile(uint64_t row, uint32_t at, uint32_t rows, uint32_t n) {
        AscendC::LocalTensor<uint8_t> out = outY.template DeQue<uint8_t>();
        AscendC::LocalTensor<uint8_t> y = t.residual != 0 ? out[elements * sizeof(T)] : out;
        Store(yGm, y, OutBytes(row * t.width + at), rows, OutBytes(n), OutBytes(t.pitch));
        if (t.residual != 0) {
            Store(sumGm, out.template ReinterpretCast<T>(), row * t.width + at, rows, n, t.pitch);
        }
        outY.FreeTensor(out);
    }

    /// One value a row: mean, inverse deviation, scale.
    __aicore__ inline void RowValues(uint64_t row, uint32_t rows) {
        if (t.stats == 0 && t.quant == RowQuant::none) {
            return;
        }
        Floats out = outRows.template AllocTensor<float>();
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(out, value.template Get<float>(), 0.0f, 3 * groups);
        outRows.EnQue(out);
        out = outRows.template DeQue<float>();
        if (t.stats != 0) {
            CopyElementsOut(deviationGm[row], out, rows);
        }
        if (t.stats != 0 && t.kind == RowNormKind::layer) {
            CopyElementsOut(meanGm[row], out[groups], rows);
        }
        if (t.quant != RowQuant::none) {
            CopyElementsOut(scaleGm[row], out[2 * groups], rows);
        }
        outRows.FreeTensor(out);
    }

    RowNormTiling t;
    uint64_t first, count;
    uint32_t elements, groups;
    uint32_t weightAt[3];
    AscendC::GlobalTensor<T> xGm, residualGm, sumGm, weightGm[3];
    AscendC::GlobalTensor<uint8_t> yGm;
    AscendC::GlobalTensor<float> scaleGm, meanGm, deviationGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX, inWeights;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY, outRows;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, beforeScratch, scratch, value, spread, weightFloats;
};
