// SPDX-License-Identifier: Apache-2.0
// The vector cores' program of matmul.cpp: the two of a group share the rows of each tile that their cube
// core wrote.
#pragma once

#include "kernels/ops/matmul/matmul/matmul_schedule.h"
#include "kernels/shared/activated_stripes.h"

namespace matmul {

using namespace AscendC;

template <typename Out>
class ActivatedProduct {
public:
    __aicore__ inline ActivatedProduct(GM_ADDR c, const Tiling& tiling, const epilogue::Epilogue& with)
        : t_(tiling), stripes_(with) {
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(c));
    }

    __aicore__ inline void Run() {
        const auto ratio = static_cast<uint32_t>(GetTaskRation());
        Schedule schedule;
        schedule.Init(
            t_, nullptr, static_cast<uint32_t>(GetBlockIdx()) / ratio, static_cast<uint32_t>(GetBlockNum()));
        for (; schedule.Valid(); schedule.Next()) {
            uint32_t tile_m = 0;
            uint32_t tile_n = 0;
            uint32_t part = 0;
            schedule.Place(tile_m, tile_n, part);
            const uint32_t row = schedule.RowStart() + tile_m * t_.base_m;
            const uint32_t column = schedule.ColumnStart() + tile_n * t_.base_n;
            const uint32_t rows = Smaller(t_.base_m, schedule.RowEnd() - row);
            const uint32_t columns = Smaller(t_.base_n, schedule.ColumnEnd() - column);
            const uint32_t share = Parts(rows, ratio);
            const uint32_t first = static_cast<uint32_t>(GetSubBlockIdx()) * share;
            const uint32_t mine = first < rows ? Smaller(share, rows - first) : 0;
            stripes_.Tile(c_[uint64_t{row + first} * t_.n + column], mine, columns, t_.n);
        }
    }

private:
    Tiling t_;
    epilogue::Stripes<Out> stripes_;
    GlobalTensor<Out> c_;
};

}  // namespace matmul
