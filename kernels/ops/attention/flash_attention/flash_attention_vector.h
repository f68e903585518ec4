// SPDX-License-Identifier: Apache-2.0
// The vector core's program of flash_attention.cpp: half of a tile's queries each.
//
//   S --mte2--> UB: * scale, + mask, row maximum m, P = e^(S - m), row sum l --mte3--> P
//   O --mte2--> UB: sum = sum * e^(m_before - m) + O; at the end sum / l --mte3--> o
//
// On-line softmax: with every tile of keys the maximum may grow; what was added up before shrinks by the same
// factor.
#pragma once

#include "kernels/ops/attention/flash_attention/flash_attention_steps.h"

namespace flash_attention {

template <typename T>
class VectorProgram {
public:
    __aicore__ inline VectorProgram(GM_ADDR mask, GM_ADDR o, GM_ADDR workspace, const Tiling& tiling)
        : t_(tiling),
          group_(static_cast<uint32_t>(GetBlockIdx() / GetSubBlockNum())),
          steps_(t_, group_, static_cast<uint32_t>(GetBlockNum())),
          workspace_(workspace, t_, group_),
          dim_(padded(tiling.dim)) {
        o_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(o));
        mask_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(mask));
        const uint32_t rows = CeilTo(Parts(t_.base_m, 2), 8);
        pipe_.InitBuffer(scores_, t_.s_buffers * rows * t_.base_n * sizeof(float));
        pipe_.InitBuffer(probabilities_, t_.p_buffers * rows * t_.base_n * sizeof(T));
        pipe_.InitBuffer(product_, rows * dim_ * sizeof(float));
        pipe_.InitBuffer(out_, rows * dim_ * sizeof(T));
        if (t_.causal != 0 || t_.masked != 0) {
            pipe_.InitBuffer(masks_, rows * t_.base_n * sizeof(float));
        }
        pipe_.InitBuffer(sum_, rows * dim_ * sizeof(float));
        pipe_.InitBuffer(work_, rows * lanes * sizeof(float));
        pipe_.InitBuffer(blocks_, rows * block * sizeof(float));
        pipe_.InitBuffer(row_values_, (3 + 2 * most_stages) * rows * sizeof(float));
        maximum_ = row_values_.Get<float>();
        before_ = maximum_[rows];
        of_tile_ = maximum_[2 * rows];
        for (uint32_t i = 0; i < most_stages; ++i) {
            shrink_[i] = maximum_[(3 + i) * rows];
            total_[i] = maximum_[(3 + most_stages + i) * rows];
        }
    }

    __aicore__ inline void Run() {
        // Every buffer is free at the start; raised once, and taken again at the end.
        for (int32_t i = 0; i < in_events; ++i) {
            SetFlag<HardEvent::V_MTE2>(i);
        }
        for (int32_t i = 0; i < out_events; ++i) {
            SetFlag<HardEvent::MTE3_V>(i);
        }
        RunStaggered(
            steps_,
            t_.stages - 1,
            [this](const Step& step, uint32_t number) { Softmax(step, number); },
            [this](const Step& step, uint32_t number) { Accumulate(step, number); });
        for (int32_t i = 0; i < in_events; ++i) {
            WaitFlag<HardEvent::V_MTE2>(i);
        }
        for (int32_t i = 0; i < out_events; ++i) {
            WaitFlag<HardEvent::MTE3_V>(i);
        }
    }

