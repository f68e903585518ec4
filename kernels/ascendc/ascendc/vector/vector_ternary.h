// SPDX-License-Identifier: Apache-2.0
// The vector operations that work lane by lane: those that read their destination.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_call.h"

namespace AscendC {

template <typename T, typename U>
inline void TernaryCall(LaneOp op,
                        const LocalTensor<T>& dst,
                        const LocalTensor<U>& src0,
                        const LocalTensor<U>& src1,
                        const ascendsim::isa::VectorShape& shape,
                        const BinaryRepeatParams& params,
                        Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::lanes(op,
                              {Operand(dst, params.dstBlkStride, params.dstRepStride),
                               Operand(src0, params.src0BlkStride, params.src0RepStride),
                               Operand(src1, params.src1BlkStride, params.src1RepStride),
                               {},
                               shape},
                              site);
    }
}

/// Strides of a dense call; a narrower source advances by fewer blocks.
template <typename T, typename U>
inline BinaryRepeatParams DenseTernary() {
    constexpr uint8_t source = 8U * sizeof(U) / sizeof(T);
    return {1, 1, 1, 8, source, source};
}

template <typename T, typename U>
inline void MulAddDst(const LocalTensor<T>& dst,
                      const LocalTensor<U>& src0,
                      const LocalTensor<U>& src1,
                      const int32_t& count,
                      Site site = Site::here()) {
    TernaryCall(LaneOp::mul_add_dst, dst, src0, src1, CountShape(count), DenseTernary<T, U>(), site);
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void MulAddDst(const LocalTensor<T>& dst,
                      const LocalTensor<U>& src0,
                      const LocalTensor<U>& src1,
                      Mask mask,
                      const RepeatTimes repeatTimes,
                      const BinaryRepeatParams& params,
                      Site site = Site::here()) {
    TernaryCall(LaneOp::mul_add_dst, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T, typename U>
inline void FusedMulAdd(const LocalTensor<T>& dst,
                        const LocalTensor<U>& src0,
                        const LocalTensor<U>& src1,
                        const int32_t& count,
                        Site site = Site::here()) {
    TernaryCall(LaneOp::fused_mul_add, dst, src0, src1, CountShape(count), DenseTernary<T, U>(), site);
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void FusedMulAdd(const LocalTensor<T>& dst,
                        const LocalTensor<U>& src0,
                        const LocalTensor<U>& src1,
                        Mask mask,
                        const RepeatTimes repeatTimes,
                        const BinaryRepeatParams& params,
                        Site site = Site::here()) {
    TernaryCall(
        LaneOp::fused_mul_add, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T, typename U>
inline void FusedMulAddRelu(const LocalTensor<T>& dst,
                            const LocalTensor<U>& src0,
                            const LocalTensor<U>& src1,
                            const int32_t& count,
                            Site site = Site::here()) {
    TernaryCall(LaneOp::fused_mul_add_relu, dst, src0, src1, CountShape(count), DenseTernary<T, U>(), site);
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void FusedMulAddRelu(const LocalTensor<T>& dst,
                            const LocalTensor<U>& src0,
                            const LocalTensor<U>& src1,
                            Mask mask,
                            const RepeatTimes repeatTimes,
                            const BinaryRepeatParams& params,
                            Site site = Site::here()) {
    TernaryCall(
        LaneOp::fused_mul_add_relu, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T, typename U>
inline void Axpy(const LocalTensor<T>& dst,
                 const LocalTensor<U>& src,
                 const std::type_identity_t<U>& scalar,
                 const int32_t& count,
                 Site site = Site::here()) {
    ScalarCall<T, U>(LaneOp::axpy,
                     dst,
                     src,
                     scalar,
                     CountShape(count),
                     UnaryRepeatParams(1, 1, 8, 8U * sizeof(U) / sizeof(T)),
                     site);
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void Axpy(const LocalTensor<T>& dst,
                 const LocalTensor<U>& src,
                 const std::type_identity_t<U>& scalar,
                 Mask mask,
                 const RepeatTimes repeatTimes,
                 const UnaryRepeatParams& params,
                 Site site = Site::here()) {
    ScalarCall<T, U>(LaneOp::axpy, dst, src, scalar, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

}  // namespace AscendC
