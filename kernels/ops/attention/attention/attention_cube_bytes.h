// SPDX-License-Identifier: Apache-2.0
// The cube core's program of attention.cpp where queries, keys and values are bytes: latent attention of one
// key head whose cache and queries are quantised. The operator library multiplies bytes there, too
// (ops-transformer, incre_flash_attention: ifa_service_matmul_full_quant), but adds the rotated part within
// L0C and hands products on in 16 bits, half of what passes through global memory here.
//
//   q ------------nd2nz--> L1 --load--> L0A \
//   k --nd2nz--> ring in L1 --load--> L0B    mmad--> int32 --fixpipe--> GM
//   q_rope, k_rope: the same in the type of o, mmad--> fp32 --fixpipe--> GM, added by the vector cores
//   P, bytes -----nd2nz--> L1 --load--> L0A \
//   k, as v --nd2nz--> ring --load--> L0B    mmad--> int32 --fixpipe--> GM
#pragma once

#include "kernels/ops/attention/attention/attention_results.h"
#include "kernels/ops/attention/attention/attention_steps.h"

namespace attention {

template <typename T>
class ByteCubeProgram {
public:
    __aicore__ inline ByteCubeProgram(GM_ADDR q,
                                      GM_ADDR q_rope,
                                      GM_ADDR k,
                                      GM_ADDR k_rope,
                                      GM_ADDR table,
                                      GM_ADDR workspace,
                                      const Tiling& tiling)
        : t_(tiling),
          steps_(t_, static_cast<uint32_t>(GetBlockIdx()), static_cast<uint32_t>(GetBlockNum())),
          workspace_(
              workspace, t_, static_cast<uint32_t>(GetBlockIdx()), static_cast<uint32_t>(GetBlockNum())) {
        q_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(q));
        q_rope_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(q_rope));
        k_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(k));
        k_rope_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(k_rope));
        table_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(table));
        const uint32_t height = CeilTo(t_.base_m, byte_rows);
        uint32_t offset = 0;
        for (uint32_t i = 0; i < t_.q_buffers; ++i) {
            l1_q_[i] = Take<int8_t>(offset, height * t_.dim);
            l1_q_rope_[i] = Take<T>(offset, height * padded(t_.rope_dim));
        }
        for (uint32_t i = 0; i < t_.p_buffers; ++i) {
            l1_p_[i] = Take<int8_t>(offset, height * t_.base_n);
        }
        for (uint32_t i = 0; i < t_.ring; ++i) {
            const uint32_t at = offset;
            l1_ring_[i] = Take<int8_t>(offset, byte_slot(t_));
            l1_rope_ring_[i] =
                LocalTensor<T>(TPosition::A1, at, byte_slot(t_) / static_cast<uint32_t>(sizeof(T)));
        }
        for (uint32_t i = 0; i < 2; ++i) {
            l0_a_[i] = LocalTensor<int8_t>(TPosition::A2, i * l0_bytes, l0_bytes);
            l0_b_[i] = LocalTensor<int8_t>(TPosition::B2, i * l0_bytes, l0_bytes);
            l0_a_rope_[i] = LocalTensor<T>(TPosition::A2, i * l0_bytes, l0_bytes / sizeof(T));
            l0_b_rope_[i] = LocalTensor<T>(TPosition::B2, i * l0_bytes, l0_bytes / sizeof(T));
            l0_c_[i] = LocalTensor<int32_t>(TPosition::CO1, i * l0_sums * 4, l0_sums);
            l0_c_rope_[i] = LocalTensor<float>(TPosition::CO1, i * l0_sums * 4, l0_sums);
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
    using Bytes = cube::Loads<int8_t>;
    using Halves = cube::Loads<T>;

    static constexpr uint32_t l0_bytes = 32768;     // half of L0A or L0B
    static constexpr uint32_t l0_sums = 128 * 128;  // of half of L0C
    static constexpr int32_t p_event = 4;           // behind those of the ring's places
    static constexpr int32_t q_event = 6;
    static constexpr int32_t events = 8;

    template <typename U>
    __aicore__ inline static LocalTensor<U> Take(uint32_t& offset, uint32_t elements) {
        LocalTensor<U> tensor(TPosition::A1, offset, elements);
        offset += elements * static_cast<uint32_t>(sizeof(U));
        return tensor;
    }

    // ---- copies ----

    // Rows of a tile lie one after the other: all heads share the keys.
    __aicore__ inline void CopyQueries(const Step& step, uint32_t buffer) {
        const uint64_t at = uint64_t{step.sequence} * t_.rows + step.row;
        Bytes::CopyIn(l1_q_[buffer], q_[at * t_.dim], step.rows, t_.dim, t_.dim);
        if (t_.rope_dim != 0) {
            Halves::CopyIn(
                l1_q_rope_[buffer], q_rope_[at * t_.rope_dim], step.rows, t_.rope_dim, t_.rope_dim);
        }
    }

    // Columns of keys `key` ... to a place of the ring, block by block if the cache is paged; columns of
    // blocks are as high as `height` says.
    template <typename U>
    __aicore__ inline void CopyKeys(const Step& step,
                                    const LocalTensor<U>& to,
                                    const GlobalTensor<U>& from,
                                    uint32_t dim,
                                    uint32_t key,
                                    uint32_t keys,
                                    uint32_t columns,
                                    uint16_t height) {
        constexpr uint32_t c0 = cube::Loads<U>::c0;
        for (uint32_t done = 0; done < keys;) {
            uint64_t token = uint64_t{step.sequence} * t_.kv_len + key + done;
            uint32_t count = keys - done;
            if (t_.block_keys != 0) {
                const uint32_t place = (key + done) % t_.block_keys;
                const auto block =
                    table_.GetValue(uint64_t{step.sequence} * t_.table_pitch + (key + done) / t_.block_keys);
                token = static_cast<uint64_t>(block) * t_.block_keys + place;
                count = Smaller(count, t_.block_keys - place);
            }
            cube::Loads<U>::CopyIn(to[done * c0], from[token * dim], count, columns, dim, height);
            done += count;
        }
    }

    __aicore__ inline void FillBytes(
        const Step& step, uint32_t key, uint32_t keys, uint32_t from, uint32_t columns) {
        const auto slot = static_cast<int32_t>(filled_++ % t_.ring);
        WaitFlag<HardEvent::MTE1_MTE2>(slot);
        CopyKeys(step,
                 l1_ring_[slot],
                 k_[from],
                 t_.dim,
                 key,
                 keys,
                 columns,
                 static_cast<uint16_t>(CeilTo(keys, byte_rows)));
        SetFlag<HardEvent::MTE2_MTE1>(slot);
    }

    __aicore__ inline void FillRotated(const Step& step, uint32_t key, uint32_t keys) {
        const auto slot = static_cast<int32_t>(filled_++ % t_.ring);
        WaitFlag<HardEvent::MTE1_MTE2>(slot);
        CopyKeys(step,
                 l1_rope_ring_[slot],
                 k_rope_,
                 t_.rope_dim,
                 key,
                 keys,
                 t_.rope_dim,
                 static_cast<uint16_t>(wide_keys(t_, keys)));
        SetFlag<HardEvent::MTE2_MTE1>(slot);
    }

    // ---- S = q k^T in int32, and q_rope k_rope^T in fp32 ----

    __aicore__ inline void Scores(const Step& step, uint32_t number) {
        const auto q = static_cast<int32_t>(step.task % t_.q_buffers);
        if (step.first) {
            WaitFlag<HardEvent::MTE1_MTE2>(q_event + q);
            CopyQueries(step, static_cast<uint32_t>(q));
            SetFlag<HardEvent::MTE2_MTE1>(q_event + q);
        }
        bool awaited = !step.first;
        const uint32_t wide = wide_keys(t_, step.columns);
        for (uint32_t at = 0; at < step.columns; at += sub_columns) {
            const uint32_t keys = Smaller(sub_columns, step.columns - at);
            const uint32_t width = wide_keys(t_, keys);
            WaitFlag<HardEvent::FIX_M>(result_);
            for (uint32_t from = 0; from < t_.dim; from += depth_chunk) {
                const uint32_t columns = Smaller(depth_chunk, t_.dim - from);
                FillBytes(step, step.column + at, keys, from, columns);
                if (!awaited) {
                    WaitFlag<HardEvent::MTE2_MTE1>(q_event + q);
                    awaited = true;
                }
                MultiplyKeys(l1_q_[q], step.rows, from, keys, columns);
            }
            Close(workspace_.WholeScores(number)[at], l0_c_[result_], step.rows, width, wide);
            if (t_.rope_dim != 0) {
                FillRotated(step, step.column + at, keys);
                WaitFlag<HardEvent::FIX_M>(result_);
                MultiplyRotated(l1_q_rope_[q], step.rows, keys);
                Close(workspace_.RotatedScores(number)[at], l0_c_rope_[result_], step.rows, width, wide);
            }
        }
        if (step.last) {
            SetFlag<HardEvent::MTE1_MTE2>(q_event + q);
        }
        CrossCoreSetFlag<2, PIPE_FIX>(scores_flag);
    }

    __aicore__ inline void MultiplyKeys(
        const LocalTensor<int8_t>& q, uint32_t rows, uint32_t from, uint32_t keys, uint32_t columns) {
        const auto slot = static_cast<int32_t>(used_++ % t_.ring);
        WaitFlag<HardEvent::MTE2_MTE1>(slot);
        WaitFlag<HardEvent::M_MTE1>(l0_);
        Bytes::LoadA(l0_a_[l0_], q, false, rows, t_.dim, from, columns);
        Bytes::LoadB(l0_b_[l0_], l1_ring_[slot], true, wide_keys(t_, keys), columns, 0, columns);
        SetFlag<HardEvent::MTE1_MTE2>(slot);
        Multiply(l0_c_[result_], l0_a_[l0_], l0_b_[l0_], rows, wide_keys(t_, keys), columns, from == 0);
    }

    __aicore__ inline void MultiplyRotated(const LocalTensor<T>& q, uint32_t rows, uint32_t keys) {
        const auto slot = static_cast<int32_t>(used_++ % t_.ring);
        WaitFlag<HardEvent::MTE2_MTE1>(slot);
        WaitFlag<HardEvent::M_MTE1>(l0_);
        cube::LoadLeft(l0_a_rope_[l0_], q, padded(rows), padded(t_.rope_dim), 0, padded(t_.rope_dim));
        cube::LoadRightTransposed(
            l0_b_rope_[l0_], l1_rope_ring_[slot], wide_keys(t_, keys), padded(t_.rope_dim));
        SetFlag<HardEvent::MTE1_MTE2>(slot);
        Multiply(l0_c_rope_[result_],
                 l0_a_rope_[l0_],
                 l0_b_rope_[l0_],
                 rows,
                 wide_keys(t_, keys),
                 t_.rope_dim,
                 true);
    }

    // ---- O = P v ----

    __aicore__ inline void Product(const Step& step, uint32_t number) {
        const uint32_t subs = Parts(step.columns, sub_columns);
        const uint32_t chunks = Parts(t_.value_dim, value_chunk);
        const uint32_t total = subs * chunks;
        uint32_t fetched = 0;
        const auto fetch = [&](uint32_t until) {
            for (; fetched < Smaller(until, total); ++fetched) {
                const uint32_t at = fetched % subs * sub_columns;
                const uint32_t from = fetched / subs * value_chunk;
                FillBytes(step,
                          step.column + at,
                          Smaller(sub_columns, step.columns - at),
                          from,
                          Smaller(value_chunk, t_.value_dim - from));
            }
        };
        fetch(t_.ring - 1);
        const auto p = static_cast<int32_t>(number % t_.p_buffers);
        const uint32_t wide = wide_keys(t_, step.columns);
        WaitFlag<HardEvent::MTE1_MTE2>(p_event + p);
        CrossCoreWaitFlag<2, PIPE_MTE2>(probabilities_flag);
        Bytes::CopyIn(l1_p_[p], workspace_.ByteProbabilities(number), step.rows, wide, wide);
        SetFlag<HardEvent::MTE2_MTE1>(p_event + p);
        WaitFlag<HardEvent::MTE2_MTE1>(p_event + p);
        for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
            const uint32_t columns = Smaller(value_chunk, t_.value_dim - chunk * value_chunk);
            WaitFlag<HardEvent::FIX_M>(result_);
            for (uint32_t sub = 0; sub < subs; ++sub) {
                fetch(chunk * subs + sub + t_.ring - 1);
                AddProduct(step, p, sub, columns);
            }
            Close(workspace_.WholeProduct(number)[chunk * value_chunk],
                  l0_c_[result_],
                  step.rows,
                  columns,
                  padded(t_.value_dim));
        }
        SetFlag<HardEvent::MTE1_MTE2>(p_event + p);
        CrossCoreSetFlag<2, PIPE_FIX>(product_flag);
    }

    __aicore__ inline void AddProduct(const Step& step, int32_t p, uint32_t sub, uint32_t columns) {
        const auto slot = static_cast<int32_t>(used_++ % t_.ring);
        const uint32_t at = sub * sub_columns;
        const uint32_t keys = Smaller(sub_columns, step.columns - at);
        WaitFlag<HardEvent::M_MTE1>(l0_);
        Bytes::LoadA(l0_a_[l0_], l1_p_[p], false, step.rows, wide_keys(t_, step.columns), at, keys);
        WaitFlag<HardEvent::MTE2_MTE1>(slot);
        Bytes::LoadB(l0_b_[l0_], l1_ring_[slot], false, columns, keys, 0, keys);
        SetFlag<HardEvent::MTE1_MTE2>(slot);
        Multiply(l0_c_[result_], l0_a_[l0_], l0_b_[l0_], step.rows, columns, keys, sub == 0);
    }

    // ---- results ----

    template <typename Sum, typename U>
    __aicore__ inline void Multiply(const LocalTensor<Sum>& to,
                                    const LocalTensor<U>& left,
                                    const LocalTensor<U>& right,
                                    uint32_t rows,
                                    uint32_t columns,
                                    uint32_t depth,
                                    bool fresh) {
        SetFlag<HardEvent::MTE1_M>(l0_);
        WaitFlag<HardEvent::MTE1_M>(l0_);
        cube::Multiply(to, left, right, rows, columns, depth, fresh);
        SetFlag<HardEvent::M_MTE1>(l0_);
        l0_ = 1 - l0_;
    }

    // (rows, columns) L0C -> GM, rows `pitch` apart
    template <typename Sum>
    __aicore__ inline void Close(const GlobalTensor<Sum>& to,
                                 const LocalTensor<Sum>& from,
                                 uint32_t rows,
                                 uint32_t columns,
                                 uint32_t pitch) {
        SetFlag<HardEvent::M_FIX>(result_);
        WaitFlag<HardEvent::M_FIX>(result_);
        WriteResult(to, from, rows, columns, pitch);
        SetFlag<HardEvent::FIX_M>(result_);
        result_ = 1 - result_;
    }

    Tiling t_;
    Steps steps_;
    Workspace<T> workspace_;
    GlobalTensor<int8_t> q_;
    GlobalTensor<T> q_rope_;
    GlobalTensor<int8_t> k_;
    GlobalTensor<T> k_rope_;
    GlobalTensor<int32_t> table_;
    LocalTensor<int8_t> l1_q_[2];     // NZ (rows, dim)
    LocalTensor<T> l1_q_rope_[2];     // NZ (rows, rope_dim)
    LocalTensor<int8_t> l1_p_[2];     // NZ (rows, keys)
    LocalTensor<int8_t> l1_ring_[4];  // NZ (sub_columns, columns of a chunk)
    LocalTensor<T> l1_rope_ring_[4];  // the same places: NZ (sub_columns, rope_dim)
    LocalTensor<int8_t> l0_a_[2];
    LocalTensor<int8_t> l0_b_[2];
    LocalTensor<T> l0_a_rope_[2];
    LocalTensor<T> l0_b_rope_[2];
    LocalTensor<int32_t> l0_c_[2];
    LocalTensor<float> l0_c_rope_[2];
    uint32_t filled_ = 0;
    uint32_t used_ = 0;
    int32_t l0_ = 0;
    int32_t result_ = 0;
};

}  // namespace attention
