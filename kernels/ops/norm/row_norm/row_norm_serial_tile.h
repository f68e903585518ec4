// SPDX-License-Identifier: Apache-2.0
// Buffers and ways in and out of RowNormSerial and RowNormAhead.
#pragma once

#include "kernels/ops/norm/row_norm/row_norm_tile.h"

template <typename T>
class RowNormSerialTile {
protected:
    using Floats = AscendC::LocalTensor<float>;
    using Bytes = AscendC::LocalTensor<uint8_t>;
    static constexpr bool wide_input = std::is_same_v<T, float>;
    static constexpr uint32_t gathered = 64;  // row values written together where rows come one by one

    __aicore__ inline RowNormSerialTile(const RowNormAddresses& a, const RowNormTiling& tiling) : t(tiling) {
        first = t.share * AscendC::GetBlockIdx();
        count = first >= t.rows ? 0 : t.rows - first < t.share ? t.rows - first : t.share;
        xGm.SetGlobalBuffer((__gm__ T*)a.x);
        residualGm.SetGlobalBuffer((__gm__ T*)a.residual);
        gammaGm.SetGlobalBuffer((__gm__ T*)a.gamma);
        smoothGm.SetGlobalBuffer((__gm__ T*)a.smooth);
        yGm.SetGlobalBuffer((__gm__ uint8_t*)a.y);
        sumGm.SetGlobalBuffer((__gm__ T*)a.sum);
        valueGm.SetGlobalBuffer((__gm__ float*)(Quantises() ? a.scale : a.deviation));
        Allocate();
    }

    __aicore__ inline bool Quantises() const { return t.quant != RowQuant::none; }

    __aicore__ inline bool Normalises() const { return t.kind != RowNormKind::none; }

    __aicore__ inline bool Keeps() const { return Quantises() || t.stats != 0; }

    __aicore__ inline void Allocate() {
        elements = t.tile * t.pitch;
        groups = (t.tile > gathered ? t.tile : gathered) / 8 * 8 + 8;
        const bool serial = t.schedule == RowSchedule::serial;
        const uint32_t in = elements * ((1 + t.residual) * sizeof(T));
        const uint32_t floats = (t.schedule == RowSchedule::ahead ? (t.pitch + 63) / 64 * 64 : elements) *
                                static_cast<uint32_t>(sizeof(float));
        pipe.InitBuffer(inX, t.buffers, serial && Quantises() && in < floats ? floats : in);
        pipe.InitBuffer(outY, 1, elements * (Quantises() && t.residual == 0 ? 1 : sizeof(T)));
        pipe.InitBuffer(outValues, 1, groups * sizeof(float));
        if (!wide_input) {
            pipe.InitBuffer(wideX, floats);
        }
        pipe.InitBuffer(scratch, floats);
        pipe.InitBuffer(value, (2 * groups + 32) * sizeof(float));
        if (t.schedule == RowSchedule::tiles) {
            pipe.InitBuffer(spread, groups * 8 * sizeof(float));
        }
        if (Normalises()) {
            pipe.InitBuffer(gamma, serial ? t.pitch * sizeof(T) : floats);
        }
        if (t.smooth != 0) {
            pipe.InitBuffer(smooth, t.pitch * (serial ? sizeof(T) : sizeof(float)));
        }
    }

