// SPDX-License-Identifier: Apache-2.0
// The cube core's program of attention.cpp.
//
//   q ------------nd2nz--> L1 --load--> L0A \
//   k --nd2nz--> ring in L1 --load--> L0B    mmad--> S --fixpipe--> GM     (softmax on the vector cores)
//   P ------------nd2nz--> L1 --load--> L0A \
//   v --nd2nz--> ring in L1 --load--> L0B    mmad--> O --fixpipe--> GM     `stages` - 1 tiles later
//
// Chunks of k and v pass through one ring, so that copies run ahead of the multiplications whatever they are
// for.
#pragma once

#include "kernels/ops/attention/attention/attention_results.h"
#include "kernels/ops/attention/attention/attention_steps.h"

namespace attention {

template <typename T>
class CubeProgram {
public:
    __aicore__ inline CubeProgram(GM_ADDR q,
                                  GM_ADDR q_rope,
                                  GM_ADDR k,
                                  GM_ADDR k_rope,
                                  GM_ADDR v,
                                  GM_ADDR table,
                                  GM_ADDR workspace,
                                  const Tiling& tiling)
        : t_(tiling),
          steps_(t_, static_cast<uint32_t>(GetBlockIdx()), static_cast<uint32_t>(GetBlockNum())),
          workspace_(
              workspace, t_, static_cast<uint32_t>(GetBlockIdx()), static_cast<uint32_t>(GetBlockNum())) {
        q_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(q));
        q_rope_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(q_rope));
        k_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(k));
        k_rope_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(k_rope));
        v_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(t_.shared_values != 0 ? k : v));
        table_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(table));
        uint32_t offset = 0;
        for (uint32_t i = 0; i < t_.q_buffers; ++i) {
            l1_q_[i] = Take(offset, padded(t_.base_m) * depth(t_));
        }
        for (uint32_t i = 0; i < t_.p_buffers; ++i) {
            l1_p_[i] = Take(offset, padded(t_.base_m) * t_.base_n);
        }
        const uint32_t slot = Smaller(padded(t_.base_n), sub_columns) * SlotColumns();
        for (uint32_t i = 0; i < t_.ring; ++i) {
            l1_ring_[i] = Take(offset, slot);
        }
        for (uint32_t i = 0; i < 2; ++i) {
            l0_a_[i] = LocalTensor<T>(TPosition::A2, i * l0_half * static_cast<uint32_t>(sizeof(T)), l0_half);
            l0_b_[i] = LocalTensor<T>(TPosition::B2, i * l0_half * static_cast<uint32_t>(sizeof(T)), l0_half);
            l0_c_[i] = LocalTensor<float>(
                TPosition::CO1, i * l0_half * static_cast<uint32_t>(sizeof(float)), l0_half);
        }
    }

    __aicore__ inline void Run() {
        RaiseFreeFlags(events);
        RunStaggered(
            steps_,
            t_.stages - 1,
            [this](const Step& step, uint32_t number) { Scores(step, number); },
            [this](const Step& step, uint32_t number) { Product(step, number); });
        TakeFreeFlags(events);
    }

