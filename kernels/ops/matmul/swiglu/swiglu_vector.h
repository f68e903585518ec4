// SPDX-License-Identifier: Apache-2.0
// The vector core's programs of swiglu.cpp.
//
//   fused:  slot in GM (gate, up as fp32) --mte2--> UB: silu(gate) * up, to fp16 --mte3--> y
//   native: whole tensors, one operation at a time
#pragma once

#include "kernels/ops/matmul/swiglu/swiglu_cube.h"
#include "kernels/shared/gm_copy.h"

namespace swiglu {

/// silu(gate) = gate / (1 + e^-gate), elementwise; `work` may not be `gate`.
__aicore__ inline void Silu(const LocalTensor<float>& work, const LocalTensor<float>& gate, int32_t count) {
    Muls(work, gate, -1.0F, count);
    PipeBarrier<PIPE_V>();
    Exp(work, work, count);
    PipeBarrier<PIPE_V>();
    Adds(work, work, 1.0F, count);
    PipeBarrier<PIPE_V>();
    Div(work, gate, work, count);
    PipeBarrier<PIPE_V>();
}

/// Floats of whole 32-byte blocks.
__aicore__ inline uint32_t AlignedCount(int32_t count) {
    return CeilTo(static_cast<uint32_t>(count), 8);
}

/// From dy, gate and up in v[0], v[1], v[2]: dup = dy silu(gate) to v[0], dgate = dy up silu'(gate) to v[1].
/// With s = 1 / (1 + e^-g) and p = silu(g) = g s, silu'(g) = p + s (1 - p), which no g makes overflow.
__aicore__ inline void Gradients(LocalTensor<float>* v, const LocalTensor<float>& work, int32_t count) {
    const LocalTensor<float> s = work[AlignedCount(count)];
    Muls(work, v[1], -1.0F, count);
    Duplicate(s, 1.0F, count);
    PipeBarrier<PIPE_V>();
    Exp(work, work, count);
    PipeBarrier<PIPE_V>();
    Adds(work, work, 1.0F, count);
    PipeBarrier<PIPE_V>();
    Div(s, s, work, count);
    PipeBarrier<PIPE_V>();
    Mul(v[1], v[1], s, count);  // p
    Mul(v[2], v[2], v[0], count);
    PipeBarrier<PIPE_V>();
    Mul(v[0], v[0], v[1], count);  // dup
    Muls(work, v[1], -1.0F, count);
    PipeBarrier<PIPE_V>();
    Adds(work, work, 1.0F, count);
    PipeBarrier<PIPE_V>();
    Mul(work, work, s, count);
    PipeBarrier<PIPE_V>();
    Add(work, work, v[1], count);
    PipeBarrier<PIPE_V>();
    Mul(v[1], v[2], work, count);  // dgate
    PipeBarrier<PIPE_V>();
}

class VectorProgram {
public:
    __aicore__ inline VectorProgram(GM_ADDR y, GM_ADDR workspace, const Tiling& tiling)
        : t_(tiling),
          group_(static_cast<uint32_t>(GetBlockIdx() / GetSubBlockNum())),
          units_(tiling, group_, static_cast<uint32_t>(GetBlockNum())) {
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y));
        slots_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace) +
                               group_ * t_.slots * SlotFloats(t_));
        const uint32_t values = t_.vector_rows * t_.base_n;
        pipe_.InitBuffer(gate_, t_.buffers, values * sizeof(float));
        pipe_.InitBuffer(up_, t_.buffers, values * sizeof(float));
        pipe_.InitBuffer(out_, t_.buffers, values * sizeof(half));
        pipe_.InitBuffer(work_, values * sizeof(float));
    }

    __aicore__ inline void Run() {
        for (; units_.Valid(); units_.Next()) {
            const auto slot = static_cast<uint16_t>(units_.Slot());
            const uint32_t half_rows = Parts(units_.rows, 2);
            const uint32_t begin = GetSubBlockIdx() == 0 ? 0 : half_rows;
            const uint32_t end = GetSubBlockIdx() == 0 ? half_rows : units_.rows;
            CrossCoreWaitFlag<2, PIPE_MTE2>(full_flag + slot);
            for (uint32_t row = begin; row < end; row += t_.vector_rows) {
                Piece(row, Smaller(t_.vector_rows, end - row), slot);
            }
            if (t_.slots > 1) {
                CrossCoreSetFlag<2, PIPE_MTE2>(free_flag + slot);  // read; what follows is our own
            } else {
                CrossCoreSetFlag<2, PIPE_MTE3>(free_flag + slot);
            }
        }
    }

