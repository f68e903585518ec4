// SPDX-License-Identifier: Apache-2.0
// The order in which rows pass the stations: tiles of whole rows, or the pieces of a row that does not fit.
#pragma once

#include "kernels/ops/norm/row_norm/row_norm_tile.h"

template <typename T>
class RowNorm : private RowNormTile<T> {
    using Tile = RowNormTile<T>;
    using Floats = typename Tile::Floats;
    using Tile::Centre;
    using Tile::count;
    using Tile::elements;
    using Tile::Emit;
    using Tile::FetchWeights;
    using Tile::first;
    using Tile::Fits;
    using Tile::InverseDeviation;
    using Tile::Load;
    using Tile::Magnitude;
    using Tile::outY;
    using Tile::Prepare;
    using Tile::RowValues;
    using Tile::Scales;
    using Tile::scratch;
    using Tile::Spread;
    using Tile::StoreTile;
    using Tile::t;
    using Tile::Value;
    using Tile::Weigh;
    using Tile::Weighs;

public:
    __aicore__ inline RowNorm(const RowNormAddresses& addresses, const RowNormTiling& tiling)
        : Tile(addresses, tiling) {}

    __aicore__ inline void Process() {
        if (count == 0) {
            return;
        }
        Prepare();
        for (uint64_t row = first; row < first + count; row += t.tile) {
            const uint32_t rows = first + count - row < t.tile ? first + count - row : t.tile;
            if (Fits()) {
                Whole(row, rows);
            } else {
                Pieces(row);
            }
        }
    }

private:
    __aicore__ inline void Whole(uint64_t row, uint32_t rows) {
        const uint32_t all = rows * t.pitch;
        const Rows shape{rows, t.width, t.pitch};
        const Floats x = Load(row, 0, rows, t.width, all);
        AscendC::LocalTensor<uint8_t> out = outY.template AllocTensor<uint8_t>();
        AscendC::LocalTensor<uint8_t> y = t.residual != 0 ? out[elements * sizeof(T)] : out;
        if (t.residual != 0) {
            Narrow(out.template ReinterpretCast<T>(), x, all);
        }
        Centre(x, shape);
        if (t.kind != RowNormKind::none) {
            AscendC::Mul(scratch.template Get<float>(), x, x, all);
            AscendC::PipeBarrier<PIPE_V>();
            ReduceRowsInPlace<RowSum>(Value(0), scratch.template Get<float>(), shape);
            AscendC::PipeBarrier<PIPE_V>();
            InverseDeviation(Value(0), rows);
            RowsWithValues<RowMul>(x, x, Spread(0), shape);
            AscendC::PipeBarrier<PIPE_V>();
        }
        Weigh(x, shape);
        if (t.quant != RowQuant::none) {
            Magnitude(Value(2), x, shape, all);
            Scales(rows);
        }
        Emit(y, x, shape, all);
        outY.template EnQue<uint8_t>(out);
        StoreTile(row, 0, rows, t.width);
        RowValues(row, rows);
    }

    // ---- a row that does not fit: pass after pass over its pieces

    template <typename Visit>
    __aicore__ inline void EachPiece(uint64_t row, Visit visit) {
        for (uint32_t at = 0; at < t.width; at += t.chunk) {
            const uint32_t n = t.width - at < t.chunk ? t.width - at : t.chunk;
            visit(at, n, Load(row, at, 1, n, n));
        }
    }

    template <typename Fold>
    __aicore__ inline void Accumulate(const Floats& into, const Floats& piece, bool starts) {
        if (starts) {
            AscendC::Adds(into, piece, 0.0f, 8);
        } else {
            Fold::Call(into, into, piece, 8);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Normalise(const Floats& x, uint32_t at, uint32_t n) {
        const Rows shape{1, n, t.pitch};
        if (t.kind == RowNormKind::layer) {
            RowsWithValues<RowSub>(x, x, Spread(1), shape);
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (t.kind != RowNormKind::none) {
            RowsWithValues<RowMul>(x, x, Spread(0), shape);
            AscendC::PipeBarrier<PIPE_V>();
        }
        for (uint32_t i = 0; i < 3; ++i) {
            if (Weighs(i)) {
                FetchWeights(i, at, n);
            }
        }
        Weigh(x, shape);
    }

    __aicore__ inline void Pieces(uint64_t row) {
        if (t.kind == RowNormKind::layer) {
            EachPiece(row, [&](uint32_t at, uint32_t n, const Floats& x) {
                ReduceRows<RowSum>(Value(3), x, scratch.template Get<float>(), {1, n, t.pitch});
                AscendC::PipeBarrier<PIPE_V>();
                Accumulate<RowSum>(Value(1), Value(3), at == 0);
            });
            AscendC::Muls(Value(1), Value(1), 1.0f / static_cast<float>(t.width), 1);
            AscendC::PipeBarrier<PIPE_V>();
            SpreadRowValues(Spread(1), Value(1), 1);
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (t.kind != RowNormKind::none) {
            EachPiece(row, [&](uint32_t at, uint32_t n, const Floats& x) {
                if (t.kind == RowNormKind::layer) {
                    RowsWithValues<RowSub>(x, x, Spread(1), {1, n, t.pitch});
                    AscendC::PipeBarrier<PIPE_V>();
                }
                AscendC::Mul(scratch.template Get<float>(), x, x, n);
                AscendC::PipeBarrier<PIPE_V>();
                ReduceRowsInPlace<RowSum>(Value(3), scratch.template Get<float>(), {1, n, t.pitch});
                AscendC::PipeBarrier<PIPE_V>();
                Accumulate<RowSum>(Value(0), Value(3), at == 0);
            });
            InverseDeviation(Value(0), 1);
        }
        if (t.quant != RowQuant::none) {
            EachPiece(row, [&](uint32_t at, uint32_t n, const Floats& x) {
                Normalise(x, at, n);
                Magnitude(Value(3), x, {1, n, t.pitch}, n);
                Accumulate<RowMax>(Value(2), Value(3), at == 0);
            });
        }
        LastPass(row);
        RowValues(row, 1);
    }

    __aicore__ inline void LastPass(uint64_t row) {
        bool scaled = false;
        EachPiece(row, [&](uint32_t at, uint32_t n, const Floats& x) {
            AscendC::LocalTensor<uint8_t> out = outY.template AllocTensor<uint8_t>();
            if (t.residual != 0) {
                Narrow(out.template ReinterpretCast<T>(), x, n);
                AscendC::PipeBarrier<PIPE_V>();
            }
            if (scaled) {  // the spread held the scale
                SpreadRowValues(Spread(0), Value(0), 1);
                AscendC::PipeBarrier<PIPE_V>();
            }
            Normalise(x, at, n);
            if (t.quant != RowQuant::none && !scaled) {
                Scales(1);
                scaled = true;
            } else if (scaled) {
                SpreadRowValues(Spread(0), Value(3), 1);
                AscendC::PipeBarrier<PIPE_V>();
            }
            Emit(t.residual != 0 ? out[elements * sizeof(T)] : out, x, {1, n, t.pitch}, n);
            outY.template EnQue<uint8_t>(out);
            StoreTile(row, at, 1, n);
        });
    }
};
