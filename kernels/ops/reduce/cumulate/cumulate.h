// SPDX-License-Identifier: Apache-2.0
// Running sums, products, minima and maxima of (outer, length, inner) along `length`, inner side by side. A
// core takes columns and walks down their rows; the last row of a tile opens the next. Arithmetic is in
// float.
#pragma once

#include "kernels/shared/row_kernel.h"

enum class CumulateKind : uint32_t { sum, product, minimum, maximum };

struct CumulateTiling {
    uint64_t length;
    uint64_t inner;
    uint64_t units;  // pieces of columns
    uint64_t share;  // of a core
    uint32_t chunk;  // columns of a piece
    uint32_t pitch;  // from row to row of a buffer
    uint32_t tile;   // rows in a buffer
    uint32_t buffers;
    uint32_t indices;  // 1: where each extreme lies, too
    CumulateKind kind;
};

template <typename T>
class Cumulate {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline Cumulate(GM_ADDR x, GM_ADDR y, GM_ADDR index, const CumulateTiling& tiling)
        : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index);
        const uint32_t elements = t.tile * t.pitch;
        pipe.InitBuffer(inX, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(wide, (elements + t.pitch) * sizeof(float));
        if (t.indices != 0) {
            pipe.InitBuffer(outIndex, t.buffers, elements * sizeof(int32_t));
            pipe.InitBuffer(where, (elements + t.pitch) * sizeof(float));
            pipe.InitBuffer(mask, (t.pitch + 255) / 256 * 32);
        }
    }

    __aicore__ inline void Process() {
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        const uint64_t pieces = (t.inner + t.chunk - 1) / t.chunk;
        for (uint64_t u = first; u < first + t.share && u < t.units; ++u) {
            const uint64_t column = u % pieces * t.chunk;
            const uint32_t n = t.inner - column < t.chunk ? t.inner - column : t.chunk;
            for (uint64_t row = 0; row < t.length; row += t.tile) {
                const uint32_t rows = t.length - row < t.tile ? t.length - row : t.tile;
                Tile((u / pieces * t.length + row) * t.inner + column, row, rows, n);
            }
        }
    }

private:
    __aicore__ inline static void Then() { AscendC::PipeBarrier<PIPE_V>(); }

    // (rows, n) GM -> (rows, pitch) UB
    __aicore__ inline void Fetch(uint64_t from, uint32_t rows, uint32_t n) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        CopyRowsIn(x, xGm[from], rows, n, t.inner, t.pitch);
        inX.EnQue(x);
    }

    __aicore__ inline void Tile(uint64_t at, uint64_t row, uint32_t rows, uint32_t n) {
        Fetch(at, rows, n);
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        // Row 0 is the last one of the tile before.
        const Floats all = wide.template Get<float>();
        Then();
        for (uint32_t r = 0; r < rows && n != t.pitch; ++r) {  // what lies between rows was not fetched
            Narrow(all[(r + 1) * t.pitch], Widened(all[(r + 1) * t.pitch], x[r * t.pitch], n), n);
        }
        if (n == t.pitch) {
            Narrow(all[t.pitch], Widened(all[t.pitch], x, rows * t.pitch), rows * t.pitch);
        }
        Then();
        inX.FreeTensor(x);
        const Floats places = t.indices != 0 ? where.template Get<float>() : all;
        for (uint32_t r = 0; r < rows; ++r) {
            if (row + r == 0) {
                if (t.indices != 0) {
                    AscendC::Duplicate(places[t.pitch], 0.0f, static_cast<int32_t>(n)), Then();
                }
                continue;
            }
            Step(all[(r + 1) * t.pitch],
                 all[r * t.pitch],
                 places[(r + 1) * t.pitch],
                 places[r * t.pitch],
                 row + r,
                 n);
        }
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        if (n == t.pitch) {
            Narrow(y, all[t.pitch], rows * t.pitch);
        }
        for (uint32_t r = 0; r < rows && n != t.pitch; ++r) {
            Narrow(y[r * t.pitch], all[(r + 1) * t.pitch], n);
        }
        outY.template EnQue<T>(y);
        y = outY.template DeQue<T>();
        Store(yGm, y, at, rows, n);
        outY.FreeTensor(y);
        if (t.indices != 0) {
            AscendC::LocalTensor<int32_t> index = outIndex.template AllocTensor<int32_t>();
            if (n == t.pitch) {
                AscendC::Cast(index, places[t.pitch], AscendC::RoundMode::CAST_RINT, rows * t.pitch);
            }
            for (uint32_t r = 0; r < rows && n != t.pitch; ++r) {
                AscendC::Cast(
                    index[r * t.pitch], places[(r + 1) * t.pitch], AscendC::RoundMode::CAST_RINT, n);
            }
            outIndex.template EnQue<int32_t>(index);
            index = outIndex.template DeQue<int32_t>();
            Store(indexGm, index, at, rows, n);
            outIndex.FreeTensor(index);
            AscendC::Adds(places, places[rows * t.pitch], 0.0f, n);
        }
        AscendC::Adds(all, all[rows * t.pitch], 0.0f, n);
        Then();
    }

    /// now = before op now. Of equal extremes the later one counts, as with torch.
    __aicore__ inline void Step(const Floats& now,
                                const Floats& before,
                                const Floats& place,
                                const Floats& place_before,
                                uint64_t row,
                                uint32_t n) {
        const auto count = static_cast<int32_t>(n);
        if (t.indices != 0) {
            const AscendC::LocalTensor<uint8_t> later = mask.template Get<uint8_t>();
            const auto worse = t.kind == CumulateKind::minimum ? AscendC::CMPMODE::GT : AscendC::CMPMODE::LT;
            AscendC::Compare(later, now, before, worse, n), Then();
            AscendC::Select(place,
                            later,
                            place_before,
                            static_cast<float>(row),
                            AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                            n);
        }
        switch (t.kind) {
            case CumulateKind::sum:
                AscendC::Add(now, before, now, count);
                break;
            case CumulateKind::product:
                AscendC::Mul(now, before, now, count);
                break;
            case CumulateKind::minimum:
                AscendC::Min(now, before, now, count);
                break;
            case CumulateKind::maximum:
                AscendC::Max(now, before, now, count);
                break;
        }
        Then();
    }

    template <typename U>
    __aicore__ inline void Store(const AscendC::GlobalTensor<U>& to,
                                 const AscendC::LocalTensor<U>& from,
                                 uint64_t at,
                                 uint32_t rows,
                                 uint32_t n) {
        const uint32_t bytes = n * sizeof(U);
        AscendC::DataCopyPad(to[at],
                             from,
                             AscendC::DataCopyExtParams(rows,
                                                        bytes,
                                                        (t.pitch * sizeof(U) - (bytes + 31) / 32 * 32) / 32,
                                                        (t.inner - n) * sizeof(U),
                                                        0));
    }

    CumulateTiling t;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::GlobalTensor<int32_t> indexGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY, outIndex;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide, where, mask;
};
