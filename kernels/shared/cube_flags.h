// SPDX-License-Identifier: Apache-2.0
// The flags by which the buffers of a cube program are handed on: two in L1 (MTE1 to MTE2), two halves of L0
// (M to MTE1), and results in L0C (FIX to M, V to M on chips without Fixpipe). A flag that is up says that
// its buffer is free.
#pragma once

#include "kernels/shared/cube_sizes.h"

namespace cube {

// From the cube to whoever takes results out of L0C, and back.
#if __NPU_ARCH__ == 2201
constexpr AscendC::HardEvent result_ready = AscendC::HardEvent::M_FIX;
constexpr AscendC::HardEvent result_left = AscendC::HardEvent::FIX_M;
#else
constexpr AscendC::HardEvent result_ready = AscendC::HardEvent::M_V;
constexpr AscendC::HardEvent result_left = AscendC::HardEvent::V_M;
#endif

/// Before the first tile: all buffers are free.
__aicore__ inline void RaiseFreeFlags(uint32_t results) {
    using namespace AscendC;
    for (int32_t i = 0; i < 2; ++i) {
        SetFlag<HardEvent::MTE1_MTE2>(i);
        SetFlag<HardEvent::M_MTE1>(i);
    }
    for (uint32_t i = 0; i < results; ++i) {
        SetFlag<result_left>(static_cast<int32_t>(i));
    }
}

/// Behind the last tile: no flag stays up.
__aicore__ inline void TakeFreeFlags(uint32_t results) {
    using namespace AscendC;
    for (int32_t i = 0; i < 2; ++i) {
        WaitFlag<HardEvent::MTE1_MTE2>(i);
        WaitFlag<HardEvent::M_MTE1>(i);
    }
    for (uint32_t i = 0; i < results; ++i) {
        WaitFlag<result_left>(static_cast<int32_t>(i));
    }
}

}  // namespace cube
