// SPDX-License-Identifier: Apache-2.0
// The vector core's program of attention.cpp: half of a tile's rows each, or all, a few at a time.
//
//   S --mte2--> UB: * scale, masked, row maximum m, P = e^(S - m), row sum l --mte3--> P
//   O --mte2--> UB: sum = sum * e^(m_before - m) + O; at the end sum / l --mte3--> o
//
// On-line softmax: with every tile of keys the maximum may grow; what was added up before shrinks by the same
// factor. Where keys are split, sum, m and l of each part go to the workspace, and attention_combine.h
// makes o of them.
#pragma once

#include <type_traits>

#include "kernels/ops/attention/attention/attention_byte_rows.h"
#include "kernels/ops/attention/attention/attention_combine.h"
#include "kernels/ops/attention/attention/attention_hand_over.h"
#include "kernels/ops/attention/attention/attention_masks.h"
#include "kernels/ops/attention/attention/attention_rows.h"

namespace attention {

/// `bytes`: queries, keys and probabilities are bytes, and scores and products whole numbers.
template <typename T, typename HandOver, bool bytes = false>
class VectorProgram {
public:
    __aicore__ inline VectorProgram(GM_ADDR mask,
                                    const typename HandOver::Inputs& inputs,
                                    GM_ADDR o,
                                    GM_ADDR workspace,
                                    const Tiling& tiling,
                                    TPipe& pipe)
        : t_(tiling),
          steps_(t_, HandOver::Number(), HandOver::Count()),
          workspace_(workspace, t_, HandOver::Number(), HandOver::Count()),
          dim_(padded(tiling.value_dim)),
          half_(half_rows(tiling)),
          masks_(mask, t_),
          hand_over_(inputs, workspace_, t_),
          byte_rows_(workspace_, t_) {
        o_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(o));
        sums_ = workspace_.Sum(static_cast<uint32_t>(GetSubBlockIdx()));
        const uint32_t scores = t_.score_rows * t_.base_n;
        const uint32_t outputs = t_.output_rows * dim_;
        pipe.InitBuffer(scores_, 2 * scores * sizeof(float));
        pipe.InitBuffer(probabilities_, 2 * scores * sizeof(Probability));
        pipe.InitBuffer(mask_, t_.masked != 0 ? scores * sizeof(float) : 32);
        if constexpr (bytes) {
            byte_rows_.InitBuffer(pipe, scores, half_);
        }
        pipe.InitBuffer(products_, 2 * outputs * sizeof(float));
        pipe.InitBuffer(sum_, (t_.resident != 0 ? half_ * dim_ : outputs) * sizeof(float));
        pipe.InitBuffer(out_, outputs * sizeof(T));
        const uint32_t most = t_.score_rows > t_.output_rows ? t_.score_rows : t_.output_rows;
        pipe.InitBuffer(work_, fold_places(t_.base_n) * t_.score_rows * lanes * sizeof(float));
        pipe.InitBuffer(blocks_, most * row_block * sizeof(float));
        pipe.InitBuffer(row_values_, (3 + 2 * t_.stages) * half_ * sizeof(float));
        hand_over_.InitBuffer(pipe);
        scratch_ = {work_.Get<float>(), t_.score_rows * lanes, blocks_.Get<float>()};
        masks_.SetBuffer(mask_.Get<float>());
        maximum_ = row_values_.Get<float>();
        before_ = maximum_[half_];
        of_tile_ = maximum_[2 * half_];
    }

    __aicore__ inline void Run() {
        SetMaskNorm();
        FirstLanes(lanes);
        for (int32_t i = 0; i < in_events; ++i) {
            SetFlag<HardEvent::V_MTE2>(i);
        }
        for (int32_t i = 0; i < out_events; ++i) {
            SetFlag<HardEvent::MTE3_V>(i);
        }
        for (int32_t i = 0; i < 2; ++i) {
            SetFlag<HardEvent::MTE3_MTE2>(product_stored + i);
        }
        if constexpr (bytes) {
            byte_rows_.RaiseFreeFlags();
        }
        hand_over_.Ahead();
        RunStaggered(
            steps_,
            t_.stages - 1,
            [this](const Step& step, uint32_t number) {
                hand_over_.Ahead();
                Softmax(step, number);
            },
            [this](const Step& step, uint32_t number) { Accumulate(step, number); });
        hand_over_.Finish();
        for (int32_t i = 0; i < in_events; ++i) {
            WaitFlag<HardEvent::V_MTE2>(i);
        }
        for (int32_t i = 0; i < out_events; ++i) {
            WaitFlag<HardEvent::MTE3_V>(i);
        }
        for (int32_t i = 0; i < 2; ++i) {
            WaitFlag<HardEvent::MTE3_MTE2>(product_stored + i);
        }
        if constexpr (bytes) {
            byte_rows_.TakeFreeFlags();
        }
    }