    // Weights stay as they are where rows come one by one; otherwise they are widened, gamma to whole tiles.
    __aicore__ inline void FetchWeights() {
        const bool serial = t.schedule == RowSchedule::serial;
        if (serial && Normalises()) {
            CopyElementsIn(gamma.template Get<T>(), gammaGm, t.width);
        }
        if (serial && t.smooth != 0) {
            CopyElementsIn(smooth.template Get<T>(), smoothGm, t.width);
        }
        if (!serial && Normalises()) {
            WidenWeights(gamma.template Get<float>(), gammaGm);
            const Floats g = gamma.template Get<float>();
            for (uint32_t r = 1; r < t.tile; ++r) {
                AscendC::Adds(g[r * t.pitch], g, 0.0f, t.pitch);
            }
        }
        if (!serial && t.smooth != 0) {
            WidenWeights(smooth.template Get<float>(), smoothGm);
        }
        // Gaps between rows are computed on like the rest.
        for (uint32_t i = 0; t.width != t.pitch && i < t.buffers; ++i) {
            AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
            const int32_t shorts = static_cast<int32_t>((1 + t.residual) * elements * sizeof(T) / 2);
            AscendC::Duplicate(x.template ReinterpretCast<int16_t>(), int16_t{0}, shorts);
            inX.FreeTensor(x);
        }
        const Floats v = value.template Get<float>();
        AscendC::Duplicate(v, 1.0f, 2 * groups + 32);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Duplicate(v[2 * groups], 127.0f, 8);
        AscendC::Duplicate(v[2 * groups + 8], 1.0f / 127.0f, 8);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void WidenWeights(const Floats& to, const AscendC::GlobalTensor<T>& from) {
        const AscendC::LocalTensor<T> w = inX.template AllocTensor<T>();
        CopyElementsIn(w, from, t.width);
        inX.EnQue(w);
        AscendC::LocalTensor<T> ready = inX.template DeQue<T>();
        if constexpr (wide_input) {
            AscendC::Adds(to, ready, 0.0f, t.width);
        } else {
            AscendC::Cast(to, ready, AscendC::RoundMode::CAST_NONE, t.width);
        }
        AscendC::PipeBarrier<PIPE_V>();
        inX.FreeTensor(ready);
    }

    /// Rows of the tile that starts at `row`.
    __aicore__ inline uint32_t Rest(uint64_t row) const {
        return first + count - row < t.tile ? first + count - row : t.tile;
    }

    // (rows, width) GM -> (rows, pitch) UB, of x and the residual
    __aicore__ inline void Fetch(uint64_t row, uint32_t rows) {
        const AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        FetchRows(x, xGm[row * t.width], rows);
        if (t.residual != 0) {
            FetchRows(x[elements], residualGm[row * t.width], rows);
        }
        inX.EnQue(x);
    }

    __aicore__ inline void FetchRows(const AscendC::LocalTensor<T>& to,
                                     const AscendC::GlobalTensor<T>& from,
                                     uint32_t rows) const {
        if (t.width == t.pitch) {
            AscendC::DataCopy(to, from, rows * t.width);
            return;
        }
        const uint32_t bytes = t.width * sizeof(T);
        AscendC::DataCopyPad(to,
                             from,
                             AscendC::DataCopyExtParams(
                                 rows, bytes, 0, (t.pitch * sizeof(T) - (bytes + 31) / 32 * 32) / 32, 0),
                             AscendC::DataCopyPadExtParams<T>());
    }

    // (rows, pitch) UB -> (rows, width) GM
    template <typename U>
    __aicore__ inline void Store(const AscendC::GlobalTensor<U>& to,
                                 const AscendC::LocalTensor<U>& from,
                                 uint32_t rows,
                                 uint32_t width,
                                 uint32_t pitch) const {
        if (width == pitch) {
            CopyElementsOut(to, from, rows * width);
            return;
        }
        const uint32_t bytes = width * sizeof(U);
        AscendC::DataCopyPad(
            to,
            from,
            AscendC::DataCopyExtParams(rows, bytes, (pitch * sizeof(U) - (bytes + 31) / 32 * 32) / 32, 0, 0));
    }

    __aicore__ inline void StoreY(const AscendC::LocalTensor<uint8_t>& y, uint64_t row, uint32_t rows) {
        outY.EnQue(y);
        AscendC::LocalTensor<uint8_t> ready = outY.template DeQue<uint8_t>();
        if (Quantises()) {
            Store(yGm[row * t.width], ready, rows, t.width, t.pitch);
        } else {
            Store(yGm[row * t.width * sizeof(T)], ready, rows, t.width * sizeof(T), t.pitch * sizeof(T));
        }
        outY.FreeTensor(ready);
    }

    __aicore__ inline void StoreValues(const Floats& values, uint64_t row, uint32_t rows) {
        outValues.EnQue(values);
        Floats ready = outValues.template DeQue<float>();
        if (Keeps()) {
            CopyElementsOut(valueGm[row], ready, rows);
        }
        outValues.FreeTensor(ready);
    }

    /// Folds a row into its first 64 elements, one instruction for all whole vectors.
    template <typename Op>
    __aicore__ inline void FoldLanes(const Floats& row) {
        const uint32_t whole = t.width / row_lanes;
        const uint32_t tail = t.width % row_lanes;
        for (uint32_t at = 1; at < whole; at += row_repeats) {
            const uint8_t repeats = whole - at < row_repeats ? whole - at : row_repeats;
            const AscendC::BinaryRepeatParams onto(1, 1, 1, 0, 8, 0);
            Op::Call(row, row[at * row_lanes], row, uint64_t{row_lanes}, repeats, onto);
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (whole > 0 && tail > 0) {
            const AscendC::BinaryRepeatParams once;
            Op::Call(row, row[whole * row_lanes], row, uint64_t{tail}, uint8_t{1}, once);
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    /// Folds a row in halves, a power of two of elements, then reads its sum.
    __aicore__ inline float Sum(const Floats& row) {
        uint32_t body = row_lanes;
        while (body * 2 <= t.width) {
            body *= 2;
        }
        if (t.width > body && t.width > row_lanes) {
            AscendC::Add(row, row, row[body], t.width - body);
            AscendC::PipeBarrier<PIPE_V>();
        }
        for (; body > row_lanes; body /= 2) {
            AscendC::Add(row, row, row[body / 2], body / 2);
            AscendC::PipeBarrier<PIPE_V>();
        }
        RowSum::Reduce(row, row, t.width < row_lanes ? t.width : row_lanes, 1, 8);
        return Read(row);
    }

    __aicore__ inline float Largest(const Floats& row) {
        FoldLanes<RowMax>(row);
        RowMax::Reduce(row, row, t.width < row_lanes ? t.width : row_lanes, 1, 8);
        return Read(row);
    }

    /// Whole numbers by way of int32 and half, within `work`.
    __aicore__ inline void ToInt8(const Bytes& to, const Floats& y, const Floats& work, uint32_t n) {
        const AscendC::LocalTensor<int32_t> whole = work.template ReinterpretCast<int32_t>();
        const AscendC::LocalTensor<half> halves = work.template ReinterpretCast<half>();
        AscendC::Cast(whole, y, AscendC::RoundMode::CAST_RINT, n);
        AscendC::SetDeqScale(static_cast<half>(1.0f));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(halves, whole, AscendC::RoundMode::CAST_NONE, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(to.template ReinterpretCast<int8_t>(), halves, AscendC::RoundMode::CAST_TRUNC, n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// As ToInt8, by way of int16: half the repeats behind the first conversion.
    __aicore__ inline void ShortToInt8(const Bytes& to, const Floats& y, const Floats& work, uint32_t n) {
        const AscendC::LocalTensor<int16_t> whole = work.template ReinterpretCast<int16_t>();
        const AscendC::LocalTensor<half> halves = work.template ReinterpretCast<half>();
        AscendC::Cast(whole, y, AscendC::RoundMode::CAST_RINT, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(halves, whole, AscendC::RoundMode::CAST_ROUND, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(to.template ReinterpretCast<int8_t>(), halves, AscendC::RoundMode::CAST_TRUNC, n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// A value that the vector unit made, for the scalar unit.
    __aicore__ inline float Read(const Floats& from) {
        const event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S));
        AscendC::SetFlag<AscendC::HardEvent::V_S>(done);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(done);
        return from.GetValue(0);
    }

    __aicore__ inline void LetVectorGoOn() {
        const event_t set = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::S_V));
        AscendC::SetFlag<AscendC::HardEvent::S_V>(set);
        AscendC::WaitFlag<AscendC::HardEvent::S_V>(set);
    }

    /// Keeps a row's value, made by the scalar unit, once the copy of those before it has gone.
    __aicore__ inline void Keep(const Floats& values, uint32_t i, float v) {
        AwaitKept();
        values.SetValue(i, v);
    }

    __aicore__ inline void AwaitKept() {
        if (leaving) {
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_S>(left);
            leaving = false;
        }
    }

    /// Writes values that the scalar unit made.
    __aicore__ inline void StoreKept(const Floats& values, uint64_t row, uint32_t rows) {
        const event_t set = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::S_MTE3));
        AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(set);
        AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(set);
        StoreValues(values, row, rows);
        left = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::MTE3_S));
        AscendC::SetFlag<AscendC::HardEvent::MTE3_S>(left);
        leaving = true;
    }

    RowNormTiling t;
    uint64_t first, count;
    uint32_t elements, groups;
    event_t left;
    bool leaving = false;  // kept values are on their way out, until `left`
    AscendC::GlobalTensor<T> xGm, residualGm, sumGm, gammaGm, smoothGm;
    AscendC::GlobalTensor<uint8_t> yGm;
    AscendC::GlobalTensor<float> valueGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> inX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY, outValues;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, scratch, value, spread, gamma, smooth;
};
