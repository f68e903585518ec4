// SPDX-License-Identifier: Apache-2.0
// The program of one cube core of conv2d.cpp.
//
//   X NC1HWC0 --mte2--> L1 (channels, rows, width) --load3d, img2col--> L0A
//   W (C1*KH*KW, N1, 16, C0) --mte2--> L1, a tile's columns --load2d--> L0B   --mmad--> L0C --fixpipe--> Y
//   NC1HWC0
//   bias --mte2--> L1 --mte1--> bias table --mmad, where a tile's sums begin--> L0C
//
// Chunks of all tiles form one sequence: while one is multiplied the next is on its way.
#pragma once

#include "kernels/ops/conv/conv2d/conv2d_coupled.h"
#include "kernels/ops/conv/conv2d/conv2d_tiling.hpp"
#include "kernels/shared/activated_stripes.h"
#include "kernels/shared/bias.h"
#include "kernels/shared/cube_flags.h"
#include "kernels/shared/cube_loads.h"

namespace conv2d {

using namespace AscendC;
using cube::Parts;
using cube::Smaller;

/// A chunk of a tile.
struct Piece {
    uint32_t image;
    uint32_t position;  // first of the output positions
    uint32_t positions;
    uint32_t group;
    uint32_t column;     // first block of output channels, within the group
    uint32_t columns;    // blocks
    uint32_t channel;    // first block of input channels, within the group
    uint32_t channels;   // blocks
    uint32_t first_row;  // of the input
    uint32_t rows;
    uint32_t pad_top;
    uint32_t pad_bottom;
    uint32_t buffer;
};

template <typename T, bool with_epilogue = false>
class Convolution {
public:
    static constexpr uint32_t c0 = block_bytes / sizeof(T);
    static constexpr uint32_t longest_gap = 65535;  // blocks between the parts of one copy

    __aicore__ inline Convolution(GM_ADDR x, GM_ADDR w, GM_ADDR y, const Tiling& tiling) : t_(tiling) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        w_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(w));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
        channels_ = t_.c1 / t_.groups;
        columns_ = t_.n1 / t_.groups;
        const uint32_t image = t_.chunk * t_.l1_rows * t_.width * c0;
        const uint32_t filter = t_.chunk * filter_size(t_) * t_.base_n * c0;
        const uint32_t left = t_.base_m * t_.step_k * c0;
        const uint32_t right = t_.base_n * t_.step_k * c0;
        for (uint32_t i = 0; i < 2; ++i) {
            l1_x_[i] = LocalTensor<T>(TPosition::A1, i * image * sizeof(T), image);
            l1_w_[i] = LocalTensor<T>(TPosition::B1, (2 * image + i * filter) * sizeof(T), filter);
            l0_a_[i] = LocalTensor<T>(TPosition::A2, i * left * sizeof(T), left);
            l0_b_[i] = LocalTensor<T>(TPosition::B2, i * right * sizeof(T), right);
        }
        const uint32_t result = t_.base_m * t_.base_n;
        for (uint32_t i = 0; i < t_.results; ++i) {
            l0_c_[i] = LocalTensor<float>(TPosition::CO1, i * result * sizeof(float), result);
        }
        tiles_m_ = Parts(t_.out_height * t_.out_width, t_.base_m);
        tile_ = static_cast<uint32_t>(GetBlockIdx());
        tiles_n_ = Parts(columns_ * n0, t_.base_n);
        tiles_ = t_.batch * tiles_m_ * tiles_n_ * t_.groups;
    }

    __aicore__ inline Convolution(
        GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, const Tiling& tiling, const epilogue::Epilogue& with)
        : Convolution(x, w, y, tiling) {
        with_ = with;
#if __NPU_ARCH__ == 2201
        const uint32_t image = t_.chunk * t_.l1_rows * t_.width;
        const uint32_t filter = t_.chunk * filter_size(t_) * t_.base_n;
        bias_.Init(bias, 2 * (image + filter) * block_bytes, t_.base_n);
#else
        coupled_.Init(bias, with, t_.base_n);
#endif
    }

    __aicore__ inline void Run() {
        cube::RaiseFreeFlags(t_.results);
#if __NPU_ARCH__ != 2201
        coupled_.RaiseFree();
#else
        if constexpr (with_epilogue) {
            bias_.RaiseFree();
        }
#endif
        Piece current{};
        Piece next{};
        bool more = Open(next);
        if (more) {
            Load(next);
        }
        while (more) {
            current = next;
            more = Advance(next);
            if (more) {
                Load(next);
            }
            Compute(current);
        }
        cube::TakeFreeFlags(t_.results);
#if __NPU_ARCH__ != 2201
        coupled_.TakeFree();
#else
        if constexpr (with_epilogue) {
            bias_.TakeFree();
            announcer_.Finish();
        }
#endif
    }

