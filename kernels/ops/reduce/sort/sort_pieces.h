// SPDX-License-Identifier: Apache-2.0
// Pieces of rows, sorted in the unified buffer: runs of 32, then four runs at a time.
#pragma once

#include "kernel_operator.h"
#include "kernels/ops/reduce/sort/sort_tiling.hpp"

namespace sort_rows {

using namespace AscendC;

constexpr uint32_t pair = 2;  // floats of a score and its index
constexpr uint32_t run = 32;  // elements that one instruction sorts

__aicore__ inline uint32_t WholeRuns(uint32_t n) {
    return (n + run - 1) / run * run;
}

/// What goes into global memory: pairs, or scores and indices apart.
template <typename T>
class Emission {
public:
    __aicore__ inline Emission(GM_ADDR y, GM_ADDR index, const SortTiling& tiling) : t(tiling) {
        yGm.SetGlobalBuffer((__gm__ T*)y);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index);
    }

    /// Room for so many elements at a time.
    __aicore__ inline void Init(TPipe& pipe, uint32_t most) {
        pipe.InitBuffer(outY, 1, most * sizeof(T));
        pipe.InitBuffer(outIndex, 1, most * sizeof(int32_t));
        if constexpr (!std::is_same_v<T, float>) {
            pipe.InitBuffer(wide, most * sizeof(float));
        }
    }

    // n pairs -> (n) GM from element `at` on
    __aicore__ inline void Emit(uint64_t at, const LocalTensor<float>& pairs, uint32_t n) {
        LocalTensor<T> y = outY.template AllocTensor<T>();
        LocalTensor<int32_t> index = outIndex.template AllocTensor<int32_t>();
        const uint32_t whole = WholeRuns(n);
        LocalTensor<float> scores;
        if constexpr (std::is_same_v<T, float>) {
            scores = y;
        } else {
            scores = wide.template Get<float>();
        }
        Extract(scores, index.template ReinterpretCast<uint32_t>(), pairs, static_cast<int32_t>(whole / run));
        PipeBarrier<PIPE_V>();
        if (t.rising != 0) {
            Muls(scores, scores, -1.0f, static_cast<int32_t>(n));
            PipeBarrier<PIPE_V>();
        }
        if constexpr (!std::is_same_v<T, float>) {
            Cast(y, scores, RoundMode::CAST_RINT, n);
            PipeBarrier<PIPE_V>();
        }
        outY.EnQue(y);
        outIndex.EnQue(index);
        y = outY.template DeQue<T>();
        index = outIndex.template DeQue<int32_t>();
        DataCopyPad(yGm[at], y, DataCopyExtParams(1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0));
        DataCopyPad(
            indexGm[at], index, DataCopyExtParams(1, static_cast<uint32_t>(n * sizeof(int32_t)), 0, 0, 0));
        outY.FreeTensor(y);
        outIndex.FreeTensor(index);
    }

private:
    SortTiling t;
    GlobalTensor<T> yGm;
    GlobalTensor<int32_t> indexGm;
    TQue<TPosition::VECOUT, 1> outY, outIndex;
    TBuf<TPosition::VECCALC> wide;
};

template <typename T>
class Pieces {
public:
    __aicore__ inline Pieces(
        TPipe& pipe, GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR pairs, const SortTiling& tiling)
        : t(tiling), emission(y, index, tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        pairsGm.SetGlobalBuffer((__gm__ float*)pairs);
        pipe.InitBuffer(inX, 2, t.piece * sizeof(T));
        pipe.InitBuffer(first, t.piece * pair * sizeof(float));
        pipe.InitBuffer(second, t.piece * pair * sizeof(float));
        if (t.pieces == 1) {
            emission.Init(pipe, t.piece);
        }
    }

    __aicore__ inline void Run() {
        if (t.pieces > 1) {
            SetFlag<HardEvent::MTE3_V>(0);  // the pairs' buffer may be written
        }
        for (uint64_t unit = GetBlockIdx(); unit < t.rows * t.pieces; unit += GetBlockNum()) {
            const uint64_t row = unit / t.pieces;
            const uint32_t begin = static_cast<uint32_t>(unit % t.pieces) * t.piece;
            Piece(row, begin, t.width - begin < t.piece ? t.width - begin : t.piece);
        }
        if (t.pieces > 1) {
            WaitFlag<HardEvent::MTE3_V>(0);
        }
    }

private:
    __aicore__ inline void Piece(uint64_t row, uint32_t begin, uint32_t n) {
        LocalTensor<T> x = inX.template AllocTensor<T>();
        DataCopyPad(x,
                    xGm[row * t.width + begin],
                    DataCopyExtParams(1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0),
                    DataCopyPadExtParams<T>());
        inX.EnQue(x);
        x = inX.template DeQue<T>();
        if (t.pieces == 1) {
            emission.Emit(row * t.width, Sorted(x, begin, n), n);
            return;
        }
        WaitFlag<HardEvent::MTE3_V>(0);
        const LocalTensor<float> pairs = Sorted(x, begin, n);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopyPad(pairsGm[(row * t.width + begin) * pair],
                    pairs,
                    DataCopyExtParams(1, static_cast<uint32_t>(n * pair * sizeof(float)), 0, 0, 0));
        SetFlag<HardEvent::MTE3_V>(0);
    }

