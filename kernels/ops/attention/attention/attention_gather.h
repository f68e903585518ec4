// SPDX-License-Identifier: Apache-2.0
// Gathers keys that each query chooses for itself: the two vector cores copy half of a tile's keys each, with
// their rotated parts and values, to one place of the workspace, from which the cube core reads whole tiles
// and reads each key twice without looking it up again. As sparse flash attention of the operator library
// does (ops-transformer, sparse_flash_attention), two keys with one instruction.
//
//   k, k_rope, v: rows anywhere --mte2, two at a time--> UB --mte3, gather_rows at a time--> workspace
//
// The order of keys within a pair is that of their addresses: no query minds the order of its keys.
#pragma once

#include "kernels/ops/attention/attention/attention_steps.h"

namespace attention {

/// Where keys and values lie, and the table that says which are whose.
struct CachedKeys {
    GM_ADDR k;
    GM_ADDR k_rope;
    GM_ADDR v;
    GM_ADDR table;
};

template <typename T>
class Gather {
public:
    __aicore__ inline Gather(const CachedKeys& keys,
                             const Workspace<T>& workspace,
                             const Tiling& tiling,
                             uint32_t group)
        : t_(tiling), workspace_(workspace), steps_(tiling, group, static_cast<uint32_t>(GetBlockNum())) {
        k_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(keys.k));
        k_rope_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(keys.k_rope));
        v_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(keys.v));
        table_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(keys.table));
    }

    __aicore__ inline void InitBuffer(TPipe& pipe) {
        if (t_.gather_rows != 0) {
            pipe.InitBuffer(rows_, 2 * t_.gather_rows * gathered_pitch(t_) * sizeof(T));
        }
    }

    /// Gathers the next tile's keys, if there is one.
    __aicore__ inline void Next() {
        if (t_.gather_rows == 0 || !steps_.Valid()) {
            return;
        }
        const Step& step = steps_.Get();
        const uint32_t pairs = Parts(step.columns, 2);
        const uint32_t middle = Smaller(Parts(pairs, 2) * 2, step.columns);
        const uint32_t from = GetSubBlockIdx() == 0 ? 0 : middle;
        const uint32_t until = GetSubBlockIdx() == 0 ? middle : step.columns;
        SetFlag<HardEvent::MTE3_MTE2>(stored_event);
        SetFlag<HardEvent::MTE3_MTE2>(stored_event + 1);
        if (number_ >= gather_places) {
            CrossCoreWaitFlag<2, PIPE_MTE3>(keys_read_flag);
        }
        int32_t buffer = 0;
        for (uint32_t at = from; at < until; at += t_.gather_rows) {
            Copy(step, at, Smaller(t_.gather_rows, until - at), buffer);
            buffer = 1 - buffer;
        }
        WaitFlag<HardEvent::MTE3_MTE2>(stored_event);
        WaitFlag<HardEvent::MTE3_MTE2>(stored_event + 1);
        CrossCoreSetFlag<2, PIPE_MTE3>(gathered_flag);
        ++number_;
        steps_.Next();
    }

    /// Waits until the cube core has read all.
    __aicore__ inline void Finish() {
        for (uint32_t i = 0; i < Smaller(number_, gather_places); ++i) {
            CrossCoreWaitFlag<2, PIPE_MTE3>(keys_read_flag);
        }
    }

