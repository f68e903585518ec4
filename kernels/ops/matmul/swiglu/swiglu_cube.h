// SPDX-License-Identifier: Apache-2.0
// The cube core's program of swiglu.cpp: gate and up tiles, handed to the vector cores through global memory.
//
//   GM --nd2nz--> L1 (x and W chunks) --load3d--> L0A, L0B --mmad--> L0C --fixpipe--> slot in GM (stays in
//   L2)
//
// Gate and up tiles alternate over whole depths ("two passes"), so rows of W are copied 512 bytes at a time.
// The other choice, both side by side in L0C, reads x once, but rows of W half as long: the same bytes in
// shorter requests.
#pragma once

#include "kernels/ops/matmul/swiglu/swiglu_tiling.hpp"
#include "kernels/shared/cube_loads.h"

namespace swiglu {

using namespace AscendC;
using cube::CeilTo;
using cube::Parts;
using cube::Smaller;

// Cross-core flags: a slot is full, a slot is free again.
constexpr uint16_t full_flag = 0;  // + slot
constexpr uint16_t free_flag = 4;  // + slot
constexpr uint16_t most_slots = 4;

/// Which units a core takes: bands of rows, walked column by column, every other band backwards.
class Units {
public:
    __aicore__ inline Units(const Tiling& t, uint32_t core, uint32_t cores)
        : t_(t),
          high_(Parts(t.rows, t.base_m)),
          wide_(Parts(t.columns, t.base_n)),
          index_(core),
          step_(cores),
          end_(high_ * wide_) {
        Place();
    }

    [[nodiscard]] __aicore__ inline bool Valid() const { return index_ < end_; }

    __aicore__ inline void Next() {
        index_ += step_;
        ++taken_;
        Place();
    }

    [[nodiscard]] __aicore__ inline uint32_t Taken() const { return taken_; }

    [[nodiscard]] __aicore__ inline uint32_t Slot() const { return taken_ % t_.slots; }

    uint32_t row = 0;
    uint32_t column = 0;
    uint32_t rows = 0;
    uint32_t columns = 0;

private:
    __aicore__ inline void Place() {
        if (!Valid()) {
            return;
        }
        const uint32_t band = index_ / (t_.band * wide_);
        const uint32_t inside = index_ % (t_.band * wide_);
        const uint32_t height = Smaller(t_.band, high_ - band * t_.band);
        const uint32_t along = inside / height;
        row = (band * t_.band + inside % height) * t_.base_m;
        column = (band % 2 == 1 ? wide_ - 1 - along : along) * t_.base_n;
        rows = Smaller(t_.base_m, t_.rows - row);
        columns = Smaller(t_.base_n, t_.columns - column);
    }

    const Tiling& t_;
    uint32_t high_;
    uint32_t wide_;
    uint32_t index_;
    uint32_t step_;
    uint32_t end_;
    uint32_t taken_ = 0;
};

/// Floats of one slot: a gate tile, then an up tile.
__aicore__ inline uint64_t SlotFloats(const Tiling& t) {
    return uint64_t{2} * t.base_m * t.base_n;
}

class CubeProgram {
public:
    __aicore__ inline CubeProgram(
        GM_ADDR x, GM_ADDR gate, GM_ADDR up, GM_ADDR workspace, const Tiling& tiling)
        : t_(tiling),
          units_(tiling, static_cast<uint32_t>(GetBlockIdx()), static_cast<uint32_t>(GetBlockNum())) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
        w_[0].SetGlobalBuffer(reinterpret_cast<__gm__ half*>(gate));
        w_[1].SetGlobalBuffer(reinterpret_cast<__gm__ half*>(up));
        slots_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace) +
                               GetBlockIdx() * t_.slots * SlotFloats(t_));
        chunk_k_ = t_.base_k * t_.step_k;
        chunks_ = Parts(t_.depth, chunk_k_);
        first_chunk_ = t_.stagger != 0 ? static_cast<uint32_t>(GetBlockIdx()) % chunks_ : 0;
        const uint32_t wide = t_.base_n * (3 - t_.passes);  // columns of W in L1 at a time
        for (uint32_t i = 0; i < 2; ++i) {
            const uint32_t buffer = i % t_.buffers;
            l1_x_[i] = Place<half>(TPosition::A1, 0, buffer, t_.base_m * chunk_k_);
            l1_w_[i] = Place<half>(TPosition::B1, t_.buffers * t_.base_m * chunk_k_, buffer, wide * chunk_k_);
            l0_x_[i] = Place<half>(TPosition::A2, 0, buffer, t_.base_m * t_.base_k);
            l0_w_[i] = Place<half>(TPosition::B2, 0, buffer, wide * t_.base_k);
        }
        l0_c_ = LocalTensor<float>(TPosition::CO1, 0, t_.base_m * wide);
    }

    __aicore__ inline void Run() {
        RaiseFreeFlags();
        bool more = units_.Valid();
        Chunk next;
        if (more) {
            Start(next);
            LoadChunk(next);
        }
        while (more) {
            const Chunk current = next;
            more = Advance(next);
            if (more && t_.buffers == 2) {
                LoadChunk(next);
            }
            Compute(current);
            if (more && t_.buffers == 1) {
                LoadChunk(next);
            }
        }
        TakeFreeFlags();
    }

