// SPDX-License-Identifier: Apache-2.0
// Makes one output of those of parts of the keys: o = sum of e^(m_i - m) o_i / sum of e^(m_i - m) l_i, with m
// the largest m_i. All vector cores share the rows, whoever computed them.
#pragma once

#include "kernels/ops/attention/attention/attention_rows.h"

namespace attention {

/// (rows, value_dim) UB -> GM, rows of a sequence to their heads and tokens.
template <typename T>
__aicore__ inline void StoreOutput(const Tiling& t,
                                   const GlobalTensor<T>& o,
                                   const LocalTensor<T>& out,
                                   uint32_t sequence,
                                   uint32_t row,
                                   uint32_t rows) {
    const auto size = static_cast<uint32_t>(sizeof(T));
    ForRuns(t, sequence, row, rows, [&](uint32_t first, uint32_t count, uint64_t at, uint32_t pitch) {
        DataCopyPad(
            o[at * t.value_dim],
            out[first * padded(t.value_dim)],
            DataCopyExtParams(
                static_cast<uint16_t>(count), t.value_dim * size, 0, (pitch - 1) * t.value_dim * size, 0));
    });
}

template <typename T>
class Combination {
public:
    __aicore__ inline Combination(GM_ADDR o, GM_ADDR workspace, const Tiling& tiling)
        : t_(tiling),
          workspace_(workspace, t_, 0, static_cast<uint32_t>(GetBlockNum())),
          dim_(padded(tiling.value_dim)),
          half_(half_rows(tiling)) {
        o_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(o));
        pipe_.InitBuffer(maxima_, t_.splits * unit * sizeof(float));
        pipe_.InitBuffer(sums_, t_.splits * unit * sizeof(float));
        pipe_.InitBuffer(values_, 2 * unit * sizeof(float));
        pipe_.InitBuffer(blocks_, unit * row_block * sizeof(float));
        pipe_.InitBuffer(parts_, 2, unit * dim_ * sizeof(float));
        pipe_.InitBuffer(sum_, unit * dim_ * sizeof(float));
        pipe_.InitBuffer(out_, 1, unit * dim_ * sizeof(T));
    }

    __aicore__ inline void Run() {
        const uint32_t units = half_ / unit;  // of a vector core's rows of a tile
        const uint32_t total = t_.sequences * tiles(t_) * 2 * units;
        for (auto i = static_cast<uint32_t>(GetBlockIdx()); i < total;
             i += static_cast<uint32_t>(GetBlockNum() * GetSubBlockNum())) {
            const uint32_t row = i % units * unit;
            const uint32_t sub = i / units % 2;
            const uint32_t tile = i / units / 2 % tiles(t_);
            const uint32_t in_tile = Smaller(t_.base_m, t_.rows - tile * t_.base_m);
            const uint32_t first = sub == 0 ? 0 : Parts(in_tile, 2);
            const uint32_t rows = sub == 0 ? Parts(in_tile, 2) : in_tile - Parts(in_tile, 2);
            if (row < rows) {
                Combine(i / units / 2 / tiles(t_),
                        (tile * 2 + sub) * half_ + row,
                        tile * t_.base_m + first + row,
                        Smaller(unit, rows - row));
            }
        }
    }

private:
    static constexpr uint32_t unit = 8;  // rows combined at a time

    __aicore__ inline void Combine(uint32_t sequence, uint32_t part_row, uint32_t row, uint32_t rows) {
        Weights(sequence, part_row);
        const LocalTensor<float> sum = sum_.Get<float>();
        const auto count = static_cast<int32_t>(rows * dim_);
        for (uint32_t part = 0; part < t_.splits; ++part) {
            LocalTensor<float> in = parts_.AllocTensor<float>();
            DataCopy(in,
                     workspace_.PartOutput(sequence, part)[part_row * dim_],
                     rows * dim_);  // (rows, dim) GM -> UB
            parts_.EnQue(in);
            LocalTensor<float> of_part = parts_.DeQue<float>();
            FirstLanes(lanes);
            ForRows({of_part, rows, dim_, dim_},
                    maxima_.Get<float>()[part * unit],
                    blocks_.Get<float>(),
                    [](auto... a) { Mul<float, false>(a...); });
            if (part == 0) {
                Adds(sum, of_part, 0.0F, count);
            } else {
                Add(sum, sum, of_part, count);
            }
            PipeBarrier<PIPE_V>();
            parts_.FreeTensor(of_part);
        }
        LocalTensor<T> out = out_.AllocTensor<T>();
        Cast(out, sum, RoundMode::CAST_RINT, rows * dim_);
        out_.EnQue(out);
        LocalTensor<T> done = out_.DeQue<T>();
        StoreOutput(t_, o_, done, sequence, row, rows);
        out_.FreeTensor(done);
    }

    // maxima(splits, rows) becomes the weight of each part's output: e^(m_i - m) / sum of e^(m_i - m) l_i.
    __aicore__ inline void Weights(uint32_t sequence, uint32_t part_row) {
        const LocalTensor<float> m = maxima_.Get<float>();
        const LocalTensor<float> l = sums_.Get<float>();
        const LocalTensor<float> most = values_.Get<float>();
        const LocalTensor<float> total = most[unit];
        SetFlag<HardEvent::V_MTE2>(EVENT_ID7);
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID7);
        for (uint32_t part = 0; part < t_.splits; ++part) {
            DataCopy(m[part * unit], workspace_.PartMaxima(sequence, part)[part_row], unit);
            DataCopy(l[part * unit], workspace_.PartSums(sequence, part)[part_row], unit);
        }
        SetFlag<HardEvent::MTE2_V>(EVENT_ID7);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID7);
        Adds(most, m, 0.0F, unit);
        PipeBarrier<PIPE_V>();
        for (uint32_t part = 1; part < t_.splits; ++part) {
            Max(most, most, m[part * unit], unit);
            PipeBarrier<PIPE_V>();
        }
        for (uint32_t part = 0; part < t_.splits; ++part) {
            Sub(m[part * unit], m[part * unit], most, unit);
        }
        PipeBarrier<PIPE_V>();
        Exp(m, m, static_cast<int32_t>(t_.splits * unit));
        PipeBarrier<PIPE_V>();
        Mul(l, l, m, static_cast<int32_t>(t_.splits * unit));
        PipeBarrier<PIPE_V>();
        Adds(total, l, 0.0F, unit);
        PipeBarrier<PIPE_V>();
        for (uint32_t part = 1; part < t_.splits; ++part) {
            Add(total, total, l[part * unit], unit);
            PipeBarrier<PIPE_V>();
        }
        for (uint32_t part = 0; part < t_.splits; ++part) {
            Div(m[part * unit], m[part * unit], total, unit);
        }
        PipeBarrier<PIPE_V>();
    }

    Tiling t_;
    Workspace<T> workspace_;
    uint32_t dim_;
    uint32_t half_;
    TPipe pipe_;
    TBuf<TPosition::VECCALC> maxima_;  // (splits, 8) fp32
    TBuf<TPosition::VECCALC> sums_;    // (splits, 8) fp32
    TBuf<TPosition::VECCALC> values_;  // (2, 8) fp32
    TBuf<TPosition::VECCALC> blocks_;  // (8, 8) fp32
    TQue<TPosition::VECIN, 1> parts_;  // (8, dim) fp32
    TBuf<TPosition::VECCALC> sum_;     // (8, dim) fp32
    TQue<TPosition::VECOUT, 1> out_;   // (8, dim)
    GlobalTensor<T> o_;
};

}  // namespace attention
