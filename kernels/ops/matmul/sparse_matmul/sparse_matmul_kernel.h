// SPDX-License-Identifier: Apache-2.0
// The program of one cube core of sparse_matmul.cpp.
//
//   A (m, k) --nd2nz--> L1 --load2d--> L0A                         \
//   B, kept --mte2--> L1 --load with sparse, indices too--> L0B     mmad with sparse--> L0C --fixpipe--> C
#pragma once

#include "kernels/ops/matmul/sparse_matmul/sparse_matmul.hpp"
#include "kernels/shared/cube_flags.h"
#include "kernels/shared/cube_loads.h"

namespace sparse_weights {

using namespace AscendC;
using cube::CeilTo;
using cube::Parts;
using cube::Smaller;

class Product {
public:
    __aicore__ inline Product(GM_ADDR a, GM_ADDR b, GM_ADDR index, GM_ADDR c, const Tiling& tiling)
        : t_(tiling) {
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(a));
        b_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(b));
        index_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(index));
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c));
        const uint32_t left = CeilTo(t_.base_m, 32) * t_.chunk;
        const uint32_t right = t_.base_n * t_.chunk / 2;
        const uint32_t chosen = right / 4;
        const uint32_t l0_left = t_.base_m * t_.step;
        const uint32_t l0_right = t_.base_n * t_.step / 2;
        for (uint32_t i = 0; i < 2; ++i) {
            l1_a_[i] = LocalTensor<int8_t>(TPosition::A1, i * left, left);
            l1_b_[i] = LocalTensor<int8_t>(TPosition::B1, 2 * left + i * right, right);
            l1_index_[i] = LocalTensor<uint8_t>(TPosition::B1, 2 * (left + right) + i * chosen, chosen);
            l0_a_[i] = LocalTensor<int8_t>(TPosition::A2, i * l0_left, l0_left);
            l0_b_[i] = LocalTensor<int8_t>(TPosition::B2, i * l0_right, l0_right);
        }
        const uint32_t result = t_.base_m * t_.base_n;
        for (uint32_t i = 0; i < t_.results; ++i) {
            l0_c_[i] = LocalTensor<int32_t>(
                TPosition::CO1, i * result * static_cast<uint32_t>(sizeof(int32_t)), result);
        }
    }

    __aicore__ inline void Run() {
        cube::RaiseFreeFlags(t_.results);
        const uint32_t tiles_m = Parts(t_.m, t_.base_m);
        const uint32_t tiles = tiles_m * Parts(t_.n, t_.base_n);
        // neighbouring cores take neighbouring rows, and share weights in L2
        for (auto tile = static_cast<uint32_t>(GetBlockIdx()); tile < tiles;
             tile += static_cast<uint32_t>(GetBlockNum())) {
            row_ = tile % tiles_m * t_.base_m;
            column_ = tile / tiles_m * t_.base_n;
            rows_ = Smaller(t_.base_m, t_.m - row_);
            columns_ = Smaller(t_.base_n, t_.n - column_);
            Tile();
        }
        cube::TakeFreeFlags(t_.results);
    }

