// SPDX-License-Identifier: Apache-2.0
// Dynamic quantisation in the order of the operator library's kernel with two buffers (ops-nn,
// quant/dynamic_quant, dynamic_quant_db.h): row by row in the vector unit alone; the next tile is copied in
// meanwhile.
#pragma once

#include "kernels/ops/norm/row_norm/row_norm_serial_tile.h"

template <typename T>
class RowNormAhead : private RowNormSerialTile<T> {
    using Tile = RowNormSerialTile<T>;
    using Floats = typename Tile::Floats;
    using Bytes = AscendC::LocalTensor<uint8_t>;
    using Tile::count;
    using Tile::Fetch;
    using Tile::first;
    using Tile::groups;
    using Tile::inX;
    using Tile::outValues;
    using Tile::outY;
    using Tile::Rest;
    using Tile::scratch;
    using Tile::ShortToInt8;
    using Tile::smooth;
    using Tile::StoreValues;
    using Tile::StoreY;
    using Tile::t;
    using Tile::value;
    using Tile::wide_input;
    using Tile::wideX;

public:
    __aicore__ inline RowNormAhead(const RowNormAddresses& addresses, const RowNormTiling& tiling)
        : Tile(addresses, tiling) {}

    __aicore__ inline void Process() {
        if (count == 0) {
            return;
        }
        Tile::FetchWeights();
        Fetch(first, Rest(first));
        for (uint64_t row = first; row < first + count; row += t.tile) {
            if (row + t.tile < first + count) {
                Fetch(row + t.tile, Rest(row + t.tile));
            }
            Ahead(row, Rest(row));
        }
    }

private:
    __aicore__ inline void Ahead(uint64_t row, uint32_t rows) {
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        const Floats s = scratch.template Get<float>();
        const Floats each = value.template Get<float>();
        const Floats kept = outValues.template AllocTensor<float>();
        const Bytes y = outY.template AllocTensor<uint8_t>();
        for (uint32_t r = 0; r < rows; ++r) {
            const Floats wide = Magnitude(s, x[r * t.pitch]);
            AscendC::Brcb(each, s, 1, AscendC::BrcbRepeatParams(1, 8));
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Div(each[8], each[2 * groups], each, 8);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Mul(wide,
                         wide,
                         each[8],
                         uint64_t{row_lanes},
                         static_cast<uint8_t>((t.width + row_lanes - 1) / row_lanes),
                         AscendC::BinaryRepeatParams(1, 1, 0, 8, 8, 0));
            uint64_t mask[2]{uint64_t{1} << (r % 8), 0};
            AscendC::Mul(kept[r / 8 * 8],
                         each,
                         each[2 * groups + 8],
                         mask,
                         uint8_t{1},
                         AscendC::BinaryRepeatParams(1, 1, 0, 8, 8, 0));
            AscendC::PipeBarrier<PIPE_V>();
            ShortToInt8(y[r * t.pitch], wide, s, t.width);
        }
        inX.FreeTensor(x);
        StoreY(y, row, rows);
        StoreValues(kept, row, rows);
    }

    /// A row as floats, its largest magnitude in s[0]. Halves without factors are compared as they are, a
    /// hundred and twenty-eight at a time, while they are widened.
    __aicore__ inline Floats Magnitude(const Floats& s, const AscendC::LocalTensor<T>& x) {
        if constexpr (std::is_same_v<T, half>) {
            if (t.smooth == 0) {
                const Floats wide = wideX.template Get<float>();
                AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, t.width);
                AscendC::Abs(x, x, t.width);
                AscendC::PipeBarrier<PIPE_V>();
                LargestHalf(x);
                AscendC::Cast(s, x, AscendC::RoundMode::CAST_NONE, t.width);
                AscendC::PipeBarrier<PIPE_V>();
                return wide;
            }
        }
        const Floats wide = WideRow(x);
        AscendC::Abs(s, wide, t.width);
        AscendC::PipeBarrier<PIPE_V>();
        Tile::template FoldLanes<RowMax>(s);
        RowMax::Reduce(s, s, t.width < row_lanes ? t.width : row_lanes, 1, 8);
        AscendC::PipeBarrier<PIPE_V>();
        return wide;
    }

    /// x[0] = the largest of a row of halves.
    __aicore__ inline void LargestHalf(const AscendC::LocalTensor<half>& x) {
        constexpr uint32_t lanes = 128;
        const uint32_t whole = t.width / lanes;
        const uint32_t tail = t.width % lanes;
        for (uint32_t at = 1; at < whole; at += row_repeats) {
            const uint8_t repeats = whole - at < row_repeats ? whole - at : row_repeats;
            const AscendC::BinaryRepeatParams onto(1, 1, 1, 0, 8, 0);
            AscendC::Max(x, x[at * lanes], x, uint64_t{lanes}, repeats, onto);
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (whole > 0 && tail > 0) {
            AscendC::Max(x, x[whole * lanes], x, uint64_t{tail}, uint8_t{1}, AscendC::BinaryRepeatParams());
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::WholeReduceMax(
            x, x, whole > 0 ? lanes : t.width, 1, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline Floats WideRow(const AscendC::LocalTensor<T>& x) {
        if constexpr (wide_input) {
            if (t.smooth != 0) {
                AscendC::Mul(x, x, smooth.template Get<float>(), t.width);
                AscendC::PipeBarrier<PIPE_V>();
            }
            return x;
        } else {
            const Floats wide = wideX.template Get<float>();
            AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, t.width);
            AscendC::PipeBarrier<PIPE_V>();
            if (t.smooth != 0) {
                AscendC::Mul(wide, wide, smooth.template Get<float>(), t.width);
                AscendC::PipeBarrier<PIPE_V>();
            }
            return wide;
        }
    }
};