private:
    using In = cube::Loads<T>;

    static constexpr uint32_t l0_half = 128 * 128;  // elements of half of L0A, L0B or L0C
    // Event ids of buffers in L1: the ring's places, then P, then q.
    static constexpr int32_t p_event = 4;
    static constexpr int32_t q_event = 6;
    static constexpr int32_t events = 8;

    __aicore__ inline static LocalTensor<T> Take(uint32_t& offset, uint32_t elements) {
        LocalTensor<T> tensor(TPosition::A1, offset, elements);
        offset += elements * static_cast<uint32_t>(sizeof(T));
        return tensor;
    }

    [[nodiscard]] __aicore__ inline uint32_t SlotColumns() const {
        const uint32_t keys = Smaller(padded(t_.dim), depth_chunk);
        const uint32_t values = Smaller(padded(t_.value_dim), value_chunk);
        return keys > values ? keys : values;
    }

    // ---- copies ----

    __aicore__ inline void CopyQueries(const Step& step, const LocalTensor<T>& to) {
        const auto height = static_cast<uint16_t>(padded(step.rows));
        const uint32_t rope_offset = height * padded(t_.dim);
        ForRuns(t_,
                step.sequence,
                step.row,
                step.rows,
                [&](uint32_t first, uint32_t rows, uint64_t at, uint32_t pitch) {
                    In::CopyIn(to[first * 16], q_[at * t_.dim], rows, t_.dim, pitch * t_.dim, height);
                    if (t_.rope_dim != 0) {
                        In::CopyIn(to[rope_offset + first * 16],
                                   q_rope_[at * t_.rope_dim],
                                   rows,
                                   t_.rope_dim,
                                   pitch * t_.rope_dim,
                                   height);
                    }
                });
    }

    // Columns `from` ... of keys or values `key` ... to the next place of the ring, block by block if the
    // cache is paged. Gathered ones lie one after the other, the tile's first at the start.
    __aicore__ inline void CopyKeys(const Step& step,
                                    const GlobalTensor<T>& tensor,
                                    uint32_t dim,
                                    uint32_t key,
                                    uint32_t keys,
                                    uint32_t from,
                                    uint32_t columns) {
        const auto slot = static_cast<int32_t>(filled_++ % t_.ring);
        const auto height = static_cast<uint16_t>(padded(keys));
        const uint32_t group = t_.heads / t_.kv_heads;
        const uint32_t head = step.sequence % (t_.heads / t_.merged) * t_.merged / group;
        const uint64_t batch = step.sequence / (t_.heads / t_.merged);
        const uint32_t pitch = t_.by_head != 0 ? dim : t_.kv_heads * dim;
        WaitFlag<HardEvent::MTE1_MTE2>(slot);
        if (t_.gather_rows != 0) {
            In::CopyIn(l1_ring_[slot], tensor[(key - step.column) * dim + from], keys, columns, dim, height);
            SetFlag<HardEvent::MTE2_MTE1>(slot);
            return;
        }
        for (uint32_t done = 0; done < keys;) {
            uint64_t token = batch * t_.kv_len + key + done;  // of the whole cache, if heads lie side by side
            uint32_t count = keys - done;
            if (t_.block_keys != 0) {
                const uint32_t place = (key + done) % t_.block_keys;
                const auto block = table_.GetValue(batch * t_.table_pitch + (key + done) / t_.block_keys);
                token = static_cast<uint64_t>(block) * t_.block_keys + place;
                count = Smaller(count, t_.block_keys - place);
            }
            const uint64_t row = t_.by_head != 0 ? (batch * t_.kv_heads + head) * t_.kv_len + key + done
                                                 : token * t_.kv_heads + head;
            In::CopyIn(l1_ring_[slot][done * 16], tensor[row * dim + from], count, columns, pitch, height);
            done += count;
        }
        SetFlag<HardEvent::MTE2_MTE1>(slot);
    }

    // ---- S = q k^T + q_rope k_rope^T: (rows, columns) = (rows, depth) x (columns, depth)^T ----

    __aicore__ inline void Scores(const Step& step, uint32_t number) {
        const auto q = static_cast<int32_t>(step.task % t_.q_buffers);
        if (step.first) {
            WaitFlag<HardEvent::MTE1_MTE2>(q_event + q);
            CopyQueries(step, l1_q_[q]);
            SetFlag<HardEvent::MTE2_MTE1>(q_event + q);
        }
        const uint32_t wide = padded(step.columns);
        const GlobalTensor<float> to = workspace_.Scores(number);
        const GlobalTensor<T> k = t_.gather_rows != 0 ? workspace_.Keys(number) : k_;
        const GlobalTensor<T> k_rope = t_.gather_rows != 0 ? workspace_.RotatedKeys(number) : k_rope_;
        bool queries_awaited = !step.first;
        if (t_.gather_rows != 0) {
            CrossCoreWaitFlag<2, PIPE_MTE2>(gathered_flag);
        }
        for (uint32_t at = 0; at < step.columns; at += sub_columns) {
            const uint32_t keys = Smaller(sub_columns, step.columns - at);
            OpenResult();
            bool fresh = true;
            for (uint32_t from = 0; from < t_.dim; from += depth_chunk) {
                const uint32_t columns = Smaller(depth_chunk, t_.dim - from);
                CopyKeys(step, k, t_.dim, step.column + at, keys, from, columns);
                AwaitQueries(queries_awaited, q);
                MultiplyChunk(l1_q_[q], step.rows, from, keys, columns, fresh);
                fresh = false;
            }
            if (t_.rope_dim != 0) {
                CopyKeys(step, k_rope, t_.rope_dim, step.column + at, keys, 0, t_.rope_dim);
                MultiplyChunk(l1_q_[q], step.rows, padded(t_.dim), keys, t_.rope_dim, false);
            }
            CloseResult(to[at], step.rows, padded(keys), wide);
        }
        if (step.last) {
            SetFlag<HardEvent::MTE1_MTE2>(q_event + q);
        }
        CrossCoreSetFlag<2, PIPE_FIX>(scores_flag);
    }

    __aicore__ inline void AwaitQueries(bool& awaited, int32_t q) {
        if (!awaited) {
            WaitFlag<HardEvent::MTE2_MTE1>(q_event + q);
            awaited = true;
        }
    }

    // Adds the product of columns `from` ... of q with the ring's next chunk.
    __aicore__ inline void MultiplyChunk(
        const LocalTensor<T>& q, uint32_t rows, uint32_t from, uint32_t keys, uint32_t columns, bool fresh) {
        const auto slot = static_cast<int32_t>(used_++ % t_.ring);
        const uint32_t height = padded(rows);
        WaitFlag<HardEvent::MTE2_MTE1>(slot);
        for (uint32_t k = 0; k < columns; k += depth_piece) {
            const uint32_t piece = Smaller(depth_piece, columns - k);
            WaitFlag<HardEvent::M_MTE1>(l0_);
            cube::LoadLeft(
                l0_a_[l0_], q, height, depth(t_), from + k, padded(piece));  // (rows, piece) L1 -> L0A
            cube::LoadRightTransposed(
                l0_b_[l0_], l1_ring_[slot][k * padded(keys)], padded(keys), padded(piece));  // (piece, keys)
            if (k + depth_piece >= columns) {
                SetFlag<HardEvent::MTE1_MTE2>(slot);
            }
            Multiply(rows, padded(keys), piece, fresh && k == 0);
        }
    }

    // ---- O = P v: (rows, value_dim) = (rows, columns) x (columns, value_dim) ----

    __aicore__ inline void Product(const Step& step, uint32_t number) {
        const uint32_t subs = Parts(step.columns, sub_columns);
        const uint32_t chunks = Parts(t_.value_dim, value_chunk);
        const uint32_t total = subs * chunks;
        const GlobalTensor<T> v = t_.gather_rows != 0 ? workspace_.Values(number) : v_;
        uint32_t fetched = 0;
        const auto fetch = [&](uint32_t until) {
            for (; fetched < Smaller(until, total); ++fetched) {
                const uint32_t at = fetched % subs * sub_columns;
                const uint32_t from = fetched / subs * value_chunk;
                CopyKeys(step,
                         v,
                         value_pitch(t_),
                         step.column + at,
                         Smaller(sub_columns, step.columns - at),
                         from,
                         Smaller(value_chunk, t_.value_dim - from));
            }
        };
        fetch(t_.ring - 1);  // values need not wait for probabilities
        const auto p = static_cast<int32_t>(number % t_.p_buffers);
        CopyProbabilities(step, number, p);
        WaitFlag<HardEvent::MTE2_MTE1>(p_event + p);
        for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
            const uint32_t columns = Smaller(value_chunk, t_.value_dim - chunk * value_chunk);
            OpenResult();
            for (uint32_t sub = 0; sub < subs; ++sub) {
                fetch(chunk * subs + sub + t_.ring - 1);
                AddProduct(step, p, sub, padded(columns));
            }
            CloseResult(workspace_.Product(number)[chunk * value_chunk],
                        step.rows,
                        padded(columns),
                        padded(t_.value_dim));
        }
        SetFlag<HardEvent::MTE1_MTE2>(p_event + p);
        CrossCoreSetFlag<2, PIPE_FIX>(product_flag);
        if (t_.gather_rows != 0) {
            CrossCoreSetFlag<2, PIPE_MTE2>(keys_read_flag);
        }
    }

    // Part by part of sub_columns; what lies behind the last column is not multiplied.
    __aicore__ inline void CopyProbabilities(const Step& step, uint32_t number, int32_t p) {
        const uint32_t wide = padded(step.columns);
        const auto height = static_cast<uint16_t>(padded(step.rows));
        WaitFlag<HardEvent::MTE1_MTE2>(p_event + p);
        CrossCoreWaitFlag<2, PIPE_MTE2>(probabilities_flag);
        In::CopyIn(l1_p_[p], workspace_.Probabilities(number), step.rows, wide, wide, height);
        SetFlag<HardEvent::MTE2_MTE1>(p_event + p);
    }

    __aicore__ inline void AddProduct(const Step& step, int32_t p, uint32_t sub, uint32_t columns) {
        const auto slot = static_cast<int32_t>(used_++ % t_.ring);
        const uint32_t at = sub * sub_columns;
        const uint32_t keys = Smaller(sub_columns, step.columns - at);
        WaitFlag<HardEvent::M_MTE1>(l0_);
        cube::LoadLeft(l0_a_[l0_],
                       l1_p_[p],
                       padded(step.rows),
                       padded(step.columns),
                       at,
                       padded(keys));  // (rows, keys) L1 -> L0A
        WaitFlag<HardEvent::MTE2_MTE1>(slot);
        cube::LoadRight(
            l0_b_[l0_], l1_ring_[slot], padded(keys), columns, 0, padded(keys));  // (keys, columns)
        SetFlag<HardEvent::MTE1_MTE2>(slot);
        Multiply(step.rows, columns, keys, sub == 0);
    }

    // ---- results ----

    __aicore__ inline void OpenResult() { WaitFlag<HardEvent::FIX_M>(result_); }

    __aicore__ inline void Multiply(uint32_t rows, uint32_t columns, uint32_t depth, bool fresh) {
        SetFlag<HardEvent::MTE1_M>(l0_);
        WaitFlag<HardEvent::MTE1_M>(l0_);
        cube::Multiply(l0_c_[result_], l0_a_[l0_], l0_b_[l0_], rows, columns, depth, fresh);
        SetFlag<HardEvent::M_MTE1>(l0_);
        l0_ = 1 - l0_;
    }

    // (rows, columns) L0C -> GM, rows `pitch` apart
    __aicore__ inline void CloseResult(const GlobalTensor<float>& to,
                                       uint32_t rows,
                                       uint32_t columns,
                                       uint32_t pitch) {
        SetFlag<HardEvent::M_FIX>(result_);
        WaitFlag<HardEvent::M_FIX>(result_);
        WriteResult(to, l0_c_[result_], rows, columns, pitch);
        SetFlag<HardEvent::FIX_M>(result_);
        result_ = 1 - result_;
    }

    Tiling t_;
    Steps steps_;
    Workspace<T> workspace_;
    GlobalTensor<T> q_;
    GlobalTensor<T> q_rope_;
    GlobalTensor<T> k_;
    GlobalTensor<T> k_rope_;
    GlobalTensor<T> v_;
    GlobalTensor<int32_t> table_;
    LocalTensor<T> l1_q_[2];     // NZ (rows, depth)
    LocalTensor<T> l1_p_[2];     // NZ (rows, keys)
    LocalTensor<T> l1_ring_[4];  // NZ (sub_columns, columns of a chunk)
    LocalTensor<T> l0_a_[2];
    LocalTensor<T> l0_b_[2];
    LocalTensor<float> l0_c_[2];
    uint32_t filled_ = 0;
    uint32_t used_ = 0;
    int32_t l0_ = 0;
    int32_t result_ = 0;
};

}  // namespace attention
