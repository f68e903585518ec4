// SPDX-License-Identifier: Apache-2.0
// The program of one cube core of conv_filter_grad.cpp.
//
//   G NDC1HWC0 --mte2--> L1 (channels, positions) --load3d, transposed--> L0A (channels x positions)
//   X NDC1HWC0 --mte2--> L1 (channels, rows, width) --load3d, img2col--> L0B   --mmad--> L0C --fixpipe,
//   added--> Y
//
// Chunks of all units form one sequence: while one is multiplied the next is on its way.
#pragma once

#include "kernels/ops/conv/conv_filter_grad/conv_filter_grad_tiling.hpp"
#include "kernels/shared/cube_flags.h"
#include "kernels/shared/cube_loads.h"

namespace conv_filter_grad {

using namespace AscendC;
using cube::Smaller;

/// A chunk of positions for a tile.
struct Piece {
    uint32_t tile;
    uint32_t plane;     // of the filter
    uint32_t channel;   // first block of output channels
    uint32_t channels;  // blocks
    uint32_t column;    // first block of columns in the filter's plane
    uint32_t columns;   // blocks
    uint32_t slice;     // first block of input channels
    uint32_t slices;    // blocks
    uint32_t image;
    uint32_t out_plane;
    uint32_t in_plane;
    uint32_t position;  // first of the output plane's positions
    uint32_t positions;
    uint32_t first_row;  // of the input
    uint32_t rows;
    uint32_t pad_top;
    uint32_t pad_bottom;
    uint32_t buffer;
};

template <typename T>
class FilterGrad {
public:
    __aicore__ inline FilterGrad(GM_ADDR g, GM_ADDR x, GM_ADDR y, const Tiling& tiling) : t_(tiling) {
        g_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(g));
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
        const uint32_t gradient = t_.base_m * t_.chunk;
        const uint32_t image = t_.slices * t_.rows * t_.width * c0;
        const uint32_t left = t_.base_m * t_.step_k;
        const uint32_t right = t_.base_n * t_.step_k;
        for (uint32_t i = 0; i < 2; ++i) {
            l1_g_[i] = LocalTensor<T>(TPosition::A1, i * gradient * sizeof(T), gradient);
            l1_x_[i] = LocalTensor<T>(TPosition::B1, (2 * gradient + i * image) * sizeof(T), image);
            l0_a_[i] = LocalTensor<T>(TPosition::A2, i * left * sizeof(T), left);
            l0_b_[i] = LocalTensor<T>(TPosition::B2, i * right * sizeof(T), right);
        }
        const uint32_t result = t_.base_m * t_.base_n;
        for (uint32_t i = 0; i < t_.results; ++i) {
            l0_c_[i] = LocalTensor<float>(TPosition::CO1, i * result * sizeof(float), result);
        }
        const auto core = static_cast<uint64_t>(GetBlockIdx());
        const auto cores = static_cast<uint64_t>(GetBlockNum());
        unit_ = static_cast<uint32_t>(units(t_) * core / cores);
        end_ = static_cast<uint32_t>(units(t_) * (core + 1) / cores);
    }

    __aicore__ inline void Run() {
        cube::RaiseFreeFlags(t_.results);
        SetAtomicAdd<float>();
        Piece next{};
        bool more = Open(next);
        if (more) {
            Load(next);
        }
        bool fresh = true;
        while (more) {
            const Piece current = next;
            more = Advance(next);
            if (more) {
                Load(next);
            }
            Compute(current, fresh);
            fresh = !more || next.tile != current.tile;
            if (fresh) {
                Write(current);
            }
        }
        SetAtomicNone();
        cube::TakeFreeFlags(t_.results);
    }

private:
    // ---- the sequence ----

    // The core's next unit whose input plane is not padding.
    __aicore__ inline bool Open(Piece& piece) {
        for (; unit_ < end_; ++unit_) {
            const uint32_t planes = t_.batch * t_.out_depth;
            piece.tile = unit_ / planes;
            piece.image = unit_ % planes / t_.out_depth;
            piece.out_plane = unit_ % t_.out_depth;
            piece.plane = piece.tile / (tiles_m(t_) * tiles_n(t_));
            const uint32_t padded = piece.out_plane * t_.stride + piece.plane * t_.dilation;
            if (padded >= t_.pad_depth && padded < t_.pad_depth + t_.depth) {
                piece.in_plane = padded - t_.pad_depth;
                OpenTile(piece);
                OpenChunk(piece, 0);
                return true;
            }
        }
        return false;
    }

