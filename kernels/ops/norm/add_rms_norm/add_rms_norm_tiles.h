// SPDX-License-Identifier: Apache-2.0
// Several rows at a time, in two buffers: of short rows (`tiles`) all are reduced and scaled by instructions
// across rows, of longer ones (`pairs`) each by its own.
#pragma once

#include "kernels/ops/norm/add_rms_norm/add_rms_norm.h"

template <typename T>
class AddRmsNormTiles : private AddRmsNormBase<T> {
    using Base = AddRmsNormBase<T>;
    using Base::count;
    using Base::t;
    using Base::wide;
    using typename Base::Elements;
    using typename Base::Event;
    using typename Base::Floats;

    static constexpr uint32_t block = 8;          // floats of 32 bytes
    static constexpr uint32_t spread_most = 240;  // rows of one Brcb, in whole groups of 8

public:
    __aicore__ inline AddRmsNormTiles(const AddRmsNormAddresses& addresses,
                                      const AddRmsNormTiling& tiling,
                                      AscendC::TPipe& pipe)
        : Base(addresses, tiling), across(tiling.order == AddNormOrder::tiles) {
        const uint32_t tile = t.tile * t.pitch;
        const uint32_t weights = across ? tile : t.pitch;
        pipe.InitBuffer(inX, 2, tile * sizeof(T));
        pipe.InitBuffer(inGamma, 1, weights * sizeof(T));
        if (t.bias != 0) {
            pipe.InitBuffer(inBeta, 1, weights * sizeof(T));
        }
        pipe.InitBuffer(outY, 2, tile * sizeof(T));
        pipe.InitBuffer(outFactors, 1, (across ? (t.tile + block - 1) / block * block : t.tile * block) * 4);
        if constexpr (!wide) {
            pipe.InitBuffer(wideX, tile * sizeof(float));
        }
        pipe.InitBuffer(scratch, tile * sizeof(float));
        pipe.InitBuffer(folded, (across ? t.tile * row_lanes : Larger(row_lanes, t.tile * block)) * 4);
        if (!across) {
            pipe.InitBuffer(offsets, t.tile * block * sizeof(uint32_t));
        }
    }

    __aicore__ inline void Process() {
        if (count == 0) {
            return;
        }
        gamma = Weights(inGamma, Base::gammaGm);
        if (t.bias != 0) {
            beta = Weights(inBeta, Base::betaGm);
        }
        if (!across) {
            const AscendC::LocalTensor<uint32_t> at = offsets.template Get<uint32_t>();
            for (uint32_t r = 0; r < t.tile; ++r) {
                AscendC::Duplicate(at[r * block], r * block * static_cast<uint32_t>(sizeof(float)), block);
            }
        }
        for (uint64_t row = 0; row < count; row += t.tile) {
            Tile(row, count - row < t.tile ? count - row : t.tile);
        }
        inGamma.FreeTensor(gamma);
        if (t.bias != 0) {
            inBeta.FreeTensor(beta);
        }
    }

private:
    static constexpr uint32_t Larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

    using In = AscendC::TQue<AscendC::TPosition::VECIN, 2>;
    using Out = AscendC::TQue<AscendC::TPosition::VECOUT, 2>;
    using One = AscendC::TQue<AscendC::TPosition::VECIN, 1>;

    // (width) GM -> UB. Of short rows the published order widens as many as a tile has, though one is used;
    // of bfloat16 only, as float16 is multiplied as it is.
    __aicore__ inline Elements Weights(One& queue, const AscendC::GlobalTensor<T>& from) {
        const Elements to = queue.template AllocTensor<T>();
        if (across && std::is_same_v<T, bfloat16_t>) {
            const uint32_t shorts = t.tile * t.pitch;
            AscendC::Duplicate(to.template ReinterpretCast<int16_t>(), int16_t{0}, shorts);
            Await<Event::V_MTE2>();
        }
        CopyElementsIn(to, from, t.width);
        queue.EnQue(to);
        return queue.template DeQue<T>();
    }

    // (rows, width) GM -> (rows, pitch) UB
    __aicore__ inline void Fetch(const AscendC::GlobalTensor<T>& from, uint32_t rows) {
        const Elements to = inX.template AllocTensor<T>();
        if (t.width == t.pitch) {
            CopyElementsIn(to, from, rows * t.width);
        } else {
            CopyRowsIn(to, from, rows, t.width, t.width, t.pitch);
        }
        inX.EnQue(to);
    }

