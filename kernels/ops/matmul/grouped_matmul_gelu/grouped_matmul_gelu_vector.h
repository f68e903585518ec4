// SPDX-License-Identifier: Apache-2.0
// The vector cores' program of grouped_matmul_gelu.cpp: parts of a block's rows go round a group's vector
// cores.
//
//   workspace --mte2--> UB int32 --dequant--> float, * scale of the row, gelu --> half --mte3--> C
#pragma once

#include "kernels/ops/matmul/grouped_matmul_gelu/grouped_matmul_gelu_steps.h"

namespace grouped_gelu {

class VectorProgram {
public:
    __aicore__ inline VectorProgram(GM_ADDR scale,
                                    GM_ADDR row_scale,
                                    GM_ADDR row_ends,
                                    GM_ADDR workspace,
                                    GM_ADDR c,
                                    const Tiling& tiling)
        : t_(tiling) {
        scale_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(scale));
        row_scale_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(row_scale));
        row_ends_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(row_ends));
        sums_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace));
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c));
        pipe_.InitBuffer(columns_in_, 2, base_n * sizeof(float));
        pipe_.InitBuffer(rows_in_, 2, base_m * sizeof(float));
        pipe_.InitBuffer(sums_in_, 2, part * sizeof(int32_t));
        pipe_.InitBuffer(out_, 2, part * sizeof(half));
        pipe_.InitBuffer(room_, 4 * part * sizeof(float));
    }

    __aicore__ inline void Run() {
        const auto ratio = static_cast<uint32_t>(GetTaskRation());
        const uint32_t core = static_cast<uint32_t>(GetBlockIdx()) / ratio;
        uint32_t turn = 0;
        ForBlocks(t_, row_ends_, core, static_cast<uint32_t>(GetBlockNum()), [&](const Block& block) {
            if (block.first) {
                turn = 0;
            }
            const LocalTensor<float> columns = Columns(block);
            CrossCoreWaitFlag(cube::ready_flag);
            for (uint32_t row = 0; row < block.rows; row += part_rows, ++turn) {
                if (turn % ratio == static_cast<uint32_t>(GetSubBlockIdx())) {
                    Part(core, block, row, cube::Smaller(part_rows, block.rows - row), columns);
                }
            }
            columns_in_.FreeTensor(columns);
            CrossCoreSetFlag<2, PIPE_MTE2>(cube::free_flag);
        });
    }

