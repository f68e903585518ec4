// SPDX-License-Identifier: Apache-2.0
// Gated linear units: y = act(a) * b, where a and b are the halves of x along an axis; with the scales of an
// int8 product before, and quantisation by rows behind, where wanted. The arithmetic is in float.
#pragma once

#include "kernels/shared/row_kernel.h"

struct GluTiling {
    uint64_t rows;  // x is (rows, 2, width)
    uint64_t width;
    uint64_t units;    // tiles of rows, or pieces of one row
    uint64_t share;    // units of a core
    uint32_t tile;     // rows in a buffer
    uint32_t chunk;    // columns in a buffer; below `width` only where tile is 1
    uint32_t pitch;    // from row to row of a buffer
    uint32_t buffers;  // 2: copies and arithmetic overlap
    uint8_t gelu;      // 1: the gate is GELU, 0: SiLU
    uint8_t quant;     // 1: int8 by the largest magnitude of a row
    uint8_t smooth;    // 1: a row of factors before the quantisation
    uint8_t swap;      // 1: the second half is the gate
    uint8_t blocks;    // 1: rows and columns in blocks, see glu_blocks.h; `chunk` may lie below `width` with
                       // any tile
    uint8_t library;   // 1: quantised in the library's order, see glu_quant.h
};

/// The buffers of a launch, in the order of its arguments.
struct GluAddresses {
    GM_ADDR x;
    GM_ADDR weight_scale;  // of an int8 product's columns
    GM_ADDR row_scale;     // of its rows
    GM_ADDR smooth;
    GM_ADDR y;
    GM_ADDR scale;  // of each row of y, where it is quantised
};

/// They as tensors. Y is what elements of y are addressed in.
template <typename T, typename Y>
struct GluTensors {
    __aicore__ inline explicit GluTensors(const GluAddresses& gm) {
        x.SetGlobalBuffer((__gm__ T*)gm.x);
        weight_scale.SetGlobalBuffer((__gm__ float*)gm.weight_scale);
        row_scale.SetGlobalBuffer((__gm__ float*)gm.row_scale);
        smooth.SetGlobalBuffer((__gm__ float*)gm.smooth);
        y.SetGlobalBuffer((__gm__ Y*)gm.y);
        scale.SetGlobalBuffer((__gm__ float*)gm.scale);
    }

    AscendC::GlobalTensor<T> x;
    AscendC::GlobalTensor<float> weight_scale, row_scale, smooth, scale;
    AscendC::GlobalTensor<Y> y;
};

template <typename T>
class Glu {
public:
    using Floats = AscendC::LocalTensor<float>;
    static constexpr bool dequant = std::is_same_v<T, int32_t>;

    __aicore__ inline Glu(const GluAddresses& addresses, const GluTiling& tiling) : t(tiling), gm(addresses) {
        elements = t.tile * t.pitch;
        groups = (t.tile + 7) / 8 * 8;
        pipe.InitBuffer(inX, t.buffers, 2 * elements * sizeof(T) + 256);
        pipe.InitBuffer(outY, t.buffers, elements * OutSize() + groups * sizeof(float));
        pipe.InitBuffer(wideA, elements * sizeof(float));
        pipe.InitBuffer(beforeB, 256);  // a and b in different banks
        pipe.InitBuffer(wideB, elements * sizeof(float));
        pipe.InitBuffer(scratch, elements * sizeof(float));
        pipe.InitBuffer(value, 2 * groups * sizeof(float));
        pipe.InitBuffer(spread, groups * 8 * sizeof(float));
        if (dequant || t.smooth != 0) {
            pipe.InitBuffer(inWeights, 1, 3 * t.pitch * sizeof(float));
        }
        if (dequant) {
            pipe.InitBuffer(inRows, t.buffers, groups * sizeof(float));
        }
    }

    __aicore__ inline void Process() {
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        if (first >= t.units) {
            return;
        }
        AscendC::Duplicate(value.template Get<float>(), 1.0f, 2 * groups);
        AscendC::PipeBarrier<PIPE_V>();
        FetchWeights();
        const uint64_t pieces = (t.width + t.chunk - 1) / t.chunk;
        for (uint64_t u = first; u < first + t.share && u < t.units; ++u) {
            const uint64_t row = u / pieces * t.tile;
            const uint64_t at = u % pieces * t.chunk;
            const uint32_t rows = t.rows - row < t.tile ? t.rows - row : t.tile;
            const uint32_t n = t.width - at < t.chunk ? t.width - at : t.chunk;
            Unit(row, at, rows, n);
        }
        if (dequant || t.smooth != 0) {
            inWeights.FreeTensor(weights);
        }
    }

private:
    __aicore__ inline uint32_t OutSize() const { return t.quant != 0 ? 1 : sizeof(T); }

