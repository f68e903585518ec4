// SPDX-License-Identifier: Apache-2.0
// The vector cores' program of weight_quant_few_rows.cpp: a row of A each, then the columns of their core
// group.
//
//   A --mte2--> float / largest of the row --> two int8 parts --mte3--> workspace
//   sums of both --mte2--> float, + sum of the row * offset, * scale --> T --mte3--> C
#pragma once

#include "kernels/ops/matmul/weight_quant_few_rows/weight_quant_few_rows_tiling.hpp"
#include "kernels/shared/cube_loads.h"

namespace few_rows {

using namespace AscendC;

constexpr uint32_t lanes = 64;  // floats of a repeat

/// Splits rows of A into two int8 parts.
template <typename T>
class Splitting {
public:
    __aicore__ inline Splitting(GM_ADDR a, GM_ADDR workspace, const Tiling& tiling, TPipe& pipe)
        : t_(tiling) {
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(a));
        parts_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(workspace));
        values_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace + values_at(t_)));
        const uint32_t k = cube::CeilTo(t_.k, 2 * lanes);
        pipe.InitBuffer(in_, 1, k * sizeof(T));
        pipe.InitBuffer(out_, 1, k);
        pipe.InitBuffer(stats_, 1, row_values * sizeof(float));
        pipe.InitBuffer(value_, k * sizeof(float));
        pipe.InitBuffer(other_, k * sizeof(float));
        pipe.InitBuffer(narrow_, k * sizeof(half));
    }

    __aicore__ inline void Run() {
        const auto cores = static_cast<uint32_t>(GetBlockNum() * GetTaskRation());
        for (uint32_t row = static_cast<uint32_t>(GetBlockIdx()); row < t_.m; row += cores) {
            Row(row);
        }
    }

private:
    __aicore__ inline void Row(uint32_t row) {
        const LocalTensor<float> value = value_.Get<float>();
        const LocalTensor<float> other = other_.Get<float>();
        const auto count = static_cast<int32_t>(t_.k);
        const LocalTensor<T> in = in_.AllocTensor<T>();
        DataCopyPad(in,
                    a_[uint64_t{row} * t_.k],
                    DataCopyExtParams(1, t_.k * static_cast<uint32_t>(sizeof(T)), 0, 0, 0),
                    DataCopyPadExtParams<T>());
        in_.EnQue(in);
        const LocalTensor<T> arrived = in_.DeQue<T>();
        Cast(value, arrived, RoundMode::CAST_NONE, count);
        PipeBarrier<PIPE_V>();
        in_.FreeTensor(arrived);
        const LocalTensor<float> stats = stats_.AllocTensor<float>();
        Abs(other, value, count);
        PipeBarrier<PIPE_V>();
        Fold(other, [](const auto&... operands) { Max(operands...); });
        WholeReduceMax(other, other, lanes, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        const float largest = Taken(other);
        Adds(other, value, 0.0F, count);
        PipeBarrier<PIPE_V>();
        Fold(other, [](const auto&... operands) { Add(operands...); });
        WholeReduceSum(other, other, lanes, 1, 1, 1, 8);
        const float sum = Taken(other);
        Duplicate(stats, largest, 8);
        Duplicate(stats[8], sum, 8);
        stats_.EnQue(stats);
        Muls(value, value, largest == 0 ? 0.0F : 1.0F / largest, count);
        PipeBarrier<PIPE_V>();
        Muls(other, value, first_step, count);
        PipeBarrier<PIPE_V>();
        Emit(other, row);
        Muls(other, other, 1.0F / first_step, count);
        PipeBarrier<PIPE_V>();
        Sub(other, value, other, count);
        PipeBarrier<PIPE_V>();
        Muls(other, other, second_step, count);
        PipeBarrier<PIPE_V>();
        Emit(other, t_.m + row);
        const LocalTensor<float> leaving = stats_.DeQue<float>();
        DataCopy(values_[row * row_values], leaving, row_values);
        stats_.FreeTensor(leaving);
    }

    // Halves the row until a repeat is left, a repeat at a time, as the library does.
    template <typename Work>
    __aicore__ inline void Fold(const LocalTensor<float>& on, const Work& work) {
        for (uint32_t left = t_.k; left > lanes;) {
            const uint32_t kept = cube::CeilTo(cube::Parts(left, 2), lanes);
            for (uint32_t at = kept; at < left; at += lanes) {
                work(on[at - kept],
                     on[at - kept],
                     on[at],
                     static_cast<int32_t>(cube::Smaller(lanes, left - at)));
            }
            PipeBarrier<PIPE_V>();
            left = kept;
        }
    }

    __aicore__ inline static float Taken(const LocalTensor<float>& from) {
        SetFlag<HardEvent::V_S>(0);
        WaitFlag<HardEvent::V_S>(0);
        const float value = from.GetValue(0);
        SetFlag<HardEvent::S_V>(0);
        WaitFlag<HardEvent::S_V>(0);
        return value;
    }

    // Rounds `on` and leaves it as int8 in a row of the parts.
    __aicore__ inline void Emit(const LocalTensor<float>& on, uint32_t row) {
        const LocalTensor<half> narrow = narrow_.Get<half>();
        Cast(on, on, RoundMode::CAST_RINT, t_.k);
        PipeBarrier<PIPE_V>();
        Cast(narrow, on, RoundMode::CAST_NONE, t_.k);
        PipeBarrier<PIPE_V>();
        const LocalTensor<int8_t> out = out_.AllocTensor<int8_t>();
        Cast(out, narrow, RoundMode::CAST_NONE, t_.k);
        out_.EnQue(out);
        const LocalTensor<int8_t> leaving = out_.DeQue<int8_t>();
        DataCopyPad(parts_[uint64_t{row} * t_.k], leaving, DataCopyExtParams(1, t_.k, 0, 0, 0));
        out_.FreeTensor(leaving);
    }

    Tiling t_;
    GlobalTensor<T> a_;
    GlobalTensor<int8_t> parts_;
    GlobalTensor<float> values_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TQue<TPosition::VECOUT, 1> stats_;
    TBuf<TPosition::VECCALC> value_;
    TBuf<TPosition::VECCALC> other_;
    TBuf<TPosition::VECCALC> narrow_;
};