    __aicore__ inline void OpenTile(Piece& piece) {
        const uint32_t across = piece.tile / tiles_m(t_) % tiles_n(t_);
        piece.channel = piece.tile % tiles_m(t_) * (t_.base_m / c0);
        piece.channels = Smaller(t_.base_m / c0, t_.m1 - piece.channel);
        piece.column = across * (t_.base_n / c0);
        piece.columns = Smaller(t_.base_n / c0, t_.c1 * taps(t_) - piece.column);
        piece.slice = piece.column / taps(t_);
        piece.slices = (piece.column + piece.columns - 1) / taps(t_) + 1 - piece.slice;
    }

    __aicore__ inline void OpenChunk(Piece& piece, uint32_t position) {
        piece.position = position;
        piece.positions = Smaller(t_.chunk, t_.out_height * t_.out_width - position);
        const uint32_t first = position / t_.out_width * t_.stride;  // in the padded plane
        const uint32_t end =
            (position + piece.positions - 1) / t_.out_width * t_.stride + (t_.filter - 1) * t_.dilation + 1;
        piece.first_row = first > t_.pad ? first - t_.pad : 0;
        piece.pad_top = first < t_.pad ? t_.pad - first : 0;
        piece.pad_bottom = end > t_.height + t_.pad ? end - t_.height - t_.pad : 0;
        piece.rows = Smaller(end - t_.pad, t_.height) - piece.first_row;
    }

    __aicore__ inline bool Advance(Piece& piece) {
        piece.buffer = 1 - piece.buffer;
        const uint32_t position = piece.position + piece.positions;
        if (position < t_.out_height * t_.out_width) {
            OpenChunk(piece, position);
            return true;
        }
        ++unit_;
        return Open(piece);
    }

    // ---- global memory to L1 ----

    __aicore__ inline void Load(const Piece& piece) {
        const auto i = static_cast<int32_t>(piece.buffer);
        WaitFlag<HardEvent::MTE1_MTE2>(i);
        const uint32_t out = t_.out_height * t_.out_width;
        const uint64_t from =
            (uint64_t{piece.image} * t_.out_depth + piece.out_plane) * t_.m1 + piece.channel;
        DataCopy(l1_g_[i],
                 g_[(from * out + piece.position) * c0],
                 DataCopyParams(static_cast<uint16_t>(piece.channels),
                                static_cast<uint16_t>(piece.positions),
                                static_cast<uint16_t>(out - piece.positions),
                                0));  // (channels, positions) GM -> L1
        const uint32_t in = t_.height * t_.width;
        const uint64_t slice = (uint64_t{piece.image} * t_.depth + piece.in_plane) * t_.c1 + piece.slice;
        DataCopy(l1_x_[i],
                 x_[(slice * in + piece.first_row * t_.width) * c0],
                 DataCopyParams(static_cast<uint16_t>(piece.slices),
                                static_cast<uint16_t>(piece.rows * t_.width),
                                static_cast<uint16_t>(in - piece.rows * t_.width),
                                0));  // (channels, rows, width) GM -> L1
        SetFlag<HardEvent::MTE2_MTE1>(i);
    }

    // ---- one chunk ----

    __aicore__ inline void Compute(const Piece& piece, bool fresh) {
        const auto i = static_cast<int32_t>(piece.buffer);
        if (fresh) {
            WaitFlag<HardEvent::FIX_M>(static_cast<int32_t>(result_));
        }
        WaitFlag<HardEvent::MTE2_MTE1>(i);
        for (uint32_t k = 0; k < piece.positions; k += t_.step_k) {
            const uint32_t depth = Smaller(t_.step_k, piece.positions - k);
            const auto l0 = static_cast<int32_t>(l0_);
            WaitFlag<HardEvent::M_MTE1>(l0);
            LoadGradient(piece, k, depth);
            LoadImage(piece, k, depth);
            if (k + depth == piece.positions) {
                SetFlag<HardEvent::MTE1_MTE2>(i);
            }
            SetFlag<HardEvent::MTE1_M>(l0);
            WaitFlag<HardEvent::MTE1_M>(l0);
            MmadParams params;
            params.m = static_cast<uint16_t>(piece.channels * c0);
            params.n = static_cast<uint16_t>(piece.columns * c0);
            params.k = static_cast<uint16_t>(depth);
            params.cmatrixInitVal = fresh && k == 0;
            Mmad(l0_c_[result_], l0_a_[l0_], l0_b_[l0_], params);
            if (piece.channels * piece.columns < 10) {
                PipeBarrier<PIPE_M>();
            }
            SetFlag<HardEvent::M_MTE1>(l0);
            l0_ = 1 - l0_;
        }
    }

