// SPDX-License-Identifier: Apache-2.0
// RMS normalisation and quantisation of rows in the orders of the operator library's kernels (ops-nn,
// norm/rms_norm, norm/add_rms_norm_dynamic_quant, quant/dynamic_quant). They have less overlap than RowNorm:
//   tiles   whole tiles through one buffer, row values spread over whole rows before they are multiplied
//   serial  tiles through one buffer; a row's sum and largest magnitude are read back by the scalar unit
// The third of their orders is row_norm_ahead.h.
#pragma once

#include "kernels/ops/norm/row_norm/row_norm_serial_tile.h"

template <typename T>
class RowNormSerial : private RowNormSerialTile<T> {
    using Tile = RowNormSerialTile<T>;
    using Floats = typename Tile::Floats;
    using Bytes = AscendC::LocalTensor<uint8_t>;
    using Tile::AwaitKept;
    using Tile::count;
    using Tile::elements;
    using Tile::Fetch;
    using Tile::FetchWeights;
    using Tile::first;
    using Tile::gamma;
    using Tile::gathered;
    using Tile::groups;
    using Tile::inX;
    using Tile::Keep;
    using Tile::LetVectorGoOn;
    using Tile::Normalises;
    using Tile::outValues;
    using Tile::outY;
    using Tile::Quantises;
    using Tile::Rest;
    using Tile::scratch;
    using Tile::ShortToInt8;
    using Tile::smooth;
    using Tile::spread;
    using Tile::Store;
    using Tile::StoreKept;
    using Tile::StoreValues;
    using Tile::StoreY;
    using Tile::sumGm;
    using Tile::t;
    using Tile::ToInt8;
    using Tile::value;
    using Tile::wide_input;
    using Tile::wideX;

public:
    __aicore__ inline RowNormSerial(const RowNormAddresses& addresses, const RowNormTiling& tiling)
        : Tile(addresses, tiling) {}