/// Puts the sums of both parts together: half the rows for each vector core of a group, its columns.
template <typename T>
class Joining {
public:
    __aicore__ inline Joining(
        GM_ADDR scale, GM_ADDR offset, GM_ADDR c, GM_ADDR workspace, const Tiling& tiling, TPipe& pipe)
        : t_(tiling) {
        values_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace + values_at(t_)));
        sums_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace + sums_at(t_)));
        scale_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(scale));
        offset_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(offset));
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(c));
        pipe.InitBuffer(columns_in_, 1, 2 * base_n * sizeof(float));
        pipe.InitBuffer(values_in_, 1, most_rows * row_values * sizeof(float));
        pipe.InitBuffer(first_in_, 1, part * sizeof(int32_t));
        pipe.InitBuffer(second_in_, 1, part * sizeof(int32_t));
        pipe.InitBuffer(out_, 1, part * sizeof(T));
        pipe.InitBuffer(first_, part * sizeof(float));
        pipe.InitBuffer(second_, part * sizeof(float));
    }

    __aicore__ inline void Run() {
        const uint32_t group = static_cast<uint32_t>(GetBlockIdx()) / 2;
        const uint32_t middle = t_.m / 2;
        const uint32_t first = GetSubBlockIdx() == 0 ? 0 : middle;
        const uint32_t last = GetSubBlockIdx() == 0 ? middle : t_.m;
        if (group >= t_.strips) {
            return;
        }
        const LocalTensor<float> in = values_in_.AllocTensor<float>();
        DataCopy(in, values_, t_.m * row_values);
        values_in_.EnQue(in);
        const LocalTensor<float> values = values_in_.DeQue<float>();
        CrossCoreWaitFlag(sums_flag);
        const uint32_t end = cube::Smaller(t_.n, (group + 1) * t_.strip);
        for (uint32_t column = group * t_.strip; column < end && first < last; column += base_n) {
            Columns(column, cube::Smaller(base_n, end - column), first, last, values);
        }
        values_in_.FreeTensor(values);
    }

