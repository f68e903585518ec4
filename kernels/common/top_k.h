// SPDX-License-Identifier: Apache-2.0
// The k largest of each row with their indices, by sorting runs of 32 and merging them; after a softmax of
// the row where wanted (gating). The arithmetic is in float.
#pragma once

#include "kernels/common/row_kernel.h"

struct TopKTiling {
    uint64_t rows;
    uint64_t share;  // rows of a core
    uint32_t width;
    uint32_t pitch;  // whole runs of 32
    uint32_t tile;   // rows in a buffer
    uint32_t k;
    uint32_t kept;  // k in whole runs of 32
    uint32_t buffers;
    uint32_t softmax;
};

template <typename T>
class TopK {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline TopK(GM_ADDR x, GM_ADDR y, GM_ADDR index, const TopKTiling& tiling) : t(tiling) {
        first = t.share * AscendC::GetBlockIdx();
        count = first >= t.rows ? 0 : t.rows - first < t.share ? t.rows - first : t.share;
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index);
        const uint32_t elements = t.tile * t.pitch;
        const uint32_t groups = (t.tile + 7) / 8 * 8;
        pipe.InitBuffer(inX, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, t.buffers, t.tile * t.kept * sizeof(T));
        pipe.InitBuffer(outIndex, t.buffers, t.tile * t.kept * sizeof(int32_t));
        pipe.InitBuffer(wide, elements * sizeof(float));
        pipe.InitBuffer(order, t.pitch * sizeof(int32_t));
        pipe.InitBuffer(sorted, 2 * t.pitch * 8);
        pipe.InitBuffer(best, t.tile * t.kept * sizeof(float));
        if (t.softmax != 0) {
            pipe.InitBuffer(work, t.tile * FoldPitch(t.pitch) * sizeof(float));
            pipe.InitBuffer(value, 2 * groups * sizeof(float));
            pipe.InitBuffer(spread, groups * 8 * sizeof(float));
        }
    }

    __aicore__ inline void Process() {
        if (count == 0) {
            return;
        }
        AscendC::CreateVecIndex(order.template Get<int32_t>(), int32_t{0}, t.pitch);
        if (t.softmax != 0) {
            AscendC::Duplicate(value.template Get<float>(), 1.0f, 2 * ((t.tile + 7) / 8 * 8));
        }
        if (t.width != t.pitch) {
            for (uint32_t i = 0; i < t.buffers; ++i) {  // what fills the last run comes last
                AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
                if constexpr (std::is_same_v<T, float>) {
                    AscendC::Duplicate(x, -3.0e38f, static_cast<int32_t>(t.tile * t.pitch));
                } else {
                    const int16_t lowest = std::is_same_v<T, half> ? int16_t(0xFBFF) : int16_t(0xFF00);
                    AscendC::Duplicate(x.template ReinterpretCast<int16_t>(),
                                       lowest,
                                       static_cast<int32_t>(t.tile * t.pitch));
                }
                inX.FreeTensor(x);
            }
        }
        AscendC::PipeBarrier<PIPE_V>();
        for (uint64_t row = first; row < first + count; row += t.tile) {
            Tile(row, first + count - row < t.tile ? first + count - row : t.tile);
        }
    }

private:
    // (rows, width) GM -> (rows, pitch) UB; what lies behind a row keeps its lowest values.
    __aicore__ inline void Fetch(uint64_t row, uint32_t rows) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        const uint32_t bytes = t.width * sizeof(T);
        const uint32_t padded = (bytes + 31) / 32 * 32;
        if (t.width == t.pitch) {
            AscendC::DataCopy(x, xGm[row * t.width], rows * t.width);
        } else {
            T lowest;
            if constexpr (std::is_same_v<T, float>) {
                lowest = -3.0e38f;
            } else {
                const uint16_t bits = std::is_same_v<T, half> ? 0xFBFF : 0xFF00;
                __builtin_memcpy(static_cast<void*>(&lowest), &bits, 2);
            }
            AscendC::DataCopyPad(
                x,
                xGm[row * t.width],
                AscendC::DataCopyExtParams(rows, bytes, 0, (t.pitch * sizeof(T) - padded) / 32, 0),
                AscendC::DataCopyPadExtParams<T>(true, 0, (padded - bytes) / sizeof(T), lowest));
        }
        inX.EnQue(x);
    }

    __aicore__ inline void Tile(uint64_t row, uint32_t rows) {
        Fetch(row, rows);
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        const Floats scores = wide.template Get<float>();
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Adds(scores, x, 0.0f, rows * t.pitch);
        } else {
            AscendC::Cast(scores, x, AscendC::RoundMode::CAST_NONE, rows * t.pitch);
        }
        AscendC::PipeBarrier<PIPE_V>();
        inX.FreeTensor(x);
        if (t.softmax != 0) {
            Softmax(scores, {rows, t.pitch, t.pitch});
        }
        AscendC::LocalTensor<int32_t> index = outIndex.template AllocTensor<int32_t>();
        const Floats top = best.template Get<float>();
        for (uint32_t r = 0; r < rows; ++r) {
            Choose(top[r * t.kept], index[r * t.kept], scores[r * t.pitch]);
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        Narrow(y, top, rows * t.kept);
        outY.template EnQue<T>(y);
        outIndex.template EnQue<int32_t>(index);
        y = outY.template DeQue<T>();
        index = outIndex.template DeQue<int32_t>();
        Store(yGm, y, row, rows);
        Store(indexGm, index, row, rows);
        outY.FreeTensor(y);
        outIndex.FreeTensor(index);
    }

    __aicore__ inline void Softmax(const Floats& e, const Rows& rows) {
        const Floats each = value.template Get<float>();
        const Floats one = each[(t.tile + 7) / 8 * 8];
        const Floats blocks = spread.template Get<float>();
        ReduceRows<RowMax>(each, e, work.template Get<float>(), rows);
        AscendC::PipeBarrier<PIPE_V>();
        SpreadRowValues(blocks, each, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        RowsWithValues<RowSub>(e, e, blocks, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(e, e, rows.count * rows.pitch);
        AscendC::PipeBarrier<PIPE_V>();
        ReduceRows<RowSum>(each, e, work.template Get<float>(), rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(each, one, each, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        SpreadRowValues(blocks, each, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        RowsWithValues<RowMul>(e, e, blocks, rows);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Choose(const Floats& top,
                                  const AscendC::LocalTensor<int32_t>& index,
                                  const Floats& scores) {
        const Floats pairs = sorted.template Get<float>();
        Floats other = pairs[t.pitch * 2];
        AscendC::Sort<float, true>(
            pairs, scores, order.template Get<uint32_t>(), other, static_cast<int32_t>(t.pitch / 32));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Extract(
            top, index.template ReinterpretCast<uint32_t>(), pairs, static_cast<int32_t>(t.kept / 32));
        AscendC::PipeBarrier<PIPE_V>();
    }

    // (rows, kept) UB -> (rows, k) GM
    template <typename U>
    __aicore__ inline void Store(const AscendC::GlobalTensor<U>& to,
                                 const AscendC::LocalTensor<U>& from,
                                 uint64_t row,
                                 uint32_t rows) {
        const uint32_t bytes = t.k * sizeof(U);
        AscendC::DataCopyPad(to[row * t.k],
                             from,
                             AscendC::DataCopyExtParams(
                                 rows, bytes, (t.kept * sizeof(U) - (bytes + 31) / 32 * 32) / 32, 0, 0));
    }

    TopKTiling t;
    uint64_t first, count;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::GlobalTensor<int32_t> indexGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY, outIndex;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide, order, sorted, best, work, value, spread;
};