private:
    static constexpr int32_t stored_event = 3;  // MTE3_MTE2; the vector program has those before

    // `count` keys from the tile's key `at` on, through half of the buffer.
    __aicore__ inline void Copy(const Step& step, uint32_t at, uint32_t count, int32_t buffer) {
        const LocalTensor<T> rows =
            rows_.template Get<T>()[static_cast<uint32_t>(buffer) * t_.gather_rows * gathered_pitch(t_)];
        const uint32_t rope_at = t_.gather_rows * padded(t_.dim);
        const uint32_t value_at = rope_at + t_.gather_rows * padded(t_.rope_dim);
        const uint32_t entry = step.sequence / (t_.heads / t_.merged) * t_.table_pitch + step.column + at;
        const uint32_t head = step.sequence % (t_.heads / t_.merged) * t_.merged / (t_.heads / t_.kv_heads);
        WaitFlag<HardEvent::MTE3_MTE2>(stored_event + buffer);
        for (uint32_t i = 0; i < count; i += 2) {
            const auto first = static_cast<uint32_t>(table_.GetValue(entry + i));
            const uint32_t second =
                i + 1 < count ? static_cast<uint32_t>(table_.GetValue(entry + i + 1)) : first;
            const Pair pair{Row(first < second ? first : second, head),
                            Row(first < second ? second : first, head),
                            i + 1 < count ? 2U : 1U};
            CopyPair(rows[i * padded(t_.dim)], k_, t_.dim, pair);
            if (t_.rope_dim != 0) {
                CopyPair(rows[rope_at + i * padded(t_.rope_dim)], k_rope_, t_.rope_dim, pair);
            }
            if (t_.shared_values == 0) {
                CopyPair(rows[value_at + i * padded(t_.value_dim)], v_, t_.value_dim, pair);
            }
        }
        SetFlag<HardEvent::MTE2_MTE3>(buffer);
        WaitFlag<HardEvent::MTE2_MTE3>(buffer);
        Store(workspace_.Keys(number_), rows, t_.dim, at, count);
        if (t_.rope_dim != 0) {
            Store(workspace_.RotatedKeys(number_), rows[rope_at], t_.rope_dim, at, count);
        }
        if (t_.shared_values == 0) {
            Store(workspace_.Values(number_), rows[value_at], t_.value_dim, at, count);
        }
        SetFlag<HardEvent::MTE3_MTE2>(stored_event + buffer);
    }

    struct Pair {
        uint64_t first;  // row of the cache
        uint64_t second;
        uint32_t count;
    };

    [[nodiscard]] __aicore__ inline uint64_t Row(uint32_t token, uint32_t head) const {
        return uint64_t{token} * t_.kv_heads + head;
    }

    // (2, width) GM -> UB: rows at a distance, or both from one place
    __aicore__ inline void CopyPair(const LocalTensor<T>& to,
                                    const GlobalTensor<T>& from,
                                    uint32_t width,
                                    const Pair& pair) {
        constexpr uint64_t longest_gap = 0x7fffffff;  // bytes, of one instruction
        const DataCopyPadExtParams<T> pad;
        const uint32_t bytes = width * static_cast<uint32_t>(sizeof(T));
        const uint64_t gap = (pair.second - pair.first - 1) * bytes;
        if (pair.count == 1 || (pair.second > pair.first && gap <= longest_gap)) {
            DataCopyPad(to,
                        from[pair.first * width],
                        DataCopyExtParams(static_cast<uint16_t>(pair.count),
                                          bytes,
                                          pair.count == 1 ? 0 : static_cast<uint32_t>(gap),
                                          0,
                                          0),
                        pad);
            return;
        }
        const DataCopyExtParams one(1, bytes, 0, 0, 0);
        DataCopyPad(to, from[pair.first * width], one, pad);
        DataCopyPad(to[padded(width)], from[pair.second * width], one, pad);
    }

    // (count, width) UB -> GM, from key `at` of the place on
    __aicore__ inline void Store(
        const GlobalTensor<T>& to, const LocalTensor<T>& from, uint32_t width, uint32_t at, uint32_t count) {
        DataCopyPad(to[at * width],
                    from,
                    DataCopyExtParams(
                        static_cast<uint16_t>(count), width * static_cast<uint32_t>(sizeof(T)), 0, 0, 0));
    }

    const Tiling& t_;
    const Workspace<T>& workspace_;
    Steps steps_;
    uint32_t number_ = 0;
    TBuf<TPosition::VECCALC> rows_;  // (2, gather_rows, gathered_pitch)
    GlobalTensor<T> k_;
    GlobalTensor<T> k_rope_;
    GlobalTensor<T> v_;
    GlobalTensor<int32_t> table_;
};

}  // namespace attention
