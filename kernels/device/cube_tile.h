// SPDX-License-Identifier: Apache-2.0
// What programs of the cube core share: tiles of 16-bit matrices on their way from global memory to L0.
//
//   GM (rows, columns) --nd2nz--> L1 NZ, columns of 16, each CeilTo(rows, 16) rows high --load--> L0A Zz, L0B
//   Zn
#pragma once

#include "kernel_operator.h"

namespace device {

using namespace AscendC;

constexpr uint32_t fractal = 16;             // rows and columns of a fractal of 16-bit elements
constexpr uint32_t longest_pitch = 65535;    // elements a copy's row pitch can say
constexpr uint32_t fractals_per_load = 255;  // repeats of one LoadData

constexpr uint32_t CeilTo(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

constexpr uint32_t Parts(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit;
}

constexpr uint32_t Smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/// Copies a tile of a row-major matrix to L1 as NZ.
template <typename T>
__aicore__ inline void CopyTileIn(
    const LocalTensor<T>& to, const GlobalTensor<T>& from, uint32_t rows, uint32_t columns, uint32_t pitch) {
    const auto height = static_cast<uint16_t>(CeilTo(rows, fractal));
    const auto wide = static_cast<uint16_t>(columns);
    if (pitch <= longest_pitch) {
        DataCopy(
            to,
            from,
            Nd2NzParams(1, static_cast<uint16_t>(rows), wide, 0, static_cast<uint16_t>(pitch), height, 1, 0));
        return;
    }
    for (uint32_t row = 0; row < rows; ++row) {
        DataCopy(
            to[row * fractal], from[uint64_t{row} * pitch], Nd2NzParams(1, 1, wide, 0, wide, height, 1, 0));
    }
}

/// A matrix in L1 as NZ, `height` rows high, read as a feature map one row high with its columns as channels.
template <typename T>
__aicore__ inline LoadData3DParamsV2<T> WholeMatrix(uint32_t height, uint32_t columns) {
    LoadData3DParamsV2<T> params;
    params.l1H = 1;
    params.l1W = static_cast<uint16_t>(height);
    params.channelSize = static_cast<uint16_t>(columns);
    return params;
}

/// Loads columns k ... k + depth of a tile (height, columns) as the left operand, with one instruction.
template <typename T>
__aicore__ inline void LoadLeft(const LocalTensor<T>& to,
                                const LocalTensor<T>& from,
                                uint32_t height,
                                uint32_t columns,
                                uint32_t k,
                                uint32_t depth) {
    LoadData3DParamsV2<T> params = WholeMatrix<T>(height, columns);
    params.mExtension = static_cast<uint16_t>(height);
    params.kExtension = static_cast<uint16_t>(depth);
    params.kStartPt = static_cast<uint16_t>(k);
    LoadData(to, from, params);
}

/// Loads rows k ... k + depth of a tile (height, columns) as the right operand, with one instruction.
template <typename T>
__aicore__ inline void LoadRight(const LocalTensor<T>& to,
                                 const LocalTensor<T>& from,
                                 uint32_t height,
                                 uint32_t columns,
                                 uint32_t k,
                                 uint32_t depth) {
    LoadData3DParamsV2<T> params = WholeMatrix<T>(height, columns);
    params.mExtension = static_cast<uint16_t>(depth);
    params.kExtension = static_cast<uint16_t>(columns);
    params.mStartPt = static_cast<uint16_t>(k);
    LoadData(to, from, params);
}

/// Loads a tile (height, columns) whose rows are the result's columns as the right operand. NZ of it is Zn of
/// its transpose: fractals are copied as they lie.
template <typename T>
__aicore__ inline void LoadRightTransposed(const LocalTensor<T>& to,
                                           const LocalTensor<T>& from,
                                           uint32_t height,
                                           uint32_t columns) {
    const uint32_t fractals = height / fractal * (columns / fractal);
    for (uint32_t at = 0; at < fractals; at += fractals_per_load) {
        const uint32_t count = Smaller(fractals_per_load, fractals - at);
        LoadData(to[at * fractal * fractal],
                 from[at * fractal * fractal],
                 LoadData2DParams(0, static_cast<uint8_t>(count), 1, 0, 0, false, 0));
    }
}

/// Multiplies what lies in L0. Small results leave the pipe open to the next multiplication into them: a
/// barrier.
template <typename T>
__aicore__ inline void Multiply(const LocalTensor<float>& to,
                                const LocalTensor<T>& left,
                                const LocalTensor<T>& right,
                                uint32_t rows,
                                uint32_t columns,
                                uint32_t depth,
                                bool fresh) {
    MmadParams params;
    params.m = static_cast<uint16_t>(rows == 1 ? fractal : rows);  // one row would be read as a plain vector
    params.n = static_cast<uint16_t>(columns);
    params.k = static_cast<uint16_t>(depth);
    params.cmatrixInitVal = fresh;
    Mmad(to, left, right, params);
    if (Parts(rows, fractal) * Parts(columns, fractal) < 10) {
        PipeBarrier<PIPE_M>();
    }
}

}  // namespace device
