// SPDX-License-Identifier: Apache-2.0
// The cube core's part of long_scan.cpp.
//
//   x (side, side) ND --mte2--> L1 NZ --mte1--> L0A --mmad with a triangle of ones kept in L0B--> L0C
//   --fixpipe--> y ND
//
// One buffer in each memory: a tile's load overlaps the product and the store of the one before it, no more.
#pragma once

#include "kernels/ops/reduce/long_scan/long_scan_tiling.hpp"

namespace long_scan {

using namespace AscendC;

/// The type of sums: the cube's accumulator.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, int8_t>, int32_t, float>;

/// Running sums within each row of `side` elements.
template <class T>
class RowSums {
public:
    __aicore__ inline RowSums(TPipe& pipe, GM_ADDR x, GM_ADDR triangle, GM_ADDR y, const Tiling& tiling)
        : side_(tiling.side), elements_(tiling.side * tiling.side), groups_(tiling.groups) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        ones_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(triangle));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ Sum<T>*>(y));
        const uint32_t bytes = elements_ * sizeof(T);
        pipe.InitBuffer(a1_, 1, bytes);
        pipe.InitBuffer(a2_, 1, bytes);
        pipe.InitBuffer(b1_, 1, bytes);
        pipe.InitBuffer(b2_, 1, bytes);
        pipe.InitBuffer(co1_, 1, elements_ * sizeof(Sum<T>));
    }

    /// The `length` elements from `first`, this core's share of their tiles.
    __aicore__ inline void Run(uint64_t first, uint64_t length) {
        const uint64_t tiles = (length + elements_ - 1) / elements_;
        const uint64_t share = (tiles + groups_ - 1) / groups_;
        const uint64_t from = share * GetBlockIdx();
        const uint64_t end = from + share < tiles ? from + share : tiles;
        if (from >= end) {
            return;
        }
        const LocalTensor<T> triangle = Triangle();
        for (uint64_t tile = from; tile < end; ++tile) {
            const uint64_t left = length - tile * elements_;
            Tile(first + tile * elements_,
                 left < elements_ ? static_cast<uint32_t>(left) : elements_,
                 triangle);
        }
        LocalTensor<T> used = triangle;
        b2_.FreeTensor(used);
    }

private:
    static constexpr uint32_t block = 32 / sizeof(T);  // elements of a fractal's row
    static constexpr uint32_t fractal_rows = 16;

    __aicore__ inline static Nd2NzParams Plane(uint32_t rows, uint32_t columns, uint32_t side) {
        return {1,
                static_cast<uint16_t>(rows),
                static_cast<uint16_t>(columns),
                0,
                static_cast<uint16_t>(side),
                static_cast<uint16_t>(side),
                1,
                0};
    }

    /// The transposed triangle, whose rows are the columns of the product: its blocks lie in L1 as L0B wants
    /// them.
    __aicore__ inline LocalTensor<T> Triangle() {
        LocalTensor<T> l1 = b1_.template AllocTensor<T>();
        DataCopy(l1, ones_, Plane(side_, side_, side_));  // (side, side) GM -> L1
        b1_.EnQue(l1);
        l1 = b1_.template DeQue<T>();
        LocalTensor<T> l0 = b2_.template AllocTensor<T>();
        const auto fractals = static_cast<uint8_t>(side_ / block * (side_ / fractal_rows));
        LoadData(l0, l1, LoadData2DParams(0, fractals, 1, 0, 0, false, 0));
        b1_.FreeTensor(l1);
        b2_.EnQue(l0);
        return b2_.template DeQue<T>();
    }

    __aicore__ inline void Fetch(uint64_t at, uint32_t count) {
        LocalTensor<T> l1 = a1_.template AllocTensor<T>();
        const uint32_t rows = count / side_;
        const uint32_t rest = count % side_;
        if (count < elements_) {  // zeros where nothing arrives: what lies there may be no number
            InitConstValue(l1, InitConstValueParams<T>(1, static_cast<uint16_t>(elements_ / block), 0, T(0)));
            PipeBarrier<PIPE_MTE2>();
        }
        if (rows > 0) {
            DataCopy(l1, x_[at], Plane(rows, side_, side_));  // (rows, side) GM -> L1
        }
        if (rest > 0) {
            DataCopy(l1[rows * block], x_[at + rows * side_], Plane(1, rest, side_));
        }
        a1_.EnQue(l1);
    }

    __aicore__ inline void Tile(uint64_t at, uint32_t count, const LocalTensor<T>& triangle) {
        Fetch(at, count);
        LocalTensor<T> l1 = a1_.template DeQue<T>();
        LocalTensor<T> l0 = a2_.template AllocTensor<T>();
        const uint32_t down = side_ / fractal_rows;
        for (uint32_t i = 0; i < down; ++i) {
            LoadData(
                l0[i * fractal_rows * side_],
                l1[i * fractal_rows * block],
                LoadData2DParams(
                    0, static_cast<uint8_t>(side_ / block), static_cast<uint16_t>(down), 0, 0, false, 0));
        }
        a1_.FreeTensor(l1);
        a2_.EnQue(l0);
        l0 = a2_.template DeQue<T>();
        LocalTensor<Sum<T>> sums = co1_.template AllocTensor<Sum<T>>();
        MmadParams params;
        params.m = static_cast<uint16_t>(side_);
        params.n = static_cast<uint16_t>(side_);
        params.k = static_cast<uint16_t>(side_);
        params.cmatrixInitVal = true;
        Mmad(sums, l0, triangle, params);
        a2_.FreeTensor(l0);
        co1_.EnQue(sums);
        sums = co1_.template DeQue<Sum<T>>();
        Store(at, count, sums);
        co1_.FreeTensor(sums);
    }

    __aicore__ inline void Store(uint64_t at, uint32_t count, const LocalTensor<Sum<T>>& sums) {
        const uint32_t rows = count / side_;
        if (rows > 0) {
            Part(at, rows, side_, sums);
        }
        if (count % side_ > 0) {
            Part(at + rows * side_, 1, count % side_, sums[rows * fractal_rows]);
        }
    }

    __aicore__ inline void Part(uint64_t at,
                                uint32_t rows,
                                uint32_t columns,
                                const LocalTensor<Sum<T>>& sums) {
        FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(columns);
        params.mSize = static_cast<uint16_t>(rows);
        params.srcStride = static_cast<uint16_t>(side_);
        params.dstStride = side_;
        params.ndNum = 1;
        Fixpipe<Sum<T>, Sum<T>, CFG_ROW_MAJOR>(y_[at], sums, params);
    }

    uint32_t side_;
    uint32_t elements_;  // of a tile
    uint32_t groups_;
    GlobalTensor<T> x_;
    GlobalTensor<T> ones_;
    GlobalTensor<Sum<T>> y_;
    TQue<TPosition::A1, 1> a1_;
    TQue<TPosition::A2, 1> a2_;
    TQue<TPosition::B1, 1> b1_;
    TQue<TPosition::B2, 1> b2_;
    TQue<TPosition::CO1, 1> co1_;
};

}  // namespace long_scan