    /// The piece in falling order; what fills its last run comes last.
    __aicore__ inline LocalTensor<float> Sorted(LocalTensor<T>& x, uint32_t begin, uint32_t n) {
        const uint32_t whole = WholeRuns(n);
        const LocalTensor<float> to = first.template Get<float>();
        const LocalTensor<float> other = second.template Get<float>();
        const LocalTensor<int32_t> order = other.template ReinterpretCast<int32_t>();
        LocalTensor<float> scores;
        if constexpr (std::is_same_v<T, float>) {
            scores = x;
        } else {
            scores = other[whole];
            Cast(scores, x, RoundMode::CAST_NONE, n);
            PipeBarrier<PIPE_V>();
        }
        if (t.rising != 0) {
            Muls(scores, scores, -1.0f, static_cast<int32_t>(n));
            PipeBarrier<PIPE_V>();
        }
        if (n != whole) {
            const uint32_t kept = n % run;
            const uint64_t mask[2] = {(uint64_t{0xFFFFFFFF} << kept) & 0xFFFFFFFF, 0};
            Duplicate(scores[whole - run].template ReinterpretCast<int32_t>(),
                      static_cast<int32_t>(0xFF800000),  // minus infinity
                      mask,
                      1,
                      1,
                      8);
        }
        CreateVecIndex(order, static_cast<int32_t>(begin), whole);
        PipeBarrier<PIPE_V>();
        constexpr uint32_t most = 255;  // runs of one instruction
        for (uint32_t at = 0; at < whole; at += most * run) {
            const uint32_t runs = whole - at < most * run ? (whole - at) / run : most;
            Sort32(to[at * pair],
                   scores[at],
                   order[at].template ReinterpretCast<uint32_t>(),
                   static_cast<int32_t>(runs));
        }
        PipeBarrier<PIPE_V>();
        inX.FreeTensor(x);
        return MergedRuns(to, other, whole);
    }

    __aicore__ inline LocalTensor<float> MergedRuns(LocalTensor<float> from,
                                                    LocalTensor<float> to,
                                                    uint32_t n) {
        for (uint32_t length = run; length < n; length *= 4) {
            const uint32_t fours = n / (4 * length);
            const uint32_t step = length * pair;
            if (fours > 0) {
                const uint16_t each = static_cast<uint16_t>(length);
                MrgSort(to,
                        MrgSortSrcList<float>{from, from[step], from[2 * step], from[3 * step]},
                        MrgSort4Info{{each, each, each, each}, false, 15, static_cast<uint16_t>(fours)});
            }
            if (fours * 4 * length < n) {
                MergeRest(to[fours * 4 * step], from[fours * 4 * step], length, n - fours * 4 * length);
            }
            PipeBarrier<PIPE_V>();
            const LocalTensor<float> merged = to;
            to = from;
            from = merged;
        }
        return from;
    }

    /// Less than four runs of `length`, the last of which may be shorter; one is copied.
    __aicore__ inline void MergeRest(const LocalTensor<float>& to,
                                     const LocalTensor<float>& from,
                                     uint32_t length,
                                     uint32_t n) {
        if (n <= length) {
            DataCopy(to, from, n * pair);
            return;
        }
        uint16_t lengths[4] = {0, 0, 0, 0};
        LocalTensor<float> lists[4] = {from, from, from, from};
        uint16_t valid = 0;
        for (uint32_t i = 0; i * length < n; ++i) {
            lengths[i] = static_cast<uint16_t>(n - i * length < length ? n - i * length : length);
            lists[i] = from[i * length * pair];
            valid = static_cast<uint16_t>(valid | (1U << i));
        }
        MrgSort(to,
                MrgSortSrcList<float>{lists[0], lists[1], lists[2], lists[3]},
                MrgSort4Info{lengths, false, valid, 1});
    }

    SortTiling t;
    GlobalTensor<T> xGm;
    GlobalTensor<float> pairsGm;
    Emission<T> emission;
    TQue<TPosition::VECIN, 1> inX;
    TBuf<TPosition::VECCALC> first, second;
};

}  // namespace sort_rows
