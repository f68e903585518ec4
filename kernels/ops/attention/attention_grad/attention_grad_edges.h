// SPDX-License-Identifier: Apache-2.0
// What comes before and after the steps of attention_grad.cpp, on all vector cores: sums of dy * o and
// gradients set to zero; gradients scaled and rounded to the operands' type.
#pragma once

#include "kernels/ops/attention/attention_grad/attention_grad_workspace.h"

namespace attention_grad {

/// sums(query) = sum of dy * o over the columns of a head; zeros for what steps add to.
template <typename T>
class Front {
public:
    __aicore__ inline Front(
        GM_ADDR dy, GM_ADDR o, const Workspace<T>& workspace, const Tiling& tiling, TPipe& pipe)
        : t_(tiling), workspace_(workspace), dim_(attention::padded(tiling.dim)) {
        dy_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(dy));
        o_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(o));
        pipe.InitBuffer(zeros_, back_floats * sizeof(float));
        pipe.InitBuffer(in_, 2, 2 * front_rows * dim_ * sizeof(T));
        pipe.InitBuffer(out_, 2, front_rows * sizeof(float));
        pipe.InitBuffer(wide_, 2 * front_rows * dim_ * sizeof(float));
        pipe.InitBuffer(work_, attention::fold_places(dim_) * front_rows * attention::lanes * sizeof(float));
        pipe.InitBuffer(blocks_, front_rows * attention::row_block * sizeof(float));
    }

    __aicore__ inline void Run() {
        Clear();
        SetMaskNorm();
        attention::FirstLanes(attention::lanes);
        const uint32_t of_sequence = Parts(t_.q_len, front_rows);
        const uint32_t total = t_.sequences * of_sequence;
        for (uint32_t i = workspace_.Number(); i < total; i += workspace_.Count()) {
            const uint32_t row = i % of_sequence * front_rows;
            SumUp(i / of_sequence, row, Smaller(front_rows, t_.q_len - row));
        }
    }

private:
    __aicore__ inline void Clear() {
        const LocalTensor<float> zeros = zeros_.Get<float>();
        Duplicate(zeros, 0.0F, static_cast<int32_t>(back_floats));
        SetFlag<HardEvent::V_MTE3>(EVENT_ID7);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID7);
        const GlobalTensor<float> to = workspace_.QueryGrad();  // those of keys and values lie behind
        const uint64_t total = query_elements(t_) + 2 * key_elements(t_);
        for (uint64_t at = uint64_t{workspace_.Number()} * back_floats; at < total;
             at += uint64_t{workspace_.Count()} * back_floats) {
            const uint64_t count = total - at < back_floats ? total - at : back_floats;
            DataCopy(to[at], zeros, static_cast<uint32_t>(count));  // UB -> GM
        }
    }

    __aicore__ inline void SumUp(uint32_t sequence, uint32_t row, uint32_t rows) {
        const uint32_t count = rows * dim_;
        LocalTensor<T> in = in_.template AllocTensor<T>();
        CopyRows(in, dy_, sequence, row, rows);
        CopyRows(in[front_rows * dim_], o_, sequence, row, rows);
        in_.EnQue(in);
        in = in_.template DeQue<T>();
        const LocalTensor<float> left = wide_.Get<float>();
        const LocalTensor<float> right = left[front_rows * dim_];
        attention::ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            const UnaryRepeatParams widen(1, 1, 8, 4);
            Cast<float, T, false>(left[at], in[at], RoundMode::CAST_NONE, MASK_PLACEHOLDER, repeats, widen);
            Cast<float, T, false>(right[at],
                                  in[front_rows * dim_ + at],
                                  RoundMode::CAST_NONE,
                                  MASK_PLACEHOLDER,
                                  repeats,
                                  widen);
        });
        PipeBarrier<PIPE_V>();
        in_.FreeTensor(in);
        attention::ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            const BinaryRepeatParams dense(1, 1, 1, 8, 8, 8);
            Mul<float, false>(left[at], left[at], right[at], MASK_PLACEHOLDER, repeats, dense);
        });
        PipeBarrier<PIPE_V>();
        LocalTensor<float> out = out_.template AllocTensor<float>();
        const attention::RowScratch scratch{
            work_.Get<float>(), front_rows * attention::lanes, blocks_.Get<float>()};
        attention::SumOfRows(out, {left, rows, t_.dim, dim_}, scratch);
        out_.EnQue(out);
        out = out_.template DeQue<float>();
        DataCopyPad(workspace_.Sums()[uint64_t{sequence} * t_.q_len + row],
                    out,
                    DataCopyExtParams(1, rows * 4, 0, 0, 0));
        out_.FreeTensor(out);
    }

    // (rows, dim) GM -> UB
    __aicore__ inline void CopyRows(const LocalTensor<T>& to,
                                    const GlobalTensor<T>& from,
                                    uint32_t sequence,
                                    uint32_t row,
                                    uint32_t rows) {
        attention::ForRuns(
            t_, sequence, row, rows, [&](uint32_t, uint32_t count, uint64_t at, uint32_t pitch) {
                const auto bytes = t_.dim * static_cast<uint32_t>(sizeof(T));
                DataCopyPad(to,
                            from[at * t_.dim],
                            DataCopyExtParams(static_cast<uint16_t>(count), bytes, (pitch - 1) * bytes, 0, 0),
                            DataCopyPadExtParams<T>());
            });
    }

    const Tiling& t_;
    const Workspace<T>& workspace_;
    uint32_t dim_;
    GlobalTensor<T> dy_;
    GlobalTensor<T> o_;
    TBuf<TPosition::VECCALC> zeros_;   // back_floats fp32
    TQue<TPosition::VECIN, 2> in_;     // (2, front_rows, dim): dy and o
    TQue<TPosition::VECOUT, 2> out_;   // (front_rows) fp32
    TBuf<TPosition::VECCALC> wide_;    // (2, front_rows, dim) fp32
    TBuf<TPosition::VECCALC> work_;    // (places, front_rows, 64) fp32
    TBuf<TPosition::VECCALC> blocks_;  // (front_rows, 8) fp32
};