private:
    __aicore__ inline void Piece(uint32_t row, uint32_t rows, uint32_t slot) {
        const uint32_t wide = CeilTo(units_.columns, cube::fractal);
        const uint32_t count = rows * wide;
        const uint64_t from = slot * SlotFloats(t_) + uint64_t{row} * wide;
        LocalTensor<float> gate = gate_.AllocTensor<float>();
        DataCopy(gate, slots_[from], count);  // (rows, wide) GM -> UB
        gate_.EnQue(gate);
        LocalTensor<float> up = up_.AllocTensor<float>();
        DataCopy(up, slots_[from + uint64_t{t_.base_m} * t_.base_n], count);  // (rows, wide) GM -> UB
        up_.EnQue(up);
        Combine(count);
        LocalTensor<half> out = out_.DeQue<half>();
        const uint64_t to = uint64_t{units_.row + row} * t_.columns + units_.column;
        const uint32_t bytes = units_.columns * static_cast<uint32_t>(sizeof(half));
        const uint32_t gap = (t_.columns - units_.columns) * static_cast<uint32_t>(sizeof(half));
        DataCopyPad(y_[to],
                    out,
                    DataCopyExtParams(static_cast<uint16_t>(rows), bytes, 0, gap, 0));  // (rows, columns)
        out_.FreeTensor(out);
    }

    __aicore__ inline void Combine(uint32_t values) {
        const auto count = static_cast<int32_t>(values);
        LocalTensor<float> gate = gate_.DeQue<float>();
        LocalTensor<float> up = up_.DeQue<float>();
        LocalTensor<float> work = work_.Get<float>();
        LocalTensor<half> out = out_.AllocTensor<half>();
        Silu(work, gate, count);
        Mul(work, work, up, count);
        PipeBarrier<PIPE_V>();
        Cast(out, work, RoundMode::CAST_RINT, count);
        out_.EnQue(out);
        gate_.FreeTensor(gate);
        up_.FreeTensor(up);
    }

    Tiling t_;
    uint32_t group_;
    Units units_;
    TPipe pipe_;
    TQue<TPosition::VECIN, 1> gate_, up_;  // (vector_rows, base_n) fp32
    TQue<TPosition::VECOUT, 1> out_;       // (vector_rows, base_n) fp16
    TBuf<TPosition::VECCALC> work_;        // (vector_rows, base_n) fp32
    GlobalTensor<half> y_;
    GlobalTensor<float> slots_;
};

using Address = GM_ADDR;

/// An elementwise program over whole tensors of fp16, computed in fp32: `inputs` tensors in, `outputs`
/// tensors out.
template <uint32_t inputs, uint32_t outputs>
class Elementwise {
public:
    __aicore__ inline Elementwise(const Address (&in)[inputs],
                                  const Address (&out)[outputs],
                                  const VectorTiling& tiling)
        : t_(tiling),
          begin_(GetBlockIdx() * tiling.share),
          end_(begin_ + tiling.share < tiling.total ? begin_ + tiling.share : tiling.total) {
        for (uint32_t i = 0; i < inputs; ++i) {
            in_[i].SetGlobalBuffer(reinterpret_cast<__gm__ half*>(in[i]));
            pipe_.InitBuffer(from_[i], t_.buffers, t_.tile * sizeof(half));
            pipe_.InitBuffer(wide_[i], t_.tile * sizeof(float));
        }
        for (uint32_t i = 0; i < outputs; ++i) {
            out_[i].SetGlobalBuffer(reinterpret_cast<__gm__ half*>(out[i]));
            pipe_.InitBuffer(to_[i], t_.buffers, t_.tile * sizeof(half));
        }
        pipe_.InitBuffer(work_, 2 * t_.tile * sizeof(float));
    }

    /// `compute(values, work, count)` leaves output i in values[i].
    template <typename Compute>
    __aicore__ inline void Run(const Compute& compute) {
        for (uint64_t at = begin_; at < end_; at += t_.tile) {
            Tile(at, static_cast<uint32_t>(end_ - at < t_.tile ? end_ - at : t_.tile), compute);
        }
    }

private:
    template <typename Compute>
    __aicore__ inline void Tile(uint64_t at, uint32_t values, const Compute& compute) {
        const auto count = static_cast<int32_t>(values);
        LocalTensor<float> wide[inputs];
        for (uint32_t i = 0; i < inputs; ++i) {
            LocalTensor<half> narrow = from_[i].template AllocTensor<half>();
            CopyElementsIn(narrow, in_[i][at], values);  // (tile) GM -> UB
            from_[i].EnQue(narrow);
        }
        for (uint32_t i = 0; i < inputs; ++i) {
            LocalTensor<half> narrow = from_[i].template DeQue<half>();
            wide[i] = wide_[i].template Get<float>();
            Cast(wide[i], narrow, RoundMode::CAST_NONE, count);
            from_[i].FreeTensor(narrow);
        }
        PipeBarrier<PIPE_V>();
        compute(wide, work_.template Get<float>(), count);
        for (uint32_t i = 0; i < outputs; ++i) {
            LocalTensor<half> narrow = to_[i].template AllocTensor<half>();
            Cast(narrow, wide[i], RoundMode::CAST_RINT, count);
            to_[i].EnQue(narrow);
            LocalTensor<half> done = to_[i].template DeQue<half>();
            CopyElementsOut(out_[i][at], done, values);  // (tile) UB -> GM
            to_[i].FreeTensor(done);
        }
        PipeBarrier<PIPE_V>();
    }

    VectorTiling t_;
    uint64_t begin_;
    uint64_t end_;
    TPipe pipe_;
    TQue<TPosition::VECIN, 1> from_[inputs];  // (tile) fp16
    TQue<TPosition::VECOUT, 1> to_[outputs];  // (tile) fp16
    TBuf<TPosition::VECCALC> wide_[inputs];   // (tile) fp32
    TBuf<TPosition::VECCALC> work_;           // (2, tile) fp32
    GlobalTensor<half> in_[inputs];
    GlobalTensor<half> out_[outputs];
};

}  // namespace swiglu
