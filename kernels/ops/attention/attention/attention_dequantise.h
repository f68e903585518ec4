// SPDX-License-Identifier: Apache-2.0
// Keys and values of a cache of bytes: the two vector cores take half of a tile's keys each, make the type of
// the queries of them and put them into the workspace, from which the cube core reads whole tiles. As the
// library's attention does with a quantised cache ("antiquant"; ops-transformer, incre_flash_attention).
//
//   k, v: int8 rows of a block --mte2--> UB: cast, * scale --mte3--> workspace
//   k_rope, which is not quantised --mte2--> UB --mte3--> workspace
#pragma once

#include "kernels/ops/attention/attention/attention_gather.h"
#include "kernels/ops/attention/attention/attention_rows.h"

namespace attention {

template <typename T>
class Dequantise {
public:
    __aicore__ inline Dequantise(const CachedKeys& keys,
                                 const Workspace<T>& workspace,
                                 const Tiling& tiling,
                                 uint32_t group)
        : t_(tiling), workspace_(workspace), steps_(tiling, group, static_cast<uint32_t>(GetBlockNum())) {
        k_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(keys.k));
        k_rope_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(keys.k_rope));
        v_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(keys.v));
        table_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(keys.table));
    }

    __aicore__ inline void InitBuffer(TPipe& pipe) {
        if (t_.byte_cache == 0) {
            return;
        }
        const uint32_t room = cached_elements(t_);
        pipe.InitBuffer(bytes_, 2 * room);
        pipe.InitBuffer(halves_, room * sizeof(half));
        pipe.InitBuffer(floats_, room * sizeof(float));
        pipe.InitBuffer(out_, 2 * room * sizeof(T));
        for (int32_t i = 0; i < 2; ++i) {
            SetFlag<HardEvent::V_MTE2>(read_event + i);
            SetFlag<HardEvent::MTE3_V>(stored_event + i);
        }
        if (t_.rope_dim != 0) {
            pipe.InitBuffer(rope_, 2 * t_.gather_rows * padded(t_.rope_dim) * sizeof(T));
            for (int32_t i = 0; i < 2; ++i) {
                SetFlag<HardEvent::MTE3_MTE2>(rope_event + i);
            }
        }
    }

    /// Makes the next tile's keys and values, if there is one.
    __aicore__ inline void Next() {
        if (!steps_.Valid()) {
            return;
        }
        const Step& step = steps_.Get();
        const uint32_t middle = Parts(step.columns, 2);
        const Share share{GetSubBlockIdx() == 0 ? 0 : middle, GetSubBlockIdx() == 0 ? middle : step.columns};
        if (number_ >= gather_places) {
            CrossCoreWaitFlag<2, PIPE_MTE3>(keys_read_flag);
        }
        Convert(step, share, k_, t_.dim, t_.key_scale, workspace_.Keys(number_));
        if (t_.rope_dim != 0) {
            CopyRotated(step, share);
        }
        if (t_.shared_values == 0) {
            Convert(step, share, v_, t_.value_dim, t_.value_scale, workspace_.Values(number_));
        }
        CrossCoreSetFlag<2, PIPE_MTE3>(gathered_flag);
        ++number_;
        steps_.Next();
    }

    /// Waits until the cube core has read all.
    __aicore__ inline void Finish() {
        for (uint32_t i = 0; i < Smaller(number_, gather_places); ++i) {
            CrossCoreWaitFlag<2, PIPE_MTE3>(keys_read_flag);
        }
        for (int32_t i = 0; i < 2; ++i) {
            WaitFlag<HardEvent::V_MTE2>(read_event + i);
            WaitFlag<HardEvent::MTE3_V>(stored_event + i);
            if (t_.rope_dim != 0) {
                WaitFlag<HardEvent::MTE3_MTE2>(rope_event + i);
            }
        }
    }

