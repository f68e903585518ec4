// SPDX-License-Identifier: Apache-2.0
// What a query of attention.cpp does not see: keys behind its own place, and what a mask says.
#pragma once

#include "kernels/ops/attention/attention/attention_rows.h"

namespace attention {

class Masks {
public:
    static constexpr int32_t event = 5;  // of the buffer, from the vector unit to the copies and back

    __aicore__ inline Masks(GM_ADDR mask, const Tiling& tiling) : t_(tiling) {
        mask_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(mask));
    }

    __aicore__ inline void SetBuffer(const LocalTensor<float>& buffer) { buffer_ = buffer; }

    /// Masks scores whose first row is row `first` of its sequence. Expects and leaves all lanes set.
    __aicore__ inline void Apply(const Step& step, const RowBlock& block, uint32_t first) {
        if (t_.masked != 0) {
            Add(step, block, first);
        }
        if (t_.causal == 0) {
            return;
        }
        const uint32_t past = t_.kv_len - t_.q_len + 1;
        const uint32_t least = t_.merged == 1 ? step.row + past : past;
        if (step.column + step.columns <= least) {
            return;
        }
        for (uint32_t i = 0; i < block.rows; ++i) {
            const uint32_t seen = QueryOf(t_, first + i) + past;
            const uint32_t within = seen > step.column ? seen - step.column : 0;
            if (within < block.columns) {
                MaskBehind(block.data[i * block.pitch], within, block.pitch);
            }
        }
        FirstLanes(lanes);
        PipeBarrier<PIPE_V>();
    }

private:
    __aicore__ inline void Add(const Step& step, const RowBlock& block, uint32_t first) {
        const uint32_t run = t_.merged == 1 ? block.rows : 1;
        const uint32_t gap = (block.pitch - CeilTo(step.columns, row_block)) / row_block;
        // Of a batch with masks of their own: rows of the masks before this one.
        const uint64_t before =
            t_.masked == 2 ? uint64_t{step.sequence / (t_.heads / t_.merged)} * t_.q_len : 0;
        WaitFlag<HardEvent::V_MTE2>(event);
        for (uint32_t i = 0; i < block.rows; i += run) {
            const uint64_t query = before + QueryOf(t_, first + i);
            DataCopyPad(
                buffer_[i * block.pitch],
                mask_[query * t_.kv_len + step.column],
                DataCopyExtParams(
                    static_cast<uint16_t>(run), step.columns * 4, (t_.kv_len - step.columns) * 4, gap, 0),
                DataCopyPadExtParams<float>());  // (rows, columns) GM -> UB
        }
        SetFlag<HardEvent::MTE2_V>(event);
        WaitFlag<HardEvent::MTE2_V>(event);
        ForLanes(block.rows * block.pitch, [&](uint32_t at, uint8_t repeats) {
            const BinaryRepeatParams dense(1, 1, 1, 8, 8, 8);
            AscendC::Add<float, false>(
                block.data[at], block.data[at], buffer_[at], MASK_PLACEHOLDER, repeats, dense);
        });
        SetFlag<HardEvent::V_MTE2>(event);
        PipeBarrier<PIPE_V>();
    }

    const Tiling& t_;
    GlobalTensor<float> mask_;
    LocalTensor<float> buffer_;  // (score_rows, base_n)
};

}  // namespace attention