private:
    __aicore__ inline void Tile() {
        const auto result = static_cast<int32_t>(result_);
        Load(0);
        WaitFlag<cube::result_left>(result);
        for (uint32_t k = 0; k < t_.k; k += t_.chunk) {
            if (k + t_.chunk < t_.k) {
                Load(k + t_.chunk);
            }
            Multiply(k);
        }
        SetFlag<cube::result_ready>(result);
        WaitFlag<cube::result_ready>(result);
        Write();
        SetFlag<cube::result_left>(result);
        result_ = result_ + 1 == t_.results ? 0 : result_ + 1;
    }

    [[nodiscard]] __aicore__ inline uint32_t Depth(uint32_t k) const { return Smaller(t_.chunk, t_.k - k); }

    // (rows, depth) of A, (depth / 64, columns / 16) fractals of B and of its indices: GM -> L1
    __aicore__ inline void Load(uint32_t k) {
        const auto i = static_cast<int32_t>(filled_++ % 2);
        const auto blocks = static_cast<uint16_t>(Depth(k) / block_depth);
        const uint32_t across = t_.n / columns_of_fractal;
        const uint32_t mine = columns_ / columns_of_fractal;
        const uint64_t first = uint64_t{k / block_depth} * across + column_ / columns_of_fractal;
        constexpr uint32_t unit = 32;  // bytes, of copies
        WaitFlag<HardEvent::MTE1_MTE2>(i);
        cube::Loads<int8_t>::CopyIn(l1_a_[i], a_[uint64_t{row_} * t_.k + k], rows_, Depth(k), t_.k);
        DataCopy(l1_b_[i],
                 b_[first * fractal_bytes],
                 DataCopyParams(blocks,
                                static_cast<uint16_t>(mine * (fractal_bytes / unit)),
                                static_cast<uint16_t>((across - mine) * (fractal_bytes / unit)),
                                0));
        DataCopy(l1_index_[i],
                 index_[first * index_bytes],
                 DataCopyParams(blocks,
                                static_cast<uint16_t>(mine * (index_bytes / unit)),
                                static_cast<uint16_t>((across - mine) * (index_bytes / unit)),
                                0));
        SetFlag<HardEvent::MTE2_MTE1>(i);
    }

    __aicore__ inline void Multiply(uint32_t k) {
        const auto i = static_cast<int32_t>(used_++ % 2);
        const uint32_t depth = Depth(k);
        const uint32_t across = columns_ / columns_of_fractal;
        WaitFlag<HardEvent::MTE2_MTE1>(i);
        for (uint32_t at = 0; at < depth; at += t_.step) {
            const uint32_t step = Smaller(t_.step, depth - at);
            const auto l0 = static_cast<int32_t>(l0_);
            WaitFlag<HardEvent::M_MTE1>(l0);
            cube::Loads<int8_t>::LoadA(l0_a_[l0], l1_a_[i], false, rows_, depth, at, step);
            LoadDataWithSparse(l0_b_[l0],
                               l1_b_[i],
                               l1_index_[i],
                               LoadData2DParams(static_cast<uint16_t>(at / block_depth * across),
                                                static_cast<uint8_t>(step / block_depth * across),
                                                1,
                                                0,
                                                0,
                                                false,
                                                0));
            if (at + step == depth) {
                SetFlag<HardEvent::MTE1_MTE2>(i);
            }
            SetFlag<HardEvent::MTE1_M>(l0);
            WaitFlag<HardEvent::MTE1_M>(l0);
            MmadParams params;
            params.m = static_cast<uint16_t>(rows_);
            params.n = static_cast<uint16_t>(columns_);
            params.k = static_cast<uint16_t>(step);
            params.cmatrixInitVal = k + at == 0;
            MmadWithSparse(l0_c_[result_], l0_a_[l0], l0_b_[l0], params);
            // The next product adds to the same sums; one of fewer than ten fractals ends too late for it.
            if (CeilTo(rows_, 16) / 16 * (CeilTo(columns_, 16) / 16) < 10) {
                PipeBarrier<PIPE_M>();
            }
            SetFlag<HardEvent::M_MTE1>(l0);
            l0_ = 1 - l0_;
        }
    }

    // (rows, columns) L0C -> GM, each sum times the scale
    __aicore__ inline void Write() {
        FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(columns_);
        params.mSize = static_cast<uint16_t>(rows_);
        params.srcStride = static_cast<uint16_t>(CeilTo(rows_, 16));
        params.dstStride = t_.n;
        params.quantPre = QuantMode_t::DEQF16;
        uint32_t bits = 0;
        static_assert(sizeof(bits) == sizeof(t_.scale));
        __builtin_memcpy(&bits, &t_.scale, sizeof(bits));
        params.deqScalar = bits;
        Fixpipe<half, int32_t, CFG_ROW_MAJOR>(c_[uint64_t{row_} * t_.n + column_], l0_c_[result_], params);
    }

    Tiling t_;
    GlobalTensor<int8_t> a_;
    GlobalTensor<int8_t> b_;
    GlobalTensor<uint8_t> index_;
    GlobalTensor<half> c_;
    LocalTensor<int8_t> l1_a_[2];
    LocalTensor<int8_t> l1_b_[2];
    LocalTensor<uint8_t> l1_index_[2];
    LocalTensor<int8_t> l0_a_[2];
    LocalTensor<int8_t> l0_b_[2];
    LocalTensor<int32_t> l0_c_[2];
    uint32_t row_ = 0;
    uint32_t column_ = 0;
    uint32_t rows_ = 0;
    uint32_t columns_ = 0;
    uint32_t filled_ = 0;
    uint32_t used_ = 0;
    uint32_t l0_ = 0;
    uint32_t result_ = 0;
};

}  // namespace sparse_weights