/// dq and dk times the scale, dv as it is, each rounded.
template <typename T>
class Back {
public:
    __aicore__ inline Back(const Workspace<T>& workspace, const Tiling& tiling, TPipe& pipe)
        : t_(tiling), workspace_(workspace) {
        pipe.InitBuffer(in_, 2, back_floats * sizeof(float));
        pipe.InitBuffer(out_, 2, back_floats * sizeof(T));
    }

    __aicore__ inline void Run(GM_ADDR dq, GM_ADDR dk, GM_ADDR dv) {
        Round(dq, workspace_.QueryGrad(), query_elements(t_), t_.scale);
        Round(dk, workspace_.KeyGrad(), key_elements(t_), t_.scale);
        Round(dv, workspace_.ValueGrad(), key_elements(t_), 1.0F);
    }

private:
    __aicore__ inline void Round(GM_ADDR to, const GlobalTensor<float>& from, uint64_t total, float factor) {
        GlobalTensor<T> result;
        result.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(to));
        for (uint64_t at = uint64_t{workspace_.Number()} * back_floats; at < total;
             at += uint64_t{workspace_.Count()} * back_floats) {
            const auto count = static_cast<uint32_t>(total - at < back_floats ? total - at : back_floats);
            LocalTensor<float> in = in_.template AllocTensor<float>();
            DataCopy(in, from[at], count);  // GM -> UB
            in_.EnQue(in);
            in = in_.template DeQue<float>();
            LocalTensor<T> out = out_.template AllocTensor<T>();
            Muls(in, in, factor, static_cast<int32_t>(count));
            PipeBarrier<PIPE_V>();
            Cast(out, in, RoundMode::CAST_RINT, count);
            in_.FreeTensor(in);
            out_.EnQue(out);
            out = out_.template DeQue<T>();
            DataCopy(result[at], out, count);  // UB -> GM
            out_.FreeTensor(out);
        }
    }

    const Tiling& t_;
    const Workspace<T>& workspace_;
    TQue<TPosition::VECIN, 2> in_;    // back_floats fp32
    TQue<TPosition::VECOUT, 2> out_;  // back_floats
};

}  // namespace attention_grad
