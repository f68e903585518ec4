// SPDX-License-Identifier: Apache-2.0
// The ways of matrices into the cube that the kernels share: global memory to L1 as NZ, L1 to L0A and L0B.
//
//   L1: columns of 32-byte blocks, CeilTo(rows, row_unit) rows high      L0A: Zz      L0B: Zn
#pragma once

#include "kernels/shared/cube_tile.h"

namespace cube {

using namespace AscendC;

/// Loads for elements of T: half, bfloat16_t, float or int8_t.
template <typename T>
class Loads {
public:
    static constexpr uint32_t c0 = 32 / sizeof(T);
    static constexpr bool bytes = sizeof(T) == 1;
    // Transposing loads of bytes take squares of 32.
    static constexpr uint32_t row_unit = bytes ? 32 : 16;

    // Columns the cube works on: transposing loads of bytes deliver 32 at a time.
    static __aicore__ inline uint32_t MadColumns(uint32_t columns, bool transpose_b) {
        return bytes && !transpose_b ? CeilTo(columns, 32) : columns;
    }

    // Rows of a row-major matrix to NZ, its columns of blocks CeilTo(rows, row_unit) rows high.
    static __aicore__ inline void CopyIn(const LocalTensor<T>& to,
                                         const GlobalTensor<T>& from,
                                         uint32_t rows,
                                         uint32_t columns,
                                         uint32_t pitch) {
        CopyIn(to, from, rows, columns, pitch, static_cast<uint16_t>(CeilTo(rows, row_unit)));
    }

    // The same where others of a matrix's rows come from elsewhere: its columns of blocks are `height` rows
    // high.
    static __aicore__ inline void CopyIn(const LocalTensor<T>& to,
                                         const GlobalTensor<T>& from,
                                         uint32_t rows,
                                         uint32_t columns,
                                         uint32_t pitch,
                                         uint16_t height) {
        if (pitch <= longest_pitch) {
            DataCopy(to,
                     from,
                     Nd2NzParams(1,
                                 static_cast<uint16_t>(rows),
                                 static_cast<uint16_t>(columns),
                                 0,
                                 static_cast<uint16_t>(pitch),
                                 height,
                                 1,
                                 0));
            return;
        }
        for (uint32_t row = 0; row < rows; ++row) {
            DataCopy(
                to[row * c0],
                from[uint64_t{row} * pitch],
                Nd2NzParams(
                    1, 1, static_cast<uint16_t>(columns), 0, static_cast<uint16_t>(columns), height, 1, 0));
        }
    }

    // A matrix stored as NZ, its columns of blocks `pitch` rows high, to L1 as CopyIn leaves it: nothing is
    // reordered.
    static __aicore__ inline void CopyBlocksIn(const LocalTensor<T>& to,
                                               const GlobalTensor<T>& from,
                                               uint32_t rows,
                                               uint32_t columns,
                                               uint32_t pitch) {
        const uint32_t height = CeilTo(rows, row_unit);
        const uint32_t blocks = Parts(columns, c0);
        if (pitch - rows <= longest_pitch) {
            DataCopy(to,
                     from,
                     DataCopyParams(static_cast<uint16_t>(blocks),
                                    static_cast<uint16_t>(rows),
                                    static_cast<uint16_t>(pitch - rows),
                                    static_cast<uint16_t>(height - rows)));
            return;
        }
        for (uint32_t block = 0; block < blocks; ++block) {
            DataCopy(to[block * height * c0],
                     from[uint64_t{block} * pitch * c0],
                     DataCopyParams(1, static_cast<uint16_t>(rows), 0, 0));
        }
    }

    // `depth` of k, from k on, of a chunk of `rows` x `chunk_depth` in L1 (transposed: chunk_depth x rows) to
    // L0A as Zz: for each 16 rows the blocks of k one after the other.
    static __aicore__ inline void LoadA(const LocalTensor<T>& to,
                                        const LocalTensor<T>& from,
                                        bool transpose,
                                        uint32_t rows,
                                        uint32_t chunk_depth,
                                        uint32_t k,
                                        uint32_t depth) {
        const uint32_t k_blocks = Parts(depth, c0);
        if (!transpose) {
            const uint32_t height = CeilTo(rows, row_unit);
            LoadFractals(
                to, from[k * height], Parts(rows, fractal), k_blocks, height / fractal, k_blocks, false);
            return;
        }
        const uint32_t height = CeilTo(chunk_depth, row_unit);
        if constexpr (sizeof(T) == 2) {
            // Columns of m, 16 wide; each holds its k blocks in order.
            for (uint32_t m = 0; m < rows; m += fractal) {
                LoadData(to[m * CeilTo(depth, c0)],
                         from[m * height + k * c0],
                         LoadData2DParams(0, static_cast<uint8_t>(k_blocks), 1, 0, 0, true, 0));
            }
        } else if constexpr (sizeof(T) == 4) {
            Load3d(to, from, rows, k, depth, height, true);
        } else {
            for (uint32_t m = 0; m < rows; m += 32) {
                LoadDataWithTranspose(
                    to[m * CeilTo(depth, c0)],
                    from[m * height + k * c0],
                    LoadData2dTransposeParams(
                        0, static_cast<uint8_t>(k_blocks), 1, 0, static_cast<uint16_t>(k_blocks - 1)));
            }
        }
    }