    // (rows, pitch) UB -> (rows, width) GM; what is returned still has the rows, until it is freed
    __aicore__ inline Elements Store(const AscendC::GlobalTensor<T>& to,
                                     const Elements& from,
                                     uint32_t rows) {
        outY.EnQue(from);
        const Elements ready = outY.template DeQue<T>();
        if (t.width == t.pitch) {
            CopyElementsOut(to, ready, rows * t.width);
        } else {
            const uint32_t bytes = t.width * sizeof(T);
            AscendC::DataCopyPad(to, ready, AscendC::DataCopyExtParams(rows, bytes, 0, 0, 0));
        }
        return ready;
    }

    __aicore__ inline void Tile(uint64_t row, uint32_t rows) {
        const uint32_t all = rows * t.pitch;
        const uint64_t at = row * t.width;
        Fetch(Base::xGm[at], rows);
        Fetch(Base::residualGm[at], rows);
        Elements sum = Store(Base::sumGm[at], Added(all), rows);
        Floats x;
        if constexpr (wide) {
            x = sum;
        } else {
            x = wideX.template Get<float>();
            Base::Widen(x, sum, all);
            outY.FreeTensor(sum);
        }
        Floats factors = outFactors.template AllocTensor<float>();
        Factors(factors, x, rows, all);
        factors = StoreFactors(factors, row, rows);
        const Elements y = outY.template AllocTensor<T>();
        Scale(y, x, factors, rows);
        outFactors.FreeTensor(factors);
        if constexpr (wide) {
            outY.FreeTensor(sum);
        }
        Weigh(y, x, rows, all);
        Elements written = Store(Base::yGm[at], y, rows);
        outY.FreeTensor(written);
    }

    __aicore__ inline Elements Added(uint32_t all) {
        Elements x = inX.template DeQue<T>();
        Elements residual = inX.template DeQue<T>();
        const Elements sum = outY.template AllocTensor<T>();
        if constexpr (std::is_same_v<T, bfloat16_t>) {
            const Floats left = wideX.template Get<float>();
            const Floats right = scratch.template Get<float>();
            AscendC::Cast(left, x, AscendC::RoundMode::CAST_NONE, all);
            Base::Widen(right, residual, all);
            AscendC::Add(left, left, right, all);
            AscendC::PipeBarrier<PIPE_V>();
            Base::Narrow(sum, left, all);
        } else {
            AscendC::Add(sum, x, residual, all);
            AscendC::PipeBarrier<PIPE_V>();
        }
        inX.FreeTensor(x);
        inX.FreeTensor(residual);
        return sum;
    }