    /// Of bytes: factors of the queries, one for each row.
    __aicore__ inline void SetFactors(GM_ADDR factors) { byte_rows_.SetFactors(factors); }

private:
    using Probability = std::conditional_t<bytes, int8_t, T>;

    // Event ids of buffers that are copied in: two of scores, two of products, sum; masks have the last.
    static constexpr int32_t product_event = 2;
    static constexpr int32_t sum_event = 4;
    static constexpr int32_t in_events = Masks::event + 1;
    // And of those copied out: two of probabilities, output, sum; row values are waited for at once.
    static constexpr int32_t out_event = 2;
    static constexpr int32_t sum_event_out = 3;
    static constexpr int32_t out_events = 4;
    static constexpr int32_t values_event = 4;
    // Copied out before copied in again: sums of the workspace, and two places of products.
    static constexpr int32_t sums_event = 0;
    static constexpr int32_t product_stored = 1;

    // This core's share of a tile's rows.
    [[nodiscard]] __aicore__ inline uint32_t FirstRow(const Step& step) const {
        return GetSubBlockIdx() == 0 || t_.whole_tiles != 0 ? 0 : Parts(step.rows, 2);
    }

    [[nodiscard]] __aicore__ inline uint32_t Rows(const Step& step) const {
        if (t_.whole_tiles != 0) {
            return step.rows;
        }
        return GetSubBlockIdx() == 0 ? Parts(step.rows, 2) : step.rows - Parts(step.rows, 2);
    }

    [[nodiscard]] __aicore__ inline LocalTensor<float> Shrink(uint32_t number) const {
        return maximum_[(3 + number % t_.stages) * half_];
    }

    // Row sums of as many tiles of queries as may be open at a time.
    [[nodiscard]] __aicore__ inline LocalTensor<float> Total(const Step& step) const {
        return maximum_[(3 + t_.stages + step.task % t_.stages) * half_];
    }

    // ---- scores to probabilities ----

    __aicore__ inline void Softmax(const Step& step, uint32_t number) {
        hand_over_.AwaitScores();
        const uint32_t rows = Rows(step);
        if constexpr (bytes) {
            if (step.first && rows > 0) {
                byte_rows_.Open(step, FirstRow(step), rows);
            }
        }
        for (uint32_t row = 0; row < rows; row += t_.score_rows) {
            SoftmaxRows(step, number, row, Smaller(t_.score_rows, rows - row));
        }
        if constexpr (bytes) {
            if (step.last && rows > 0) {
                byte_rows_.Close();
            }
        }
        if (step.last && t_.splits > 1 && rows > 0) {
            KeepRowValues(step);
        }
        hand_over_.ProbabilitiesStored(step, number);
    }

