// SPDX-License-Identifier: Apache-2.0
// The way of a result out of L0C on chips whose cube and vector unit share a core and that have no Fixpipe.
//
//   L0C (columns by 16, positions, 16) --vector, converts--> UB, the same order --mte3--> Y NC1HWC0
//                                                            + bias, activation
//
// L0C holds the order of Y already: nothing is turned. While one half of the unified buffer is on its way
// out, the other is filled.
#pragma once

#include "kernels/shared/activation.h"
#include "kernels/shared/bias.h"
#include "kernels/shared/cube_flags.h"

namespace conv2d {

using namespace AscendC;

/// Writes sums as blocks of 16 channels of T. RaiseFree and TakeFree bracket all writes of a core.
template <typename T, bool with_epilogue>
class CoupledImage {
public:
    /// `most` channels are those of a tile.
    __aicore__ inline void Init(GM_ADDR bias, const epilogue::Epilogue& with, uint32_t most) {
        with_ = with;
        bias_.Init(bias, 2 * half_bytes + epilogue::scratch_floats * sizeof(float), most);
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

    /// The bias of a tile whose channels begin at `first`, ahead of its results.
    __aicore__ inline void LoadBias(uint64_t first, uint32_t channels) {
        if (with_.bias != 0) {
            bias_.Load(first, channels);
        }
    }

    /// `blocks` times 16 channels of `positions`; those of one block lie `plane` positions behind those of
    /// the one before.
    __aicore__ inline void Write(const GlobalTensor<T>& to,
                                 const LocalTensor<float>& from,
                                 uint32_t positions,
                                 uint32_t blocks,
                                 uint32_t plane) {
        const uint32_t height = cube::CeilTo(positions, strip);
        const uint32_t fits = half_bytes / (height * strip * static_cast<uint32_t>(sizeof(T)));
        LocalTensor<T> bias;
        if constexpr (with_epilogue) {
            if (with_.bias != 0) {
                bias = bias_.Begin();
            }
        }
        for (uint32_t first = 0; first < blocks; first += fits) {
            const uint32_t count = blocks - first < fits ? blocks - first : fits;
            const auto id = static_cast<int32_t>(half_);
            const LocalTensor<T> part(TPosition::VECOUT, half_ * half_bytes, half_bytes / sizeof(T));
            WaitFlag<HardEvent::MTE3_V>(id);
            DataCopyEnhancedParams enhanced;
            enhanced.blockMode = BlockMode::BLOCK_MODE_MATRIX;
            DataCopy(
                part,
                from[first * strip * height],
                DataCopyParams(static_cast<uint16_t>(count), static_cast<uint16_t>(height / strip), 0, 0),
                enhanced);
            if constexpr (with_epilogue) {
                Complete(part, bias, first, count, height);
            }
            SetFlag<HardEvent::V_MTE3>(id);
            WaitFlag<HardEvent::V_MTE3>(id);
            for (uint32_t b = 0; b < count; ++b) {
                DataCopy(
                    to[uint64_t{first + b} * plane * strip], part[b * strip * height], positions * strip);
            }
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
    static constexpr uint32_t strip = 16;  // channels of a block
    // Two of them fit the smallest unified buffer, 248 KiB; beside scratch and bias, if there are.
    static constexpr uint32_t half_bytes = with_epilogue ? 98304 : 122880;

    // The bias of 16 channels is one block, read for every position.
    __aicore__ inline void Complete(const LocalTensor<T>& part,
                                    const LocalTensor<T>& bias,
                                    uint32_t first,
                                    uint32_t count,
                                    uint32_t height) {
        PipeBarrier<PIPE_V>();
        for (uint32_t b = 0; with_.bias != 0 && b < count; ++b) {
            const LocalTensor<T> block = part[b * strip * height];
            Add(block,
                block,
                bias[(first + b) * strip],
                uint64_t{8 * strip},
                static_cast<uint8_t>(height / 8),
                BinaryRepeatParams(1, 1, 0, 8, 8, 0));
        }
        if (with_.activation != epilogue::none) {
            PipeBarrier<PIPE_V>();
            const LocalTensor<float> scratch(TPosition::VECCALC, 2 * half_bytes, epilogue::scratch_floats);
            epilogue::Activate(part, part, scratch, with_, count * strip * height);
        }
    }

    uint32_t half_ = 0;
    epilogue::Epilogue with_{};
    cube::RowBias<T> bias_;
};

}  // namespace conv2d
