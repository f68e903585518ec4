// SPDX-License-Identifier: Apache-2.0
// The device side of copy.cpp: walks through a matrix and copies tile after tile, nothing else.
#pragma once

#include "kernel_operator.h"
#include "kernels/ops/movement/copy/copy_tiling.hpp"

namespace copying {

using namespace AscendC;

/// Visits the tiles of a matrix in the order the tiling asks for, and has each copied by `Path`.
template <typename Path>
class MatrixWalk {
public:
    __aicore__ inline MatrixWalk(GM_ADDR x, GM_ADDR z, const Tiling& tiling)
        : t_(tiling), z_(z), path_(x, tiling) {}

    __aicore__ inline void Process() {
        const auto core = static_cast<uint32_t>(GetBlockIdx());
        const auto cores = static_cast<uint32_t>(GetBlockNum());
        const uint32_t shares = (t_.rows + t_.share_rows - 1) / t_.share_rows;
        if (t_.order == Order::own) {
            CopySlices(core, core < shares ? core + 1 : core);
        } else if (t_.order == Order::same) {
            CopySlices(0, shares);
        } else {
            for (uint32_t group = 0; group < shares; group += cores) {
                const uint32_t size = shares - group < cores ? shares - group : cores;
                for (uint32_t i = 0; i < size; ++i) {
                    const uint32_t share = group + (i + core) % size;
                    CopySlices(share, share + 1);
                }
            }
        }
        PipeBarrier<PIPE_ALL>();
        if (t_.keep != 0 && last_rows_ != 0) {
            path_.Keep(z_ + uint64_t{core} * path_.KeptBytes(), last_rows_, last_bytes_);
        }
    }

private:
    __aicore__ inline void CopySlices(uint32_t first_share, uint32_t end_share) {
        const uint64_t slice = t_.row_bytes / t_.slices;
        for (uint32_t i = 0; i < t_.slices; ++i) {
            for (uint32_t time = 0; time < t_.times; ++time) {
                CopyRows(first_share * t_.share_rows, end_share * t_.share_rows, i * slice, slice);
            }
        }
    }

    __aicore__ inline void CopyRows(uint32_t row, uint32_t end, uint64_t from, uint64_t bytes) {
        for (end = end < t_.rows ? end : t_.rows; row < end; row += t_.tile_rows) {
            last_rows_ = end - row < t_.tile_rows ? end - row : t_.tile_rows;
            for (uint64_t at = 0; at < bytes; at += t_.tile_bytes) {
                last_bytes_ = static_cast<uint32_t>(bytes - at < t_.tile_bytes ? bytes - at : t_.tile_bytes);
                path_.Copy(row * t_.row_bytes + from + at, last_rows_, last_bytes_);
            }
        }
    }

    Tiling t_;
    GM_ADDR z_;
    Path path_;
    uint32_t last_rows_ = 0;
    uint32_t last_bytes_ = 0;
};

/// (rows, bytes) GM -> UB, rows padded to whole blocks.
class ToUb {
public:
    __aicore__ inline ToUb(GM_ADDR x, const Tiling& tiling) : t_(tiling) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(x));
        if (tiling.bypass_l2 != 0) {
            x_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        }
        ub_ = LocalTensor<uint8_t>(TPosition::VECIN, 0, KeptBytes());
    }

    [[nodiscard]] __aicore__ inline uint32_t KeptBytes() const {
        return t_.tile_rows * ((t_.tile_bytes + 31) / 32 * 32);
    }

    __aicore__ inline void Copy(uint64_t offset, uint32_t rows, uint32_t bytes) {
        // Nothing reads the buffer, so one copy may overwrite another; a checker would call it a race.
        if (t_.keep != 0) {
            PipeBarrier<PIPE_MTE2>();
        }
        DataCopyPad(
            ub_,
            x_[offset],
            DataCopyExtParams(
                static_cast<uint16_t>(rows), bytes, static_cast<uint32_t>(t_.row_bytes - bytes), 0, 0),
            DataCopyPadExtParams<uint8_t>());
    }

    __aicore__ inline void Keep(GM_ADDR z, uint32_t rows, uint32_t bytes) {
        GlobalTensor<uint8_t> out;
        out.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(z));
        DataCopyPad(out, ub_, DataCopyExtParams(static_cast<uint16_t>(rows), bytes, 0, 0, 0));
    }

