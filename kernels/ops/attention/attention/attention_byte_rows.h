// SPDX-License-Identifier: Apache-2.0
// What the vector cores of attention.cpp do besides where queries, keys and values are bytes:
//
//   sums of products of bytes, int32 --mte2--> UB: * factor of the query's row and of the keys
//   what the rotated parts add, fp32 --mte2--> UB: + to these, which makes the scores
//   probabilities: in steps of 1 / byte_steps, as bytes --mte3--> P
//   products with v, int32 --mte2--> UB: * factor of the keys / byte_steps, when all are added up
#pragma once

#include "kernels/ops/attention/attention/attention_rows.h"

namespace attention {

template <typename T>
class ByteRows {
public:
    __aicore__ inline ByteRows(const Workspace<T>& workspace, const Tiling& tiling)
        : t_(tiling), workspace_(workspace) {}

    /// Factors of the queries, one for each row.
    __aicore__ inline void SetFactors(GM_ADDR factors) {
        query_factors_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(factors));
    }

    /// For blocks of at most `scores` scores, and `rows` rows of a tile.
    __aicore__ inline void InitBuffer(TPipe& pipe, uint32_t scores, uint32_t rows) {
        if (t_.rope_dim != 0) {
            pipe.InitBuffer(rotated_, scores * sizeof(float));
        }
        pipe.InitBuffer(halves_, scores * sizeof(half));
        pipe.InitBuffer(factors_, rows * sizeof(float));
    }

    /// Before the first step: the buffers are free.
    __aicore__ inline void RaiseFreeFlags() {
        SetFlag<HardEvent::V_MTE2>(factors_event);
        if (t_.rope_dim != 0) {
            SetFlag<HardEvent::V_MTE2>(rotated_event);
        }
    }

    /// Behind the last step: no flag stays up.
    __aicore__ inline void TakeFreeFlags() {
        WaitFlag<HardEvent::V_MTE2>(factors_event);
        if (t_.rope_dim != 0) {
            WaitFlag<HardEvent::V_MTE2>(rotated_event);
        }
    }

    /// Begins a tile of queries, of which this core has `rows` rows from `first` on.
    __aicore__ inline void Open(const Step& step, uint32_t first, uint32_t rows) {
        const LocalTensor<float> factors = factors_.Get<float>();
        WaitFlag<HardEvent::V_MTE2>(factors_event);
        DataCopyPad(factors,
                    query_factors_[uint64_t{step.sequence} * t_.rows + step.row + first],
                    DataCopyExtParams(1, rows * 4, 0, 0, 0),
                    DataCopyPadExtParams<float>());
        SetFlag<HardEvent::MTE2_V>(factors_event);
        WaitFlag<HardEvent::MTE2_V>(factors_event);
        Muls(factors, factors, t_.key_scale, static_cast<int32_t>(rows));
        FirstLanes(lanes);
        PipeBarrier<PIPE_V>();
    }

    /// Ends a tile of queries.
    __aicore__ inline void Close() { SetFlag<HardEvent::V_MTE2>(factors_event); }

    /// Makes scores of the sums in `block`, which is row `row` ... of this core's, at `from` of the
    /// workspace. Waits for them by the flag `arrived`.
    __aicore__ inline void MakeScores(const RowBlock& block,
                                      const RowScratch& scratch,
                                      uint32_t number,
                                      uint32_t from,
                                      uint32_t row,
                                      int32_t arrived) {
        const uint32_t count = block.rows * block.pitch;
        const LocalTensor<float>& s = block.data;
        if (t_.rope_dim != 0) {
            WaitFlag<HardEvent::V_MTE2>(rotated_event);
            DataCopy(rotated_.Get<float>(),
                     workspace_.RotatedScores(number)[from],
                     count);  // (rows, columns) GM -> UB
            SetFlag<HardEvent::MTE2_V>(rotated_event);
        }
        WaitFlag<HardEvent::MTE2_V>(arrived);
        ToFloats(s, count);
        SpreadRows(scratch.blocks, factors_.Get<float>()[row], block.rows);
        PipeBarrier<PIPE_V>();
        ApplyBlocks(block, scratch.blocks, [](auto... args) { Mul<float, false>(args...); });
        PipeBarrier<PIPE_V>();
        if (t_.rope_dim != 0) {
            AddRotated(s, count);
        }
    }

    /// Probabilities, at most 1, as bytes.
    __aicore__ inline void Narrow(const LocalTensor<int8_t>& p, const LocalTensor<float>& s, uint32_t count) {
        const LocalTensor<half> halves = halves_.Get<half>();
        ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            Cast<half, float, false>(halves[at],
                                     s[at],
                                     RoundMode::CAST_RINT,
                                     MASK_PLACEHOLDER,
                                     repeats,
                                     UnaryRepeatParams(1, 1, 4, 8));
        });
        PipeBarrier<PIPE_V>();
        ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            Muls<half, false>(halves[at],
                              halves[at],
                              static_cast<half>(byte_steps),
                              MASK_PLACEHOLDER,
                              repeats,
                              UnaryRepeatParams(1, 1, 4, 4));
        });
        PipeBarrier<PIPE_V>();
        ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            Cast<int8_t, half, false>(p[at],
                                      halves[at],
                                      RoundMode::CAST_RINT,
                                      MASK_PLACEHOLDER,
                                      repeats,
                                      UnaryRepeatParams(1, 1, 2, 4));
        });
    }

    /// int32 in place of floats becomes these.
    __aicore__ inline void ToFloats(const LocalTensor<float>& values, uint32_t count) {
        const LocalTensor<int32_t> whole = values.template ReinterpretCast<int32_t>();
        ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            Cast<float, int32_t, false>(values[at],
                                        whole[at],
                                        RoundMode::CAST_RINT,
                                        MASK_PLACEHOLDER,
                                        repeats,
                                        UnaryRepeatParams(1, 1, 8, 8));
        });
        PipeBarrier<PIPE_V>();
    }

    /// Of a tile's whole sum: what steps of probabilities times bytes of values stand for.
    __aicore__ inline void Scale(const LocalTensor<float>& sum, uint32_t count) {
        ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            Muls<float, false>(sum[at],
                               sum[at],
                               t_.key_scale / byte_steps,
                               MASK_PLACEHOLDER,
                               repeats,
                               UnaryRepeatParams(1, 1, 8, 8));
        });
        PipeBarrier<PIPE_V>();
    }

private:
    // Behind those of the vector program.
    static constexpr int32_t rotated_event = 6;
    static constexpr int32_t factors_event = 7;

    __aicore__ inline void AddRotated(const LocalTensor<float>& s, uint32_t count) {
        const LocalTensor<float> rotated = rotated_.Get<float>();
        WaitFlag<HardEvent::MTE2_V>(rotated_event);
        ForLanes(count, [&](uint32_t at, uint8_t repeats) {
            const BinaryRepeatParams dense(1, 1, 1, 8, 8, 8);
            Add<float, false>(s[at], s[at], rotated[at], MASK_PLACEHOLDER, repeats, dense);
        });
        SetFlag<HardEvent::V_MTE2>(rotated_event);
        PipeBarrier<PIPE_V>();
    }

    const Tiling& t_;
    const Workspace<T>& workspace_;
    GlobalTensor<float> query_factors_;
    TBuf<TPosition::VECCALC> rotated_;  // (score_rows, base_n) fp32
    TBuf<TPosition::VECCALC> halves_;   // (score_rows, base_n) half
    TBuf<TPosition::VECCALC> factors_;  // (half) fp32
};

}  // namespace attention
