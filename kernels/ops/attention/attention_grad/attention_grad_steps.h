// SPDX-License-Identifier: Apache-2.0
// The steps of attention_grad.cpp on a vector core: one tile of queries by one of keys.
//
//   asked ahead:  S = q k^T,  dP = dy v^T                          cube --> workspace
//   a few rows at a time:  P = e^(S * scale - m) / l,  dS = P * (dP - sum of dy * o)    --> workspace
//   asked for:  dv += P^T dy,  dk += dS^T q,  dq += dS k           cube, added in fp32 in global memory
//
// The softmax is made again from its row maxima m and sums l, which the forward pass has kept.
#pragma once

#include "kernels/ops/attention/attention/attention_masks.h"
#include "kernels/ops/attention/attention_grad/attention_grad_workspace.h"
#include "lib/matmul_intf.h"

namespace attention_grad {

using Result = MatmulType<TPosition::GM, CubeFormat::ND, float>;

template <typename T, bool transposed = false>
using Operand = MatmulType<TPosition::GM, CubeFormat::ND, T, transposed>;

template <typename T>
using ScoresObject = Matmul<Operand<T>, Operand<T, true>, Result>;

template <typename T>
using QueryGradObject = Matmul<Operand<T>, Operand<T>, Result>;

template <typename T>
using KeyGradObject = Matmul<Operand<T, true>, Operand<T>, Result>;

/// What the steps read.
struct Inputs {
    GM_ADDR q;
    GM_ADDR k;
    GM_ADDR v;
    GM_ADDR dy;
    GM_ADDR maxima;
    GM_ADDR row_sums;
};

template <typename T>
struct Objects {
    ScoresObject<T> scores;
    QueryGradObject<T> query_grad;
    KeyGradObject<T> key_grad;
};

/// A vector core's share of all steps: as many as any other, one after the other, since whoever computes a
/// part of a gradient adds it to the rest. `first` is true of the first step of a tile of queries in the
/// share.
class Share {
public:
    __aicore__ inline Share(const Tiling& t, const Start& start)
        : steps_(t, start.task, 1), left_(start.steps) {
        if (left_ > 0) {
            steps_.From(start.column);
        }
        Take();
        step_.first = true;
    }

    [[nodiscard]] __aicore__ inline bool Valid() const { return left_ > 0; }

    [[nodiscard]] __aicore__ inline const Step& Get() const { return step_; }

    __aicore__ inline void Next() {
        --left_;
        steps_.Next();
        Take();
    }

private:
    __aicore__ inline void Take() {
        if (left_ > 0) {
            step_ = steps_.Get();
        }
    }

    Steps steps_;
    uint32_t left_;
    Step step_{};
};

template <typename T>
class GradSteps {
public:
    __aicore__ inline GradSteps(const Inputs& inputs,
                                Objects<T>& objects,
                                const Workspace<T>& workspace,
                                const GradTiling& tiling,
                                TPipe& pipe)
        : t_(tiling.attention),
          workspace_(workspace),
          objects_(objects),
          steps_(t_, tiling.starts[workspace.Number()]),
          ahead_(t_, tiling.starts[workspace.Number()]),
          masks_(nullptr, t_) {
        Bind(q_, inputs.q);
        Bind(k_, inputs.k);
        Bind(v_, inputs.v);
        Bind(dy_, inputs.dy);
        maxima_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(inputs.maxima));
        row_sums_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(inputs.row_sums));
        const uint32_t piece = t_.score_rows * t_.base_n;
        pipe.InitBuffer(scores_, 2, piece * sizeof(float));
        pipe.InitBuffer(grads_, 2, piece * sizeof(float));
        pipe.InitBuffer(probabilities_, 2, piece * sizeof(T));
        pipe.InitBuffer(score_grads_, 2, piece * sizeof(T));
        pipe.InitBuffer(row_values_, 3 * t_.base_m * sizeof(float));
        pipe.InitBuffer(blocks_, 3 * t_.score_rows * attention::row_block * sizeof(float));
    }

    __aicore__ inline void Run() {
        SetMaskNorm();
        attention::FirstLanes(attention::lanes);
        Ask();
        attention::RunStaggered(
            steps_,
            1,
            [this](const Step& step, uint32_t number) {
                Ask();
                Differentiate(step, number);
                AskForGrads(step, number);
            },
            [this](const Step&, uint32_t) {
                objects_.key_grad.WaitIterateAll();
                objects_.key_grad.WaitIterateAll();
                objects_.query_grad.WaitIterateAll();
            });
        objects_.scores.End();
        objects_.key_grad.End();
        objects_.query_grad.End();
    }

