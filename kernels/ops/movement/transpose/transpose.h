// SPDX-License-Identifier: Apache-2.0
// Permutation of axes. Where the last axis stays last, runs of elements are copied with strides; else tiles
// of the last input and the last output axis are transposed in the unified buffer.
#pragma once

#include "kernels/ops/movement/transpose/transpose_blocks.h"
#include "kernels/shared/gm_copy.h"
#include "kernels/shared/library_cost.h"

constexpr uint32_t transpose_most_axes = 6;

struct TransposeTiling {
    uint64_t units;                        // tiles
    uint64_t share;                        // of a core
    uint64_t extent[transpose_most_axes];  // of the axes around a tile, the output's innermost first
    uint64_t from[transpose_most_axes];    // their strides in x, elements
    uint64_t to[transpose_most_axes];      // their strides in y
    uint64_t a, b;                         // extents: a rows of x's tile, b elements of a row
    uint64_t a_from, b_to;                 // strides of a in x and of b in y
    uint32_t tile_a, tile_b;               // of a tile; multiples of 16 where tiles are transposed
    uint32_t axes;                         // around a tile
    uint32_t turn;                         // 1: tiles are transposed, 0: copied
    uint32_t buffers;
    uint32_t turns;           // 1: a tile begins when the one before is written
    uint32_t address_cycles;  // of the scalar unit for each row, which is fetched by itself; 0: all at once
};

template <typename T>
class Transposition {
public:
    __aicore__ inline Transposition(GM_ADDR x, GM_ADDR y, const TransposeTiling& tiling) : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        const uint32_t bytes = t.tile_a * Pitch(t.tile_b) * sizeof(T);
        if (t.turn != 0) {
            pipe.InitBuffer(inX, t.buffers, bytes);
            pipe.InitBuffer(outY, t.buffers, bytes);
        } else {
            pipe.InitBuffer(through, t.buffers, bytes);
        }
    }

    __aicore__ inline void Process() {
        if (t.turn != 0) {
            Clear();
        }
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        const uint64_t in_a = (t.a + t.tile_a - 1) / t.tile_a;
        const uint64_t in_b = (t.b + t.tile_b - 1) / t.tile_b;
        for (uint64_t u = first; u < first + t.share && u < t.units; ++u) {
            uint64_t rest = u;
            const uint64_t at_b = rest % in_b * t.tile_b;
            rest /= in_b;
            const uint64_t at_a = rest % in_a * t.tile_a;
            rest /= in_a;
            uint64_t from = at_a * t.a_from + at_b;
            uint64_t to = at_a * (t.turn != 0 ? 1 : t.b) + at_b * t.b_to;
            for (uint32_t i = 0; i < t.axes; ++i) {
                from += rest % t.extent[i] * t.from[i];
                to += rest % t.extent[i] * t.to[i];
                rest /= t.extent[i];
            }
            const uint32_t rows = t.a - at_a < t.tile_a ? t.a - at_a : t.tile_a;
            const uint32_t columns = t.b - at_b < t.tile_b ? t.b - at_b : t.tile_b;
            if (t.turn != 0) {
                Turn(from, to, rows, columns);
            } else {
                Move(from, to, rows, columns);
            }
            if (t.turns != 0) {
                AscendC::PipeBarrier<PIPE_ALL>();
                Rest(from, to, columns);
            }
        }
    }

private:
    static constexpr uint32_t block = 32 / sizeof(T);

    __aicore__ inline static uint32_t Pitch(uint32_t elements) {
        return (elements + block - 1) / block * block;
    }

    // What the edges of tiles leave is transposed as well.
    __aicore__ inline void Clear() {
        for (uint32_t i = 0; i < t.buffers; ++i) {
            AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
            AscendC::Duplicate(x, T(0), static_cast<int32_t>(t.tile_a * t.tile_b));
            inX.FreeTensor(x);
        }
    }

    // (rows, columns) GM -> (rows, pitch) UB
    __aicore__ inline void Fetch(
        const AscendC::LocalTensor<T>& x, uint64_t from, uint32_t rows, uint32_t columns, uint32_t pitch) {
        const uint32_t bytes = columns * sizeof(T);
        if (rows == 1 || (t.a_from == columns && columns == pitch)) {
            CopyElementsIn(x, xGm[from], rows * columns);
            return;
        }
        AscendC::DataCopyPad(
            x,
            xGm[from],
            AscendC::DataCopyExtParams(
                rows, bytes, (t.a_from - columns) * sizeof(T), (pitch - Pitch(columns)) / block, 0),
            AscendC::DataCopyPadExtParams<T>());
    }

    // (rows, pitch) UB -> rows of `columns` elements, `stride` apart
    __aicore__ inline void Store(const AscendC::LocalTensor<T>& y,
                                 uint64_t to,
                                 uint32_t rows,
                                 uint32_t columns,
                                 uint32_t pitch,
                                 uint64_t stride) {
        if (rows == 1 || (stride == columns && columns == pitch)) {
            CopyElementsOut(yGm[to], y, rows * columns);
            return;
        }
        const uint32_t bytes = columns * sizeof(T);
        AscendC::DataCopyPad(
            yGm[to],
            y,
            AscendC::DataCopyExtParams(
                rows, bytes, (pitch - Pitch(columns)) / block, (stride - columns) * sizeof(T), 0));
    }

    // A row's last block once more, where it does not end with the row's blocks.
    __aicore__ inline void Rest(uint64_t from, uint64_t to, uint32_t columns) {
        if (columns > block && columns % block != 0) {
            Move(from + columns - block, to + columns - block, 1, block);
            AscendC::PipeBarrier<PIPE_ALL>();
        }
    }

    __aicore__ inline void Move(uint64_t from, uint64_t to, uint32_t rows, uint32_t columns) {
        AscendC::LocalTensor<T> x = through.template AllocTensor<T>();
        if (t.address_cycles != 0) {
            for (uint32_t r = 0; r < rows; ++r) {
                cube::SpendScalar(t.address_cycles);
                CopyElementsIn(x[r * Pitch(columns)], xGm[from + r * t.a_from], columns);
            }
        } else {
            Fetch(x, from, rows, columns, Pitch(columns));
        }
        through.EnQue(x);
        x = through.template DeQue<T>();
        Store(x, to, rows, columns, Pitch(columns), t.b);
        through.FreeTensor(x);
    }

    __aicore__ inline void Turn(uint64_t from, uint64_t to, uint32_t rows, uint32_t columns) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        Fetch(x, from, rows, columns, t.tile_b);
        inX.EnQue(x);
        x = inX.template DeQue<T>();
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        if (rows <= 16) {
            TransposeStripe(y, x, t.tile_b, t.tile_a, (columns + block - 1) / block);
        } else {
            TransposeBlocks(y, x, t.tile_b, t.tile_a, (rows + 15) / 16, (columns + block - 1) / block);
        }
        outY.EnQue(y);
        inX.FreeTensor(x);
        y = outY.template DeQue<T>();
        Store(y, to, columns, rows, t.tile_a, t.b_to);  // (columns, rows) UB -> GM
        outY.FreeTensor(y);
    }

    TransposeTiling t;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> through;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
};