private:
    // ---- the sequence ----

    // Neighbouring cores take neighbouring positions for the same channels, so that they share weights in L2.
    __aicore__ inline bool Open(Piece& piece) {
        if (tile_ >= tiles_) {
            return false;
        }
        const uint32_t at = tile_ % (t_.batch * tiles_m_);
        const uint32_t size = t_.out_height * t_.out_width;
        piece.image = at / tiles_m_;
        piece.position = at % tiles_m_ * t_.base_m;
        piece.positions = Smaller(t_.base_m, size - piece.position);
        const uint32_t across = tile_ / (t_.batch * tiles_m_);
        piece.group = across / tiles_n_;
        piece.column = across % tiles_n_ * (t_.base_n / n0);
        piece.columns = Smaller(t_.base_n / n0, columns_ - piece.column);
        const uint32_t first = piece.position / t_.out_width * t_.stride_h;  // in the padded image
        const uint32_t last = (piece.position + piece.positions - 1) / t_.out_width * t_.stride_h +
                              reach(t_.filter_h, t_.dilation_h) - 1;
        piece.first_row = first > t_.pad_top ? first - t_.pad_top : 0;
        piece.pad_top = first < t_.pad_top ? t_.pad_top - first : 0;
        const uint32_t end = last + 1 > t_.pad_top ? last + 1 - t_.pad_top : 0;
        piece.pad_bottom = end > t_.height ? end - t_.height : 0;
        piece.rows = Smaller(end, t_.height) - piece.first_row;
        piece.channel = 0;
        piece.channels = Smaller(t_.chunk, channels_);
        return true;
    }

    __aicore__ inline bool Advance(Piece& piece) {
        piece.buffer = 1 - piece.buffer;
        piece.channel += piece.channels;
        if (piece.channel == channels_) {
            tile_ += static_cast<uint32_t>(GetBlockNum());
            return Open(piece);
        }
        piece.channels = Smaller(t_.chunk, channels_ - piece.channel);
        return true;
    }

    // ---- global memory to L1 ----

    __aicore__ inline void Load(const Piece& piece) {
        const auto i = static_cast<int32_t>(piece.buffer);
        WaitFlag<HardEvent::MTE1_MTE2>(i);
        const uint32_t plane = t_.height * t_.width;
        const uint32_t channel = piece.group * channels_ + piece.channel;
        const uint64_t from =
            ((uint64_t{piece.image} * t_.c1 + channel) * plane + piece.first_row * t_.width) * c0;
        const uint32_t part = piece.rows * t_.width;
        // (channels, rows, width) GM -> L1; one by one where the gap is more than a copy can state
        const uint32_t at_once = plane - part <= longest_gap ? piece.channels : 1;
        for (uint32_t c = 0; c < piece.channels; c += at_once) {
            DataCopy(l1_x_[i][c * part * c0],
                     x_[from + uint64_t{c} * plane * c0],
                     DataCopyParams(static_cast<uint16_t>(at_once),
                                    static_cast<uint16_t>(part),
                                    at_once == 1 ? 0 : static_cast<uint16_t>(plane - part),
                                    0));
        }
        DataCopy(l1_w_[i],
                 w_[(uint64_t{channel} * filter_size(t_) * columns_ + piece.column) * n0 * c0],
                 DataCopyParams(static_cast<uint16_t>(piece.channels * filter_size(t_)),
                                static_cast<uint16_t>(piece.columns * n0),
                                static_cast<uint16_t>((columns_ - piece.columns) * n0),
                                0));  // (depth, columns) GM -> L1
        if constexpr (with_epilogue) {
            LoadBias(piece);
        }
        SetFlag<HardEvent::MTE2_MTE1>(i);
    }

    __aicore__ inline void LoadBias(const Piece& piece) {
        if (piece.channel != 0) {
            return;
        }
        const uint64_t first = (piece.group * columns_ + piece.column) * n0;
#if __NPU_ARCH__ == 2201
        if (with_.bias != 0) {
            bias_.Load(piece.buffer, first, piece.columns * n0);
        }
#else
        coupled_.LoadBias(first, piece.columns * n0);
#endif
    }

    // ---- one chunk ----

    __aicore__ inline void Compute(const Piece& piece) {
        const auto i = static_cast<int32_t>(piece.buffer);
        const bool first = piece.channel == 0;
        const uint32_t blocks = piece.channels * filter_size(t_);
        if (first) {
            WaitFlag<cube::result_left>(static_cast<int32_t>(result_));
        }
        WaitFlag<HardEvent::MTE2_MTE1>(i);
        for (uint32_t k = 0; k < blocks; k += t_.step_k) {
            const uint32_t depth = Smaller(t_.step_k, blocks - k);
            const auto l0 = static_cast<int32_t>(l0_);
            WaitFlag<HardEvent::M_MTE1>(l0);
            LoadImage(piece, k, depth);
            LoadData(l0_b_[l0_],
                     l1_w_[i][k * piece.columns * n0 * c0],
                     LoadData2DParams(0, static_cast<uint8_t>(depth * piece.columns), 1, 0, 0, false, 0));
            const bool begins = first && k == 0;
#if __NPU_ARCH__ == 2201
            if constexpr (with_epilogue) {
                if (begins && with_.bias != 0) {
                    bias_.Fill(piece.buffer, piece.columns * n0);
                }
            }
#endif
            if (k + depth == blocks) {
                SetFlag<HardEvent::MTE1_MTE2>(i);
            }
            SetFlag<HardEvent::MTE1_M>(l0);
            WaitFlag<HardEvent::MTE1_M>(l0);
            Multiply(piece, depth * c0, begins);
            SetFlag<HardEvent::M_MTE1>(l0);
            l0_ = 1 - l0_;
        }
        if (piece.channel + piece.channels == channels_) {
            Write(piece);
        }
    }

    __aicore__ inline void Multiply(const Piece& piece, uint32_t depth, bool begins) {
        const uint32_t rows = cube::CeilTo(piece.positions, n0);
        const uint32_t columns = piece.columns * n0;
#if __NPU_ARCH__ == 2201
        if constexpr (with_epilogue) {
            if (begins && with_.bias != 0) {
                cube::MultiplyFrom(
                    l0_c_[result_], l0_a_[l0_], l0_b_[l0_], bias_.Table(), rows, columns, depth);
                bias_.Began();
                return;
            }
        }
#endif
        cube::Multiply(l0_c_[result_], l0_a_[l0_], l0_b_[l0_], rows, columns, depth, begins);
    }

    __aicore__ inline void LoadImage(const Piece& piece, uint32_t k, uint32_t depth) {
        LoadData3DParamsV2<T> params;
        params.padList[0] = static_cast<uint8_t>(t_.pad_left);
        params.padList[1] = static_cast<uint8_t>(t_.pad_right);
        params.padList[2] = static_cast<uint8_t>(piece.pad_top);
        params.padList[3] = static_cast<uint8_t>(piece.pad_bottom);
        params.l1H = static_cast<uint16_t>(piece.rows);
        params.l1W = static_cast<uint16_t>(t_.width);
        params.channelSize = static_cast<uint16_t>(piece.channels * c0);
        params.kExtension = static_cast<uint16_t>(depth * c0);
        params.mExtension = static_cast<uint16_t>(cube::CeilTo(piece.positions, n0));
        params.kStartPt = static_cast<uint16_t>(k * c0);
        params.mStartPt = static_cast<uint16_t>(piece.position % t_.out_width);
        params.strideW = static_cast<uint8_t>(t_.stride_w);
        params.strideH = static_cast<uint8_t>(t_.stride_h);
        params.filterW = static_cast<uint8_t>(t_.filter_w);
        params.filterH = static_cast<uint8_t>(t_.filter_h);
        params.dilationFilterW = static_cast<uint8_t>(t_.dilation_w);
        params.dilationFilterH = static_cast<uint8_t>(t_.dilation_h);
        LoadData(l0_a_[l0_], l1_x_[piece.buffer], params);
    }

    __aicore__ inline void Write(const Piece& piece) {
        const auto result = static_cast<int32_t>(result_);
        SetFlag<cube::result_ready>(result);
        WaitFlag<cube::result_ready>(result);
        const uint32_t plane = t_.out_height * t_.out_width;
        constexpr uint32_t parts = n0 / c0;  // blocks of Y to a block of the cube
        const uint32_t block = (piece.image * t_.n1 + piece.group * columns_ + piece.column) * parts;
        const GlobalTensor<T> to = y_[(uint64_t{block} * plane + piece.position) * c0];
#if __NPU_ARCH__ == 2201
        WriteByFixpipe(to, piece, plane);
#else
        coupled_.Write(to, l0_c_[result_], piece.positions, piece.columns, plane);
#endif
        SetFlag<cube::result_left>(result);
        result_ = result_ + 1 == t_.results ? 0 : result_ + 1;
    }