private:
    Tiling t_;
    GlobalTensor<uint8_t> x_;
    LocalTensor<uint8_t> ub_;
};

/// (rows, columns) GM -> L1, as it lies or as NZ.
template <typename T, bool fractal>
class ToL1 {
public:
    __aicore__ inline ToL1(GM_ADDR x, const Tiling& tiling) : t_(tiling) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        if (tiling.bypass_l2 != 0) {
            x_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        }
        l1_ = LocalTensor<T>(TPosition::A1, 0, KeptBytes() / static_cast<uint32_t>(sizeof(T)));
    }

    [[nodiscard]] __aicore__ inline uint32_t KeptBytes() const {
        return Height() * Blocks(t_.tile_bytes) * 32;
    }

    __aicore__ inline void Copy(uint64_t offset, uint32_t rows, uint32_t bytes) {
        if (t_.keep != 0) {
            PipeBarrier<PIPE_MTE2>();
        }
        const GlobalTensor<T> from = x_[offset / sizeof(T)];
        if constexpr (fractal) {
            Nd2NzParams params;
            params.ndNum = 1;
            params.nValue = static_cast<uint16_t>(rows);
            params.dValue = static_cast<uint16_t>(bytes / sizeof(T));
            params.srcNdMatrixStride = 0;
            params.srcDValue = static_cast<uint16_t>(t_.row_bytes / sizeof(T));
            params.dstNzC0Stride = static_cast<uint16_t>(Height());
            params.dstNzNStride = 1;
            params.dstNzMatrixStride = 0;
            DataCopy(l1_, from, params);
        } else {
            const auto blocks = static_cast<uint16_t>(bytes / 32);
            DataCopy(l1_,
                     from,
                     DataCopyParams(static_cast<uint16_t>(rows),
                                    blocks,
                                    static_cast<uint16_t>(t_.row_bytes / 32 - blocks),
                                    0));
        }
    }

    __aicore__ inline void Keep(GM_ADDR z, uint32_t rows, uint32_t bytes) {
        GlobalTensor<T> out;
        out.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(z));
        if constexpr (fractal) {
            const auto gap = static_cast<uint16_t>(Height() - rows);
            DataCopy(
                out,
                l1_,
                DataCopyParams(static_cast<uint16_t>(Blocks(bytes)), static_cast<uint16_t>(rows), gap, 0));
        } else {
            DataCopy(out, l1_, DataCopyParams(1, static_cast<uint16_t>(rows * Blocks(bytes)), 0, 0));
        }
    }

private:
    [[nodiscard]] __aicore__ inline uint32_t Height() const { return (t_.tile_rows + 15) / 16 * 16; }

    __aicore__ inline static uint32_t Blocks(uint32_t bytes) { return (bytes + 31) / 32; }

    Tiling t_;
    GlobalTensor<T> x_;
    LocalTensor<T> l1_;
};

/// A core's contiguous share of a tensor.
class FlatShare {
public:
    __aicore__ inline explicit FlatShare(const FlatTiling& tiling)
        : t(tiling), begin(tiling.share * static_cast<uint64_t>(GetBlockIdx())) {
        length = begin >= t.total ? 0 : t.total - begin < t.share ? t.total - begin : t.share;
    }

protected:
    [[nodiscard]] __aicore__ inline uint32_t BytesAt(uint64_t at) const {
        return static_cast<uint32_t>(length - at < t.tile ? length - at : t.tile);
    }

    __aicore__ inline static void Store(const GlobalTensor<uint8_t>& to,
                                        const LocalTensor<uint8_t>& from,
                                        uint32_t bytes) {
        if (bytes % 32 == 0) {
            DataCopy(to, from, bytes);
        } else {
            DataCopyPad(to, from, DataCopyExtParams(1, bytes, 0, 0, 0));
        }
    }

    FlatTiling t;
    uint64_t begin;
    uint64_t length;
};

