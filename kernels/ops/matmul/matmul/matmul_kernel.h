// SPDX-License-Identifier: Apache-2.0
// The program of one cube core of matmul.cpp.
//
//   GM --nd2nz--> L1 (A and B chunks) --load--> L0A, L0B --mmad--> L0C --fixpipe--> GM
//                                                                      --vector--> UB --mte3--> GM (coupled)
//   bias --> L1 --> bias table --mmad, where a tile's sums begin--> L0C (coupled: GM --> UB, added there)
//
// The chunks of all the core's tiles form one sequence: while one chunk is multiplied, the next one is on its
// way, across the border of tiles too. Buffers alternate; one event flag for each buffer and direction. With
// a single buffer both operands arrive, then both leave, by one flag: nothing of a step overlaps the next
// one's copies.
#pragma once

#include "kernels/ops/matmul/matmul/coupled_result.h"
#include "kernels/ops/matmul/matmul/matmul_chunk.h"
#include "kernels/ops/matmul/matmul/matmul_schedule.h"
#include "kernels/shared/activated_stripes.h"
#include "kernels/shared/bias.h"
#include "kernels/shared/cube_loads.h"
#include "kernels/shared/library_cost.h"

namespace matmul {

using namespace AscendC;

/// Where a kernel's bias lies, and what else happens to its sums.
struct Finish {
    GM_ADDR bias;
    epilogue::Epilogue with;
};

template <typename T, typename Sum, typename Out, bool with_epilogue = false>
class Matmul {
public:
    __aicore__ inline Matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR row_ends, const Tiling& tiling)
        : t_(tiling) {
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(a));
        b_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(b));
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(c));
        chunk_k_ = t_.base_k * Smaller(t_.step_k, t_.step_k_b);
        paired_ = t_.l1_buffers == 1 && t_.step_k == t_.step_k_b;
        part_k_ = CeilTo(Parts(t_.k, t_.split_k), t_.base_k);
        lda_ = t_.transpose_a != 0 ? t_.m : t_.k;
        ldb_ = t_.transpose_b != 0 ? t_.k : t_.n;
        const uint32_t l1_a = t_.base_m * t_.base_k * t_.step_k;
        const uint32_t l1_b = t_.base_n * t_.base_k * t_.step_k_b;
        for (uint32_t i = 0; i < 2; ++i) {
            l1_a_[i] = LocalTensor<T>(TPosition::A1, i % t_.l1_buffers * l1_a * sizeof(T), l1_a);
            l1_b_[i] = LocalTensor<T>(
                TPosition::B1, (t_.l1_buffers * l1_a + i % t_.l1_buffers * l1_b) * sizeof(T), l1_b);
            const uint32_t l0_a = t_.base_m * t_.base_k;
            const uint32_t l0_b = t_.base_n * t_.base_k;
            l0_a_[i] = LocalTensor<T>(TPosition::A2, i % t_.l0_buffers * l0_a * sizeof(T), l0_a);
            l0_b_[i] = LocalTensor<T>(TPosition::B2, i % t_.l0_buffers * l0_b * sizeof(T), l0_b);
            const uint32_t l0_c = t_.base_m * t_.base_n;
            l0_c_[i] = LocalTensor<Sum>(TPosition::CO1, i % t_.l0c_buffers * l0_c * sizeof(Sum), l0_c);
        }
        schedule_.Init(
            t_, row_ends, static_cast<uint32_t>(GetBlockIdx()), static_cast<uint32_t>(GetBlockNum()));
    }

    __aicore__ inline Matmul(
        GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR row_ends, const Tiling& tiling, const Finish& finish)
        : Matmul(a, b, c, row_ends, tiling) {
        with_ = finish.with;
        if constexpr (cube::results_leave_by_fixpipe) {
            const uint32_t rows = t_.base_m * t_.step_k + t_.base_n * t_.step_k_b;
            const uint32_t operands = t_.l1_buffers * rows * t_.base_k * static_cast<uint32_t>(sizeof(T));
            bias_.Init(finish.bias, operands, t_.base_n);
        } else {
            coupled_.Init(finish.bias, with_, t_.base_n);
        }
    }

    __aicore__ inline void Run() {
        RaiseFreeFlags();
        if (t_.split_k > 1) {
            SetAtomicAdd<Out>();
        }
        if (sizeof(T) == 4 && t_.hf32 != 0) {
            SetHF32Mode(true);
        }
        if (t_.k == 0) {
            WriteZeros();
        } else {
            Multiply();
        }
        if (t_.split_k > 1) {
            SetAtomicNone();
        }
        TakeFreeFlags();
    }