    // A map one row high whose columns are positions: transposed, channels become the rows of A.
    __aicore__ inline void LoadGradient(const Piece& piece, uint32_t k, uint32_t depth) {
        LoadData3DParamsV2<T> params;
        params.l1H = 1;
        params.l1W = static_cast<uint16_t>(piece.positions);
        params.channelSize = static_cast<uint16_t>(piece.channels * c0);
        params.kExtension = static_cast<uint16_t>(piece.channels * c0);
        params.mExtension = static_cast<uint16_t>(cube::CeilTo(depth, c0));
        params.mStartPt = static_cast<uint16_t>(k);
        params.enTranspose = true;
        LoadData(l0_a_[l0_], l1_g_[piece.buffer], params);
    }

    __aicore__ inline void LoadImage(const Piece& piece, uint32_t k, uint32_t depth) {
        LoadData3DParamsV2<T> params;
        params.padList[0] = static_cast<uint8_t>(t_.pad);
        params.padList[1] = static_cast<uint8_t>(t_.pad);
        params.padList[2] = static_cast<uint8_t>(piece.pad_top);
        params.padList[3] = static_cast<uint8_t>(piece.pad_bottom);
        params.l1H = static_cast<uint16_t>(piece.rows);
        params.l1W = static_cast<uint16_t>(t_.width);
        params.channelSize = static_cast<uint16_t>(piece.slices * c0);
        params.kExtension = static_cast<uint16_t>(piece.columns * c0);
        params.mExtension = static_cast<uint16_t>(cube::CeilTo(depth, c0));
        params.kStartPt = static_cast<uint16_t>((piece.column - piece.slice * taps(t_)) * c0);
        params.mStartPt = static_cast<uint16_t>(piece.position % t_.out_width + k);
        params.strideW = static_cast<uint8_t>(t_.stride);
        params.strideH = static_cast<uint8_t>(t_.stride);
        params.filterW = static_cast<uint8_t>(t_.filter);
        params.filterH = static_cast<uint8_t>(t_.filter);
        params.dilationFilterW = static_cast<uint8_t>(t_.dilation);
        params.dilationFilterH = static_cast<uint8_t>(t_.dilation);
        params.fMatrixCtrl = true;
        LoadData(l0_b_[l0_], l1_x_[piece.buffer], params);
    }

    __aicore__ inline void Write(const Piece& piece) {
        const auto result = static_cast<int32_t>(result_);
        SetFlag<HardEvent::M_FIX>(result);
        WaitFlag<HardEvent::M_FIX>(result);
        const uint32_t channels = t_.m1 * c0;
        constexpr uint32_t blocks = c0 * sizeof(float) / 32;  // of 32 B in a row of a fractal
        FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(piece.columns * c0);
        params.mSize = static_cast<uint16_t>(piece.channels * c0);
        params.srcStride = static_cast<uint16_t>(piece.channels * c0);
        params.dstStride = channels * blocks;
        params.quantPre = QuantMode_t::NoQuant;
        const uint64_t column = uint64_t{piece.plane} * t_.c1 * taps(t_) + piece.column;
        Fixpipe<float, float, CFG_NZ>(
            y_[(column * channels + piece.channel * c0) * c0], l0_c_[result_], params);
        SetFlag<HardEvent::FIX_M>(result);
        result_ = result_ + 1 == t_.results ? 0 : result_ + 1;
    }

    Tiling t_;
    GlobalTensor<T> g_;
    GlobalTensor<T> x_;
    GlobalTensor<float> y_;
    LocalTensor<T> l1_g_[2];
    LocalTensor<T> l1_x_[2];
    LocalTensor<T> l0_a_[2];
    LocalTensor<T> l0_b_[2];
    LocalTensor<float> l0_c_[2];
    uint32_t unit_ = 0;
    uint32_t end_ = 0;
    uint32_t l0_ = 0;
    uint32_t result_ = 0;  // of L0C
};

}  // namespace conv_filter_grad