    __aicore__ inline void SoftmaxRows(const Step& step, uint32_t number, uint32_t row, uint32_t rows) {
        const uint32_t wide = wide_keys(t_, step.columns);
        const uint32_t count = rows * wide;
        const uint32_t from = (FirstRow(step) + row) * wide;
        const auto buffer = static_cast<int32_t>(turn_++ % 2);
        const uint32_t room = t_.score_rows * t_.base_n;
        const LocalTensor<float> s = scores_.template Get<float>()[static_cast<uint32_t>(buffer) * room];
        WaitFlag<HardEvent::V_MTE2>(buffer);
        DataCopy(s, workspace_.Scores(number)[from], count);  // (rows, columns) GM -> UB
        SetFlag<HardEvent::MTE2_V>(buffer);
        if constexpr (bytes) {
            byte_rows_.MakeScores({s, rows, step.columns, wide}, scratch_, number, from, row, buffer);
        } else {
            WaitFlag<HardEvent::MTE2_V>(buffer);
        }
        const UnaryRepeatParams dense(1, 1, 8, 8);
        ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            Muls<float, false>(s[at], s[at], t_.scale, MASK_PLACEHOLDER, repeats, dense);
        });
        PipeBarrier<PIPE_V>();
        const RowBlock block{s, rows, step.columns, wide};
        masks_.Apply(step, block, step.row + FirstRow(step) + row);
        Maxima(step, block, number, row);
        ApplyBlocks(block, scratch_.blocks, [](auto... args) { Sub<float, false>(args...); });
        PipeBarrier<PIPE_V>();
        ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            Exp<float, false>(s[at], s[at], MASK_PLACEHOLDER, repeats, dense);
        });
        WaitFlag<HardEvent::MTE3_V>(buffer);
        PipeBarrier<PIPE_V>();
        const LocalTensor<Probability> p =
            probabilities_.template Get<Probability>()[static_cast<uint32_t>(buffer) * room];
        if constexpr (bytes) {
            byte_rows_.Narrow(p, s, count);
        } else {
            ForLanes(count, [&](uint32_t at, uint8_t repeats) {
                const UnaryRepeatParams narrow(1, 1, 4, 8);
                Cast<T, float, false>(p[at], s[at], RoundMode::CAST_RINT, MASK_PLACEHOLDER, repeats, narrow);
            });
        }
        SetFlag<HardEvent::V_MTE3>(buffer);
        Totals(step, block, number, row);
        SetFlag<HardEvent::V_MTE2>(buffer);
        WaitFlag<HardEvent::V_MTE3>(buffer);
        if constexpr (bytes) {
            DataCopy(workspace_.ByteProbabilities(number)[from], p, count);  // (rows, columns) UB -> GM
        } else {
            DataCopy(workspace_.Probabilities(number)[from], p, count);  // the same
        }
        SetFlag<HardEvent::MTE3_V>(buffer);
    }

    // The maxima so far, in scratch blocks too, and by what they make earlier sums shrink.
    __aicore__ inline void Maxima(const Step& step, const RowBlock& block, uint32_t number, uint32_t row) {
        if (step.first) {
            MaximumOfRows(maximum_[row], block, scratch_);
            SpreadRows(scratch_.blocks, maximum_[row], block.rows);
            PipeBarrier<PIPE_V>();
            return;
        }
        const LocalTensor<float> before = before_[row];
        const LocalTensor<float> now = of_tile_[row];
        MaximumOfRows(now, block, scratch_);
        FirstLanes(block.rows);
        Max<float, false>(now, now, maximum_[row], MASK_PLACEHOLDER, 1, one);
        PipeBarrier<PIPE_V>();
        SpreadRows(scratch_.blocks, now, block.rows);
        Sub<float, false>(before, maximum_[row], now, MASK_PLACEHOLDER, 1, one);
        PipeBarrier<PIPE_V>();
        Adds<float, false>(maximum_[row], now, 0.0F, MASK_PLACEHOLDER, 1, UnaryRepeatParams(1, 1, 8, 8));
        Exp<float, false>(Shrink(number)[row], before, MASK_PLACEHOLDER, 1, UnaryRepeatParams(1, 1, 8, 8));
        FirstLanes(lanes);
    }

    __aicore__ inline void Totals(const Step& step, const RowBlock& block, uint32_t number, uint32_t row) {
        const LocalTensor<float> total = Total(step)[row];
        if (step.first) {
            SumOfRows(total, block, scratch_);
            return;
        }
        SumOfRows(of_tile_[row], block, scratch_);
        FirstLanes(block.rows);
        Mul<float, false>(total, total, Shrink(number)[row], MASK_PLACEHOLDER, 1, one);
        PipeBarrier<PIPE_V>();
        Add<float, false>(total, total, of_tile_[row], MASK_PLACEHOLDER, 1, one);
        FirstLanes(lanes);
        PipeBarrier<PIPE_V>();
    }

    // ---- products to the output ----

    __aicore__ inline void Accumulate(const Step& step, uint32_t number) {
        hand_over_.AwaitProduct();
        const uint32_t rows = Rows(step);
        if (rows == 0) {
            return;
        }
        const bool parted = t_.resident != 0 && t_.splits > 1;
        if (step.first && parted) {
            WaitFlag<HardEvent::MTE3_V>(sum_event_out);
        }
        if (!step.first && t_.resident == 0) {
            WaitFlag<HardEvent::MTE3_MTE2>(sums_event);
        }
        for (uint32_t row = 0; row < rows; row += t_.output_rows) {
            AccumulateRows(step, number, row, Smaller(t_.output_rows, rows - row));
        }
        if (!step.last && t_.resident == 0) {
            SetFlag<HardEvent::MTE3_MTE2>(sums_event);
        }
        if (step.last && parted) {
            SetFlag<HardEvent::MTE3_V>(sum_event_out);
        }
    }

    __aicore__ inline void AccumulateRows(const Step& step, uint32_t number, uint32_t row, uint32_t rows) {
        const uint32_t count = rows * dim_;
        const auto buffer = static_cast<int32_t>(product_turn_++ % 2);
        const LocalTensor<float> product =
            products_.template Get<float>()[static_cast<uint32_t>(buffer) * t_.output_rows * dim_];
        const LocalTensor<float> sum = sum_.template Get<float>()[t_.resident != 0 ? row * dim_ : 0];
        WaitFlag<HardEvent::V_MTE2>(product_event + buffer);
        WaitFlag<HardEvent::MTE3_MTE2>(product_stored + buffer);
        DataCopy(product,
                 workspace_.Product(number)[(FirstRow(step) + row) * dim_],
                 count);  // (rows, dim) GM -> UB
        SetFlag<HardEvent::MTE2_V>(product_event + buffer);
        if (!step.first && t_.resident == 0) {
            FetchSum(sum, row, count);
        }
        WaitFlag<HardEvent::MTE2_V>(product_event + buffer);
        if constexpr (bytes) {
            byte_rows_.ToFloats(product, count);
        }
        AddProduct(step, number, sum, product, row, rows);
        const LocalTensor<float>& result = t_.resident != 0 ? sum : product;
        if constexpr (bytes) {
            if (step.last) {
                byte_rows_.Scale(result, count);
            }
        }
        if (step.last && t_.splits == 1) {
            Finish(step, result, row, rows);
        } else if (step.last) {
            Store(result, workspace_.PartOutput(step.sequence, step.part)[PartRow(step, row) * dim_], count);
        } else if (t_.resident == 0) {
            Store(result, sums_[row * dim_], count);
        }
        SetFlag<HardEvent::V_MTE2>(product_event + buffer);
        SetFlag<HardEvent::MTE3_MTE2>(product_stored + buffer);
    }

    // Where sums are not resident, the new one takes the product's place; the first product is the sum.
    __aicore__ inline void AddProduct(const Step& step,
                                      uint32_t number,
                                      const LocalTensor<float>& sum,
                                      const LocalTensor<float>& product,
                                      uint32_t row,
                                      uint32_t rows) {
        const uint32_t count = rows * dim_;
        if (step.first) {
            if (t_.resident != 0) {
                ForLanes(count, [&](uint32_t at, uint8_t repeats) {
                    const UnaryRepeatParams dense(1, 1, 8, 8);
                    Adds<float, false>(sum[at], product[at], 0.0F, MASK_PLACEHOLDER, repeats, dense);
                });
            }
        } else {
            ForRows({sum, rows, dim_, dim_}, Shrink(number)[row], scratch_.blocks, [](auto... a) {
                Mul<float, false>(a...);
            });
            const LocalTensor<float>& to = t_.resident != 0 ? sum : product;
            ForLanes(count, [&](uint32_t at, uint8_t repeats) {
                const BinaryRepeatParams dense(1, 1, 1, 8, 8, 8);
                Add<float, false>(to[at], sum[at], product[at], MASK_PLACEHOLDER, repeats, dense);
            });
            if (t_.resident == 0) {
                SetFlag<HardEvent::V_MTE2>(sum_event);
            }
        }
        PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void FetchSum(const LocalTensor<float>& sum, uint32_t row, uint32_t count) {
        WaitFlag<HardEvent::V_MTE2>(sum_event);
        DataCopy(sum, sums_[row * dim_], count);  // (rows, dim) GM -> UB
        SetFlag<HardEvent::MTE2_V>(sum_event);
        WaitFlag<HardEvent::MTE2_V>(sum_event);
    }

    __aicore__ inline void Store(const LocalTensor<float>& from,
                                 const GlobalTensor<float>& to,
                                 uint32_t count) {
        SetFlag<HardEvent::V_MTE3>(sum_event_out);
        WaitFlag<HardEvent::V_MTE3>(sum_event_out);
        DataCopy(to, from, count);  // (rows, dim) UB -> GM
    }

    __aicore__ inline void Finish(const Step& step,
                                  const LocalTensor<float>& sum,
                                  uint32_t row,
                                  uint32_t rows) {
        ForRows({sum, rows, dim_, dim_}, Total(step)[row], scratch_.blocks, [](auto... a) {
            Div<float, false>(a...);
        });
        const LocalTensor<T> out = out_.template Get<T>();
        WaitFlag<HardEvent::MTE3_V>(out_event);
        ForLanes(rows * dim_, [&](uint32_t at, uint8_t repeats) {
            const UnaryRepeatParams narrow(1, 1, 4, 8);
            Cast<T, float, false>(out[at], sum[at], RoundMode::CAST_RINT, MASK_PLACEHOLDER, repeats, narrow);
        });
        SetFlag<HardEvent::V_MTE3>(out_event);
        WaitFlag<HardEvent::V_MTE3>(out_event);
        StoreOutput(t_, o_, out, step.sequence, step.row + FirstRow(step) + row, rows);
        SetFlag<HardEvent::MTE3_V>(out_event);
        PipeBarrier<PIPE_V>();
    }

    // Of a part's results: tiles one after the other, in each the two vector cores' rows.
    [[nodiscard]] __aicore__ inline uint32_t PartRow(const Step& step, uint32_t row) const {
        return (step.row / t_.base_m * 2 + static_cast<uint32_t>(GetSubBlockIdx())) * half_ + row;
    }

    // The next tile of queries overwrites the maxima: they are out before it begins.
    __aicore__ inline void KeepRowValues(const Step& step) {
        const DataCopyExtParams values(1, Rows(step) * 4, 0, 0, 0);
        SetFlag<HardEvent::V_MTE3>(values_event);
        WaitFlag<HardEvent::V_MTE3>(values_event);
        DataCopyPad(workspace_.PartMaxima(step.sequence, step.part)[PartRow(step, 0)], maximum_, values);
        DataCopyPad(workspace_.PartSums(step.sequence, step.part)[PartRow(step, 0)], Total(step), values);
        SetFlag<HardEvent::MTE3_V>(values_event);
        WaitFlag<HardEvent::MTE3_V>(values_event);
    }

    const BinaryRepeatParams one{1, 1, 1, 8, 8, 8};  // strides of row values

    Tiling t_;
    Steps steps_;
    Workspace<T> workspace_;
    uint32_t dim_;
    uint32_t half_;
    Masks masks_;
    HandOver hand_over_;
    ByteRows<T> byte_rows_;  // of bytes
    uint32_t turn_ = 0;
    uint32_t product_turn_ = 0;
    TBuf<TPosition::VECCALC> scores_;         // (2, score_rows, base_n) fp32
    TBuf<TPosition::VECCALC> probabilities_;  // (2, score_rows, base_n)
    TBuf<TPosition::VECCALC> mask_;           // (score_rows, base_n) fp32
    TBuf<TPosition::VECCALC> products_;       // (2, output_rows, dim) fp32
    TBuf<TPosition::VECCALC> sum_;            // (half or output_rows, dim) fp32
    TBuf<TPosition::VECCALC> out_;            // (output_rows, dim)
    TBuf<TPosition::VECCALC> work_;           // (places, score_rows, 64) fp32
    TBuf<TPosition::VECCALC> blocks_;         // (rows, 8) fp32
    TBuf<TPosition::VECCALC> row_values_;     // (3 + 2 stages, half) fp32
    RowScratch scratch_;
    LocalTensor<float> maximum_;
    LocalTensor<float> before_;
    LocalTensor<float> of_tile_;
    GlobalTensor<T> o_;
    GlobalTensor<float> sums_;
};

}  // namespace attention
