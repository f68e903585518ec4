// SPDX-License-Identifier: Apache-2.0
// The cube core's program of grouped_matmul_gelu.cpp.
//
//   A --nd2nz--> L1, B as NZ --> L1, --load--> L0A, L0B --mmad--> L0C --fixpipe--> workspace
#pragma once

#include "kernels/ops/matmul/grouped_matmul_gelu/grouped_matmul_gelu_steps.h"
#include "kernels/shared/library_cost.h"

namespace grouped_gelu {

class CubeProgram {
public:
    __aicore__ inline CubeProgram(
        GM_ADDR a, GM_ADDR b, GM_ADDR row_ends, GM_ADDR workspace, const Tiling& tiling)
        : t_(tiling) {
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(a));
        b_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(b));
        row_ends_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(row_ends));
        sums_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace));
        for (uint32_t i = 0; i < 2; ++i) {
            l1_a_[i] = LocalTensor<int8_t>(TPosition::A1, i * base_m * most_k, base_m * most_k);
            l1_b_[i] = LocalTensor<int8_t>(
                TPosition::B1, 2 * base_m * most_k + i * base_n * chunk_k, base_n * chunk_k);
            l0_a_[i] = LocalTensor<int8_t>(TPosition::A2, i * base_m * base_k, base_m * base_k);
            l0_b_[i] = LocalTensor<int8_t>(TPosition::B2, i * base_n * base_k, base_n * base_k);
        }
        l0_c_ = LocalTensor<int32_t>(TPosition::CO1, 0, base_m * base_n);
    }

    __aicore__ inline void Run() {
        for (int32_t i = 0; i < 2; ++i) {
            SetFlag<HardEvent::MTE1_MTE2>(i);
            SetFlag<HardEvent::MTE1_MTE2>(i + 2);
            SetFlag<HardEvent::M_MTE1>(i);
        }
        const auto core = static_cast<uint32_t>(GetBlockIdx());
        uint32_t blocks = 0;
        ForBlocks(t_, row_ends_, core, static_cast<uint32_t>(GetBlockNum()), [&](const Block& block) {
            Multiply(block);
            Write(core, block);
            ++blocks;
        });
        cube::TakeLastSlots<PIPE_S>(t_.slots, blocks);
        for (int32_t i = 0; i < 2; ++i) {
            WaitFlag<HardEvent::MTE1_MTE2>(i);
            WaitFlag<HardEvent::MTE1_MTE2>(i + 2);
            WaitFlag<HardEvent::M_MTE1>(i);
        }
    }

private:
    using In = cube::Loads<int8_t>;

    __aicore__ inline void Multiply(const Block& block) {
        if (block.first) {
            WaitFlag<HardEvent::MTE1_MTE2>(tile_);
            In::CopyIn(l1_a_[tile_], a_[uint64_t{block.row} * t_.k], block.rows, t_.k, t_.k);
            SetFlag<HardEvent::MTE2_MTE1>(tile_);
        }
        const GlobalTensor<int8_t> columns =
            b_[uint64_t{block.group} * t_.k * t_.n + uint64_t{block.column} * t_.k];
        for (uint32_t k = 0; k < t_.k; k += chunk_k) {
            const uint32_t depth = cube::Smaller(chunk_k, t_.k - k);
            WaitFlag<HardEvent::MTE1_MTE2>(chunk_ + 2);
            In::CopyBlocksIn(l1_b_[chunk_], columns[uint64_t{k} * In::c0], depth, block.columns, t_.k);
            SetFlag<HardEvent::MTE2_MTE1>(chunk_ + 2);
            MultiplyChunk(block, k, depth);
            chunk_ = 1 - chunk_;
        }
        if (block.last) {
            tile_ = 1 - tile_;
        }
    }

    __aicore__ inline void MultiplyChunk(const Block& block, uint32_t chunk, uint32_t chunk_depth) {
        for (uint32_t k = 0; k < chunk_depth; k += base_k) {
            const uint32_t depth = cube::Smaller(base_k, chunk_depth - k);
            const bool last = chunk + k + depth == t_.k;
            WaitFlag<HardEvent::M_MTE1>(l0_);
            if (block.first && chunk + k == 0) {
                WaitFlag<HardEvent::MTE2_MTE1>(tile_);
            }
            In::LoadA(l0_a_[l0_], l1_a_[tile_], false, block.rows, t_.k, chunk + k, depth);
            if (block.last && last) {
                SetFlag<HardEvent::MTE1_MTE2>(tile_);
            }
            if (k == 0) {
                WaitFlag<HardEvent::MTE2_MTE1>(chunk_ + 2);
            }
            In::LoadB(l0_b_[l0_], l1_b_[chunk_], false, block.columns, chunk_depth, k, depth);
            if (k + depth == chunk_depth) {
                SetFlag<HardEvent::MTE1_MTE2>(chunk_ + 2);
            }
            SetFlag<HardEvent::MTE1_M>(l0_);
            WaitFlag<HardEvent::MTE1_M>(l0_);
            cube::SpendScalar(t_.library_cycles);
            const uint32_t wide = In::MadColumns(block.columns, false);
            const uint8_t flag = last ? 3 : 2;
            cube::Multiply(l0_c_, l0_a_[l0_], l0_b_[l0_], block.rows, wide, depth, chunk + k == 0, flag);
            SetFlag<HardEvent::M_MTE1>(l0_);
            l0_ = 1 - l0_;
        }
    }

    // The scalar unit itself waits until the vector cores have read the slot: nothing of the next block is
    // issued before.
    __aicore__ inline void Write(uint32_t core, const Block& block) {
        if (block.number >= t_.slots) {
            CrossCoreWaitFlag(cube::free_flag);
        }
        FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(block.columns);
        params.mSize = static_cast<uint16_t>(block.rows);
        params.srcStride = static_cast<uint16_t>(cube::CeilTo(block.rows, cube::fractal));
        params.dstStride = block.columns;
        params.unitFlag = 3;
        params.quantPre = QuantMode_t::NoQuant;
        Fixpipe<int32_t, int32_t, CFG_ROW_MAJOR>(sums_[SlotOffset(t_, core, block)], l0_c_, params);
        CrossCoreSetFlag<2, PIPE_FIX>(cube::ready_flag);
    }

    Tiling t_;
    GlobalTensor<int8_t> a_;
    GlobalTensor<int8_t> b_;
    GlobalTensor<int64_t> row_ends_;
    GlobalTensor<int32_t> sums_;
    LocalTensor<int8_t> l1_a_[2];
    LocalTensor<int8_t> l1_b_[2];
    LocalTensor<int8_t> l0_a_[2];
    LocalTensor<int8_t> l0_b_[2];
    LocalTensor<int32_t> l0_c_;
    int32_t tile_ = 0;   // buffer of A
    int32_t chunk_ = 0;  // buffer of B
    int32_t l0_ = 0;
};

}  // namespace grouped_gelu
