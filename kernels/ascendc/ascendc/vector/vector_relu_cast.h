// SPDX-License-Identifier: Apache-2.0
// AddReluCast and SubReluCast: sums and differences, clipped at zero and converted.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_cast.h"
#include "models/isa/vector/vector_relu_cast.hpp"

namespace AscendC {

template <bool subtract, typename T, typename U>
inline void ReluCastCall(const LocalTensor<T>& dst,
                         const LocalTensor<U>& src0,
                         const LocalTensor<U>& src1,
                         const VectorShape& shape,
                         const BinaryRepeatParams& params,
                         Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_relu_cast(Operand(dst, params.dstBlkStride, params.dstRepStride),
                                         Operand(src0, params.src0BlkStride, params.src0RepStride),
                                         Operand(src1, params.src1BlkStride, params.src1RepStride),
                                         subtract,
                                         shape,
                                         site);
    }
}

#define ASCENDSIM_RELU_CAST(name, subtract)                                                            \
    template <typename T, typename U>                                                                  \
    inline void name(const LocalTensor<T>& dst,                                                        \
                     const LocalTensor<U>& src0,                                                       \
                     const LocalTensor<U>& src1,                                                       \
                     const uint32_t count,                                                             \
                     Site site = Site::here()) {                                                       \
        ReluCastCall<subtract>(dst,                                                                    \
                               src0,                                                                   \
                               src1,                                                                   \
                               CountShape(static_cast<int32_t>(count)),                                \
                               BinaryRepeatParams(1, 1, 1, DenseStride<T>(sizeof(U)), 8, 8),           \
                               site);                                                                  \
    }                                                                                                  \
    template <typename T, typename U, bool isSetMask = true, LaneMask Mask>                            \
    inline void name(const LocalTensor<T>& dst,                                                        \
                     const LocalTensor<U>& src0,                                                       \
                     const LocalTensor<U>& src1,                                                       \
                     Mask mask,                                                                        \
                     const RepeatTimes repeatTime,                                                     \
                     const BinaryRepeatParams& params,                                                 \
                     Site site = Site::here()) {                                                       \
        ReluCastCall<subtract>(dst, src0, src1, MaskShape<isSetMask>(mask, repeatTime), params, site); \
    }

ASCENDSIM_RELU_CAST(AddReluCast, false)
ASCENDSIM_RELU_CAST(SubReluCast, true)
#undef ASCENDSIM_RELU_CAST

}  // namespace AscendC