#if __NPU_ARCH__ == 2201
    __aicore__ inline void WriteByFixpipe(const GlobalTensor<T>& to, const Piece& piece, uint32_t plane) {
        FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(piece.columns * n0);
        params.mSize = static_cast<uint16_t>(piece.positions);
        params.srcStride = static_cast<uint16_t>(cube::CeilTo(piece.positions, n0));
        params.dstStride = plane;
        if constexpr (sizeof(T) == sizeof(float)) {
            params.quantPre = QuantMode_t::NoQuant;
            params.isChannelSplit = true;
        } else {
            params.quantPre = std::is_same_v<T, half> ? QuantMode_t::F322F16 : QuantMode_t::F322BF16;
        }
        if constexpr (with_epilogue) {
            params.reluEn = with_.activation == epilogue::relu;
        }
        Fixpipe<T, float, CFG_NZ>(to, l0_c_[result_], params);
        if constexpr (with_epilogue) {
            if (with_.activation > epilogue::relu) {
                announcer_.Announce();
            }
        }
    }

    using Bias = std::conditional_t<std::is_same_v<T, half>, half, float>;
    cube::TableBias<Bias, float> bias_;
    epilogue::Announcer announcer_;
#else
    CoupledImage<T, with_epilogue> coupled_;
#endif

    Tiling t_;
    epilogue::Epilogue with_{};
    GlobalTensor<T> x_;
    GlobalTensor<T> w_;
    GlobalTensor<T> y_;
    LocalTensor<T> l1_x_[2];
    LocalTensor<T> l1_w_[2];
    LocalTensor<T> l0_a_[2];
    LocalTensor<T> l0_b_[2];
    LocalTensor<float> l0_c_[2];
    uint32_t channels_ = 0;  // blocks of input channels of a group
    uint32_t columns_ = 0;   // blocks of output channels of a group
    uint32_t tiles_m_ = 0;
    uint32_t tiles_n_ = 0;  // of a group
    uint32_t tiles_ = 0;
    uint32_t tile_ = 0;
    uint32_t l0_ = 0;
    uint32_t result_ = 0;  // of L0C
};

}  // namespace conv2d
