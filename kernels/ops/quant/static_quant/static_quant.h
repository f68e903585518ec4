// SPDX-License-Identifier: Apache-2.0
// y = round(x * scale + offset) in int8 by factors that are known beforehand, one for each column or one for
// all. The order is the operator library's (ops-nn, quant/ascend_quant_v2): one buffer each, tiles of rows
// that are read and written together, but computed row by row; a core's columns share their factors.
#pragma once

#include "kernels/shared/await.h"
#include "kernels/shared/gm_copy.h"

/// How the cores share the matrix: by rows, by columns, or both, each row cut into the same pieces.
enum class StaticQuantSplit : uint32_t { rows, columns, both };

struct StaticQuantTiling {
    uint64_t rows;
    uint64_t width;    // of a row; all elements of one scale are one row
    uint64_t share;    // rows of a core, or columns
    uint64_t last;     // of the last core of a row, or of all
    uint64_t tile;     // rows at a time
    uint64_t columns;  // at a time, a multiple of 512 bytes of x
    uint32_t cores;    // that have work
    uint32_t pieces;   // of a row, where rows are cut as well
    StaticQuantSplit split;
    uint16_t channels;  // 1: a scale for each column
    uint16_t offset;    // 1: an offset for each scale
};

template <typename T>
class StaticQuant {
    using Floats = AscendC::LocalTensor<float>;
    using Event = AscendC::HardEvent;
    static constexpr bool wide = std::is_same_v<T, float>;

public:
    __aicore__ inline StaticQuant(
        GM_ADDR x, GM_ADDR scale, GM_ADDR offset, GM_ADDR y, const StaticQuantTiling& tiling)
        : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x, t.rows * t.width);
        scaleGm.SetGlobalBuffer((__gm__ T*)scale);
        offsetGm.SetGlobalBuffer((__gm__ T*)offset);
        yGm.SetGlobalBuffer((__gm__ int8_t*)y, t.rows * t.width);
        const uint32_t factors = t.channels != 0 ? t.columns : 32 / sizeof(T);
        pipe.InitBuffer(inX, 1, t.tile * t.columns * sizeof(T));
        pipe.InitBuffer(inScale, 1, factors * sizeof(T));
        pipe.InitBuffer(wideX, t.columns * sizeof(float));
        if (t.offset != 0) {
            pipe.InitBuffer(inOffset, 1, factors * sizeof(T));
        }
        if (t.channels != 0) {
            pipe.InitBuffer(wideScale, t.columns * sizeof(float));
            if (t.offset != 0) {
                pipe.InitBuffer(wideOffset, t.columns * sizeof(float));
            }
        }
        pipe.InitBuffer(outY, 1, t.tile * t.columns);
    }

    __aicore__ inline void Process() {
        const uint32_t core = AscendC::GetBlockIdx();
        if (core >= t.cores) {
            return;
        }
        uint64_t row = 0, rows = t.rows, column = 0, width = t.width;
        if (t.split == StaticQuantSplit::rows) {
            row = core * t.share;
            rows = core == t.cores - 1 ? t.last : t.share;
        } else {
            const uint32_t pieces = t.split == StaticQuantSplit::both ? t.pieces : t.cores;
            const uint32_t piece = core % pieces;
            column = piece * t.share;
            width = piece == pieces - 1 ? t.last : t.share;
            if (t.split == StaticQuantSplit::both) {
                row = core / pieces;
                rows = 1;
            }
        }
        for (uint64_t at = 0; at < width; at += t.columns) {
            const uint32_t some = width - at < t.columns ? width - at : t.columns;
            FetchFactors(column + at, some);
            for (uint64_t r = 0; r < rows; r += t.tile) {
                Tile(row + r, rows - r < t.tile ? rows - r : t.tile, column + at, some);
            }
        }
    }

