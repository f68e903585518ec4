// SPDX-License-Identifier: Apache-2.0
// The way of a result out of L0C on chips whose cube and vector unit share a core and that have no Fixpipe.
//
//   L0C NZ --vector, converts--> UB NZ --vector, + bias--> UB rows, activated --mte3--> GM
//
// The unified buffer is two halves, each a piece of the result as NZ and the same piece as rows: while one
// piece is on its way out, the next one is turned.
#pragma once

#include "kernel_operator.h"
#include "kernels/shared/activation.h"
#include "kernels/shared/bias.h"

namespace cube {

using namespace AscendC;

// 1001 and 2002; later chips have Fixpipe.
#if __NPU_ARCH__ == 2201
constexpr bool results_leave_by_fixpipe = true;
#else
constexpr bool results_leave_by_fixpipe = false;
#endif

/// Writes results of Sum as rows of Out. Raise and Take bracket all writes of a core.
template <typename Sum, typename Out, bool with_epilogue = false>
class CoupledResult {
public:
    /// `most` columns are those of a tile.
    __aicore__ inline void Init(GM_ADDR bias, const epilogue::Epilogue& with, uint32_t most) {
        with_ = with;
        bias_.Init(bias, 4 * piece_bytes + epilogue::scratch_floats * sizeof(float), most);
    }

    __aicore__ inline void RaiseFree() {
        if constexpr (with_epilogue) {
            bias_.RaiseFree();
        }
        SetFlag<HardEvent::MTE3_V>(0);
        SetFlag<HardEvent::MTE3_V>(1);
    }

    __aicore__ inline void TakeFree() {
        if constexpr (with_epilogue) {
            bias_.TakeFree();
        }
        WaitFlag<HardEvent::MTE3_V>(0);
        WaitFlag<HardEvent::MTE3_V>(1);
    }

    /// The bias of a tile whose columns begin at `first`, ahead of its results.
    __aicore__ inline void LoadBias(uint32_t first, uint32_t columns) {
        if (with_.bias != 0) {
            bias_.Load(first, columns);
        }
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
        if constexpr (with_epilogue) {
            bias_row_ = with_.bias != 0 ? bias_.Begin() : LocalTensor<Out>();
        }
        for (uint32_t first = 0; first < all; first += strips) {
            const uint32_t count = all - first < strips ? all - first : strips;
            const auto id = static_cast<int32_t>(half_);
            WaitFlag<HardEvent::MTE3_V>(id);
            Turn(from[first * strip * height], first, count, height);
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
        if constexpr (with_epilogue) {
            if (with_.bias != 0) {
                bias_.End();
            }
        }
    }

private:
    static constexpr uint32_t strip = 16;  // columns of a fractal
    static constexpr uint32_t strip_blocks = strip * sizeof(Out) / 32;
    static constexpr uint32_t block = 32 / sizeof(Out);
    // Four pieces fit the smallest unified buffer, 248 KiB; beside scratch and bias, if there are.
    static constexpr uint32_t piece_bytes = with_epilogue ? 49152 : 61440;
    // A repeat turns 8 rows, and its stride is a byte that counts blocks.
    static constexpr uint32_t longest_row = 255 / 8 / strip_blocks;

    __aicore__ inline LocalTensor<Out> Piece(uint32_t number) {
        return LocalTensor<Out>(TPosition::VECOUT, number * piece_bytes, piece_bytes / sizeof(Out));
    }

    __aicore__ inline LocalTensor<Out> Rows() { return Piece(2 * half_ + 1); }

    // `strips` from strip `first` of a tile on.
    __aicore__ inline void Turn(const LocalTensor<Sum>& from,
                                uint32_t first,
                                uint32_t strips,
                                uint32_t height) {
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
        if constexpr (with_epilogue) {
            Complete(nz, first, row_blocks, height);
            return;
        }
        for (uint32_t i = 0; i < row_blocks; ++i) {
            const uint32_t source = i / strip_blocks * strip * height + i % strip_blocks * block;
            Adds(Rows()[i * block], nz[source], Out(0), 8 * block, static_cast<uint8_t>(height / 8), strides);
        }
    }

    // The same with what is added on the way: the bias of a block of columns is read for every row.
    __aicore__ inline void Complete(const LocalTensor<Out>& nz,
                                    uint32_t first,
                                    uint32_t row_blocks,
                                    uint32_t height) {
        const UnaryRepeatParams strides(static_cast<uint16_t>(row_blocks),
                                        strip_blocks,
                                        static_cast<uint8_t>(8 * row_blocks),
                                        8 * strip_blocks);
        const BinaryRepeatParams sums(static_cast<uint8_t>(row_blocks),
                                      strip_blocks,
                                      0,
                                      static_cast<uint8_t>(8 * row_blocks),
                                      8 * strip_blocks,
                                      0);
        const auto repeats = static_cast<uint8_t>(height / 8);
        for (uint32_t i = 0; i < row_blocks; ++i) {
            const uint32_t source = i / strip_blocks * strip * height + i % strip_blocks * block;
            if (with_.bias != 0) {
                Add(Rows()[i * block],
                    nz[source],
                    bias_row_[first * strip + i * block],
                    uint64_t{8 * block},
                    repeats,
                    sums);
            } else {
                Adds(Rows()[i * block], nz[source], Out(0), 8 * block, repeats, strides);
            }
        }
        if (with_.activation != epilogue::none) {
            PipeBarrier<PIPE_V>();
            const LocalTensor<float> scratch(TPosition::VECCALC, 4 * piece_bytes, epilogue::scratch_floats);
            epilogue::Activate(Rows(), Rows(), scratch, with_, row_blocks * block * height);
        }
    }

    uint32_t half_ = 0;
    epilogue::Epilogue with_{};
    RowBias<Out> bias_;
    LocalTensor<Out> bias_row_;
};

}  // namespace cube
