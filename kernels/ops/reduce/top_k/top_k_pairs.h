// SPDX-License-Identifier: Apache-2.0
// The k largest of each row as the tile library's sample finds them (pto-isa, kernels/manual/a2a3/topk): two
// rows at a time, each sorted by itself, and what a merge wrote beside a row copied back over it before the
// next.
#pragma once

#include "kernels/ops/reduce/top_k/top_k.h"

template <typename T>
class TopKPairs {
public:
    __aicore__ inline TopKPairs(GM_ADDR x, GM_ADDR y, GM_ADDR index, const TopKTiling& tiling)
        : t(tiling), first(t.share * AscendC::GetBlockIdx()) {
        last = first + t.share < t.rows ? first + t.share : t.rows;
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index);
        pipe.InitBuffer(source, slots * t.tile * t.width * sizeof(T));
        pipe.InitBuffer(sorted, slots * t.tile * t.width * pair);
        pipe.InitBuffer(merged, slots * t.width * pair);
        pipe.InitBuffer(best, slots * t.tile * t.kept * pair);
        pipe.InitBuffer(values, slots * t.tile * t.kept * sizeof(T));
        pipe.InitBuffer(places, slots * t.tile * t.kept * sizeof(int32_t));
        pipe.InitBuffer(order, t.width * sizeof(int32_t));
    }

    __aicore__ inline void Process() {
        AscendC::CreateVecIndex(order.template Get<int32_t>(), int32_t{0}, t.width);
        for (uint32_t slot = 0; slot < slots; ++slot) {
            AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(slot);
            AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(slot);
        }
        uint32_t slot = 0;
        for (uint64_t row = first; row < last; row += t.tile) {
            Tile(slot, row, last - row < t.tile ? static_cast<uint32_t>(last - row) : t.tile);
            slot = 1 - slot;
        }
        for (uint32_t i = 0; i < slots; ++i) {
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(i);
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(i);
        }
    }

private:
    static constexpr uint32_t slots = 2;
    static constexpr uint32_t pair = 8;                   // bytes of a value and its index
    static constexpr uint32_t fields = pair / sizeof(T);  // elements of T in them
    static constexpr uint32_t run = 32;                   // pairs that Sort32 sorts

    __aicore__ inline void Tile(uint32_t slot, uint64_t row, uint32_t rows) {
        const AscendC::LocalTensor<T> x = source.template Get<T>()[slot * t.tile * t.width];
        const AscendC::LocalTensor<T> pairs = sorted.template Get<T>()[slot * t.tile * t.width * fields];
        const AscendC::LocalTensor<T> other = merged.template Get<T>()[slot * t.width * fields];
        const AscendC::LocalTensor<T> chosen = best.template Get<T>()[slot * t.tile * t.kept * fields];
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(slot);
        AscendC::DataCopy(x, xGm[row * t.width], rows * t.width);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(slot);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(slot);
        for (uint32_t r = 0; r < rows; ++r) {
            AscendC::Sort32(pairs[r * t.width * fields],
                            x[r * t.width],
                            order.template Get<uint32_t>(),
                            static_cast<int32_t>(t.width / run));
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(slot);
        for (uint32_t r = 0; r < rows; ++r) {
            const AscendC::LocalTensor<T> mine = pairs[r * t.width * fields];
            Merge(mine, other);
            AscendC::DataCopy(chosen[r * t.kept * fields], mine, t.kept * fields);
            AscendC::PipeBarrier<PIPE_V>();
        }
        Emit(slot, row, rows, chosen);
    }

    /// (width) pairs in runs of 32 -> the k largest in front.
    __aicore__ inline void Merge(const AscendC::LocalTensor<T>& pairs, const AscendC::LocalTensor<T>& other) {
        uint32_t length = run;
        for (; length * 4 <= t.width; length *= 4) {
            const uint32_t fours = t.width / (length * 4);
            const uint32_t step = length * fields;
            const uint16_t each = static_cast<uint16_t>(length);
            AscendC::MrgSort(
                other,
                AscendC::MrgSortSrcList<T>{pairs, pairs[step], pairs[2 * step], pairs[3 * step]},
                AscendC::MrgSort4Info{{each, each, each, each}, false, 15, static_cast<uint16_t>(fours)});
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::DataCopy(pairs, other, fours * 4 * step);
            AscendC::PipeBarrier<PIPE_V>();
        }
        MergeTail(pairs, other, length);
    }

    /// What whole fours left: runs of `length`, then shorter ones, joined to the first one after the other.
    __aicore__ inline void MergeTail(const AscendC::LocalTensor<T>& pairs,
                                     const AscendC::LocalTensor<T>& other,
                                     uint32_t length) {
        uint32_t done = length <= t.width ? length : t.width;
        while (done < t.width) {
            while (length > t.width - done) {
                length /= 4;
            }
            const uint16_t front = static_cast<uint16_t>(done < t.kept ? done : t.kept);
            const uint16_t next = static_cast<uint16_t>(length < t.kept ? length : t.kept);
            const AscendC::LocalTensor<T> second = pairs[done * fields];
            AscendC::MrgSort(other,
                             AscendC::MrgSortSrcList<T>{pairs, second, second, second},
                             AscendC::MrgSort4Info{{front, next, 0, 0}, false, 3, 1});
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::DataCopy(pairs, other, (front + next) * fields);
            AscendC::PipeBarrier<PIPE_V>();
            done += length;
        }
    }

    /// The chosen pairs of `rows` rows -> values and indices in global memory.
    __aicore__ inline void Emit(uint32_t slot,
                                uint64_t row,
                                uint32_t rows,
                                const AscendC::LocalTensor<T>& chosen) {
        const AscendC::LocalTensor<T> y = values.template Get<T>()[slot * t.tile * t.kept];
        const AscendC::LocalTensor<int32_t> index = places.template Get<int32_t>()[slot * t.tile * t.kept];
        constexpr uint8_t first_of_four = 3, first_of_two = 1, second_of_two = 2;
        uint64_t ignored = 0;
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(slot);
        for (uint32_t r = 0; r < rows; ++r) {
            AscendC::GatherMask(y[r * t.kept],
                                chosen[r * t.kept * fields],
                                sizeof(T) == 2 ? first_of_four : first_of_two,
                                true,
                                t.kept * fields,
                                AscendC::GatherMaskParams(1, 1, 0, 0),
                                ignored);
            AscendC::PipeBarrier<PIPE_V>();
        }
        for (uint32_t r = 0; r < rows; ++r) {
            AscendC::GatherMask(index[r * t.kept],
                                chosen[r * t.kept * fields].template ReinterpretCast<int32_t>(),
                                second_of_two,
                                true,
                                t.kept * 2,
                                AscendC::GatherMaskParams(1, 1, 0, 0),
                                ignored);
        }
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(slot);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(slot);
        Store(yGm, y, row, rows);
        Store(indexGm, index, row, rows);
        AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(slot);
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
    uint64_t first, last;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::GlobalTensor<int32_t> indexGm;
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> source, sorted, merged, best, values, places, order;
};