private:
    static constexpr uint32_t lanes = 64;  // floats of a repeat
    static constexpr uint32_t block = 8;   // floats of a block
    static constexpr uint32_t most_stages = 3;
    // Event ids of buffers that are copied in: two of scores, then product, mask. Queues would share ids
    // among them, and a copy that runs far ahead would raise one that is still up.
    static constexpr int32_t product_event = 2;
    static constexpr int32_t mask_event = 3;
    static constexpr int32_t in_events = 4;
    // And of those copied out: two of probabilities, then the output.
    static constexpr int32_t out_event = 2;
    static constexpr int32_t out_events = 3;

    // This core's share of a tile's queries.
    [[nodiscard]] __aicore__ inline uint32_t FirstRow(const Step& step) const {
        return GetSubBlockIdx() == 0 ? 0 : Parts(step.rows, 2);
    }

    [[nodiscard]] __aicore__ inline uint32_t Rows(const Step& step) const {
        return GetSubBlockIdx() == 0 ? Parts(step.rows, 2) : step.rows - Parts(step.rows, 2);
    }

    // Values of a buffer of scores.
    [[nodiscard]] __aicore__ inline uint32_t HalfTile() const {
        return CeilTo(Parts(t_.base_m, 2), 8) * t_.base_n;
    }

    // Row sums of as many tiles of queries as may be open at a time.
    [[nodiscard]] __aicore__ inline const LocalTensor<float>& Total(const Step& step) const {
        return total_[step.task % t_.stages];
    }

    // ---- scores to probabilities ----

    __aicore__ inline void Softmax(const Step& step, uint32_t number) {
        const uint32_t rows = Rows(step);
        CrossCoreWaitFlag<2, PIPE_MTE2>(scores_flag);
        if (rows > 0) {
            const uint32_t wide = padded(step.columns);
            const uint32_t from = FirstRow(step) * wide;
            const auto buffer = static_cast<int32_t>(number % t_.s_buffers);
            const LocalTensor<float> s =
                scores_.template Get<float>()[static_cast<uint32_t>(buffer) * HalfTile()];
            WaitFlag<HardEvent::V_MTE2>(buffer);
            DataCopy(s, workspace_.Scores(number)[from], rows * wide);  // (rows, columns) GM -> UB
            SetFlag<HardEvent::MTE2_V>(buffer);
            WaitFlag<HardEvent::MTE2_V>(buffer);
            Muls(s, s, t_.scale, static_cast<int32_t>(rows * wide));
            PipeBarrier<PIPE_V>();
            if (t_.masked != 0) {
                AddMask(
                    s, mask_[uint64_t{step.row + FirstRow(step)} * t_.kv_len + step.column], t_.kv_len, step);
            } else if (t_.causal != 0 &&
                       step.column + step.columns > step.row + FirstRow(step) + t_.kv_len - t_.q_len + 1) {
                AddTriangle(s, step);
            }
            RowMaxima(s, step, number);
            Exponentials(s, step, number);
            const auto to = static_cast<int32_t>(number % t_.p_buffers);
            const LocalTensor<T> p = probabilities_.template Get<T>()[static_cast<uint32_t>(to) * HalfTile()];
            WaitFlag<HardEvent::MTE3_V>(to);
            Cast(p, s, RoundMode::CAST_RINT, static_cast<int32_t>(rows * wide));
            SetFlag<HardEvent::V_MTE2>(buffer);
            SetFlag<HardEvent::V_MTE3>(to);
            WaitFlag<HardEvent::V_MTE3>(to);
            DataCopy(workspace_.Probabilities(number)[from], p, rows * wide);  // (rows, columns) UB -> GM
            SetFlag<HardEvent::MTE3_V>(to);
        }
        CrossCoreSetFlag<2, PIPE_MTE3>(probabilities_flag);
    }

    __aicore__ inline void AddMask(const LocalTensor<float>& s,
                                   const GlobalTensor<float>& from,
                                   uint32_t pitch,
                                   const Step& step) {
        const uint32_t wide = padded(step.columns);
        const uint32_t gap = (wide - CeilTo(step.columns, block)) / block;
        const LocalTensor<float> mask = masks_.template Get<float>();
        WaitFlag<HardEvent::V_MTE2>(mask_event);
        DataCopyPad(
            mask,
            from,
            DataCopyExtParams(
                static_cast<uint16_t>(Rows(step)), step.columns * 4, (pitch - step.columns) * 4, gap, 0),
            DataCopyPadExtParams<float>());  // (rows, columns) GM -> UB
        SetFlag<HardEvent::MTE2_V>(mask_event);
        WaitFlag<HardEvent::MTE2_V>(mask_event);
        Add(s, s, mask, static_cast<int32_t>(Rows(step) * wide));
        SetFlag<HardEvent::V_MTE2>(mask_event);
        PipeBarrier<PIPE_V>();
    }

    // Query r of the tile sees its keys up to r + border: a window of a table whose row r is zero up to r +
    // base_n.
    __aicore__ inline void AddTriangle(const LocalTensor<float>& s, const Step& step) {
        const uint32_t last_seen = step.row + t_.kv_len - t_.q_len;  // of the tile's first query
        const uint32_t window = t_.base_n + step.column - last_seen;
        AddMask(s, mask_[uint64_t{FirstRow(step)} * triangle_pitch(t_) + window], triangle_pitch(t_), step);
    }

    // work(rows, 64) = combine of the row's groups of 64; lanes beyond the row's end hold `neutral`.
    template <typename Combine>
    __aicore__ inline void Fold(const LocalTensor<float>& work,
                                const LocalTensor<float>& s,
                                const Step& step,
                                float neutral,
                                const Combine& combine) {
        const uint32_t rows = Rows(step);
        const auto pitch = static_cast<uint8_t>(padded(step.columns) / block);
        const BinaryRepeatParams add_to(1, 1, 1, 8, 8, pitch);
        uint32_t at = 0;
        if (step.columns >= 2 * lanes) {
            combine(work,
                    s,
                    s[lanes],
                    uint64_t{lanes},
                    static_cast<uint8_t>(rows),
                    BinaryRepeatParams(1, 1, 1, 8, pitch, pitch));
            at = 2 * lanes;
        } else {
            Duplicate(work, neutral, static_cast<int32_t>(rows * lanes));
        }
        PipeBarrier<PIPE_V>();
        for (; at < step.columns; at += lanes) {
            combine(work,
                    work,
                    s[at],
                    uint64_t{Smaller(lanes, step.columns - at)},
                    static_cast<uint8_t>(rows),
                    add_to);
            PipeBarrier<PIPE_V>();
        }
    }

    __aicore__ inline void RowMaxima(const LocalTensor<float>& s, const Step& step, uint32_t number) {
        const auto rows = static_cast<int32_t>(Rows(step));
        const LocalTensor<float> work = work_.template Get<float>();
        const LocalTensor<float> blocks = blocks_.template Get<float>();
        Fold(work, s, step, lowest, [](auto... args) { Max(args...); });
        BlockReduceMax(blocks, work, rows, lanes, 1, 1, 8);  // (rows, 64) -> (rows, 8)
        PipeBarrier<PIPE_V>();
        const LocalTensor<float>& maximum = step.first ? maximum_ : of_tile_;
        BlockReduceMax(
            maximum, blocks, static_cast<int32_t>(Parts(Rows(step), block)), lanes, 1, 1, 8);  // (rows)
        PipeBarrier<PIPE_V>();
        if (!step.first) {
            Adds(before_, maximum_, 0.0F, rows);
            Max(maximum_, maximum_, of_tile_, rows);
            PipeBarrier<PIPE_V>();
            Sub(before_, before_, maximum_, rows);
            PipeBarrier<PIPE_V>();
            Exp(shrink_[number % t_.stages], before_, rows);
            PipeBarrier<PIPE_V>();
        }
    }

    // s = e^(s - maximum), and its row sums.
    __aicore__ inline void Exponentials(const LocalTensor<float>& s, const Step& step, uint32_t number) {
        const auto rows = static_cast<int32_t>(Rows(step));
        const LocalTensor<float> work = work_.template Get<float>();
        const LocalTensor<float> blocks = blocks_.template Get<float>();
        ForRows(s, maximum_, step, [](auto... args) { Sub(args...); });
        Exp(s, s, rows * static_cast<int32_t>(padded(step.columns)));
        PipeBarrier<PIPE_V>();
        Fold(work, s, step, 0.0F, [](auto... args) { Add(args...); });
        BlockReduceSum(blocks, work, rows, lanes, 1, 1, 8);  // (rows, 64) -> (rows, 8)
        PipeBarrier<PIPE_V>();
        const LocalTensor<float>& total = Total(step);
        const LocalTensor<float>& sum = step.first ? total : of_tile_;
        BlockReduceSum(
            sum, blocks, static_cast<int32_t>(Parts(Rows(step), block)), lanes, 1, 1, 8);  // (rows)
        PipeBarrier<PIPE_V>();
        if (!step.first) {
            Mul(total, total, shrink_[number % t_.stages], rows);
            PipeBarrier<PIPE_V>();
            Add(total, total, of_tile_, rows);
            PipeBarrier<PIPE_V>();
        }
    }

    // tensor(rows, columns) = apply(tensor, values(rows)), each value for its whole row.
    template <typename Apply>
    __aicore__ inline void ForRows(const LocalTensor<float>& tensor,
                                   const LocalTensor<float>& values,
                                   const Step& step,
                                   const Apply& apply) {
        ForRows(tensor, values, Rows(step), step.columns, padded(step.columns), apply);
    }

    template <typename Apply>
    __aicore__ inline void ForRows(const LocalTensor<float>& tensor,
                                   const LocalTensor<float>& values,
                                   uint32_t rows,
                                   uint32_t columns,
                                   uint32_t pitch,
                                   const Apply& apply) {
        const LocalTensor<float> blocks = blocks_.template Get<float>();
        Brcb(blocks,
             values,
             static_cast<uint8_t>(Parts(rows, block)),
             BrcbRepeatParams(1, 8));  // (rows) -> (rows, 8)
        PipeBarrier<PIPE_V>();
        const auto row = static_cast<uint8_t>(pitch / block);
        for (uint32_t at = 0; at < columns; at += lanes) {
            apply(tensor[at],
                  tensor[at],
                  blocks,
                  uint64_t{Smaller(lanes, columns - at)},
                  static_cast<uint8_t>(rows),
                  BinaryRepeatParams(1, 1, 0, row, row, 1));
        }
        PipeBarrier<PIPE_V>();
    }

    // ---- products to the output ----

    __aicore__ inline void Accumulate(const Step& step, uint32_t number) {
        const uint32_t rows = Rows(step);
        CrossCoreWaitFlag<2, PIPE_MTE2>(product_flag);
        if (rows == 0) {
            return;
        }
        const auto count = static_cast<int32_t>(rows * dim_);
        const LocalTensor<float> sum = sum_.template Get<float>();
        const LocalTensor<float> product = product_.template Get<float>();
        WaitFlag<HardEvent::V_MTE2>(product_event);
        DataCopy(
            product, workspace_.Product(number)[FirstRow(step) * dim_], rows * dim_);  // (rows, dim) GM -> UB
        SetFlag<HardEvent::MTE2_V>(product_event);
        WaitFlag<HardEvent::MTE2_V>(product_event);
        if (step.first) {
            Adds(sum, product, 0.0F, count);
        } else {
            ForRows(sum, shrink_[number % t_.stages], rows, dim_, dim_, [](auto... args) { Mul(args...); });
            Add(sum, sum, product, count);
        }
        SetFlag<HardEvent::V_MTE2>(product_event);
        PipeBarrier<PIPE_V>();
        if (step.last) {
            Finish(step, sum, count);
        }
    }

    __aicore__ inline void Finish(const Step& step, const LocalTensor<float>& sum, int32_t count) {
        const uint32_t rows = Rows(step);
        ForRows(sum, Total(step), rows, dim_, dim_, [](auto... args) { Div(args...); });
        const LocalTensor<T> out = out_.template Get<T>();
        WaitFlag<HardEvent::MTE3_V>(out_event);
        Cast(out, sum, RoundMode::CAST_RINT, count);
        SetFlag<HardEvent::V_MTE3>(out_event);
        WaitFlag<HardEvent::V_MTE3>(out_event);
        const uint64_t to = t_.q.at(step.batch, step.head, step.row + FirstRow(step));
        const auto size = static_cast<uint32_t>(sizeof(T));
        DataCopyPad(o_[to],
                    out,
                    DataCopyExtParams(
                        static_cast<uint16_t>(rows), t_.dim * size, 0, (t_.q.token - t_.dim) * size, 0));
        SetFlag<HardEvent::MTE3_V>(out_event);
        PipeBarrier<PIPE_V>();
    }

    static constexpr float lowest = -3.0e38F;

    Tiling t_;
    uint32_t group_;
    Steps steps_;
    Workspace<T> workspace_;
    uint32_t dim_;
    TPipe pipe_;
    TBuf<TPosition::VECCALC> scores_;         // (s_buffers, rows, base_n) fp32
    TBuf<TPosition::VECCALC> product_;        // (rows, dim) fp32
    TBuf<TPosition::VECCALC> masks_;          // (rows, base_n) fp32
    TBuf<TPosition::VECCALC> probabilities_;  // (rows, base_n)
    TBuf<TPosition::VECCALC> out_;            // (rows, dim)
    TBuf<TPosition::VECCALC> sum_;            // (rows, dim) fp32
    TBuf<TPosition::VECCALC> work_;           // (rows, 64) fp32
    TBuf<TPosition::VECCALC> blocks_;         // (rows, 8) fp32
    TBuf<TPosition::VECCALC> row_values_;     // (9, rows) fp32
    LocalTensor<float> maximum_;
    LocalTensor<float> before_;
    LocalTensor<float> of_tile_;
    LocalTensor<float> shrink_[most_stages];
    LocalTensor<float> total_[most_stages];
    GlobalTensor<T> o_;
    GlobalTensor<float> mask_;
};

}  // namespace flash_attention
