// SPDX-License-Identifier: Apache-2.0
// The way of a result out of L0C on chips whose cube and vector unit share a core and that have no Fixpipe.
//
//   L0C (columns by 16, positions, 16) --vector, converts--> UB, the same order --mte3--> Y NC1HWC0
//
// L0C holds the order of Y already: nothing is turned. While one half of the unified buffer is on its way
// out, the other is filled.
#pragma once

#include "kernels/shared/cube_flags.h"

namespace conv2d {

using namespace AscendC;

/// Writes sums as blocks of 16 channels of T. RaiseFree and TakeFree bracket all writes of a core.
template <typename T>
class CoupledImage {
public:
    __aicore__ inline void RaiseFree() {
        SetFlag<HardEvent::MTE3_V>(0);
        SetFlag<HardEvent::MTE3_V>(1);
    }

    __aicore__ inline void TakeFree() {
        WaitFlag<HardEvent::MTE3_V>(0);
        WaitFlag<HardEvent::MTE3_V>(1);
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
            SetFlag<HardEvent::V_MTE3>(id);
            WaitFlag<HardEvent::V_MTE3>(id);
            for (uint32_t b = 0; b < count; ++b) {
                DataCopy(
                    to[uint64_t{first + b} * plane * strip], part[b * strip * height], positions * strip);
            }
            SetFlag<HardEvent::MTE3_V>(id);
            half_ = 1 - half_;
        }
    }

private:
    static constexpr uint32_t strip = 16;           // channels of a block
    static constexpr uint32_t half_bytes = 122880;  // two of them fit the smallest unified buffer, 248 KiB

    uint32_t half_ = 0;
};

}  // namespace conv2d