private:
    // Event ids behind those of the vector program.
    static constexpr int32_t read_event = 6;    // V_MTE2 and MTE2_V
    static constexpr int32_t stored_event = 5;  // MTE3_V and V_MTE3
    static constexpr int32_t rope_event = 3;    // MTE3_MTE2 and MTE2_MTE3

    /// Keys of a tile, from the first of them.
    struct Share {
        uint32_t from;
        uint32_t until;
    };

    /// Keys that lie one after the other, at a distance.
    struct Run {
        uint64_t row;  // of the cache, whose row is one head of a token
        uint32_t count;
    };

    [[nodiscard]] __aicore__ inline Run RunOf(const Step& step, uint32_t at, uint32_t until) const {
        const uint32_t groups = t_.heads / t_.merged;
        const uint64_t batch = step.sequence / groups;
        const uint32_t head = step.sequence % groups * t_.merged / (t_.heads / t_.kv_heads);
        const uint32_t key = step.column + at;
        const uint32_t count = Smaller(t_.gather_rows, until - at);
        if (t_.block_keys == 0) {
            return {t_.by_head != 0 ? (batch * t_.kv_heads + head) * t_.kv_len + key
                                    : (batch * t_.kv_len + key) * t_.kv_heads + head,
                    count};
        }
        const uint32_t place = key % t_.block_keys;
        const auto block =
            static_cast<uint64_t>(table_.GetValue(batch * t_.table_pitch + key / t_.block_keys));
        return {(block * t_.block_keys + place) * t_.kv_heads + head, Smaller(count, t_.block_keys - place)};
    }

    __aicore__ inline void Convert(const Step& step,
                                   const Share& share,
                                   const GlobalTensor<int8_t>& from,
                                   uint32_t width,
                                   float scale,
                                   const GlobalTensor<T>& to) {
        for (uint32_t at = share.from; at < share.until;) {
            const Run run = RunOf(step, at, share.until);
            const auto buffer = static_cast<int32_t>(turn_++ % 2);
            const uint32_t room = cached_elements(t_);
            const LocalTensor<int8_t> bytes = bytes_.Get<int8_t>()[static_cast<uint32_t>(buffer) * room];
            const LocalTensor<T> out = out_.template Get<T>()[static_cast<uint32_t>(buffer) * room];
            WaitFlag<HardEvent::V_MTE2>(read_event + buffer);
            DataCopyPad(bytes,
                        from[run.row * width],
                        DataCopyExtParams(
                            static_cast<uint16_t>(run.count), width, (KeyDistance(t_) - 1) * width, 0, 0),
                        DataCopyPadExtParams<int8_t>());  // (count, width) GM -> UB
            SetFlag<HardEvent::MTE2_V>(read_event + buffer);
            WaitFlag<HardEvent::MTE2_V>(read_event + buffer);
            WaitFlag<HardEvent::MTE3_V>(stored_event + buffer);
            Widen(out, bytes, run.count * width, scale);
            SetFlag<HardEvent::V_MTE2>(read_event + buffer);
            SetFlag<HardEvent::V_MTE3>(stored_event + buffer);
            WaitFlag<HardEvent::V_MTE3>(stored_event + buffer);
            DataCopy(to[at * width], out, run.count * width);  // (count, width) UB -> GM
            SetFlag<HardEvent::MTE3_V>(stored_event + buffer);
            at += run.count;
        }
    }

    // int8 becomes half, which holds it exactly; the scale is applied in half, or in float on the way to
    // bfloat16.
    __aicore__ inline void Widen(const LocalTensor<T>& out,
                                 const LocalTensor<int8_t>& bytes,
                                 uint32_t count,
                                 float scale) {
        const UnaryRepeatParams from_bytes(1, 1, 4, 2);
        const LocalTensor<half> halves = halves_.Get<half>();
        ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            Cast<half, int8_t, false>(
                halves[at], bytes[at], RoundMode::CAST_NONE, MASK_PLACEHOLDER, repeats, from_bytes);
        });
        PipeBarrier<PIPE_V>();
        if constexpr (std::is_same_v<T, half>) {
            ForLanes(count, [&](uint32_t at, uint8_t repeats) {
                Muls<half, false>(out[at],
                                  halves[at],
                                  static_cast<half>(scale),
                                  MASK_PLACEHOLDER,
                                  repeats,
                                  UnaryRepeatParams(1, 1, 4, 4));
            });
        } else {
            const LocalTensor<float> floats = floats_.Get<float>();
            ForLanes(count, [&](uint32_t at, uint8_t repeats) {
                Cast<float, half, false>(floats[at],
                                         halves[at],
                                         RoundMode::CAST_NONE,
                                         MASK_PLACEHOLDER,
                                         repeats,
                                         UnaryRepeatParams(1, 1, 8, 4));
            });
            PipeBarrier<PIPE_V>();
            ForLanes(count, [&](uint32_t at, uint8_t repeats) {
                Muls<float, false>(
                    floats[at], floats[at], scale, MASK_PLACEHOLDER, repeats, UnaryRepeatParams(1, 1, 8, 8));
            });
            PipeBarrier<PIPE_V>();
            ForLanes(count, [&](uint32_t at, uint8_t repeats) {
                Cast<T, float, false>(out[at],
                                      floats[at],
                                      RoundMode::CAST_RINT,
                                      MASK_PLACEHOLDER,
                                      repeats,
                                      UnaryRepeatParams(1, 1, 4, 8));
            });
        }
    }

    // (keys, rope_dim) of the queries' type, as they lie in the cache
    __aicore__ inline void CopyRotated(const Step& step, const Share& share) {
        const uint32_t width = t_.rope_dim;
        const auto bytes = width * static_cast<uint32_t>(sizeof(T));
        for (uint32_t at = share.from; at < share.until;) {
            const Run run = RunOf(step, at, share.until);
            const auto buffer = static_cast<int32_t>(rope_turn_++ % 2);
            const LocalTensor<T> rows =
                rope_.template Get<T>()[static_cast<uint32_t>(buffer) * t_.gather_rows * padded(width)];
            const auto count = static_cast<uint16_t>(run.count);
            WaitFlag<HardEvent::MTE3_MTE2>(rope_event + buffer);
            DataCopyPad(rows,
                        k_rope_[run.row * width],
                        DataCopyExtParams(count, bytes, (KeyDistance(t_) - 1) * bytes, 0, 0),
                        DataCopyPadExtParams<T>());
            SetFlag<HardEvent::MTE2_MTE3>(rope_event + buffer);
            WaitFlag<HardEvent::MTE2_MTE3>(rope_event + buffer);
            DataCopyPad(
                workspace_.RotatedKeys(number_)[at * width], rows, DataCopyExtParams(count, bytes, 0, 0, 0));
            SetFlag<HardEvent::MTE3_MTE2>(rope_event + buffer);
            at += run.count;
        }
    }

    const Tiling& t_;
    const Workspace<T>& workspace_;
    Steps steps_;
    uint32_t number_ = 0;
    uint32_t turn_ = 0;
    uint32_t rope_turn_ = 0;
    TBuf<TPosition::VECCALC> bytes_;   // (2, gather_rows, widest row) int8
    TBuf<TPosition::VECCALC> halves_;  // (gather_rows, widest row)
    TBuf<TPosition::VECCALC> floats_;  // the same in fp32
    TBuf<TPosition::VECCALC> out_;     // (2, gather_rows, widest row)
    TBuf<TPosition::VECCALC> rope_;    // (2, gather_rows, rope_dim)
    GlobalTensor<int8_t> k_;
    GlobalTensor<T> k_rope_;
    GlobalTensor<int8_t> v_;
    GlobalTensor<int32_t> table_;
};

}  // namespace attention