private:
    static constexpr uint32_t part_rows = 24;
    static constexpr uint32_t part = part_rows * base_n;

    __aicore__ inline void Columns(
        uint32_t column, uint32_t columns, uint32_t first, uint32_t last, const LocalTensor<float>& values) {
        const LocalTensor<float> in = columns_in_.AllocTensor<float>();
        DataCopy(in, scale_[column], columns);
        DataCopy(in[base_n], offset_[column], columns);
        columns_in_.EnQue(in);
        const LocalTensor<float> factors = columns_in_.DeQue<float>();
        for (uint32_t row = first; row < last; row += part_rows) {
            Part(column,
                 columns,
                 row,
                 cube::Smaller(part_rows, last - row),
                 values[row * row_values],
                 factors);
        }
        columns_in_.FreeTensor(factors);
    }

    __aicore__ inline void Part(uint32_t column,
                                uint32_t columns,
                                uint32_t row,
                                uint32_t rows,
                                const LocalTensor<float>& values,
                                const LocalTensor<float>& factors) {
        const LocalTensor<float> first = first_.Get<float>();
        const LocalTensor<float> second = second_.Get<float>();
        const auto count = static_cast<int32_t>(rows * columns);
        Arrive(first_in_, first, uint64_t{row} * t_.n + column, rows, columns, 1.0F / first_step);
        Arrive(second_in_, second, uint64_t{t_.m + row} * t_.n + column, rows, columns, 1.0F / second_step);
        PipeBarrier<PIPE_V>();
        Add(first, first, second, count);
        PipeBarrier<PIPE_V>();
        const auto pitch = static_cast<uint8_t>(columns / 8);
        constexpr uint8_t row_blocks = row_values / 8;
        const BinaryRepeatParams by_row(1, 1, 0, pitch, pitch, row_blocks);
        const BinaryRepeatParams outer(1, 1, 0, pitch, 0, row_blocks);
        const BinaryRepeatParams by_column(1, 1, 1, pitch, pitch, 0);
        for (uint32_t at = 0; at < columns; at += lanes) {
            const uint64_t mask = cube::Smaller(lanes, columns - at);
            Mul(first[at], first[at], values, mask, static_cast<uint8_t>(rows), by_row);
            Mul(second[at], factors[base_n + at], values[8], mask, static_cast<uint8_t>(rows), outer);
        }
        PipeBarrier<PIPE_V>();
        Add(first, first, second, count);
        PipeBarrier<PIPE_V>();
        for (uint32_t at = 0; at < columns; at += lanes) {
            const uint64_t mask = cube::Smaller(lanes, columns - at);
            Mul(first[at], first[at], factors[at], mask, static_cast<uint8_t>(rows), by_column);
        }
        PipeBarrier<PIPE_V>();
        const LocalTensor<T> out = out_.AllocTensor<T>();
        Cast(out, first, RoundMode::CAST_RINT, static_cast<uint32_t>(count));
        out_.EnQue(out);
        const LocalTensor<T> leaving = out_.DeQue<T>();
        DataCopyPad(c_[uint64_t{row} * t_.n + column],
                    leaving,
                    DataCopyExtParams(static_cast<uint16_t>(rows),
                                      columns * static_cast<uint32_t>(sizeof(T)),
                                      0,
                                      (t_.n - columns) * static_cast<uint32_t>(sizeof(T)),
                                      0));
        out_.FreeTensor(leaving);
    }

    // (rows, columns) of the sums, as floats times `step`
    __aicore__ inline void Arrive(TQue<TPosition::VECIN, 1>& queue,
                                  const LocalTensor<float>& to,
                                  uint64_t from,
                                  uint32_t rows,
                                  uint32_t columns,
                                  float step) {
        const LocalTensor<int32_t> in = queue.AllocTensor<int32_t>();
        DataCopyPad(in,
                    sums_[from],
                    DataCopyExtParams(static_cast<uint16_t>(rows),
                                      columns * static_cast<uint32_t>(sizeof(int32_t)),
                                      (t_.n - columns) * static_cast<uint32_t>(sizeof(int32_t)),
                                      0,
                                      0),
                    DataCopyPadExtParams<int32_t>());
        queue.EnQue(in);
        const LocalTensor<int32_t> arrived = queue.DeQue<int32_t>();
        Cast(to, arrived, RoundMode::CAST_RINT, rows * columns);
        PipeBarrier<PIPE_V>();
        queue.FreeTensor(arrived);
        Muls(to, to, step, static_cast<int32_t>(rows * columns));
    }

    Tiling t_;
    GlobalTensor<float> values_;
    GlobalTensor<int32_t> sums_;
    GlobalTensor<float> scale_;
    GlobalTensor<float> offset_;
    GlobalTensor<T> c_;
    TQue<TPosition::VECIN, 1> columns_in_;
    TQue<TPosition::VECIN, 1> values_in_;
    TQue<TPosition::VECIN, 1> first_in_;
    TQue<TPosition::VECIN, 1> second_in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> first_;
    TBuf<TPosition::VECCALC> second_;
};

}  // namespace few_rows
