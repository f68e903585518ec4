// SPDX-License-Identifier: Apache-2.0
// The ways of operands into the cube: global memory to L1 as NZ, L1 to L0A and L0B, of any part of a chunk.
//
//   L1: columns of 32-byte blocks, `height` rows high      L0A: Zz      L0B: Zn
#pragma once

#include "kernels/ascendc/ascendc/cube.h"
#include "kernels/ascendc/matmul/types.h"

namespace AscendC::matmul_detail {

/// A matrix, or a part of one, that lies in L1. Sizes in elements; columns are padded to whole blocks.
template <typename T>
struct L1Matrix {
    LocalTensor<T> at;
    int32_t height = 0;
    int32_t columns = 0;
};

/// Loads for elements of T: half, bfloat16_t, float, int8_t or int4b_t.
template <typename T>
class OperandLoads {
public:
    static constexpr int32_t c0 = block_elements<T>;
    static constexpr bool nibbles = std::is_same_v<T, int4b_t>;
    static constexpr bool narrow = c0 > 16;  // one byte or less
    static constexpr int32_t fractal = 16;
    // Rows of a chunk are padded to this: transposing loads of narrow types take squares of 32 or 64.
    static constexpr int32_t row_unit = narrow ? c0 : fractal;
    static constexpr int32_t longest_pitch = 65535;

    /// Columns that Mmad works on: transposing loads of narrow types deliver whole squares.
    static int32_t MadColumns(int32_t columns, bool transpose_b) {
        return narrow && !transpose_b ? CeilTo(columns, c0) : columns;
    }

    /// Rows of a row-major matrix, `pitch` elements apart.
    static void CopyIn(const LocalTensor<T>& to,
                       const GlobalTensor<T>& from,
                       int32_t rows,
                       int32_t columns,
                       int64_t pitch,
                       int32_t height) {
        if constexpr (nibbles) {  // two to a byte, which nothing here splits
            OperandLoads<int8_t>::CopyIn(to.template ReinterpretCast<int8_t>(),
                                         from.template ReinterpretCast<int8_t>(),
                                         rows,
                                         (columns + 1) / 2,
                                         pitch / 2,
                                         height);
        } else if (pitch <= longest_pitch) {
            DataCopy(to, from, Rows(rows, columns, pitch, height));
        } else {
            for (int32_t row = 0; row < rows; ++row) {
                DataCopy(to[static_cast<uint32_t>(row * c0)],
                         from[static_cast<uint64_t>(row * pitch)],
                         Rows(1, columns, columns, height));
            }
        }
    }

    /// Blocks of a matrix that lies as NZ in global memory, its columns of blocks `gm_height` rows high.
    static void CopyBlocks(const LocalTensor<T>& to,
                           const GlobalTensor<T>& from,
                           int32_t rows,
                           int32_t columns,
                           int32_t gm_height,
                           int32_t height) {
        const int32_t whole = CeilTo(rows, fractal);
        const int32_t blocks = CeilDiv(columns, c0);
        constexpr int32_t longest_gap = 65535;
        if (gm_height - whole <= longest_gap) {
            DataCopy(to,
                     from,
                     DataCopyParams(static_cast<uint16_t>(blocks),
                                    static_cast<uint16_t>(whole),
                                    static_cast<uint16_t>(gm_height - whole),
                                    static_cast<uint16_t>(height - whole)));
            return;
        }
        for (int32_t block = 0; block < blocks; ++block) {
            DataCopy(to[static_cast<uint32_t>(block * height * c0)],
                     from[static_cast<uint64_t>(int64_t{block} * gm_height * c0)],
                     DataCopyParams(1, static_cast<uint16_t>(whole), 0, 0));
        }
    }

    /// Rows m of A and depth k: from [M, K], or from [K, M] if transposed.
    static void LoadA(const LocalTensor<T>& to,
                      const L1Matrix<T>& from,
                      bool transpose,
                      int32_t m,
                      int32_t rows,
                      int32_t k,
                      int32_t depth) {
        const int32_t k_blocks = CeilDiv(depth, c0);
        if constexpr (!nibbles) {
            if (!transpose || !narrow) {
                Load3d(to,
                       from,
                       transpose ? k : m,
                       transpose ? m : k,
                       transpose ? depth : rows,
                       transpose ? CeilTo(rows, fractal) : k_blocks * c0,
                       transpose);
                return;
            }
        }
        if (!transpose) {
            for (int32_t row = 0; row < rows; row += fractal) {
                LoadData(to[static_cast<uint32_t>(row * k_blocks * c0)],
                         from.at[static_cast<uint32_t>(k * from.height + (m + row) * c0)],
                         Fractals(k_blocks, from.height / fractal));
            }
            return;
        }
        for (int32_t row = 0; row < rows; row += c0) {
            LoadDataWithTranspose(
                to[static_cast<uint32_t>(row * k_blocks * c0)],
                from.at[static_cast<uint32_t>((m + row) * from.height + k * c0)],
                LoadData2dTransposeParams(
                    0, static_cast<uint8_t>(k_blocks), 1, 0, static_cast<uint16_t>(k_blocks - 1)));
        }
    }

