// SPDX-License-Identifier: Apache-2.0
// What the cube programs of attention.cpp and flash_attention.cpp have in common: how buffers are handed on,
// and how scores and products leave L0C.
#pragma once

#include "kernels/shared/cube_loads.h"

namespace attention {

using namespace AscendC;

/// Before the first step: `in_l1` buffers of L1, the halves of L0 and two results in L0C are free.
__aicore__ inline void RaiseFreeFlags(int32_t in_l1) {
    for (int32_t i = 0; i < in_l1; ++i) {
        SetFlag<HardEvent::MTE1_MTE2>(i);
    }
    for (int32_t i = 0; i < 2; ++i) {
        SetFlag<HardEvent::M_MTE1>(i);
        SetFlag<HardEvent::FIX_M>(i);
    }
}

/// Behind the last step: no flag stays up.
__aicore__ inline void TakeFreeFlags(int32_t in_l1) {
    for (int32_t i = 0; i < in_l1; ++i) {
        WaitFlag<HardEvent::MTE1_MTE2>(i);
    }
    for (int32_t i = 0; i < 2; ++i) {
        WaitFlag<HardEvent::M_MTE1>(i);
        WaitFlag<HardEvent::FIX_M>(i);
    }
}

/// (rows, columns) L0C -> GM, rows `pitch` elements apart; in L0C their number is a multiple of 16.
template <typename Sum>
__aicore__ inline void WriteResult(const GlobalTensor<Sum>& to,
                                   const LocalTensor<Sum>& from,
                                   uint32_t rows,
                                   uint32_t columns,
                                   uint32_t pitch) {
    FixpipeParamsV220 params;
    params.nSize = static_cast<uint16_t>(columns);
    params.mSize = static_cast<uint16_t>(rows);
    params.srcStride = static_cast<uint16_t>(cube::CeilTo(rows, cube::fractal));
    params.dstStride = pitch;
    Fixpipe<Sum, Sum, CFG_ROW_MAJOR>(to, from, params);
}

}  // namespace attention
