// SPDX-License-Identifier: Apache-2.0
// Permutation of axes in the operator library's manner: tiles of some 128 rows by 128 columns, whose rows run
// along the last axes of the input and whose columns along the last axes of the output, several axes of each
// if the last is short. Rows that are not whole blocks, or not evenly apart, are copied one by one, at
// addresses that the scalar unit computes; loads, transposition and stores take turns.
#pragma once

#include "kernels/ops/movement/transpose/transpose_blocks.h"
#include "kernels/shared/gm_copy.h"
#include "kernels/shared/library_cost.h"

constexpr uint32_t transpose_tile_axes = 6;

/// What the library's scalar unit spends on the addresses of one run beyond ours, which goes from run to run
/// in a few steps. Calibrated on IDX-039 to IDX-044 and IDX-052, where a run takes 55 to 100 cycles in all.
constexpr uint32_t transpose_address_cycles = 42;

/// Axes that lie behind each other on one side, innermost first, and their strides on the other.
struct TransposeGroup {
    uint64_t extent[transpose_tile_axes];
    uint64_t stride[transpose_tile_axes];
    uint64_t total;  // product of the extents
    uint32_t axes;
    uint32_t tile;     // elements of a tile
    uint32_t at_once;  // 1: a tile's runs are whole blocks, evenly apart
};

struct TransposeTilesTiling {
    uint64_t units;                        // tiles
    uint64_t share;                        // of a core
    uint64_t extent[transpose_tile_axes];  // of the axes around a tile
    uint64_t from[transpose_tile_axes];    // their strides in x, elements
    uint64_t to[transpose_tile_axes];      // their strides in y
    uint32_t axes;
    uint32_t address_cycles;  // of the scalar unit for each run that is copied by itself
    TransposeGroup rows;      // last axes of y, with their strides in x
    TransposeGroup columns;   // last axes of x, with their strides in y
};

/// Goes through the elements of a group in order, knowing where each lies on the other side.
class TransposeWalk {
public:
    __aicore__ inline TransposeWalk(const TransposeGroup& group, uint64_t index) : group(group) {
        for (uint32_t i = 0; i < group.axes; ++i) {
            at[i] = index % group.extent[i];
            index /= group.extent[i];
            offset += at[i] * group.stride[i];
        }
    }

    __aicore__ inline uint64_t Offset() const { return offset; }

    __aicore__ inline void Next() {
        for (uint32_t i = 0; i < group.axes; ++i) {
            offset += group.stride[i];
            if (++at[i] < group.extent[i]) {
                return;
            }
            offset -= at[i] * group.stride[i];
            at[i] = 0;
        }
    }

private:
    const TransposeGroup& group;
    uint64_t at[transpose_tile_axes] = {};
    uint64_t offset = 0;
};

template <typename T>
class TransposeTiles {
public:
    __aicore__ inline TransposeTiles(GM_ADDR x, GM_ADDR y, const TransposeTilesTiling& tiling) : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        wide = Padded(t.columns.tile);
        tall = Padded(t.rows.tile);
        pipe.InitBuffer(inX, 1, wide * tall * sizeof(T));
        pipe.InitBuffer(outY, 1, wide * tall * sizeof(T));
    }

    __aicore__ inline void Process() {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        // What the edges of tiles leave is transposed as well.
        AscendC::Duplicate(x, T(0), static_cast<int32_t>(wide * tall));
        inX.FreeTensor(x);
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        const uint64_t across = (t.columns.total + t.columns.tile - 1) / t.columns.tile;
        const uint64_t down = (t.rows.total + t.rows.tile - 1) / t.rows.tile;
        for (uint64_t u = first; u < first + t.share && u < t.units; ++u) {
            uint64_t rest = u;
            const uint64_t column = rest % across * t.columns.tile;
            rest /= across;
            const uint64_t row = rest % down * t.rows.tile;
            rest /= down;
            uint64_t from = column;
            uint64_t to = row;
            for (uint32_t i = 0; i < t.axes; ++i) {
                from += rest % t.extent[i] * t.from[i];
                to += rest % t.extent[i] * t.to[i];
                rest /= t.extent[i];
            }
            Tile(from, to, row, column);
            AscendC::PipeBarrier<PIPE_ALL>();
        }
    }

private:
    static constexpr uint32_t block = 32 / sizeof(T);

    /// Elements of the blocks that `n` elements fill.
    __aicore__ inline static uint32_t Blocks(uint32_t n) { return (n + block - 1) / block * block; }

    __aicore__ inline static uint32_t Padded(uint32_t n) { return (n + 15) / 16 * 16; }

    __aicore__ inline void Tile(uint64_t from, uint64_t to, uint64_t row, uint64_t column) {
        const uint32_t rows = t.rows.total - row < t.rows.tile ? t.rows.total - row : t.rows.tile;
        const uint32_t columns =
            t.columns.total - column < t.columns.tile ? t.columns.total - column : t.columns.tile;
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        Load(x, from, row, rows, columns);
        inX.EnQue(x);
        x = inX.template DeQue<T>();
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        TransposeBlocks(y, x, wide, tall, (rows + 15) / 16, (columns + block - 1) / block);
        outY.EnQue(y);
        inX.FreeTensor(x);
        y = outY.template DeQue<T>();
        Store(y, to, column, rows, columns);
        outY.FreeTensor(y);
    }

    // (rows, columns) GM -> (rows, wide) UB
    __aicore__ inline void Load(
        const AscendC::LocalTensor<T>& x, uint64_t from, uint64_t row, uint32_t rows, uint32_t columns) {
        if (t.rows.at_once != 0) {
            const uint32_t bytes = columns * sizeof(T);
            AscendC::DataCopyPad(
                x,
                xGm[from + row * t.rows.stride[0]],
                AscendC::DataCopyExtParams(
                    rows, bytes, t.rows.stride[0] * sizeof(T) - bytes, (wide - Blocks(columns)) / block, 0),
                AscendC::DataCopyPadExtParams<T>());
            return;
        }
        TransposeWalk run(t.rows, row);
        for (uint32_t r = 0; r < rows; ++r, run.Next()) {
            cube::SpendScalar(t.address_cycles);
            CopyElementsIn(x[r * wide], xGm[from + run.Offset()], columns);
        }
    }

    // (columns, tall) UB -> (columns, rows) GM
    __aicore__ inline void Store(
        const AscendC::LocalTensor<T>& y, uint64_t to, uint64_t column, uint32_t rows, uint32_t columns) {
        if (t.columns.at_once != 0) {
            const uint32_t bytes = rows * sizeof(T);
            AscendC::DataCopyPad(yGm[to + column * t.columns.stride[0]],
                                 y,
                                 AscendC::DataCopyExtParams(columns,
                                                            bytes,
                                                            (tall - Blocks(rows)) / block,
                                                            t.columns.stride[0] * sizeof(T) - bytes,
                                                            0));
            return;
        }
        TransposeWalk run(t.columns, column);
        for (uint32_t c = 0; c < columns; ++c, run.Next()) {
            cube::SpendScalar(t.address_cycles);
            CopyElementsOut(yGm[to + run.Offset()], y[c * tall], rows);
        }
    }

    TransposeTilesTiling t;
    uint32_t wide, tall;  // a tile in the unified buffer
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
};