    __aicore__ inline void Process() {
        if (count == 0) {
            return;
        }
        FetchWeights();
        for (uint64_t row = first; row < first + count; row += t.tile) {
            Fetch(row, Rest(row));
            if (t.schedule == RowSchedule::tiles) {
                Whole(row, Rest(row));
            } else {
                Serial(row, Rest(row));
            }
        }
        AwaitKept();
    }

private:
    /// x + residual as floats; input of floats stays where it is, and in use.
    __aicore__ inline Floats Widened(AscendC::LocalTensor<T>& x, uint32_t all) {
        if constexpr (wide_input) {
            if (t.residual != 0) {
                AscendC::Add(x, x, x[elements], all);
                AscendC::PipeBarrier<PIPE_V>();
            }
            return x;
        } else {
            const Floats wide = wideX.template Get<float>();
            AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, all);
            if (t.residual != 0) {
                AscendC::Cast(scratch.template Get<float>(), x[elements], AscendC::RoundMode::CAST_NONE, all);
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::Add(wide, wide, scratch.template Get<float>(), all);
            }
            AscendC::PipeBarrier<PIPE_V>();
            inX.FreeTensor(x);
            return wide;
        }
    }

    // ---- whole tiles

    __aicore__ inline void Whole(uint64_t row, uint32_t rows) {
        const uint32_t all = rows * t.pitch;
        const Rows shape{rows, t.width, t.pitch};
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        const Floats wide = Widened(x, all);
        const Floats s = scratch.template Get<float>();
        const Floats each = value.template Get<float>();
        const Floats kept = outValues.template AllocTensor<float>();
        if (Normalises()) {
            AscendC::Mul(s, wide, wide, all);
            AscendC::PipeBarrier<PIPE_V>();
            ReduceRowsInPlace<RowSum>(each, s, shape);
            AscendC::PipeBarrier<PIPE_V>();
            InverseDeviation(each, rows);
            AscendC::Adds(kept, each, 0.0f, rows);
        } else {
            Magnitudes(each, wide, shape, kept);
        }
        StoreValues(kept, row, rows);
        SpreadOverRows(s, each, shape);
        AscendC::Mul(s, wide, s, all);
        AscendC::PipeBarrier<PIPE_V>();
        const Bytes y = outY.template AllocTensor<uint8_t>();
        if (Quantises()) {
            if constexpr (wide_input) {
                inX.FreeTensor(x);
            }
            ShortToInt8(y, s, s, all);
        } else if constexpr (wide_input) {
            inX.FreeTensor(x);
            AscendC::Mul(y.template ReinterpretCast<float>(), s, gamma.template Get<float>(), all);
        } else {
            AscendC::Mul(s, s, gamma.template Get<float>(), all);
            AscendC::PipeBarrier<PIPE_V>();
            Narrow(y.template ReinterpretCast<T>(), s, all);
        }
        StoreY(y, row, rows);
    }

    /// each = 1 / sqrt(each / width + epsilon)
    __aicore__ inline void InverseDeviation(const Floats& each, uint32_t rows) {
        AscendC::Muls(each, each, 1.0f / static_cast<float>(t.width), rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(each, each, t.epsilon, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sqrt(each, each, rows);
        AscendC::Duplicate(each[groups], 1.0f, rows);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(each, each[groups], each, rows);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// each = 127 / the largest magnitude of a row, scale its inverse.
    __aicore__ inline void Magnitudes(const Floats& each,
                                      const Floats& wide,
                                      const Rows& rows,
                                      const Floats& scale) {
        const Floats s = scratch.template Get<float>();
        if (t.smooth != 0) {
            RowsWithWeights<RowMul>(wide, wide, smooth.template Get<float>(), rows);
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Abs(s, wide, rows.count * rows.pitch);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t r = 0; r < rows.count; ++r) {
            Tile::template FoldLanes<RowMax>(s[r * rows.pitch]);
        }
        RowMax::Reduce(each, s, rows.width < row_lanes ? rows.width : row_lanes, rows.count, rows.pitch / 8);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Maxs(each, each, 1.0e-20f, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(scale, each, 1.0f / 127.0f, rows.count);
        AscendC::Duplicate(each[groups], 127.0f, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(each, each[groups], each, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// to[r, :] = each[r], in full: the library has no operation that takes a value a row.
    __aicore__ inline void SpreadOverRows(const Floats& to, const Floats& each, const Rows& rows) {
        const Floats blocks = spread.template Get<float>();
        SpreadRowValues(blocks, each, rows.count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Duplicate(to, 0.0f, rows.count * rows.pitch);
        AscendC::PipeBarrier<PIPE_V>();
        RowsWithRight<RowAdd>(to, to, blocks, {rows.count, rows.pitch, rows.pitch}, 1, false);
        AscendC::PipeBarrier<PIPE_V>();
    }

    // ---- row by row, with the scalar unit in between

    __aicore__ inline void Serial(uint64_t row, uint32_t rows) {
        const uint32_t all = rows * t.pitch;
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        const Floats wide = Widened(x, all);
        const Floats s = scratch.template Get<float>();
        if (t.residual != 0) {
            const AscendC::LocalTensor<T> sum = outY.template AllocTensor<T>();
            Narrow(sum, wide, all);
            AscendC::PipeBarrier<PIPE_V>();
            outY.EnQue(sum);
            AscendC::LocalTensor<T> ready = outY.template DeQue<T>();
            Store(sumGm[row * t.width], ready, rows, t.width, t.pitch);
            outY.FreeTensor(ready);
        }
        if (taken == 0) {
            values = outValues.template AllocTensor<float>();
        }
        const Floats y = wide_input ? s : wide;
        AscendC::Mul(s, wide, wide, all);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t r = 0; r < rows; ++r) {
            const uint32_t at = r * t.pitch;
            const float sum = Tile::Sum(s[at]);
            const float inverse = 1.0f / sqrt(sum / static_cast<float>(t.width) + t.epsilon);
            if (!Quantises()) {
                Keep(values, taken + r, inverse);
            }
            LetVectorGoOn();
            AscendC::Muls(y[at], wide[at], inverse, t.width);
        }
        AscendC::PipeBarrier<PIPE_V>();
        const Bytes out = outY.template AllocTensor<uint8_t>();
        Weigh(out, y, rows);
        if constexpr (wide_input) {
            inX.FreeTensor(x);
        }
        if (Quantises()) {
            Quantise(out, y, rows);
        } else if constexpr (!wide_input) {
            Narrow(out.template ReinterpretCast<T>(), y, all);
            AscendC::PipeBarrier<PIPE_V>();
        }
        StoreY(out, row, rows);
        taken += rows;
        if (t.tile > 1 || Quantises() || taken == gathered || row + rows == first + count) {
            StoreKept(values, row + rows - taken, taken);
            taken = 0;
        }
    }

    /// y * gamma, in place; of floats that are not quantised, on the way out.
    __aicore__ inline void Weigh(const Bytes& out, const Floats& y, uint32_t rows) {
        Floats to = y;
        Floats weights = gamma.template Get<float>();
        if constexpr (wide_input) {
            to = Quantises() ? y : out.template ReinterpretCast<float>();
        } else {
            weights = scratch.template Get<float>();
            AscendC::Cast(weights, gamma.template Get<T>(), AscendC::RoundMode::CAST_NONE, t.width);
            AscendC::PipeBarrier<PIPE_V>();
        }
        for (uint32_t r = 0; r < rows; ++r) {
            AscendC::Mul(to[r * t.pitch], y[r * t.pitch], weights, t.width);
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    /// y by its largest magnitude; factors, one if there are none, come in a pass of their own.
    __aicore__ inline void Quantise(const Bytes& out, const Floats& y, uint32_t rows) {
        const uint32_t all = rows * t.pitch;
        const Floats magnitude = inX.template AllocTensor<float>();
        const Floats s = wide_input ? y : scratch.template Get<float>();
        if (t.smooth != 0) {
            if constexpr (wide_input) {
                AscendC::Adds(magnitude, smooth.template Get<T>(), 0.0f, t.width);
            } else {
                AscendC::Cast(magnitude, smooth.template Get<T>(), AscendC::RoundMode::CAST_NONE, t.width);
            }
            AscendC::PipeBarrier<PIPE_V>();
        }
        for (uint32_t r = 0; r < rows; ++r) {
            const uint32_t at = r * t.pitch;
            if (t.smooth != 0) {
                AscendC::Mul(s[at], y[at], magnitude, t.width);
            } else {
                AscendC::Muls(s[at], y[at], 1.0f, t.width);
            }
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Abs(magnitude, s, all);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t r = 0; r < rows; ++r) {
            const uint32_t at = r * t.pitch;
            const float most = Tile::Largest(magnitude[at]);
            const float inverse = 127.0f / (most > 1.0e-20f ? most : 1.0e-20f);
            Keep(values, r, 1.0f / inverse);
            LetVectorGoOn();
            AscendC::Muls(s[at], s[at], inverse, t.width);
        }
        AscendC::PipeBarrier<PIPE_V>();
        ToInt8(out, s, s, all);
        inX.FreeTensor(magnitude);
    }

    uint32_t taken = 0;  // row values gathered and not yet written
    Floats values;
};