    // LoadA of an untransposed chunk of 16-bit elements by one instruction.
    static __aicore__ inline void LoadImage(const LocalTensor<T>& to,
                                            const LocalTensor<T>& from,
                                            uint32_t rows,
                                            uint32_t chunk_depth,
                                            uint32_t k,
                                            uint32_t depth) {
        LoadLeft(to, from, CeilTo(rows, fractal), CeilTo(chunk_depth, c0), k, CeilTo(depth, c0));
    }

    // `depth` of k, from k on, of a chunk of chunk_depth x columns in L1 (transposed: columns x chunk_depth)
    // to L0B as Zn: for each block of k the columns, 16 by 16.
    static __aicore__ inline void LoadB(const LocalTensor<T>& to,
                                        const LocalTensor<T>& from,
                                        bool transpose,
                                        uint32_t columns,
                                        uint32_t chunk_depth,
                                        uint32_t k,
                                        uint32_t depth) {
        const uint32_t k_blocks = Parts(depth, c0);
        const uint32_t n_blocks = Parts(MadColumns(columns, transpose), fractal);
        if (transpose) {
            const uint32_t height = CeilTo(columns, row_unit);
            if (height == n_blocks * fractal &&
                k_blocks * n_blocks <= most_repeats) {  // they lie as L0B wants them
                LoadData(to,
                         from[k * height],
                         LoadData2DParams(0, static_cast<uint8_t>(k_blocks * n_blocks), 1, 0, 0, false, 0));
                return;
            }
            for (uint32_t block = 0; block < k_blocks; ++block) {
                LoadData(to[block * n_blocks * fractal * c0],
                         from[k * height + block * height * c0],
                         LoadData2DParams(0, static_cast<uint8_t>(n_blocks), 1, 0, 0, false, 0));
            }
            return;
        }
        const uint32_t height = CeilTo(chunk_depth, row_unit);
        if constexpr (sizeof(T) == 2) {
            for (uint32_t block = 0; block < k_blocks; ++block) {
                LoadData(to[block * n_blocks * fractal * c0],
                         from[(k + block * fractal) * c0],
                         LoadData2DParams(0,
                                          static_cast<uint8_t>(n_blocks),
                                          static_cast<uint16_t>(height / fractal),
                                          0,
                                          0,
                                          true,
                                          0));
            }
        } else if constexpr (sizeof(T) == 4) {
            Load3d(to, from, columns, k, depth, height, false);
        } else {
            for (uint32_t n = 0; n < columns; n += 32) {
                LoadDataWithTranspose(
                    to[n * c0],
                    from[n * height + k * c0],
                    LoadData2dTransposeParams(
                        0, static_cast<uint8_t>(k_blocks), 1, static_cast<uint16_t>(n_blocks - 1), 0));
            }
        }
    }

private:
    // Fractals (row, column) of an NZ matrix, `height` fractals high, to row-major order; whichever loop is
    // shorter.
    static __aicore__ inline void LoadFractals(const LocalTensor<T>& to,
                                               const LocalTensor<T>& from,
                                               uint32_t rows,
                                               uint32_t columns,
                                               uint32_t height,
                                               uint32_t pitch,
                                               bool transpose) {
        constexpr uint32_t cells = fractal * c0;
        if (rows <= columns) {
            for (uint32_t row = 0; row < rows; ++row) {
                LoadData(
                    to[row * pitch * cells],
                    from[row * cells],
                    LoadData2DParams(
                        0, static_cast<uint8_t>(columns), static_cast<uint16_t>(height), 0, 0, transpose, 0));
            }
            return;
        }
        for (uint32_t column = 0; column < columns; ++column) {
            LoadData(
                to[column * cells],
                from[column * height * cells],
                LoadData2DParams(
                    0, static_cast<uint8_t>(rows), 1, 0, static_cast<uint16_t>(pitch - 1), transpose, 0));
        }
    }

    // Transposes fp32: k as the positions of a feature map one row high, the other dimension as its channels.
    static __aicore__ inline void Load3d(const LocalTensor<T>& to,
                                         const LocalTensor<T>& from,
                                         uint32_t width,
                                         uint32_t k,
                                         uint32_t depth,
                                         uint32_t height,
                                         bool transpose) {
        LoadData3DParamsV2<T> params;
        params.l1H = 1;
        params.l1W = static_cast<uint16_t>(height);
        params.channelSize = static_cast<uint16_t>(CeilTo(width, fractal));
        params.kExtension = static_cast<uint16_t>(CeilTo(width, fractal));
        params.mExtension = static_cast<uint16_t>(depth);
        params.mStartPt = static_cast<uint16_t>(k);
        params.enTranspose = transpose;
        LoadData(to, from, params);
    }
};

}  // namespace cube