private:
    using In = cube::Loads<T>;
    // From the cube to whoever takes results out of L0C, and back.
    static constexpr HardEvent result_ready =
        cube::results_leave_by_fixpipe ? HardEvent::M_FIX : HardEvent::M_V;
    static constexpr HardEvent result_left =
        cube::results_leave_by_fixpipe ? HardEvent::FIX_M : HardEvent::V_M;

    // ---- the sequence of chunks ----

    __aicore__ inline void Multiply() {
        Chunk current;
        Chunk next;
        bool more = Start(next);
        if (more) {
            LoadChunk(next);
        }
        while (more) {
            current = next;
            more = Advance(next);
            if (more && t_.l1_buffers == 2) {
                LoadChunk(next);
            }
            Compute(current);
            if (more && t_.l1_buffers == 1) {
                LoadChunk(next);
            }
        }
    }

    __aicore__ inline bool Start(Chunk& chunk) {
        chunk.a.buffer = 1;
        chunk.b.buffer = 1;
        return Open(chunk);
    }

    // Begins the schedule's current tile, skipping parts of k that are empty.
    __aicore__ inline bool Open(Chunk& chunk) {
        for (; schedule_.Valid(); schedule_.Next()) {
            uint32_t tile_m = 0;
            uint32_t tile_n = 0;
            uint32_t part = 0;
            schedule_.Place(tile_m, tile_n, part);
            chunk.depth_start = part * part_k_;
            if (chunk.depth_start >= t_.k) {
                continue;
            }
            start_k_ = chunk.depth_start;
            end_k_ = Smaller(t_.k, chunk.depth_start + part_k_);
            PlaceTile(chunk, tile_m, tile_n);
            chunk.first = true;
            Bound(chunk);
            return true;
        }
        return false;
    }

    __aicore__ inline void PlaceTile(Chunk& chunk, uint32_t tile_m, uint32_t tile_n) const {
        chunk.row = schedule_.RowStart() + tile_m * t_.base_m;
        chunk.column = schedule_.ColumnStart() + tile_n * t_.base_n;
        chunk.rows = Smaller(t_.base_m, schedule_.RowEnd() - chunk.row);
        chunk.columns = Smaller(t_.base_n, schedule_.ColumnEnd() - chunk.column);
        chunk.b_start = uint64_t{schedule_.Group()} * t_.k * t_.n;
    }

    __aicore__ inline void Bound(Chunk& chunk) {
        chunk.depth = Smaller(chunk_k_, end_k_ - chunk.depth_start);
        chunk.last = chunk.depth_start + chunk.depth == end_k_;
        chunk.a.Bound(chunk.depth_start - start_k_, end_k_ - start_k_, t_.base_k * t_.step_k, t_.l1_buffers);
        chunk.b.Bound(
            chunk.depth_start - start_k_, end_k_ - start_k_, t_.base_k * t_.step_k_b, t_.l1_buffers);
    }

    __aicore__ inline bool Advance(Chunk& chunk) {
        if (chunk.last) {
            schedule_.Next();
            return Open(chunk);
        }
        chunk.depth_start += chunk.depth;
        chunk.first = false;
        Bound(chunk);
        return true;
    }

    // ---- global memory to L1 ----

    __aicore__ inline void LoadChunk(const Chunk& chunk) {
        if (chunk.a.Fresh()) {
            WaitFlag<HardEvent::MTE1_MTE2>(EventA(chunk));
            CopyA(chunk);
            if (!paired_) {
                SetFlag<HardEvent::MTE2_MTE1>(EventA(chunk));
            }
        }
        if (chunk.b.Fresh()) {
            if (!paired_) {
                WaitFlag<HardEvent::MTE1_MTE2>(EventB(chunk));
            }
            CopyB(chunk);
            SetFlag<HardEvent::MTE2_MTE1>(EventB(chunk));
        }
    }

    [[nodiscard]] __aicore__ inline int32_t EventA(const Chunk& chunk) const {
        return static_cast<int32_t>(chunk.a.buffer);
    }

    [[nodiscard]] __aicore__ inline int32_t EventB(const Chunk& chunk) const {
        return static_cast<int32_t>(paired_ ? chunk.a.buffer : chunk.b.buffer + 2);
    }

    __aicore__ inline void CopyA(const Chunk& chunk) {
        const LocalTensor<T>& to = l1_a_[chunk.a.buffer];
        if (t_.transpose_a != 0) {
            In::CopyIn(
                to, a_[uint64_t{chunk.depth_start} * lda_ + chunk.row], chunk.a.depth, chunk.rows, lda_);
        } else {
            In::CopyIn(
                to, a_[uint64_t{chunk.row} * lda_ + chunk.depth_start], chunk.rows, chunk.a.depth, lda_);
        }
    }

    __aicore__ inline void LoadBias(const Chunk& chunk) {
        if (!chunk.first) {
            return;
        }
        if constexpr (!cube::results_leave_by_fixpipe) {
            coupled_.LoadBias(chunk.column, chunk.columns);
        } else if (with_.bias != 0) {
            bias_.Load(chunk.b.buffer, chunk.column, chunk.columns);
        }
    }

    __aicore__ inline void CopyB(const Chunk& chunk) {
        if constexpr (with_epilogue) {
            LoadBias(chunk);
        }
        const LocalTensor<T>& to = l1_b_[chunk.b.buffer];
        const uint32_t depth = chunk.b.depth;
        if (t_.b_blocked != 0) {
            In::CopyBlocksIn(to,
                             b_[chunk.b_start + uint64_t{chunk.column} * t_.k + chunk.depth_start * In::c0],
                             depth,
                             chunk.columns,
                             t_.k);
        } else if (t_.transpose_b != 0) {
            In::CopyIn(to,
                       b_[chunk.b_start + uint64_t{chunk.column} * ldb_ + chunk.depth_start],
                       chunk.columns,
                       depth,
                       ldb_);
        } else {
            In::CopyIn(to,
                       b_[chunk.b_start + uint64_t{chunk.depth_start} * ldb_ + chunk.column],
                       depth,
                       chunk.columns,
                       ldb_);
        }
    }

    // ---- one chunk ----

    __aicore__ inline void Compute(const Chunk& chunk) {
        if (chunk.first) {
            TakeL0C();
        }
        for (uint32_t k = 0; k < chunk.depth; k += t_.base_k) {
            const uint32_t depth = Smaller(t_.base_k, chunk.depth - k);
            const bool last = k + depth == chunk.depth;
            const int32_t l0 = static_cast<int32_t>(l0_);
            WaitFlag<HardEvent::M_MTE1>(l0);
            LoadStep(chunk, k, depth);
            SetFlag<HardEvent::MTE1_M>(l0);
            WaitFlag<HardEvent::MTE1_M>(l0);
            cube::SpendScalar(t_.library_cycles);
            if constexpr (with_epilogue) {
                MultiplyFinished(chunk, k, depth, chunk.last && last);
            } else {
                MultiplyStep(chunk.rows, chunk.columns, depth, chunk.first && k == 0, chunk.last && last);
            }
            SetFlag<HardEvent::M_MTE1>(l0);
            l0_ = t_.l0_buffers == 2 ? 1 - l0_ : 0;
        }
        if (chunk.last) {
            CopyOut(chunk);
        }
    }

    // `depth` of k, from k of the chunk on, to L0A and L0B.
    __aicore__ inline void LoadStep(const Chunk& chunk, uint32_t k, uint32_t depth) {
        const uint32_t end = k + depth;
        if (k == 0 && chunk.a.Fresh()) {
            WaitFlag<HardEvent::MTE2_MTE1>(EventA(chunk));
        }
        const LocalTensor<T>& a = l1_a_[chunk.a.buffer];
        if (t_.load3d != 0 && t_.transpose_a == 0 && sizeof(T) == 2) {
            In::LoadImage(l0_a_[l0_], a, chunk.rows, chunk.a.depth, chunk.a.from + k, depth);
        } else {
            In::LoadA(l0_a_[l0_], a, t_.transpose_a != 0, chunk.rows, chunk.a.depth, chunk.a.from + k, depth);
        }
        if (!paired_ && chunk.a.Ends(end)) {
            SetFlag<HardEvent::MTE1_MTE2>(EventA(chunk));
        }
        if (!paired_ && k == 0 && chunk.b.Fresh()) {
            WaitFlag<HardEvent::MTE2_MTE1>(EventB(chunk));
        }
        const LocalTensor<T>& b = l1_b_[chunk.b.buffer];
        In::LoadB(l0_b_[l0_], b, t_.transpose_b != 0, chunk.columns, chunk.b.depth, chunk.b.from + k, depth);
        if constexpr (with_epilogue && cube::results_leave_by_fixpipe) {
            if (chunk.first && k == 0 && with_.bias != 0) {
                bias_.Fill(chunk.b.buffer, chunk.columns);
            }
        }
        if (chunk.b.Ends(end)) {
            SetFlag<HardEvent::MTE1_MTE2>(EventB(chunk));
        }
    }

    // The next buffer of L0C, once its last result has left it.
    __aicore__ inline void TakeL0C() {
        if (t_.unit_flag == 0) {
            WaitFlag<result_left>(static_cast<int32_t>(l0c_));
        }
    }

    __aicore__ inline void MultiplyStep(
        uint32_t rows, uint32_t columns, uint32_t depth, bool fresh, bool last) {
        const uint32_t wide = In::MadColumns(columns, t_.transpose_b != 0);
        const auto flag = static_cast<uint8_t>(t_.unit_flag == 0 ? 0 : last ? 3 : 2);
        cube::Multiply(l0_c_[l0c_], l0_a_[l0_], l0_b_[l0_], rows, wide, depth, fresh, flag);
    }

    // A step whose tile may begin with a bias.
    __aicore__ inline void MultiplyFinished(const Chunk& chunk, uint32_t k, uint32_t depth, bool last) {
        const bool fresh = chunk.first && k == 0;
        if constexpr (cube::results_leave_by_fixpipe) {
            if (fresh && with_.bias != 0) {
                const uint32_t wide = In::MadColumns(chunk.columns, t_.transpose_b != 0);
                const auto flag = static_cast<uint8_t>(t_.unit_flag == 0 ? 0 : last ? 3 : 2);
                cube::MultiplyFrom(
                    l0_c_[l0c_], l0_a_[l0_], l0_b_[l0_], bias_.Table(), chunk.rows, wide, depth, flag);
                bias_.Began();
                return;
            }
        }
        MultiplyStep(chunk.rows, chunk.columns, depth, fresh, last);
    }

    // ---- L0C to global memory ----

    __aicore__ inline void CopyOut(const Chunk& chunk) {
        const int32_t l0c = static_cast<int32_t>(l0c_);
        if (t_.unit_flag == 0) {
            SetFlag<result_ready>(l0c);
            WaitFlag<result_ready>(l0c);
        }
        const GlobalTensor<Out> c = c_[uint64_t{chunk.row} * t_.n + chunk.column];
        if constexpr (cube::results_leave_by_fixpipe) {
            WriteByFixpipe(c, chunk);
            if constexpr (with_epilogue) {
                if (with_.activation > epilogue::relu) {
                    announcer_.Announce();
                }
            }
        } else {
            coupled_.Write(c, l0_c_[l0c_], chunk.rows, chunk.columns, CeilTo(chunk.rows, fractal), t_.n);
        }
        if (t_.unit_flag == 0) {
            SetFlag<result_left>(l0c);
        }
        l0c_ = t_.l0c_buffers == 2 ? 1 - l0c_ : 0;
    }

    __aicore__ inline void WriteByFixpipe(const GlobalTensor<Out>& c, const Chunk& chunk) {
        FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(chunk.columns);
        params.mSize = static_cast<uint16_t>(chunk.rows);
        params.srcStride = static_cast<uint16_t>(CeilTo(chunk.rows, fractal));
        params.dstStride = t_.n;
        params.unitFlag = t_.unit_flag == 0 ? 0 : 3;
        if constexpr (with_epilogue) {
            params.reluEn = with_.activation == epilogue::relu;
        }
        if constexpr (std::is_same_v<Sum, int32_t> && std::is_same_v<Out, half>) {
            params.quantPre = QuantMode_t::DEQF16;
            uint32_t bits = 0;
            static_assert(sizeof(bits) == sizeof(t_.scale));
            __builtin_memcpy(&bits, &t_.scale, sizeof(bits));
            params.deqScalar = bits;
            Fixpipe<Out, Sum, CFG_ROW_MAJOR>(c, l0_c_[l0c_], params);
            return;
        }
        params.quantPre = std::is_same_v<Out, half>         ? QuantMode_t::F322F16
                          : std::is_same_v<Out, bfloat16_t> ? QuantMode_t::F322BF16
                                                            : QuantMode_t::NoQuant;
        Fixpipe<Out, Sum, CFG_ROW_MAJOR>(c, l0_c_[l0c_], params);
    }

    // Without any k the sum is empty: zeros, made by multiplying zeros.
    __aicore__ inline void WriteZeros() {
        Chunk chunk{};
        chunk.last = true;
        const uint16_t a_blocks = static_cast<uint16_t>(Parts(t_.base_m, fractal));
        const uint16_t b_blocks = static_cast<uint16_t>(Parts(t_.base_n, fractal));
        InitConstValue(l0_a_[0], InitConstValueParams<T>(1, a_blocks, 0, T{}));
        InitConstValue(l0_b_[0], InitConstValueParams<T>(1, b_blocks, 0, T{}));
        SetFlag<HardEvent::MTE1_M>(0);
        WaitFlag<HardEvent::MTE1_M>(0);
        for (; schedule_.Valid(); schedule_.Next()) {
            uint32_t tile_m = 0;
            uint32_t tile_n = 0;
            uint32_t part = 0;
            schedule_.Place(tile_m, tile_n, part);
            PlaceTile(chunk, tile_m, tile_n);
            TakeL0C();
            MultiplyStep(chunk.rows, chunk.columns, In::c0, true, true);
            CopyOut(chunk);
        }
    }

    // ---- flags ----

    // Every buffer is free at the start: the flags that say so are raised once, and taken again at the end.
    __aicore__ inline void RaiseFreeFlags() {
        for (int32_t i = 0; i < 2; ++i) {
            SetFlag<HardEvent::MTE1_MTE2>(i);
            SetFlag<HardEvent::MTE1_MTE2>(i + 2);
            SetFlag<HardEvent::M_MTE1>(i);
            SetFlag<result_left>(i);
        }
        if constexpr (!cube::results_leave_by_fixpipe) {
            coupled_.RaiseFree();
        } else if constexpr (with_epilogue) {
            bias_.RaiseFree();
        }
    }

    __aicore__ inline void TakeFreeFlags() {
        for (int32_t i = 0; i < 2; ++i) {
            WaitFlag<HardEvent::MTE1_MTE2>(i);
            WaitFlag<HardEvent::MTE1_MTE2>(i + 2);
            WaitFlag<HardEvent::M_MTE1>(i);
            WaitFlag<result_left>(i);
        }
        if constexpr (!cube::results_leave_by_fixpipe) {
            coupled_.TakeFree();
        } else if constexpr (with_epilogue) {
            bias_.TakeFree();
            announcer_.Finish();
        }
    }

    Tiling t_;
    GlobalTensor<T> a_;
    GlobalTensor<T> b_;
    GlobalTensor<Out> c_;
    LocalTensor<T> l1_a_[2];
    LocalTensor<T> l1_b_[2];
    LocalTensor<T> l0_a_[2];
    LocalTensor<T> l0_b_[2];
    LocalTensor<Sum> l0_c_[2];
    cube::CoupledResult<Sum, Out, with_epilogue> coupled_;
    using Bias = std::conditional_t<std::is_same_v<T, half> && std::is_same_v<Out, half>, half, Sum>;
    cube::TableBias<Bias, Sum> bias_;
    epilogue::Announcer announcer_;
    epilogue::Epilogue with_{};
    Schedule schedule_;
    uint32_t chunk_k_ = 0;
    uint32_t part_k_ = 0;
    uint32_t start_k_ = 0;  // of the current tile's part of k
    uint32_t end_k_ = 0;
    bool paired_ = false;
    uint32_t lda_ = 0;
    uint32_t ldb_ = 0;
    uint32_t l0_ = 0;
    uint32_t l0c_ = 0;
};

}  // namespace matmul
