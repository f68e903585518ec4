// SPDX-License-Identifier: Apache-2.0
// The cube core's program of flash_attention.cpp.
//
//   q, k --nd2nz--> L1 --load--> L0 --mmad--> S --fixpipe--> GM     (softmax on the vector cores)
//   P, v --nd2nz--> L1 --load--> L0 --mmad--> O --fixpipe--> GM     `stages` - 1 tiles later
#pragma once

#include "kernels/ops/attention/attention/attention_results.h"
#include "kernels/ops/attention/flash_attention/flash_attention_steps.h"

namespace flash_attention {

template <typename T>
class CubeProgram {
public:
    __aicore__ inline CubeProgram(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR workspace, const Tiling& tiling)
        : t_(tiling),
          steps_(t_, static_cast<uint32_t>(GetBlockIdx()), static_cast<uint32_t>(GetBlockNum())),
          workspace_(workspace, t_, static_cast<uint32_t>(GetBlockIdx())),
          dim_(padded(tiling.dim)) {
        q_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(q));
        k_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(k));
        v_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(v));
        uint32_t offset = 0;
        for (uint32_t i = 0; i < 2; ++i) {
            l1_q_[i] = Take(offset, t_.base_m * dim_);
            l1_k_[i] = Take(offset, t_.base_n * dim_);
            l1_v_[i] = Take(offset, t_.base_n * dim_);
            l1_p_[i] = Take(offset, t_.base_m * t_.base_n);
            l0_a_[i] = LocalTensor<T>(TPosition::A2, i * l0_half * static_cast<uint32_t>(sizeof(T)), l0_half);
            l0_b_[i] = LocalTensor<T>(TPosition::B2, i * l0_half * static_cast<uint32_t>(sizeof(T)), l0_half);
        }
        l0_s_ = LocalTensor<float>(TPosition::CO1, 0, t_.base_m * t_.base_n);
        l0_o_ = LocalTensor<float>(
            TPosition::CO1, t_.base_m * t_.base_n * static_cast<uint32_t>(sizeof(float)), t_.base_m * dim_);
    }

    __aicore__ inline void Run() {
        attention::RaiseFreeFlags(events);
        RunStaggered(
            steps_,
            t_.stages - 1,
            [this](const Step& step, uint32_t number) { Scores(step, number); },
            [this](const Step& step, uint32_t number) { Product(step, number); });
        attention::TakeFreeFlags(events);
    }