    // Factors of both halves and of the quantisation, once for all rows; rows are whole then.
    __aicore__ inline void FetchWeights() {
        if (!dequant && t.smooth == 0) {
            return;
        }
        weights = inWeights.template AllocTensor<float>();
        if (dequant) {
            CopyElementsIn(weights, gm.weight_scale, t.width);
            CopyElementsIn(weights[t.pitch], gm.weight_scale[t.width], t.width);
        }
        if (t.smooth != 0) {
            CopyElementsIn(weights[2 * t.pitch], gm.smooth, t.width);
        }
        inWeights.EnQue(weights);
        weights = inWeights.template DeQue<float>();
    }

    // (rows, n) GM -> (rows, pitch) UB
    __aicore__ inline void Fetch(const AscendC::LocalTensor<T>& to,
                                 uint64_t from,
                                 uint32_t rows,
                                 uint32_t n) {
        const uint32_t bytes = n * sizeof(T);
        const uint32_t padded = (bytes + 31) / 32 * 32;
        if (rows == 1 && bytes == padded) {
            AscendC::DataCopy(to, gm.x[from], n);
            return;
        }
        AscendC::DataCopyPad(
            to,
            gm.x[from],
            AscendC::DataCopyExtParams(
                rows, bytes, (2 * t.width - n) * sizeof(T), (t.pitch * sizeof(T) - padded) / 32, 0),
            AscendC::DataCopyPadExtParams<T>(true, 0, (padded - bytes) / sizeof(T), T{}));
    }