private:
    static constexpr uint32_t part = part_rows * base_n;  // elements
    static constexpr uint32_t lanes = 64;                 // floats of a repeat

    __aicore__ inline LocalTensor<float> Columns(const Block& block) {
        const LocalTensor<float> to = columns_in_.AllocTensor<float>();
        DataCopyPad(to,
                    scale_[uint64_t{block.group} * t_.n + block.column],
                    DataCopyExtParams(1, block.columns * static_cast<uint32_t>(sizeof(float)), 0, 0, 0),
                    DataCopyPadExtParams<float>());
        columns_in_.EnQue(to);
        return columns_in_.DeQue<float>();
    }

    __aicore__ inline void Part(
        uint32_t core, const Block& block, uint32_t row, uint32_t rows, const LocalTensor<float>& columns) {
        const LocalTensor<int32_t> in = sums_in_.AllocTensor<int32_t>();
        DataCopyPad(
            in,
            sums_[SlotOffset(t_, core, block) + uint64_t{row} * block.columns],
            DataCopyExtParams(
                static_cast<uint16_t>(rows), block.columns * static_cast<uint32_t>(sizeof(int32_t)), 0, 0, 0),
            DataCopyPadExtParams<int32_t>());  // (rows, columns) GM -> UB
        sums_in_.EnQue(in);
        Compute(block, row, rows, columns);
        const LocalTensor<half> out = out_.DeQue<half>();
        DataCopyPad(c_[uint64_t{block.row + row} * t_.n + block.column],
                    out,
                    DataCopyExtParams(static_cast<uint16_t>(rows),
                                      block.columns * static_cast<uint32_t>(sizeof(half)),
                                      0,
                                      (t_.n - block.columns) * static_cast<uint32_t>(sizeof(half)),
                                      0));  // (rows, columns) UB -> GM
        out_.FreeTensor(out);
    }

    __aicore__ inline void Compute(const Block& block,
                                   uint32_t row,
                                   uint32_t rows,
                                   const LocalTensor<float>& columns) {
        const uint32_t count = rows * block.columns;
        const LocalTensor<float> scaled = room_.GetWithOffset<float>(part, 0);
        const LocalTensor<float> spread = room_.GetWithOffset<float>(part, part * sizeof(float));
        const LocalTensor<float> product = room_.GetWithOffset<float>(part, 2 * part * sizeof(float));
        const LocalTensor<float> active = room_.GetWithOffset<float>(part, 3 * part * sizeof(float));
        const LocalTensor<uint8_t> before = room_.GetWithOffset<uint8_t>(2 * part * sizeof(float), 0);
        Spread(spread, active, block, row, rows);
        const LocalTensor<int32_t> in = sums_in_.DeQue<int32_t>();
        Cast(scaled, in, RoundMode::CAST_RINT, count);
        PipeBarrier<PIPE_V>();
        sums_in_.FreeTensor(in);
        const auto pitch = static_cast<uint8_t>(block.columns * sizeof(float) / 32);
        for (uint32_t at = 0; at < block.columns; at += lanes) {
            Mul(scaled[at],
                scaled[at],
                columns[at],
                uint64_t{cube::Smaller(lanes, block.columns - at)},
                static_cast<uint8_t>(rows),
                BinaryRepeatParams(1, 1, 1, pitch, pitch, 0));
        }
        PipeBarrier<PIPE_V>();
        Mul(product, scaled, spread, static_cast<int32_t>(count));
        PipeBarrier<PIPE_V>();
        FasterGelu(active, product, before, count);
        PipeBarrier<PIPE_V>();
        const LocalTensor<half> out = out_.AllocTensor<half>();
        Cast(out, active, RoundMode::CAST_NONE, count);
        PipeBarrier<PIPE_V>();
        out_.EnQue(out);
    }

    // Each row's scale over all its columns: first over a block, then the block over the row.
    __aicore__ inline void Spread(const LocalTensor<float>& to,
                                  const LocalTensor<float>& room,
                                  const Block& block,
                                  uint32_t row,
                                  uint32_t rows) {
        const LocalTensor<float> in = rows_in_.AllocTensor<float>();
        DataCopyPad(in,
                    row_scale_[block.row + row],
                    DataCopyExtParams(1, rows * static_cast<uint32_t>(sizeof(float)), 0, 0, 0),
                    DataCopyPadExtParams<float>());
        rows_in_.EnQue(in);
        const LocalTensor<float> scales = rows_in_.DeQue<float>();
        Brcb(room, scales, static_cast<uint8_t>(cube::Parts(rows, 8)), BrcbRepeatParams(1, 8));
        PipeBarrier<PIPE_V>();
        rows_in_.FreeTensor(scales);
        const auto pitch = static_cast<uint16_t>(block.columns * sizeof(float) / 32);
        for (uint32_t at = 0; at < block.columns; at += lanes) {
            Copy(to[at],
                 room,
                 uint64_t{cube::Smaller(lanes, block.columns - at)},
                 static_cast<uint8_t>(rows),
                 CopyRepeatParams(1, 0, pitch, 1));
        }
        PipeBarrier<PIPE_V>();
    }

    Tiling t_;
    TPipe pipe_;
    TQue<TPosition::VECIN, 1> columns_in_;
    TQue<TPosition::VECIN, 1> rows_in_;
    TQue<TPosition::VECIN, 1> sums_in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> room_;
    GlobalTensor<float> scale_;
    GlobalTensor<float> row_scale_;
    GlobalTensor<int64_t> row_ends_;
    GlobalTensor<int32_t> sums_;
    GlobalTensor<half> c_;
};

}  // namespace grouped_gelu