private:
    using In = cube::Loads<half>;

    /// A part of the depth of one pass of one unit.
    struct Chunk {
        uint32_t row;
        uint32_t column;
        uint32_t rows;
        uint32_t columns;
        uint32_t pass;
        uint32_t index;  // among the pass' chunks
        uint32_t start;
        uint32_t depth;
        uint32_t buffer = 0;
        uint32_t taken;
        bool first;
        bool last;
    };

    template <typename T>
    __aicore__ inline static LocalTensor<T> Place(TPosition position,
                                                  uint32_t offset,
                                                  uint32_t buffer,
                                                  uint32_t elements) {
        return LocalTensor<T>(
            position, (offset + buffer * elements) * static_cast<uint32_t>(sizeof(T)), elements);
    }

    // ---- the sequence of chunks, over passes and units ----

    __aicore__ inline void Start(Chunk& chunk) {
        chunk.row = units_.row;
        chunk.column = units_.column;
        chunk.rows = units_.rows;
        chunk.columns = units_.columns;
        chunk.taken = units_.Taken();
        chunk.pass = 0;
        chunk.index = 0;
        Bound(chunk);
    }

    // Cores that share rows of x or columns of W start at different depths: they do not ask L2 for the same
    // lines at the same time.
    __aicore__ inline void Bound(Chunk& chunk) {
        uint32_t at = chunk.index + first_chunk_;
        at = at < chunks_ ? at : at - chunks_;
        chunk.start = at * chunk_k_;
        chunk.depth = Smaller(chunk_k_, t_.depth - chunk.start);
        chunk.first = chunk.index == 0;
        chunk.last = chunk.index + 1 == chunks_;
    }

    __aicore__ inline bool Advance(Chunk& chunk) {
        chunk.buffer = t_.buffers == 2 ? 1 - chunk.buffer : 0;
        if (!chunk.last) {
            ++chunk.index;
            Bound(chunk);
            return true;
        }
        if (chunk.pass + 1 < t_.passes) {
            ++chunk.pass;
            chunk.index = 0;
            Bound(chunk);
            return true;
        }
        units_.Next();
        if (!units_.Valid()) {
            return false;
        }
        Start(chunk);
        return true;
    }

    // ---- global memory to L1 ----

    __aicore__ inline void LoadChunk(const Chunk& chunk) {
        const auto x = static_cast<int32_t>(chunk.buffer);
        const int32_t w = x + 2;
        WaitFlag<HardEvent::MTE1_MTE2>(x);
        In::CopyIn(l1_x_[x],
                   x_[uint64_t{chunk.row} * t_.depth + chunk.start],
                   chunk.rows,
                   chunk.depth,
                   t_.depth);  // (rows, depth) GM -> L1
        SetFlag<HardEvent::MTE2_MTE1>(x);
        WaitFlag<HardEvent::MTE1_MTE2>(w);
        const uint64_t from = uint64_t{chunk.start} * t_.columns + chunk.column;
        In::CopyIn(
            l1_w_[x], w_[chunk.pass][from], chunk.depth, chunk.columns, t_.columns);  // (depth, columns)
        if (t_.passes == 1) {
            In::CopyIn(l1_w_[x][chunk.depth * CeilTo(chunk.columns, cube::fractal)],
                       w_[1][from],
                       chunk.depth,
                       chunk.columns,
                       t_.columns);  // (depth, columns) beside the gate's
        }
        SetFlag<HardEvent::MTE2_MTE1>(w);
    }

    // ---- one chunk ----

    __aicore__ inline void Compute(const Chunk& chunk) {
        const auto x = static_cast<int32_t>(chunk.buffer);
        const uint32_t height = CeilTo(chunk.rows, cube::fractal);
        const uint32_t wide = CeilTo(chunk.columns, cube::fractal) * (3 - t_.passes);
        if (chunk.first) {
            WaitFlag<HardEvent::FIX_M>(0);
        }
        for (uint32_t k = 0; k < chunk.depth; k += t_.base_k) {
            const uint32_t depth = Smaller(t_.base_k, chunk.depth - k);
            const bool last = k + depth == chunk.depth;
            const auto l0 = static_cast<int32_t>(l0_);
            WaitFlag<HardEvent::M_MTE1>(l0);
            Await(x, k == 0);
            cube::LoadLeft(l0_x_[l0], l1_x_[x], height, chunk.depth, k, depth);  // (rows, base_k) L1 -> L0A
            Release(x, last);
            Await(x + 2, k == 0);
            cube::LoadRight(l0_w_[l0], l1_w_[x], chunk.depth, wide, k, depth);  // (base_k, wide) L1 -> L0B
            Release(x + 2, last);
            SetFlag<HardEvent::MTE1_M>(l0);
            WaitFlag<HardEvent::MTE1_M>(l0);
            cube::Multiply(l0_c_, l0_x_[l0], l0_w_[l0], chunk.rows, wide, depth, chunk.first && k == 0);
            SetFlag<HardEvent::M_MTE1>(l0);
            l0_ = t_.buffers == 2 ? 1 - l0_ : 0;
        }
        if (chunk.last) {
            HandOver(chunk);
        }
    }

    // A chunk's buffer in L1 is full, for the first of its loads; is free, after the last.
    __aicore__ inline void Await(int32_t buffer, bool first) {
        if (first) {
            WaitFlag<HardEvent::MTE2_MTE1>(buffer);
        }
    }

    __aicore__ inline void Release(int32_t buffer, bool last) {
        if (last) {
            SetFlag<HardEvent::MTE1_MTE2>(buffer);
        }
    }

    // ---- L0C to the vector cores ----

    __aicore__ inline void HandOver(const Chunk& chunk) {
        const uint32_t slot = chunk.taken % t_.slots;
        SetFlag<HardEvent::M_FIX>(0);
        WaitFlag<HardEvent::M_FIX>(0);
        if (chunk.pass == 0 && t_.slots > 1 && chunk.taken >= t_.slots) {
            CrossCoreWaitFlag<2, PIPE_FIX>(static_cast<uint16_t>(free_flag + slot));
        }
        const uint32_t height = CeilTo(chunk.rows, cube::fractal);
        const uint32_t wide = CeilTo(chunk.columns, cube::fractal);
        FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(wide);
        params.mSize = static_cast<uint16_t>(chunk.rows);
        params.srcStride = static_cast<uint16_t>(height);
        params.dstStride = wide;
        params.ndNum = static_cast<uint16_t>(3 - t_.passes);
        params.srcNdStride = static_cast<uint16_t>(height / cube::fractal * (wide / cube::fractal));
        params.dstNdStride = static_cast<uint16_t>(t_.base_m * t_.base_n);
        const uint64_t to = slot * SlotFloats(t_) + uint64_t{chunk.pass} * t_.base_m * t_.base_n;
        Fixpipe<float, float, CFG_ROW_MAJOR>(slots_[to], l0_c_, params);  // (rows, wide) L0C -> GM
        SetFlag<HardEvent::FIX_M>(0);
        if (chunk.pass + 1 == t_.passes) {
            CrossCoreSetFlag<2, PIPE_FIX>(static_cast<uint16_t>(full_flag + slot));
            if (t_.slots == 1) {
                CrossCoreWaitFlag<2>(free_flag);  // the cube core rests while the vector cores work
            }
        }
    }

    // ---- flags: every buffer is free at the start; raised once, and taken again at the end ----

    __aicore__ inline void RaiseFreeFlags() {
        for (int32_t i = 0; i < 2; ++i) {
            SetFlag<HardEvent::MTE1_MTE2>(i);
            SetFlag<HardEvent::MTE1_MTE2>(i + 2);
            SetFlag<HardEvent::M_MTE1>(i);
        }
        SetFlag<HardEvent::FIX_M>(0);
    }

    __aicore__ inline void TakeFreeFlags() {
        for (int32_t i = 0; i < 2; ++i) {
            WaitFlag<HardEvent::MTE1_MTE2>(i);
            WaitFlag<HardEvent::MTE1_MTE2>(i + 2);
            WaitFlag<HardEvent::M_MTE1>(i);
        }
        WaitFlag<HardEvent::FIX_M>(0);
        const uint32_t taken = t_.slots > 1 ? units_.Taken() : 0;
        for (uint32_t unit = taken - Smaller(taken, t_.slots); unit < taken; ++unit) {
            CrossCoreWaitFlag<2, PIPE_FIX>(static_cast<uint16_t>(free_flag + unit % t_.slots));
        }
    }

    Tiling t_;
    Units units_;
    GlobalTensor<half> x_;
    GlobalTensor<half> w_[2];
    GlobalTensor<float> slots_;
    LocalTensor<half> l1_x_[2];
    LocalTensor<half> l1_w_[2];
    LocalTensor<half> l0_x_[2];
    LocalTensor<half> l0_w_[2];
    LocalTensor<float> l0_c_;
    uint32_t chunk_k_ = 0;
    uint32_t chunks_ = 0;
    uint32_t first_chunk_ = 0;
    uint32_t l0_ = 0;
};

}  // namespace swiglu
