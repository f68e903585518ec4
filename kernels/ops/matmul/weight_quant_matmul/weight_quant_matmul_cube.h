// SPDX-License-Identifier: Apache-2.0
// The cube core's program of weight_quant_matmul.cpp.
//
//   A, workspace --nd2nz--> L1 --load--> L0A, L0B --mmad--> L0C --fixpipe--> GM
#pragma once

#include "kernels/ops/matmul/weight_quant_matmul/weight_quant_matmul_steps.h"
#include "kernels/shared/cube_flags.h"

namespace weight_quant {

template <typename T>
class CubeProgram {
public:
    __aicore__ inline CubeProgram(GM_ADDR a, GM_ADDR c, GM_ADDR workspace, const Tiling& tiling)
        : t_(tiling) {
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(a));
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(c));
        workspace_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(workspace));
        const uint32_t l1_a = t_.base_m * t_.depth;
        const uint32_t l1_b = t_.base_n * t_.depth;
        for (uint32_t i = 0; i < 2; ++i) {
            l1_a_[i] = LocalTensor<T>(TPosition::A1, i * l1_a * sizeof(T), l1_a);
            l1_b_[i] = LocalTensor<T>(TPosition::B1, (2 * l1_a + i * l1_b) * sizeof(T), l1_b);
            const uint32_t l0_a = t_.base_m * step_k;
            const uint32_t l0_b = t_.base_n * step_k;
            l0_a_[i] = LocalTensor<T>(TPosition::A2, i * l0_a * sizeof(T), l0_a);
            l0_b_[i] = LocalTensor<T>(TPosition::B2, i * l0_b * sizeof(T), l0_b);
        }
        l0_c_ = LocalTensor<float>(TPosition::CO1, 0, t_.base_m * t_.base_n);
    }

    __aicore__ inline void Run() {
        cube::RaiseFreeFlags(1);
        const auto group = static_cast<uint32_t>(GetBlockIdx());
        ForPieces(t_, group, static_cast<uint32_t>(GetBlockNum()), [this, group](const Piece& piece) {
            Load(group, piece);
            Compute(piece);
        });
        cube::TakeFreeFlags(1);
    }

private:
    using In = cube::Loads<T>;

    __aicore__ inline void Load(uint32_t group, const Piece& piece) {
        const auto i = static_cast<int32_t>(piece.number % 2);
        WaitFlag<HardEvent::MTE1_MTE2>(i);
        In::CopyIn(l1_a_[i], a_[uint64_t{piece.row} * t_.k + piece.k], piece.rows, piece.depth, t_.k);
        CrossCoreWaitFlag<2, PIPE_MTE2>(cube::ready_flag);
        In::CopyIn(
            l1_b_[i], workspace_[SlotOffset(t_, group, piece)], piece.depth, Pitch(piece), Pitch(piece));
        SetFlag<HardEvent::MTE2_MTE1>(i);
        CrossCoreSetFlag<2, PIPE_MTE2>(cube::free_flag);
    }

    __aicore__ inline void Compute(const Piece& piece) {
        const auto i = static_cast<int32_t>(piece.number % 2);
        if (piece.first) {
            WaitFlag<HardEvent::FIX_M>(0);
        }
        WaitFlag<HardEvent::MTE2_MTE1>(i);
        for (uint32_t k = 0; k < piece.depth; k += step_k) {
            const uint32_t depth = cube::Smaller(step_k, piece.depth - k);
            const auto l0 = static_cast<int32_t>(l0_);
            WaitFlag<HardEvent::M_MTE1>(l0);
            In::LoadA(l0_a_[l0_], l1_a_[i], false, piece.rows, piece.depth, k, depth);
            In::LoadB(l0_b_[l0_], l1_b_[i], false, Pitch(piece), piece.depth, k, depth);
            if (k + depth == piece.depth) {
                SetFlag<HardEvent::MTE1_MTE2>(i);
            }
            SetFlag<HardEvent::MTE1_M>(l0);
            WaitFlag<HardEvent::MTE1_M>(l0);
            const bool fresh = piece.first && k == 0;
            cube::Multiply(l0_c_, l0_a_[l0_], l0_b_[l0_], piece.rows, Pitch(piece), depth, fresh);
            SetFlag<HardEvent::M_MTE1>(l0);
            l0_ = 1 - l0_;
        }
        if (piece.last) {
            Write(piece);
        }
    }

    __aicore__ inline void Write(const Piece& piece) {
        SetFlag<HardEvent::M_FIX>(0);
        WaitFlag<HardEvent::M_FIX>(0);
        FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(piece.columns);
        params.mSize = static_cast<uint16_t>(piece.rows);
        params.srcStride = static_cast<uint16_t>(cube::CeilTo(piece.rows, cube::fractal));
        params.dstStride = t_.n;
        params.quantPre = std::is_same_v<T, half> ? QuantMode_t::F322F16 : QuantMode_t::F322BF16;
        Fixpipe<T, float, CFG_ROW_MAJOR>(c_[uint64_t{piece.row} * t_.n + piece.column], l0_c_, params);
        SetFlag<HardEvent::FIX_M>(0);
    }

    Tiling t_;
    GlobalTensor<T> a_;
    GlobalTensor<T> c_;
    GlobalTensor<T> workspace_;
    LocalTensor<T> l1_a_[2];
    LocalTensor<T> l1_b_[2];
    LocalTensor<T> l0_a_[2];
    LocalTensor<T> l0_b_[2];
    LocalTensor<float> l0_c_;
    uint32_t l0_ = 0;
};

}  // namespace weight_quant