private:
    __aicore__ inline void FetchFactors(uint64_t column, uint32_t n) {
        Factors(inScale, wideScale, scaleGm, column, n, scale_of_all);
        if (t.offset != 0) {
            Factors(inOffset, wideOffset, offsetGm, column, n, offset_of_all);
        }
    }

    /// A row of factors in floats, or the one that the scalar unit reads.
    __aicore__ inline void Factors(AscendC::TQue<AscendC::TPosition::VECIN, 1>& queue,
                                   AscendC::TBuf<AscendC::TPosition::VECCALC>& widened,
                                   const AscendC::GlobalTensor<T>& from,
                                   uint64_t column,
                                   uint32_t n,
                                   float& of_all) {
        AscendC::LocalTensor<T> local = queue.template AllocTensor<T>();
        const uint32_t count = t.channels != 0 ? n : 1;
        const AscendC::DataCopyExtParams bytes(1, count * static_cast<uint32_t>(sizeof(T)), 0, 0, 0);
        AscendC::DataCopyPad(
            local, from[t.channels != 0 ? column : 0], bytes, AscendC::DataCopyPadExtParams<T>());
        if (t.channels == 0) {
            Await<Event::MTE2_S>();
            if constexpr (std::is_same_v<T, bfloat16_t>) {
                of_all = AscendC::ToFloat(local.GetValue(0));
            } else {
                of_all = static_cast<float>(local.GetValue(0));
            }
            queue.FreeTensor(local);
            return;
        }
        queue.EnQue(local);
        local = queue.template DeQue<T>();
        const Floats to = widened.template Get<float>();
        if constexpr (wide) {
            AscendC::Adds(to, local, 0.0f, n);
        } else {
            AscendC::Cast(to, local, AscendC::RoundMode::CAST_NONE, n);
        }
        AscendC::PipeBarrier<PIPE_V>();
        queue.FreeTensor(local);
    }

    __aicore__ inline void Tile(uint64_t row, uint32_t rows, uint64_t column, uint32_t n) {
        const uint64_t at = row * t.width + column;
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        const uint32_t in = n * sizeof(T);
        AscendC::DataCopyPad(
            x,
            xGm[at],
            AscendC::DataCopyExtParams(
                rows, in, (t.width - n) * sizeof(T), (t.columns * sizeof(T) - (in + 31) / 32 * 32) / 32, 0),
            AscendC::DataCopyPadExtParams<T>());
        inX.EnQue(x);
        x = inX.template DeQue<T>();
        AscendC::LocalTensor<int8_t> y = outY.template AllocTensor<int8_t>();
        for (uint32_t r = 0; r < rows; ++r) {
            Row(y[r * t.columns], x[r * t.columns], n);
        }
        inX.FreeTensor(x);
        outY.EnQue(y);
        y = outY.template DeQue<int8_t>();
        AscendC::DataCopyPad(
            yGm[at],
            y,
            AscendC::DataCopyExtParams(rows, n, (t.columns - (n + 31) / 32 * 32) / 32, t.width - n, 0));
        outY.FreeTensor(y);
    }

    /// A row by way of floats, int32 and half.
    __aicore__ inline void Row(const AscendC::LocalTensor<int8_t>& y,
                               const AscendC::LocalTensor<T>& x,
                               uint32_t n) {
        const Floats v = wideX.template Get<float>();
        if constexpr (wide) {
            Scale(v, x, n);
        } else {
            AscendC::Cast(v, x, AscendC::RoundMode::CAST_NONE, n);
            AscendC::PipeBarrier<PIPE_V>();
            Scale(v, v, n);
        }
        AscendC::Cast(v.template ReinterpretCast<int32_t>(), v, AscendC::RoundMode::CAST_RINT, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::SetDeqScale(static_cast<half>(1.0f));
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<half> halves = v.template ReinterpretCast<half>();
        AscendC::Cast(halves, v.template ReinterpretCast<int32_t>(), AscendC::RoundMode::CAST_NONE, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(y, halves, AscendC::RoundMode::CAST_RINT, n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Scale(const Floats& to, const Floats& from, uint32_t n) {
        if (t.channels != 0) {
            AscendC::Mul(to, from, wideScale.template Get<float>(), n);
        } else {
            AscendC::Muls(to, from, scale_of_all, n);
        }
        AscendC::PipeBarrier<PIPE_V>();
        if (t.offset == 0) {
            return;
        }
        if (t.channels != 0) {
            AscendC::Add(to, to, wideOffset.template Get<float>(), n);
        } else {
            AscendC::Adds(to, to, offset_of_all, n);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    StaticQuantTiling t;
    float scale_of_all = 1;
    float offset_of_all = 0;
    AscendC::GlobalTensor<T> xGm;       // (rows, width)
    AscendC::GlobalTensor<T> scaleGm;   // (width) or (1)
    AscendC::GlobalTensor<T> offsetGm;  // as scale
    AscendC::GlobalTensor<int8_t> yGm;  // (rows, width)
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX, inScale, inOffset;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, wideScale, wideOffset;
};