private:
    __aicore__ inline static void Bind(GlobalTensor<T>& tensor, GM_ADDR at) {
        tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(at));
    }

    /// Elements between one query and the next of a head, and between one key and the next.
    [[nodiscard]] __aicore__ inline int QueryPitch() const {
        return static_cast<int>(t_.by_head != 0 ? t_.dim : t_.heads * t_.dim);
    }

    [[nodiscard]] __aicore__ inline int KeyPitch() const {
        return static_cast<int>(attention::KeyDistance(t_) * t_.dim);
    }

    /// The first element of a step's queries.
    [[nodiscard]] __aicore__ inline uint64_t QueryAt(const Step& step) const {
        uint64_t row = 0;
        attention::ForRuns(
            t_, step.sequence, step.row, step.rows, [&](uint32_t, uint32_t, uint64_t at, uint32_t) {
                row = at;
            });
        return row * t_.dim;
    }

    /// Asks for the next step's dP and S.
    __aicore__ inline void Ask() {
        if (!ahead_.Valid()) {
            return;
        }
        const Step& step = ahead_.Get();
        const auto wide = static_cast<int>(attention::padded(step.columns));
        const uint64_t query = QueryAt(step);
        const uint64_t key = attention::KeyRow(t_, step) * t_.dim;
        auto& scores = objects_.scores;
        scores.SetOrgShape(static_cast<int>(t_.base_m), wide, QueryPitch(), KeyPitch(), wide);
        scores.SetTail(static_cast<int>(step.rows), static_cast<int>(step.columns));
        scores.SetTensorA(dy_[query]);
        scores.SetTensorB(v_[key], true);
        scores.template IterateAll<false>(workspace_.ProbabilityGrads(asked_), 0, false, true);
        scores.SetTensorA(q_[query]);
        scores.SetTensorB(k_[key], true);
        scores.template IterateAll<false>(workspace_.Scores(asked_), 0, false, true);
        ++asked_;
        ahead_.Next();
    }

    __aicore__ inline void AskForGrads(const Step& step, uint32_t number) {
        SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
        const auto rows = static_cast<int>(step.rows);
        const auto columns = static_cast<int>(step.columns);
        const auto wide = static_cast<int>(attention::padded(step.columns));
        const auto dim = static_cast<int>(t_.dim);
        const uint64_t query = QueryAt(step);
        const uint64_t key = attention::KeyRow(t_, step) * t_.dim;
        auto& of_keys = objects_.key_grad;  // (columns, dim) = (rows, columns)^T x (rows, dim)
        of_keys.SetOrgShape(wide, QueryPitch(), rows, rows, KeyPitch());
        of_keys.SetTail(columns, dim, rows);
        of_keys.SetTensorA(workspace_.Probabilities(number), true);
        of_keys.SetTensorB(dy_[query]);
        of_keys.template IterateAll<false>(workspace_.ValueGrad()[key], 1, false, true);
        auto& of_queries = objects_.query_grad;  // (rows, dim) = (rows, columns) x (columns, dim)
        of_queries.SetOrgShape(rows, KeyPitch(), wide, wide, QueryPitch());
        of_queries.SetTail(rows, dim, columns);
        of_queries.SetTensorA(workspace_.ScoreGrads(number));
        of_queries.SetTensorB(k_[key]);
        of_queries.template IterateAll<false>(workspace_.QueryGrad()[query], 1, false, true);
        of_keys.SetTensorA(workspace_.ScoreGrads(number), true);
        of_keys.SetTensorB(q_[query]);
        of_keys.template IterateAll<false>(workspace_.KeyGrad()[key], 1, false, true);
    }

    __aicore__ inline void Differentiate(const Step& step, uint32_t number) {
        if (step.first) {
            FetchRowValues(step);
        }
        objects_.scores.WaitIterateAll();
        objects_.scores.WaitIterateAll();
        for (uint32_t row = 0; row < step.rows; row += t_.score_rows) {
            Piece(step, number, row, Smaller(t_.score_rows, step.rows - row));
        }
    }

    // Maxima, sums of the softmax and sums of dy * o of a tile of queries.
    __aicore__ inline void FetchRowValues(const Step& step) {
        const LocalTensor<float> values = row_values_.Get<float>();
        const uint64_t from = uint64_t{step.sequence} * t_.q_len + step.row;
        const DataCopyExtParams rows(1, step.rows * 4, 0, 0, 0);
        const DataCopyPadExtParams<float> pad;
        SetFlag<HardEvent::V_MTE2>(EVENT_ID7);
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID7);
        DataCopyPad(values, maxima_[from], rows, pad);
        DataCopyPad(values[t_.base_m], row_sums_[from], rows, pad);
        DataCopyPad(values[2 * t_.base_m], workspace_.Sums()[from], rows, pad);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID7);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID7);
    }

    __aicore__ inline void Piece(const Step& step, uint32_t number, uint32_t row, uint32_t rows) {
        const uint32_t wide = attention::padded(step.columns);
        const uint32_t count = rows * wide;
        LocalTensor<float> s = scores_.template AllocTensor<float>();
        DataCopy(s, workspace_.Scores(number)[row * wide], count);  // (rows, columns) GM -> UB
        scores_.EnQue(s);
        LocalTensor<float> dp = grads_.template AllocTensor<float>();
        DataCopy(dp, workspace_.ProbabilityGrads(number)[row * wide], count);
        grads_.EnQue(dp);
        s = scores_.template DeQue<float>();
        Softmax(step, {s, rows, step.columns, wide}, row);
        Store(probabilities_, s, workspace_.Probabilities(number)[row * wide], count);
        dp = grads_.template DeQue<float>();
        attention::ApplyBlocks(
            {dp, rows, step.columns, wide}, Blocks(2), [](auto... args) { Sub<float, false>(args...); });
        PipeBarrier<PIPE_V>();
        attention::ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            const BinaryRepeatParams dense(1, 1, 1, 8, 8, 8);
            Mul<float, false>(dp[at], dp[at], s[at], MASK_PLACEHOLDER, repeats, dense);
        });
        PipeBarrier<PIPE_V>();
        scores_.FreeTensor(s);
        Store(score_grads_, dp, workspace_.ScoreGrads(number)[row * wide], count);
        grads_.FreeTensor(dp);
    }

    // s = e^(s * scale - maximum) / sum of each row
    __aicore__ inline void Softmax(const Step& step, const attention::RowBlock& s, uint32_t row) {
        for (uint32_t i = 0; i < 3; ++i) {
            attention::SpreadRows(Blocks(i), row_values_.Get<float>()[i * t_.base_m + row], s.rows);
        }
        const UnaryRepeatParams dense(1, 1, 8, 8);
        attention::ForLanes(s.rows * s.pitch, [&](uint32_t at, uint8_t repeats) {
            Muls<float, false>(s.data[at], s.data[at], t_.scale, MASK_PLACEHOLDER, repeats, dense);
        });
        PipeBarrier<PIPE_V>();
        masks_.Apply(step, s, step.row + row);
        attention::ApplyBlocks(s, Blocks(0), [](auto... args) { Sub<float, false>(args...); });
        PipeBarrier<PIPE_V>();
        attention::ForLanes(s.rows * s.pitch, [&](uint32_t at, uint8_t repeats) {
            Exp<float, false>(s.data[at], s.data[at], MASK_PLACEHOLDER, repeats, dense);
        });
        PipeBarrier<PIPE_V>();
        attention::ApplyBlocks(s, Blocks(1), [](auto... args) { Div<float, false>(args...); });
        PipeBarrier<PIPE_V>();
    }

    // Rounded, UB -> GM
    template <typename Queue>
    __aicore__ inline void Store(Queue& queue,
                                 const LocalTensor<float>& from,
                                 const GlobalTensor<T>& to,
                                 uint32_t count) {
        LocalTensor<T> out = queue.template AllocTensor<T>();
        attention::ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            const UnaryRepeatParams narrow(1, 1, 4, 8);
            Cast<T, float, false>(out[at], from[at], RoundMode::CAST_RINT, MASK_PLACEHOLDER, repeats, narrow);
        });
        queue.EnQue(out);
        out = queue.template DeQue<T>();
        DataCopy(to, out, count);
        queue.FreeTensor(out);
    }

    /// A row value eight times for each row of a piece.
    [[nodiscard]] __aicore__ inline LocalTensor<float> Blocks(uint32_t i) {
        return blocks_.Get<float>()[i * t_.score_rows * attention::row_block];
    }

    const Tiling& t_;
    const Workspace<T>& workspace_;
    Objects<T>& objects_;
    Share steps_;
    Share ahead_;
    uint32_t asked_ = 0;
    attention::Masks masks_;
    GlobalTensor<T> q_;
    GlobalTensor<T> k_;
    GlobalTensor<T> v_;
    GlobalTensor<T> dy_;
    GlobalTensor<float> maxima_;
    GlobalTensor<float> row_sums_;
    TQue<TPosition::VECIN, 2> scores_;          // (score_rows, base_n) fp32
    TQue<TPosition::VECIN, 2> grads_;           // (score_rows, base_n) fp32
    TQue<TPosition::VECOUT, 2> probabilities_;  // (score_rows, base_n)
    TQue<TPosition::VECOUT, 2> score_grads_;    // (score_rows, base_n)
    TBuf<TPosition::VECCALC> row_values_;       // (3, base_m) fp32
    TBuf<TPosition::VECCALC> blocks_;           // (3, score_rows, 8) fp32
};

}  // namespace attention_grad