    /// A factor for each row: side by side, or in a block each.
    __aicore__ inline void Factors(const Floats& factors, const Floats& x, uint32_t rows, uint32_t all) {
        const Floats squares = scratch.template Get<float>();
        const Floats work = folded.template Get<float>();
        AscendC::Mul(squares, x, x, all);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(squares, squares, t.average, all);
        AscendC::PipeBarrier<PIPE_V>();
        const uint32_t values = across ? rows : rows * block;
        if (across) {
            FoldRows(factors, squares, work, rows);
        } else {
            AscendC::Duplicate(factors, 1.0f, values);
            AscendC::PipeBarrier<PIPE_V>();
            for (uint32_t r = 0; r < rows; ++r) {
                Base::SumOfRow(factors[r * block], squares[r * t.pitch], work);
            }
        }
        AscendC::Adds(factors, factors, t.epsilon, values);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sqrt(factors, factors, values);
        AscendC::Duplicate(work, 1.0f, values);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(factors, work, factors, values);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// The sums of all rows: 64 columns of each at a time are added up, then each vector is.
    __aicore__ inline void FoldRows(const Floats& sums,
                                    const Floats& squares,
                                    const Floats& work,
                                    uint32_t rows) const {
        const uint8_t pitch = t.pitch / block;
        AscendC::Duplicate(work, 0.0f, rows * row_lanes);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t at = 0; at < t.width; at += row_lanes) {
            const uint64_t lanes = t.width - at < row_lanes ? t.width - at : row_lanes;
            for (uint32_t r = 0; r < rows; r += row_repeats) {
                const uint8_t repeats = rows - r < row_repeats ? rows - r : row_repeats;
                AscendC::Add(work[r * row_lanes],
                             squares[r * t.pitch + at],
                             work[r * row_lanes],
                             lanes,
                             repeats,
                             AscendC::BinaryRepeatParams(1, 1, 1, 8, pitch, 8));
            }
            AscendC::PipeBarrier<PIPE_V>();
        }
        for (uint32_t r = 0; r < rows; r += row_repeats) {
            RowSum::Reduce(
                sums[r], work[r * row_lanes], row_lanes, rows - r < row_repeats ? rows - r : row_repeats, 8);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline Floats StoreFactors(const Floats& factors, uint64_t row, uint32_t rows) {
        outFactors.EnQue(factors);
        const Floats ready = outFactors.template DeQue<float>();
        if (across) {
            CopyElementsOut(Base::deviationGm[row], ready, rows);
        } else {
            AscendC::DataCopyPad(
                Base::deviationGm[row], ready, AscendC::DataCopyExtParams(rows, sizeof(float), 0, 0, 0));
        }
        return ready;
    }

    /// y = x times the row's factor, spread over a block first.
    __aicore__ inline void Scale(const Elements& y, const Floats& x, const Floats& factors, uint32_t rows) {
        Floats to = x;
        if constexpr (wide) {
            to = y;
        }
        if (across) {
            const Floats spread = folded.template Get<float>();
            for (uint32_t r = 0; r < rows; r += spread_most) {
                const uint32_t some = rows - r < spread_most ? rows - r : spread_most;
                SpreadRowValues(spread[r * block], factors[r], some);
            }
            AscendC::PipeBarrier<PIPE_V>();
            ByColumns<RowMul>(to, x, spread, rows, false);
        } else {
            const Floats spread = folded.template Get<float>();
            AscendC::Gather(spread, factors, offsets.template Get<uint32_t>(), 0U, rows * block);
            AscendC::PipeBarrier<PIPE_V>();
            RowsWithRight<RowMul>(to, x, spread, {rows, t.width, t.pitch}, 1, false);
        }
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (!wide) {
            Base::Narrow(y, to, rows * t.pitch);
        }
    }

    /// to = from op other, a vector's columns of all rows by an instruction.
    template <typename Op, typename U>
    __aicore__ inline void ByColumns(const AscendC::LocalTensor<U>& to,
                                     const AscendC::LocalTensor<U>& from,
                                     const AscendC::LocalTensor<U>& other,
                                     uint32_t rows,
                                     bool weights) const {
        constexpr uint32_t columns = 256 / sizeof(U);
        const uint8_t pitch = t.pitch * sizeof(U) / 32;
        const AscendC::BinaryRepeatParams params(1, 1, weights ? 1 : 0, pitch, pitch, weights ? 0 : 1);
        for (uint32_t r = 0; r < rows; r += row_repeats) {
            const uint8_t some = rows - r < row_repeats ? rows - r : row_repeats;
            for (uint32_t at = 0; at < t.width; at += columns) {
                const uint64_t lanes = t.width - at < columns ? t.width - at : columns;
                Op::Call(to[r * t.pitch + at],
                         from[r * t.pitch + at],
                         other[weights ? at : r * block],
                         lanes,
                         some,
                         params);
            }
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// y * gamma + beta; of bfloat16 by way of floats.
    __aicore__ inline void Weigh(const Elements& y, const Floats& x, uint32_t rows, uint32_t all) {
        if constexpr (std::is_same_v<T, bfloat16_t>) {
            const Floats weights = scratch.template Get<float>();
            const uint32_t widened = across ? all : t.width;
            Base::Widen(x, y, all);
            Base::Widen(weights, gamma, widened);
            Station<RowMul>(x, weights, rows);
            if (t.bias != 0) {
                Base::Widen(weights, beta, widened);
                Station<RowAdd>(x, weights, rows);
            }
            Base::Narrow(y, x, all);
        } else {
            Station<RowMul>(y, gamma, rows);
            if (t.bias != 0) {
                Station<RowAdd>(y, beta, rows);
            }
        }
    }

    template <typename Op, typename U>
    __aicore__ inline void Station(const AscendC::LocalTensor<U>& x,
                                   const AscendC::LocalTensor<U>& weights,
                                   uint32_t rows) const {
        if (across) {
            ByColumns<Op>(x, x, weights, rows, true);
            return;
        }
        for (uint32_t r = 0; r < rows; ++r) {
            Op::Call(x[r * t.pitch], weights, x[r * t.pitch], static_cast<int32_t>(t.width));
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    bool across;
    In inX;
    One inGamma, inBeta;
    Out outY;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outFactors;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, scratch, folded, offsets;
    Elements gamma, beta;
};