    __aicore__ inline void Unit(uint64_t row, uint64_t at, uint32_t rows, uint32_t n) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        const uint64_t from = row * 2 * t.width + at;
        const uint32_t second = elements + 256 / sizeof(T);
        Fetch(x[t.swap != 0 ? second : 0], from, rows, n);
        Fetch(x[t.swap != 0 ? 0 : second], from + t.width, rows, n);
        inX.EnQue(x);
        if (dequant) {
            Floats factors = inRows.template AllocTensor<float>();
            const uint32_t rest = (rows + 7) / 8 * 8 - rows;
            AscendC::DataCopyPad(factors,
                                 gm.row_scale[row],
                                 AscendC::DataCopyExtParams(1, rows * sizeof(float), 0, 0, 0),
                                 AscendC::DataCopyPadExtParams<float>(true, 0, rest, 0.0f));
            inRows.EnQue(factors);
        }
        x = inX.template DeQue<T>();
        const uint32_t all = rows == 1 ? (n + 31) / 32 * 32 < t.pitch ? n : t.pitch : rows * t.pitch;
        const Floats a = wideA.template Get<float>();
        const Floats b = wideB.template Get<float>();
        AscendC::PipeBarrier<PIPE_V>();
        Widen(a, x, all);
        Widen(b, x[second], all);
        AscendC::PipeBarrier<PIPE_V>();
        inX.FreeTensor(x);
        Dequantise(a, b, rows, n);
        Gate(a, b, all);
        AscendC::LocalTensor<uint8_t> out = outY.template AllocTensor<uint8_t>();
        Emit(out, a, rows, n, all);
        outY.template EnQue<uint8_t>(out);
        Store(row, at, rows, n);
    }

    __aicore__ inline void Widen(const Floats& to, const AscendC::LocalTensor<T>& from, uint32_t n) const {
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Adds(to, from, 0.0f, n);
        } else if constexpr (dequant) {
            AscendC::Cast(to, from, AscendC::RoundMode::CAST_RINT, n);
        } else {
            AscendC::Cast(to, from, AscendC::RoundMode::CAST_NONE, n);
        }
    }

    __aicore__ inline void Dequantise(const Floats& a, const Floats& b, uint32_t rows, uint32_t n) {
        if constexpr (dequant) {
            const Rows shape{rows, n, t.pitch};
            Floats factors = inRows.template DeQue<float>();
            SpreadRowValues(spread.template Get<float>(), factors, rows);
            RowsWithWeights<RowMul>(a, a, weights[t.swap != 0 ? t.pitch : 0], shape);
            RowsWithWeights<RowMul>(b, b, weights[t.swap != 0 ? 0 : t.pitch], shape);
            AscendC::PipeBarrier<PIPE_V>();
            inRows.FreeTensor(factors);
            RowsWithValues<RowMul>(a, a, spread.template Get<float>(), shape);
            RowsWithValues<RowMul>(b, b, spread.template Get<float>(), shape);
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    /// a = act(a) * b; SiLU is a / (1 + exp(-a)), GELU in its tanh form a / (1 + exp(-1.6 (a + 0.0447 a^3))).
    __aicore__ inline void Gate(const Floats& a, const Floats& b, uint32_t n) {
        const Floats s = scratch.template Get<float>();
        if (t.gelu != 0) {
            AscendC::Mul(s, a, a, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Muls(s, s, -1.5957691216057308f * 0.044715f, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Adds(s, s, -1.5957691216057308f, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Mul(s, s, a, n);
        } else {
            AscendC::Muls(s, a, -1.0f, n);
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(s, s, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(s, s, 1.0f, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(a, a, s, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(a, a, b, n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Emit(
        const AscendC::LocalTensor<uint8_t>& out, const Floats& a, uint32_t rows, uint32_t n, uint32_t all) {
        if (t.quant == 0) {
            if constexpr (!dequant) {
                Narrow(out.template ReinterpretCast<T>(), a, all);
            }
            return;
        }
        const Rows shape{rows, n, t.pitch};
        const Floats each = value.template Get<float>();
        const Floats one = each[groups];
        const Floats s = scratch.template Get<float>();
        if (t.smooth != 0) {
            RowsWithWeights<RowMul>(a, a, weights[2 * t.pitch], shape);
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Abs(s, a, all);
        AscendC::PipeBarrier<PIPE_V>();
        ReduceRowsInPlace<RowMax>(each, s, shape);
        AscendC::Duplicate(one, 1.0f, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Maxs(each, each, 1.0e-20f, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(each, each, 1.0f / 127.0f, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(one, one, each, rows);
        AscendC::Adds(out[elements].template ReinterpretCast<float>(), each, 0.0f, rows);
        AscendC::PipeBarrier<PIPE_V>();
        SpreadRowValues(spread.template Get<float>(), one, rows);
        AscendC::PipeBarrier<PIPE_V>();
        RowsWithValues<RowMul>(a, a, spread.template Get<float>(), shape);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<int32_t> whole = a.template ReinterpretCast<int32_t>();
        AscendC::Cast(whole, a, AscendC::RoundMode::CAST_RINT, all);
        AscendC::SetDeqScale(static_cast<half>(1.0f));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(s.template ReinterpretCast<half>(), whole, AscendC::RoundMode::CAST_NONE, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(out.template ReinterpretCast<int8_t>(),
                      s.template ReinterpretCast<half>(),
                      AscendC::RoundMode::CAST_TRUNC,
                      all);
    }

    __aicore__ inline void Store(uint64_t row, uint64_t at, uint32_t rows, uint32_t n) {
        AscendC::LocalTensor<uint8_t> out = outY.template DeQue<uint8_t>();
        const uint32_t bytes = n * OutSize();
        const uint32_t padded = (bytes + 31) / 32 * 32;
        const auto to = gm.y[(row * t.width + at) * OutSize()];
        if (rows == 1 || (n == t.pitch && n == t.width)) {
            CopyElementsOut(to, out, rows * bytes);
        } else {
            AscendC::DataCopyPad(
                to,
                out,
                AscendC::DataCopyExtParams(
                    rows, bytes, (t.pitch * OutSize() - padded) / 32, (t.width - n) * OutSize(), 0));
        }
        if (t.quant != 0) {
            CopyElementsOut(gm.scale[row], out[elements].template ReinterpretCast<float>(), rows);
        }
        outY.FreeTensor(out);
    }

    GluTiling t;
    GluTensors<T, uint8_t> gm;
    uint32_t elements, groups;
    Floats weights;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX, inWeights, inRows;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideA, beforeB, wideB, scratch, value, spread;
};
