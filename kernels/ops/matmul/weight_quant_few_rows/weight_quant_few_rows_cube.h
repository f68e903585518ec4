// SPDX-License-Identifier: Apache-2.0
// The cube core's program of weight_quant_few_rows.cpp.
//
//   parts of A, W --nd2nz--> L1 --load--> L0A, L0B --mmad--> L0C --fixpipe--> workspace
#pragma once

#include "kernels/ops/matmul/weight_quant_few_rows/weight_quant_few_rows_tiling.hpp"
#include "kernels/shared/cube_loads.h"

namespace few_rows {

using namespace AscendC;

class CubeProgram {
public:
    __aicore__ inline CubeProgram(GM_ADDR w, GM_ADDR workspace, const Tiling& tiling)
        : t_(tiling), rows_(2 * tiling.m) {
        parts_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(workspace));
        sums_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace + sums_at(t_)));
        w_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(w));
        const uint32_t height = cube::CeilTo(rows_, In::row_unit);
        const uint32_t l1_a = height * chunk_k;
        const uint32_t l1_b = base_n * chunk_k;
        for (uint32_t i = 0; i < 2; ++i) {
            const uint32_t place = i % t_.l1_buffers;
            l1_a_[i] = LocalTensor<int8_t>(TPosition::A1, place * l1_a, l1_a);
            l1_b_[i] = LocalTensor<int8_t>(TPosition::B1, 2 * l1_a + place * l1_b, l1_b);
            l0_a_[i] = LocalTensor<int8_t>(TPosition::A2, i * height * base_k, height * base_k);
            l0_b_[i] = LocalTensor<int8_t>(TPosition::B2, i * base_n * base_k, base_n * base_k);
        }
        l0_c_ = LocalTensor<int32_t>(TPosition::CO1, 0, height * base_n);
    }

    __aicore__ inline void Run() {
        const auto group = static_cast<uint32_t>(GetBlockIdx());
        if (group >= t_.strips) {
            CrossCoreWaitFlag(parts_flag);
            return;
        }
        for (int32_t i = 0; i < 2; ++i) {
            SetFlag<HardEvent::MTE1_MTE2>(i);
            SetFlag<HardEvent::M_MTE1>(i);
        }
        SetFlag<HardEvent::FIX_M>(0);
        const uint32_t from = group * t_.strip;
        const uint32_t to = cube::Smaller(t_.n, from + t_.strip);
        BringToL2(from, cube::Smaller(base_n, to - from));
        CrossCoreWaitFlag(parts_flag);
        for (uint32_t column = from; column < to; column += base_n) {
            Multiply(column, cube::Smaller(base_n, to - column));
        }
        CrossCoreSetFlag<2, PIPE_FIX>(sums_flag);
        for (int32_t i = 0; i < 2; ++i) {
            WaitFlag<HardEvent::MTE1_MTE2>(i);
            WaitFlag<HardEvent::M_MTE1>(i);
        }
        WaitFlag<HardEvent::FIX_M>(0);
    }

private:
    using In = cube::Loads<int8_t>;

    // While the vector cores split A, the first chunks of W are read, each over the one before: only L2 keeps
    // them.
    __aicore__ inline void BringToL2(uint32_t column, uint32_t columns) {
        constexpr uint32_t ahead = 3 * chunk_k;
        for (uint32_t k = 0; k + chunk_k <= cube::Smaller(ahead, t_.k); k += chunk_k) {
            In::CopyIn(l1_b_[0], w_[uint64_t{k} * t_.n + column], chunk_k, columns, t_.n);
        }
        PipeBarrier<PIPE_MTE2>();
    }

    __aicore__ inline void Multiply(uint32_t column, uint32_t columns) {
        WaitFlag<HardEvent::FIX_M>(0);
        for (uint32_t k = 0; k < t_.k; k += chunk_k) {
            const uint32_t depth = cube::Smaller(chunk_k, t_.k - k);
            const int32_t flag = t_.l1_buffers == 2 ? chunk_ : 0;
            WaitFlag<HardEvent::MTE1_MTE2>(flag);
            In::CopyIn(l1_a_[chunk_], parts_[k], rows_, depth, t_.k);
            In::CopyIn(l1_b_[chunk_], w_[uint64_t{k} * t_.n + column], depth, columns, t_.n);
            SetFlag<HardEvent::MTE2_MTE1>(flag);
            WaitFlag<HardEvent::MTE2_MTE1>(flag);
            MultiplyChunk(columns, k, depth);
            SetFlag<HardEvent::MTE1_MTE2>(flag);
            chunk_ = 1 - chunk_;
        }
        SetFlag<HardEvent::M_FIX>(0);
        WaitFlag<HardEvent::M_FIX>(0);
        FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(columns);
        params.mSize = static_cast<uint16_t>(rows_);
        params.srcStride = static_cast<uint16_t>(cube::CeilTo(rows_, cube::fractal));
        params.dstStride = t_.n;
        params.quantPre = QuantMode_t::NoQuant;
        Fixpipe<int32_t, int32_t, CFG_ROW_MAJOR>(sums_[column], l0_c_, params);
        SetFlag<HardEvent::FIX_M>(0);
    }

    __aicore__ inline void MultiplyChunk(uint32_t columns, uint32_t chunk, uint32_t chunk_depth) {
        for (uint32_t k = 0; k < chunk_depth; k += base_k) {
            const uint32_t depth = cube::Smaller(base_k, chunk_depth - k);
            WaitFlag<HardEvent::M_MTE1>(l0_);
            In::LoadA(l0_a_[l0_], l1_a_[chunk_], false, rows_, chunk_depth, k, depth);
            In::LoadB(l0_b_[l0_], l1_b_[chunk_], false, columns, chunk_depth, k, depth);
            SetFlag<HardEvent::MTE1_M>(l0_);
            WaitFlag<HardEvent::MTE1_M>(l0_);
            const uint32_t wide = In::MadColumns(columns, false);
            cube::Multiply(l0_c_, l0_a_[l0_], l0_b_[l0_], rows_, wide, depth, chunk + k == 0);
            SetFlag<HardEvent::M_MTE1>(l0_);
            l0_ = 1 - l0_;
        }
    }

    Tiling t_;
    uint32_t rows_;  // of both parts
    GlobalTensor<int8_t> parts_;
    GlobalTensor<int8_t> w_;
    GlobalTensor<int32_t> sums_;
    LocalTensor<int8_t> l1_a_[2];
    LocalTensor<int8_t> l1_b_[2];
    LocalTensor<int8_t> l0_a_[2];
    LocalTensor<int8_t> l0_b_[2];
    LocalTensor<int32_t> l0_c_;
    int32_t chunk_ = 0;
    int32_t l0_ = 0;
};

}  // namespace few_rows
