// SPDX-License-Identifier: Apache-2.0
// Sorted lists in global memory, up to four of them merged into one: a window of each is in the unified
// buffer, a merge stops where the first window ends, and all windows move on by what was taken of them, as
// the operator library merges its cores' lists (ops-transformer, moe_init_routing_v2, moe_v2_mrgsort.h).
#pragma once

#include "kernels/ops/reduce/sort/sort_pieces.h"

namespace sort_rows {

template <typename T>
class Merge {
public:
    __aicore__ inline Merge(
        TPipe& pipe, GM_ADDR from, GM_ADDR to, GM_ADDR y, GM_ADDR index, const SortTiling& tiling, bool last)
        : t(tiling), emits(last), emission(y, index, tiling) {
        fromGm.SetGlobalBuffer((__gm__ float*)from);
        toGm.SetGlobalBuffer((__gm__ float*)to);
        const uint32_t elements = t.lists * t.window;
        pipe.InitBuffer(inLists, 1, elements * pair * sizeof(float));
        pipe.InitBuffer(outList, 2, elements * pair * sizeof(float));
        if (emits) {
            emission.Init(pipe, elements);
        }
    }

    /// `count` lists of a row, so many together; each has `length` elements, but the last may be shorter.
    __aicore__ inline void Run(uint32_t length, uint32_t count, uint32_t together) {
        const uint32_t groups = (count + together - 1) / together;
        for (uint64_t unit = GetBlockIdx(); unit < t.rows * groups; unit += GetBlockNum()) {
            const uint64_t row = unit / groups;
            const uint32_t begin = static_cast<uint32_t>(unit % groups) * together * length;
            for (uint32_t i = 0; i < together; ++i) {
                const uint32_t at = begin + i * length;
                Take(i, at, at >= t.width ? 0 : t.width - at < length ? t.width - at : length);
            }
            Group(row, begin);
        }
    }

    /// The last two lists of each row, the first of which has `length` elements, in parts of the result.
    __aicore__ inline void RunParts(uint32_t length) {
        for (uint64_t unit = GetBlockIdx(); unit < t.rows * t.parts; unit += GetBlockNum()) {
            const uint64_t row = unit / t.parts;
            const uint64_t part = unit % t.parts;
            const uint32_t begin = static_cast<uint32_t>(t.width * part / t.parts);
            const uint32_t end = static_cast<uint32_t>(t.width * (part + 1) / t.parts);
            const uint32_t first = OfFirst(row * t.width, length, begin);
            const uint32_t second = length + begin - first;
            Take(0, first, length - first);
            Take(1, second, t.width - second);
            left = end - begin;  // what lies behind it is of the next part
            Group(row, begin);
        }
    }

private:
    /// List i begins at an element of its row and has `n`.
    __aicore__ inline void Take(uint32_t i, uint32_t at, uint32_t n) {
        next[i] = at;
        rest[i] = n;
        left += n;
    }

    __aicore__ inline void Group(uint64_t row, uint32_t begin) {
        uint64_t done = row * t.width + begin;
        while (left > 0) {
            done += Step(row * t.width, done);
        }
    }

    /// How many of the first `count` elements of the result are of the first list, which wins where both are
    /// equal.
    __aicore__ inline uint32_t OfFirst(uint64_t row, uint32_t length, uint32_t count) {
        const uint32_t other = t.width - length;
        uint32_t low = count > other ? count - other : 0;
        uint32_t high = count < length ? count : length;
        while (low < high) {
            const uint32_t middle = (low + high) / 2;
            const float mine = fromGm.GetValue((row + middle) * pair);
            const float its = fromGm.GetValue((row + length + count - middle - 1) * pair);
            if (mine >= its) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// One merge; returns how many elements it put behind `to`.
    __aicore__ inline uint32_t Step(uint64_t row, uint64_t to) {
        constexpr uint32_t block = 4;  // pairs of 32 B
        LocalTensor<float> lists = inLists.template AllocTensor<float>();
        uint16_t lengths[4] = {0, 0, 0, 0};
        uint32_t which[4] = {0, 0, 0, 0};
        uint32_t count = 0;
        for (uint32_t i = 0; i < t.lists; ++i) {
            const uint32_t open = rest[i] < left ? rest[i] : left;
            const uint32_t n = open < t.window ? open : t.window;
            if (n > 0) {
                DataCopy(lists[count * t.window * pair],
                         fromGm[(row + next[i]) * pair],
                         (n + block - 1) / block * block * pair);
                lengths[count] = static_cast<uint16_t>(n);
                which[count++] = i;
            }
        }
        inLists.EnQue(lists);
        lists = inLists.template DeQue<float>();
        LocalTensor<float> merged = outList.template AllocTensor<float>();
        const uint32_t n = Joined(merged, lists, lengths, which, count);
        inLists.FreeTensor(lists);
        if (emits) {
            emission.Emit(to, merged, n);
        } else {
            outList.EnQue(merged);
            merged = outList.template DeQue<float>();
            DataCopyPad(toGm[to * pair],
                        merged,
                        DataCopyExtParams(1, static_cast<uint32_t>(n * pair * sizeof(float)), 0, 0, 0));
        }
        outList.FreeTensor(merged);
        return n;
    }

    __aicore__ inline uint32_t Joined(const LocalTensor<float>& merged,
                                      const LocalTensor<float>& lists,
                                      const uint16_t (&lengths)[4],
                                      const uint32_t (&which)[4],
                                      uint32_t count) {
        uint32_t taken[4] = {lengths[0], 0, 0, 0};
        if (count == 1) {
            DataCopy(merged, lists, WholeRuns(lengths[0]) * pair);
            PipeBarrier<PIPE_V>();
        } else {
            const uint32_t step = t.window * pair;
            MrgSort<float, true>(
                merged,
                MrgSortSrcList<float>{
                    lists, lists[step], lists[count > 2 ? 2 * step : 0], lists[count > 3 ? 3 * step : 0]},
                lengths,
                taken,
                static_cast<uint16_t>((1U << count) - 1),
                1);
            PipeBarrier<PIPE_V>();
            SetFlag<HardEvent::V_S>(0);  // how many it took is known when it has ended
            WaitFlag<HardEvent::V_S>(0);
        }
        uint32_t n = 0;
        for (uint32_t i = 0; i < count; ++i) {
            next[which[i]] += taken[i];
            rest[which[i]] -= taken[i];
            n += taken[i];
        }
        n = n < left ? n : left;
        left -= n;
        return n;
    }

    SortTiling t;
    bool emits;
    uint32_t left = 0;
    uint32_t next[4] = {0, 0, 0, 0};  // of each list, the element of the row that comes next
    uint32_t rest[4] = {0, 0, 0, 0};
    GlobalTensor<float> fromGm, toGm;
    Emission<T> emission;
    TQue<TPosition::VECIN, 1> inLists;
    TQue<TPosition::VECOUT, 1> outList;
};

}  // namespace sort_rows
