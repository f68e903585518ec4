// SPDX-License-Identifier: Apache-2.0
// Which core of matmul.cpp computes which tiles of C, and in which order.
#pragma once

#include "kernels/common/cube_loads.h"
#include "kernels/matmul_tiling.hpp"

namespace matmul {

using cube::CeilTo;
using cube::fractal;
using cube::Parts;
using cube::Smaller;

/// Which tiles are this core's, in which order.
class Schedule {
public:
    __aicore__ inline void Init(const Tiling& t, uint32_t core, uint32_t cores) {
        t_ = t;
        tiles_m_ = Parts(t.m, t.base_m);
        tiles_n_ = Parts(t.n, t.base_n);
        if (t.swizzle == 0) {
            StartGrid(core, cores);
            return;
        }
        index_ = core;
        step_ = cores;
        end_ = tiles_m_ * tiles_n_ * t.split_k;
    }

    [[nodiscard]] __aicore__ inline bool Valid() const { return index_ < end_; }

    __aicore__ inline void Next() { index_ += step_; }

    /// The current tile, and the part of k that is this core's.
    __aicore__ inline void Place(uint32_t& tile_m, uint32_t& tile_n, uint32_t& part) const {
        if (t_.swizzle == 0) {
            const uint32_t tile = index_ / t_.split_k;
            part = index_ % t_.split_k;
            tile_m = first_m_ + tile / width_;
            tile_n = first_n_ + tile % width_;
            return;
        }
        const uint32_t tiles = tiles_m_ * tiles_n_;
        part = index_ / tiles;
        const uint32_t tile = index_ % tiles;
        const bool rows = t_.direction == 0;
        Band(tile,
             rows ? tiles_m_ : tiles_n_,
             rows ? tiles_n_ : tiles_m_,
             rows ? tile_m : tile_n,
             rows ? tile_n : tile_m);
    }

private:
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

    // A rectangle of tiles for each core.
    __aicore__ inline void StartGrid(uint32_t core, uint32_t cores) {
        const uint32_t grid_n = cores / t_.grid_m;
        const uint32_t high = Parts(tiles_m_, t_.grid_m);
        const uint32_t wide = Parts(tiles_n_, grid_n);
        first_m_ = core / grid_n * high;
        first_n_ = core % grid_n * wide;
        const bool inside = first_m_ < tiles_m_ && first_n_ < tiles_n_ && core < t_.grid_m * grid_n;
        width_ = inside ? Smaller(wide, tiles_n_ - first_n_) : 1;
        index_ = 0;
        step_ = 1;
        end_ = inside ? width_ * Smaller(high, tiles_m_ - first_m_) * t_.split_k : 0;
    }

    Tiling t_;
    uint32_t tiles_m_ = 0;
    uint32_t tiles_n_ = 0;
    uint32_t first_m_ = 0;
    uint32_t first_n_ = 0;
    uint32_t width_ = 1;
    uint32_t index_ = 0;
    uint32_t step_ = 1;
    uint32_t end_ = 0;
};

}  // namespace matmul