    /// Columns n of B and depth k: from [K, N], or from [N, K] if transposed.
    static void LoadB(const LocalTensor<T>& to,
                      const L1Matrix<T>& from,
                      bool transpose,
                      int32_t n,
                      int32_t columns,
                      int32_t k,
                      int32_t depth) {
        const int32_t k_blocks = CeilDiv(depth, c0);
        const int32_t n_blocks = CeilDiv(MadColumns(columns, transpose), fractal);
        if (transpose) {
            LoadColumns(to, from, n, n_blocks, k, k_blocks);
        } else if constexpr (!narrow) {
            Load3d(to, from, k, n, depth, CeilTo(columns, fractal), false);
        } else {
            for (int32_t column = 0; column < columns; column += c0) {
                LoadDataWithTranspose(
                    to[static_cast<uint32_t>(column * c0)],
                    from.at[static_cast<uint32_t>((n + column) * from.height + k * c0)],
                    LoadData2dTransposeParams(
                        0, static_cast<uint8_t>(k_blocks), 1, static_cast<uint16_t>(n_blocks - 1), 0));
            }
        }
    }

private:
    static Nd2NzParams Rows(int32_t rows, int32_t columns, int64_t pitch, int32_t height) {
        return Nd2NzParams(1,
                           static_cast<uint16_t>(rows),
                           static_cast<uint16_t>(columns),
                           0,
                           static_cast<uint16_t>(pitch),
                           static_cast<uint16_t>(height),
                           1,
                           0);
    }

    static LoadData2DParams Fractals(int32_t count, int32_t stride) {
        return LoadData2DParams(
            0, static_cast<uint8_t>(count), static_cast<uint16_t>(stride), 0, 0, false, 0);
    }

    // NZ of [N, K] is Zn of its transpose: fractals are copied as they lie, in one go where they are all
    // wanted.
    static void LoadColumns(const LocalTensor<T>& to,
                            const L1Matrix<T>& from,
                            int32_t n,
                            int32_t n_blocks,
                            int32_t k,
                            int32_t k_blocks) {
        constexpr int32_t most = 255;
        const bool dense = n_blocks * fractal == from.height && n == 0;
        const int32_t runs = dense ? 1 : k_blocks;
        const int32_t fractals = dense ? n_blocks * k_blocks : n_blocks;
        for (int32_t run = 0; run < runs; ++run) {
            for (int32_t at = 0; at < fractals; at += most) {
                const int32_t count = fractals - at < most ? fractals - at : most;
                LoadData(
                    to[static_cast<uint32_t>((run * n_blocks + at) * fractal * c0)],
                    from.at[static_cast<uint32_t>((k + run * c0) * from.height + (n + at * fractal) * c0)],
                    Fractals(count, 1));
            }
        }
    }

    // The matrix as a feature map one row high: its rows are positions, its columns channels.
    static void Load3d(const LocalTensor<T>& to,
                       const L1Matrix<T>& from,
                       int32_t row,
                       int32_t column,
                       int32_t rows,
                       int32_t columns,
                       bool transpose) {
        LoadData3DParamsV2<T> params;
        params.l1H = 1;
        params.l1W = static_cast<uint16_t>(from.height);
        params.channelSize = static_cast<uint16_t>(CeilTo(from.columns, c0));
        params.kExtension = static_cast<uint16_t>(columns);
        params.mExtension = static_cast<uint16_t>(
            transpose || to.Memory() == ascendsim::Memory::l0b ? rows : CeilTo(rows, fractal));
        params.kStartPt = static_cast<uint16_t>(column);
        params.mStartPt = static_cast<uint16_t>(row);
        params.enTranspose = transpose;
        LoadData(to, from.at, params);
    }
};

}  // namespace AscendC::matmul_detail