private:
    using In = cube::Loads<T>;

    static constexpr uint32_t l0_half = 128 * 128;  // elements of half of L0A or L0B
    // Event ids of buffers in L1: q, k, then v with P, each one of two.
    static constexpr int32_t q_event = 0;
    static constexpr int32_t k_event = 2;
    static constexpr int32_t v_event = 4;
    static constexpr int32_t events = 6;

    __aicore__ inline static LocalTensor<T> Take(uint32_t& offset, uint32_t elements) {
        LocalTensor<T> tensor(TPosition::A1, offset, elements);
        offset += elements * static_cast<uint32_t>(sizeof(T));
        return tensor;
    }

    [[nodiscard]] __aicore__ inline uint64_t KeyOffset(const Step& step) const {
        return t_.kv.at(step.batch, step.head / (t_.heads / t_.kv_heads), step.column);
    }

    // S = q x k^T: (rows, columns) = (rows, dim) x (columns, dim)^T.
    __aicore__ inline void Scores(const Step& step, uint32_t number) {
        const auto q = static_cast<int32_t>(step.task % 2);
        const auto k = static_cast<int32_t>(number % 2);
        if (step.first) {
            const uint64_t from = t_.q.at(step.batch, step.head, step.row);
            WaitFlag<HardEvent::MTE1_MTE2>(q_event + q);
            In::CopyIn(l1_q_[q], q_[from], step.rows, t_.dim, t_.q.token);  // (rows, dim) GM -> L1
            SetFlag<HardEvent::MTE2_MTE1>(q_event + q);
        }
        WaitFlag<HardEvent::MTE1_MTE2>(k_event + k);
        In::CopyIn(l1_k_[k], k_[KeyOffset(step)], step.columns, t_.dim, t_.kv.token);  // (columns, dim)
        SetFlag<HardEvent::MTE2_MTE1>(k_event + k);

        const uint32_t height = padded(step.rows);
        const uint32_t wide = padded(step.columns);
        WaitFlag<HardEvent::M_MTE1>(l0_);
        if (step.first) {
            WaitFlag<HardEvent::MTE2_MTE1>(q_event + q);
        }
        cube::LoadLeft(l0_a_[l0_], l1_q_[q], height, dim_, 0, dim_);  // (rows, dim) L1 -> L0A
        if (step.last) {
            SetFlag<HardEvent::MTE1_MTE2>(q_event + q);
        }
        WaitFlag<HardEvent::MTE2_MTE1>(k_event + k);
        cube::LoadRightTransposed(l0_b_[l0_], l1_k_[k], wide, dim_);  // (dim, columns) L1 -> L0B
        SetFlag<HardEvent::MTE1_MTE2>(k_event + k);
        MultiplyOut(l0_s_, 0, workspace_.Scores(number), step.rows, wide, dim_);
        CrossCoreSetFlag<2, PIPE_FIX>(scores_flag);
    }

    // O = P x v: (rows, dim) = (rows, columns) x (columns, dim).
    __aicore__ inline void Product(const Step& step, uint32_t number) {
        const auto v = static_cast<int32_t>(number % 2);
        const uint32_t height = padded(step.rows);
        const uint32_t wide = padded(step.columns);
        WaitFlag<HardEvent::MTE1_MTE2>(v_event + v);
        In::CopyIn(l1_v_[v], v_[KeyOffset(step)], step.columns, t_.dim, t_.kv.token);  // (columns, dim)
        CrossCoreWaitFlag<2, PIPE_MTE2>(probabilities_flag);
        // Whole rows of the workspace, without a gap; what lies behind the last column is not multiplied.
        In::CopyIn(l1_p_[v], workspace_.Probabilities(number), step.rows, wide, wide);  // (rows, columns)
        SetFlag<HardEvent::MTE2_MTE1>(v_event + v);

        WaitFlag<HardEvent::M_MTE1>(l0_);
        WaitFlag<HardEvent::MTE2_MTE1>(v_event + v);
        cube::LoadLeft(l0_a_[l0_], l1_p_[v], height, wide, 0, wide);  // (rows, columns) L1 -> L0A
        cube::LoadRight(l0_b_[l0_], l1_v_[v], wide, dim_, 0, wide);   // (columns, dim) L1 -> L0B
        SetFlag<HardEvent::MTE1_MTE2>(v_event + v);
        MultiplyOut(l0_o_, 1, workspace_.Product(number), step.rows, dim_, step.columns);
        CrossCoreSetFlag<2, PIPE_FIX>(product_flag);
    }

    // Multiplies what lies in the current half of L0, and writes the result's rows without a gap.
    __aicore__ inline void MultiplyOut(const LocalTensor<float>& sum,
                                       int32_t event,
                                       const GlobalTensor<float>& to,
                                       uint32_t rows,
                                       uint32_t columns,
                                       uint32_t depth) {
        SetFlag<HardEvent::MTE1_M>(l0_);
        WaitFlag<HardEvent::MTE1_M>(l0_);
        WaitFlag<HardEvent::FIX_M>(event);
        cube::Multiply(sum, l0_a_[l0_], l0_b_[l0_], rows, columns, depth, true);
        SetFlag<HardEvent::M_MTE1>(l0_);
        l0_ = 1 - l0_;
        SetFlag<HardEvent::M_FIX>(event);
        WaitFlag<HardEvent::M_FIX>(event);
        attention::WriteResult(to, sum, rows, columns, columns);  // (rows, columns) L0C -> GM
        SetFlag<HardEvent::FIX_M>(event);
    }

    Tiling t_;
    Steps steps_;
    Workspace<T> workspace_;
    uint32_t dim_;
    GlobalTensor<T> q_;
    GlobalTensor<T> k_;
    GlobalTensor<T> v_;
    LocalTensor<T> l1_q_[2];
    LocalTensor<T> l1_k_[2];
    LocalTensor<T> l1_v_[2];
    LocalTensor<T> l1_p_[2];
    LocalTensor<T> l0_a_[2];
    LocalTensor<T> l0_b_[2];
    LocalTensor<float> l0_s_;
    LocalTensor<float> l0_o_;
    int32_t l0_ = 0;
};

}  // namespace flash_attention
