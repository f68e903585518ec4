// SPDX-License-Identifier: Apache-2.0
// Tiles of matrices in L1 on their way through the cube: loads of 16-bit elements by one instruction, and the
// multiplication.
//
//   L1 NZ, columns of 16, each CeilTo(rows, 16) rows high --load--> L0A Zz, L0B Zn --mmad--> L0C
#pragma once

#include "kernels/shared/cube_sizes.h"

namespace cube {

using namespace AscendC;

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
    for (uint32_t at = 0; at < fractals; at += most_repeats) {
        const uint32_t count = Smaller(most_repeats, fractals - at);
        LoadData(to[at * fractal * fractal],
                 from[at * fractal * fractal],
                 LoadData2DParams(0, static_cast<uint8_t>(count), 1, 0, 0, false, 0));
    }
}

/// Multiplies what lies in L0. Small results leave the pipe open to the next multiplication into them: a
/// barrier. `unit_flag` hands L0C over as Mmad's parameter of that name: 0 not at all, 2 more follow, 3 the
/// last.
template <typename Sum, typename T>
__aicore__ inline void Multiply(const LocalTensor<Sum>& to,
                                const LocalTensor<T>& left,
                                const LocalTensor<T>& right,
                                uint32_t rows,
                                uint32_t columns,
                                uint32_t depth,
                                bool fresh,
                                uint8_t unit_flag = 0) {
    MmadParams params;
    params.m = static_cast<uint16_t>(rows == 1 ? fractal : rows);  // one row would be read as a plain vector
    params.n = static_cast<uint16_t>(columns);
    params.k = static_cast<uint16_t>(depth);
    params.cmatrixInitVal = fresh;
    params.unitFlag = static_cast<int8_t>(unit_flag);
    Mmad(to, left, right, params);
    if (Parts(rows, fractal) * Parts(columns, fractal) < 10) {
        PipeBarrier<PIPE_M>();
    }
}

/// The same with a bias for each column, in the bias table, where the sums begin.
template <typename Sum, typename T>
__aicore__ inline void MultiplyFrom(const LocalTensor<Sum>& to,
                                    const LocalTensor<T>& left,
                                    const LocalTensor<T>& right,
                                    const LocalTensor<Sum>& bias,
                                    uint32_t rows,
                                    uint32_t columns,
                                    uint32_t depth,
                                    uint8_t unit_flag = 0) {
    MmadParams params;
    params.m = static_cast<uint16_t>(rows == 1 ? fractal : rows);
    params.n = static_cast<uint16_t>(columns);
    params.k = static_cast<uint16_t>(depth);
    params.cmatrixInitVal = false;
    params.cmatrixSource = true;
    params.unitFlag = static_cast<int8_t>(unit_flag);
    Mmad(to, left, right, bias, params);
    if (Parts(rows, fractal) * Parts(columns, fractal) < 10) {
        PipeBarrier<PIPE_M>();
    }
}

}  // namespace cube