/// z = x through UB, the way in and the way out overlapped.
class Through : private FlatShare {
public:
    __aicore__ inline Through(GM_ADDR x, GM_ADDR z, const FlatTiling& tiling) : FlatShare(tiling) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(x) + begin, length);
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(z) + begin, length);
    }

    __aicore__ inline void Process() {
        pipe_.InitBuffer(tiles_, t.buffers, t.tile);
        for (uint64_t at = 0; at < length; at += t.tile) {
            const uint32_t bytes = BytesAt(at);
            LocalTensor<uint8_t> in = tiles_.AllocTensor<uint8_t>();
            if (bytes % 32 == 0) {
                DataCopy(in, x_[at], bytes);
            } else {
                DataCopyPad(
                    in, x_[at], DataCopyExtParams(1, bytes, 0, 0, 0), DataCopyPadExtParams<uint8_t>());
            }
            tiles_.EnQue(in);
            LocalTensor<uint8_t> out = tiles_.DeQue<uint8_t>();
            Store(z_[at], out, bytes);
            tiles_.FreeTensor(out);
        }
    }

private:
    TPipe pipe_;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> tiles_;
    GlobalTensor<uint8_t> x_;
    GlobalTensor<uint8_t> z_;
};

/// z = value everywhere: one tile is filled once and copied out again and again.
class FillAll : private FlatShare {
public:
    __aicore__ inline FillAll(GM_ADDR z, const FlatTiling& tiling) : FlatShare(tiling) {
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(z) + begin, length);
    }

    __aicore__ inline void Process() {
        pipe_.InitBuffer(tile_, t.tile);
        const LocalTensor<uint32_t> words = tile_.Get<uint32_t>();
        Duplicate(words, t.value, static_cast<int32_t>(t.tile / 4));
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        const LocalTensor<uint8_t> bytes = tile_.Get<uint8_t>();
        for (uint64_t at = 0; at < length; at += t.tile) {
            Store(z_[at], bytes, BytesAt(at));
        }
    }

private:
    TPipe pipe_;
    TBuf<TPosition::VECCALC> tile_;
    GlobalTensor<uint8_t> z_;
};

/// z[r] = x for every row r: a strip of the row is read once and written to all rows of the core's share.
class Spread {
public:
    __aicore__ inline Spread(GM_ADDR x, GM_ADDR z, const SpreadTiling& tiling) : t_(tiling) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(x));
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(z));
    }

    __aicore__ inline void Process() {
        pipe_.InitBuffer(strips_, 2, t_.strip_bytes);
        const uint32_t strips = (t_.row_bytes + t_.strip_bytes - 1) / t_.strip_bytes;
        const uint32_t shares = (t_.rows + t_.share_rows - 1) / t_.share_rows;
        for (auto task = static_cast<uint32_t>(GetBlockIdx()); task < strips * shares;
             task += static_cast<uint32_t>(GetBlockNum())) {
            Strip(task % strips * t_.strip_bytes, task / strips * t_.share_rows);
        }
    }

private:
    __aicore__ inline void Strip(uint32_t column, uint32_t row) {
        const uint32_t left = t_.row_bytes - column;
        const uint32_t bytes = left < t_.strip_bytes ? left : t_.strip_bytes;
        const DataCopyExtParams one(1, bytes, 0, 0, 0);
        LocalTensor<uint8_t> in = strips_.AllocTensor<uint8_t>();
        DataCopyPad(in, x_[column], one, DataCopyPadExtParams<uint8_t>());
        strips_.EnQue(in);
        LocalTensor<uint8_t> out = strips_.DeQue<uint8_t>();
        const uint32_t end = t_.rows - row < t_.share_rows ? t_.rows : row + t_.share_rows;
        for (; row < end; ++row) {
            DataCopyPad(z_[uint64_t{row} * t_.row_bytes + column], out, one);
        }
        strips_.FreeTensor(out);
    }

    SpreadTiling t_;
    TPipe pipe_;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> strips_;
    GlobalTensor<uint8_t> x_;
    GlobalTensor<uint8_t> z_;
};

}  // namespace copying
