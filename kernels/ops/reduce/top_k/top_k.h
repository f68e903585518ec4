// SPDX-License-Identifier: Apache-2.0
// The k largest of each row with their indices, by sorting runs of 32 and merging them; after a softmax of
// the row where wanted (gating). The arithmetic is in float. Up to eight of a row can be chosen for all rows
// of a tile together: of each run only the first eight go on, and one instruction merges four such lists in
// every row (the order of the operator library, ops-transformer, moe/moe_gating_top_k_softmax, perf).
#pragma once

#include "kernels/shared/row_kernel.h"

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
    uint32_t sources;  // 1: each choice's place among all, first choices of all rows first, is a third result
    uint32_t together;  // 1: all rows of a tile at once; k is at most eight

    /// Lists of eight pairs of a row, whole fours, that are merged first.
    constexpr uint32_t Lists() const { return (pitch / 32 + 3) / 4 * 4; }
};

constexpr uint32_t top_k_list = 16;  // floats of a list: eight pairs

template <typename T>
class TopK {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline TopK(GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR source, const TopKTiling& tiling)
        : t(tiling) {
        first = t.share * AscendC::GetBlockIdx();
        count = first >= t.rows ? 0 : t.rows - first < t.share ? t.rows - first : t.share;
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index);
        sourceGm.SetGlobalBuffer((__gm__ int32_t*)source);
        if (t.sources != 0) {
            pipe.InitBuffer(outSource, t.buffers, t.tile * t.kept * sizeof(int32_t));
            pipe.InitBuffer(places, t.tile * t.kept * sizeof(int32_t));
        }
        const uint32_t elements = t.tile * t.pitch;
        const uint32_t groups = (t.tile + 7) / 8 * 8;
        pipe.InitBuffer(inX, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, t.buffers, t.tile * t.kept * sizeof(T));
        pipe.InitBuffer(outIndex, t.buffers, t.tile * t.kept * sizeof(int32_t));
        pipe.InitBuffer(wide, elements * sizeof(float));
        pipe.InitBuffer(order, (t.together != 0 ? elements : t.pitch) * sizeof(int32_t));
        pipe.InitBuffer(sorted, (t.together != 0 ? elements : 2 * t.pitch) * 8);
        if (t.together != 0) {
            pipe.InitBuffer(lists, t.tile * t.Lists() * top_k_list * sizeof(float));
            pipe.InitBuffer(merged, t.tile * t.Lists() * top_k_list * sizeof(float));
        }
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
        if (t.together != 0) {
            RepeatOrder();
        }
        if (t.sources != 0) {
            NumberPlaces();
        }
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
        if (t.together != 0) {
            ChooseTogether(top, index, scores, rows);
        }
        for (uint32_t r = 0; r < rows && t.together == 0; ++r) {
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
        if (t.sources != 0) {
            EmitSources(row, rows);
        }
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

    /// Places of the choices of a tile that starts at row 0: choice j of row r is j * rows + r.
    __aicore__ inline void NumberPlaces() {
        const AscendC::LocalTensor<int32_t> place = places.template Get<int32_t>();
        AscendC::CreateVecIndex(place, int32_t{0}, t.kept);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(place, place, static_cast<int32_t>(t.rows), t.kept);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t r = 1; r < t.tile; ++r) {
            AscendC::Adds(place[r * t.kept], place, static_cast<int32_t>(r), t.kept);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void EmitSources(uint64_t row, uint32_t rows) {
        AscendC::LocalTensor<int32_t> source = outSource.template AllocTensor<int32_t>();
        AscendC::Adds(source, places.template Get<int32_t>(), static_cast<int32_t>(row), rows * t.kept);
        outSource.EnQue(source);
        source = outSource.template DeQue<int32_t>();
        Store(sourceGm, source, row, rows);
        outSource.FreeTensor(source);
    }

    /// The columns' numbers for every row; lists that no run fills lose against all.
    __aicore__ inline void RepeatOrder() {
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<int32_t> all = order.template Get<int32_t>();
        for (uint32_t r = 1; r < t.tile; ++r) {
            AscendC::DataCopy(all[r * t.pitch], all, t.pitch);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void ChooseTogether(const Floats& top,
                                          const AscendC::LocalTensor<int32_t>& index,
                                          const Floats& scores,
                                          uint32_t rows) {
        constexpr uint32_t most = 255;  // repeats of an instruction
        const Floats pairs = sorted.template Get<float>();
        uint32_t runs = t.pitch / 32;
        for (uint32_t at = 0; at < rows * runs; at += most) {
            const uint32_t n = rows * runs - at < most ? rows * runs - at : most;
            AscendC::Sort32(pairs[at * 64],
                            scores[at * 32],
                            order.template Get<uint32_t>()[at * 32],
                            static_cast<int32_t>(n));
        }
        AscendC::PipeBarrier<PIPE_V>();
        Floats from = pairs;
        while (runs > 1) {
            const uint32_t fours = (runs + 3) / 4;
            Shorten(from, rows, runs, fours * 4);
            const Floats list = lists.template Get<float>();
            from = merged.template Get<float>();
            AscendC::MrgSort(
                from,
                AscendC::MrgSortSrcList<float>{
                    list, list[top_k_list], list[2 * top_k_list], list[3 * top_k_list]},
                AscendC::MrgSort4Info{{8, 8, 8, 8}, false, 15, static_cast<uint16_t>(rows * fours)});
            AscendC::PipeBarrier<PIPE_V>();
            runs = fours;
        }
        AscendC::Extract(top, index.template ReinterpretCast<uint32_t>(), from, static_cast<int32_t>(rows));
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// The first eight pairs of each of a row's runs side by side, in `slots` lists a row.
    __aicore__ inline void Shorten(const Floats& from, uint32_t rows, uint32_t runs, uint32_t slots) {
        const Floats list = lists.template Get<float>();
        if (slots != runs) {
            AscendC::Duplicate(list, -3.0e38f, static_cast<int32_t>(rows * slots * top_k_list));
            AscendC::PipeBarrier<PIPE_V>();
        }
        constexpr uint16_t blocks = top_k_list / 8;
        for (uint32_t i = 0; i < runs; ++i) {
            AscendC::DataCopy(list[i * top_k_list],
                              from[i * 64],
                              AscendC::DataCopyParams(static_cast<uint16_t>(rows),
                                                      blocks,
                                                      static_cast<uint16_t>(runs * 8 - blocks),
                                                      static_cast<uint16_t>(slots * blocks - blocks)));
        }
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
    AscendC::GlobalTensor<int32_t> indexGm, sourceGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY, outIndex, outSource;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide, order, sorted, best, work, value, spread, lists, merged,
        places;
};
