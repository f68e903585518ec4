// SPDX-License-Identifier: Apache-2.0
// The way of a result out of L0C on chips whose cube and vector unit share a core and that have no Fixpipe.
//
//   L0C NZ --vector, converts--> UB NZ --vector--> UB rows --mte3--> GM
//
// The unified buffer is two halves, each a piece of the result as NZ and the same piece as rows: while one
// piece is on its way out, the next one is turned.
#pragma once

#include "kernel_operator.h"

namespace cube {

using namespace AscendC;

// 1001 and 2002; later chips have Fixpipe.
#if __NPU_ARCH__ == 2201
constexpr bool results_leave_by_fixpipe = true;
#else
constexpr bool results_leave_by_fixpipe = false;
#endif

/// Writes results of Sum as rows of Out. Raise and Take bracket all writes of a core.
template <typename Sum, typename Out>
class CoupledResult {
public:
    __aicore__ inline void RaiseFree() {
        SetFlag<HardEvent::MTE3_V>(0);
        SetFlag<HardEvent::MTE3_V>(1);
    }

    __aicore__ inline void TakeFree() {
        WaitFlag<HardEvent::MTE3_V>(0);
        WaitFlag<HardEvent::MTE3_V>(1);
    }

    /// Rows x columns of `from` (NZ, columns of `height` rows, a multiple of 16) to rows of `pitch` elements.
    /// Columns and pitch must fill whole blocks of 32 bytes: these chips copy nothing smaller.
    __aicore__ inline void Write(const GlobalTensor<Out>& to,
                                 const LocalTensor<Sum>& from,
                                 uint32_t rows,
                                 uint32_t columns,
                                 uint32_t height,
                                 uint32_t pitch) {
        const uint32_t all = columns / strip;
        const uint32_t fits = piece_bytes / (height * strip * static_cast<uint32_t>(sizeof(Out)));
        const uint32_t strips = fits < longest_row ? fits : longest_row;
        for (uint32_t first = 0; first < all; first += strips) {
            const uint32_t count = all - first < strips ? all - first : strips;
            const auto id = static_cast<int32_t>(half_);
            WaitFlag<HardEvent::MTE3_V>(id);
            Turn(from[first * strip * height], count, height);
            SetFlag<HardEvent::V_MTE3>(id);
            WaitFlag<HardEvent::V_MTE3>(id);
            DataCopy(to[first * strip],
                     Rows(),
                     DataCopyParams(static_cast<uint16_t>(rows),
                                    static_cast<uint16_t>(count * strip_blocks),
                                    0,
                                    static_cast<uint16_t>((pitch - count * strip) * sizeof(Out) / 32)));
            SetFlag<HardEvent::MTE3_V>(id);
            half_ = 1 - half_;
        }
    }

private:
    static constexpr uint32_t strip = 16;  // columns of a fractal
    static constexpr uint32_t strip_blocks = strip * sizeof(Out) / 32;
    static constexpr uint32_t block = 32 / sizeof(Out);
    static constexpr uint32_t piece_bytes = 61440;  // four pieces fit the smallest unified buffer, 248 KiB
    // A repeat turns 8 rows, and its stride is a byte that counts blocks.
    static constexpr uint32_t longest_row = 255 / 8 / strip_blocks;

    __aicore__ inline LocalTensor<Out> Piece(uint32_t number) {
        return LocalTensor<Out>(TPosition::VECOUT, number * piece_bytes, piece_bytes / sizeof(Out));
    }

    __aicore__ inline LocalTensor<Out> Rows() { return Piece(2 * half_ + 1); }

    __aicore__ inline void Turn(const LocalTensor<Sum>& from, uint32_t strips, uint32_t height) {
        const LocalTensor<Out> nz = Piece(2 * half_);
        DataCopyEnhancedParams enhanced;
        enhanced.blockMode = BlockMode::BLOCK_MODE_MATRIX;
        DataCopy(nz,
                 from,
                 DataCopyParams(static_cast<uint16_t>(strips), static_cast<uint16_t>(height / strip), 0, 0),
                 enhanced);
        PipeBarrier<PIPE_V>();
        const uint32_t row_blocks = strips * strip_blocks;
        const UnaryRepeatParams strides(static_cast<uint16_t>(row_blocks),
                                        strip_blocks,
                                        static_cast<uint8_t>(8 * row_blocks),
                                        8 * strip_blocks);
        for (uint32_t i = 0; i < row_blocks; ++i) {
            const uint32_t source = i / strip_blocks * strip * height + i % strip_blocks * block;
            Adds(Rows()[i * block], nz[source], Out(0), 8 * block, static_cast<uint8_t>(height / 8), strides);
        }
    }

    uint32_t half_ = 0;
};

}  // namespace cube
