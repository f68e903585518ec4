// SPDX-License-Identifier: Apache-2.0
// Which core of matmul.cpp computes which tiles of C, and in which order.
#pragma once

#include "kernels/ops/matmul/matmul/matmul_tiling.hpp"
#include "kernels/shared/cube_loads.h"

namespace matmul {

using cube::CeilTo;
using cube::fractal;
using cube::Parts;
using cube::Smaller;

/// Which tiles are this core's, in which order. Several products are dealt one after the other, so that a
/// core that finds none left in one goes on in the next.
class Schedule {
public:
    __aicore__ inline void Init(const Tiling& t, GM_ADDR row_ends, uint32_t core, uint32_t cores) {
        t_ = t;
        row_ends_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(row_ends));
        tiles_n_ = Parts(t.n, t.base_n);
        row_end_ = 0;
        column_end_ = t.n;
        group_ = 0;
        EnterGroup();
        if (t.swizzle == 0) {
            StartGrid(core, cores);
            return;
        }
        index_ = core;
        step_ = cores;
        begin_ = 0;
        end_ = tiles_m_ * tiles_n_ * t.split_k;
    }

    [[nodiscard]] __aicore__ inline bool Valid() {
        while (index_ >= end_) {
            if (++group_ >= t_.groups) {
                return false;
            }
            EnterGroup();
            begin_ = end_;
            end_ += tiles_m_ * tiles_n_ * t_.split_k;
        }
        return true;
    }

    __aicore__ inline void Next() { index_ += step_; }

    /// The product the current tile is of, and its rows of A and C.
    [[nodiscard]] __aicore__ inline uint32_t Group() const { return group_; }

    [[nodiscard]] __aicore__ inline uint32_t RowStart() const { return row_start_; }

    [[nodiscard]] __aicore__ inline uint32_t RowEnd() const { return row_end_; }

    /// The columns of C that tiles are counted in.
    [[nodiscard]] __aicore__ inline uint32_t ColumnStart() const { return column_start_; }

    [[nodiscard]] __aicore__ inline uint32_t ColumnEnd() const { return column_end_; }

    /// The current tile of its product, and the part of k that is this core's.
    __aicore__ inline void Place(uint32_t& tile_m, uint32_t& tile_n, uint32_t& part) const {
        const uint32_t index = index_ - begin_;
        if (t_.swizzle == 0) {
            part = index % t_.split_k;
            PlaceInGrid(index / t_.split_k, tile_m, tile_n);
            return;
        }
        const uint32_t tiles = tiles_m_ * tiles_n_;
        part = index / tiles;
        const uint32_t tile = index % tiles;
        const bool rows = t_.direction == 0;
        Band(tile,
             rows ? tiles_m_ : tiles_n_,
             rows ? tiles_n_ : tiles_m_,
             rows ? tile_m : tile_n,
             rows ? tile_n : tile_m);
    }

private:
    __aicore__ inline void EnterGroup() {
        row_start_ = row_end_;
        if (t_.groups == 1) {
            row_end_ = t_.m;
        } else if (t_.group_rows != 0) {
            row_end_ = row_start_ + t_.group_rows;
        } else {
            row_end_ = static_cast<uint32_t>(row_ends_.GetValue(group_));
        }
        tiles_m_ = Parts(row_end_ - row_start_, t_.base_m);
    }

    // Bands of `swizzle` lines; along a band the lines alternate, and every other band runs backwards, so
    // that neighbouring cores and neighbouring moments share rows of A and columns of B in L2.
    __aicore__ inline void Band(
        uint32_t tile, uint32_t lines, uint32_t length, uint32_t& line, uint32_t& along) const {
        const uint32_t band = tile / (t_.swizzle * length);
        const uint32_t inside = tile % (t_.swizzle * length);
        const uint32_t height = Smaller(t_.swizzle, lines - band * t_.swizzle);
        line = band * t_.swizzle + inside % height;
        along = inside / height;
        along = band % 2 == 1 ? length - 1 - along : along;
    }

    // A rectangle of tiles for each core, in every round.
    __aicore__ inline void StartGrid(uint32_t core, uint32_t cores) {
        const uint32_t grid_n = cores / t_.grid_m;
        const uint32_t share = t_.core_columns != 0 ? t_.core_columns : Parts(tiles_n_, grid_n) * t_.base_n;
        high_ = Parts(tiles_m_, t_.grid_m * t_.rounds);
        first_m_ = core / grid_n * high_;
        column_start_ = core % grid_n * share;
        index_ = 0;
        step_ = 1;
        begin_ = 0;
        end_ = 0;
        if (column_start_ >= t_.n || core >= t_.grid_m * grid_n) {
            return;
        }
        column_end_ = Smaller(t_.n, column_start_ + share);
        width_ = Parts(column_end_ - column_start_, t_.base_n);
        for (uint32_t round = 0; round < t_.rounds; ++round) {
            end_ += width_ * Height(round) * t_.split_k;
        }
    }

    [[nodiscard]] __aicore__ inline uint32_t FirstRow(uint32_t round) const {
        return round * t_.grid_m * high_ + first_m_;
    }

    // Rows of tiles that are this core's in a round: all but the last that has any are full.
    [[nodiscard]] __aicore__ inline uint32_t Height(uint32_t round) const {
        const uint32_t first = FirstRow(round);
        return first < tiles_m_ ? Smaller(high_, tiles_m_ - first) : 0;
    }

    __aicore__ inline void PlaceInGrid(uint32_t tile, uint32_t& tile_m, uint32_t& tile_n) const {
        const uint32_t round = tile / (width_ * high_);
        const uint32_t inside = tile % (width_ * high_);
        const uint32_t height = Height(round);
        const bool along_m = t_.direction != 0;
        tile_m = FirstRow(round) + (along_m ? inside % height : inside / width_);
        tile_n = along_m ? inside / height : inside % width_;
    }

    Tiling t_;
    AscendC::GlobalTensor<int64_t> row_ends_;
    uint32_t group_ = 0;
    uint32_t row_start_ = 0;
    uint32_t row_end_ = 0;
    uint32_t tiles_m_ = 0;
    uint32_t tiles_n_ = 0;
    uint32_t first_m_ = 0;  // of a grid's first round
    uint32_t width_ = 1;    // tiles of a core in a grid
    uint32_t high_ = 1;     // the same, in each full round
    uint32_t column_start_ = 0;
    uint32_t column_end_ = 0;
    uint32_t index_ = 0;
    uint32_t step_ = 1;
    uint32_t begin_ = 0;  // index of the current product's first tile
    uint32_t end_ = 0;
};

}  // namespace matmul
