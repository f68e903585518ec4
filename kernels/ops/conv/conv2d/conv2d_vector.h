// SPDX-License-Identifier: Apache-2.0
// The vector cores' program of conv2d.cpp: the two of a group share the positions of each tile that their
// cube core wrote.
#pragma once

#include "kernels/ops/conv/conv2d/conv2d_tiling.hpp"
#include "kernels/shared/activated_stripes.h"

namespace conv2d {

using namespace AscendC;

template <typename T>
class ActivatedImage {
public:
    __aicore__ inline ActivatedImage(GM_ADDR y, const Tiling& tiling, const epilogue::Epilogue& with)
        : t_(tiling), stripes_(with) {
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
    }

    __aicore__ inline void Run() {
        const uint32_t tiles_m = cube::Parts(t_.out_height * t_.out_width, t_.base_m);
        const uint32_t tiles_n = cube::Parts(t_.n1 / t_.groups * n0, t_.base_n);
        const auto ratio = static_cast<uint32_t>(GetTaskRation());
        const uint32_t core = static_cast<uint32_t>(GetBlockIdx()) / ratio;
        const uint32_t tiles = t_.batch * tiles_m * tiles_n * t_.groups;
        for (uint32_t tile = core; tile < tiles; tile += static_cast<uint32_t>(GetBlockNum())) {
            const uint32_t across = tile / (t_.batch * tiles_m);
            const uint32_t at = tile % (t_.batch * tiles_m);
            Share(at / tiles_m, at % tiles_m * t_.base_m, across / tiles_n, across % tiles_n, ratio);
        }
    }

private:
    static constexpr uint32_t c0 = block_bytes / sizeof(T);

    // This core's positions of a tile, in all its channels.
    __aicore__ inline void Share(
        uint32_t image, uint32_t position, uint32_t group, uint32_t tile_n, uint32_t ratio) {
        const uint32_t plane = t_.out_height * t_.out_width;
        const uint32_t columns = t_.n1 / t_.groups;
        const uint32_t column = tile_n * (t_.base_n / n0);
        const uint32_t blocks = cube::Smaller(t_.base_n / n0, columns - column);
        const uint32_t positions = cube::Smaller(t_.base_m, plane - position);
        const uint32_t part = cube::Parts(positions, ratio);
        const uint32_t first = static_cast<uint32_t>(GetSubBlockIdx()) * part;
        const uint32_t mine = first < positions ? cube::Smaller(part, positions - first) : 0;
        constexpr uint32_t parts = n0 / c0;  // blocks of Y to a block of the cube
        const uint32_t block = (image * t_.n1 + group * columns + column) * parts;
        stripes_.Tile(
            y_[(uint64_t{block} * plane + position + first) * c0], blocks * parts, mine * c0, plane * c0);
    }

    Tiling t_;
    epilogue::Stripes<T> stripes_;
    GlobalTensor<T> y_;
};

}  // namespace conv2d
