// SPDX-License-Identifier: Apache-2.0
// The vector operations that work lane by lane: a source and a scalar, and fills.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_call.h"

namespace AscendC {

template <typename T, bool isSetMask = true>
inline void Adds(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const std::type_identity_t<T>& scalar,
                 const int32_t& count,
                 Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::adds, dst, src, scalar, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Adds(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const std::type_identity_t<T>& scalar,
                 Mask mask,
                 const RepeatTimes repeatTimes,
                 const UnaryRepeatParams& params,
                 Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::adds, dst, src, scalar, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T, bool isSetMask = true>
inline void Muls(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const std::type_identity_t<T>& scalar,
                 const int32_t& count,
                 Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::muls, dst, src, scalar, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Muls(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const std::type_identity_t<T>& scalar,
                 Mask mask,
                 const RepeatTimes repeatTimes,
                 const UnaryRepeatParams& params,
                 Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::muls, dst, src, scalar, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T, bool isSetMask = true>
inline void Maxs(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const std::type_identity_t<T>& scalar,
                 const int32_t& count,
                 Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::maxs, dst, src, scalar, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Maxs(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const std::type_identity_t<T>& scalar,
                 Mask mask,
                 const RepeatTimes repeatTimes,
                 const UnaryRepeatParams& params,
                 Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::maxs, dst, src, scalar, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T, bool isSetMask = true>
inline void Mins(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const std::type_identity_t<T>& scalar,
                 const int32_t& count,
                 Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::mins, dst, src, scalar, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Mins(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const std::type_identity_t<T>& scalar,
                 Mask mask,
                 const RepeatTimes repeatTimes,
                 const UnaryRepeatParams& params,
                 Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::mins, dst, src, scalar, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T, bool isSetMask = true>
inline void ShiftLeft(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const std::type_identity_t<T>& scalar,
                      const int32_t& count,
                      Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::shift_left, dst, src, scalar, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void ShiftLeft(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const std::type_identity_t<T>& scalar,
                      Mask mask,
                      const RepeatTimes repeatTimes,
                      const UnaryRepeatParams& params,
                      Site site = Site::here()) {
    ScalarCall<T, T>(
        LaneOp::shift_left, dst, src, scalar, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T, bool isSetMask = true>
inline void LeakyRelu(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const std::type_identity_t<T>& scalar,
                      const int32_t& count,
                      Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::leaky_relu, dst, src, scalar, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void LeakyRelu(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const std::type_identity_t<T>& scalar,
                      Mask mask,
                      const RepeatTimes repeatTimes,
                      const UnaryRepeatParams& params,
                      Site site = Site::here()) {
    ScalarCall<T, T>(
        LaneOp::leaky_relu, dst, src, scalar, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst,
                       const LocalTensor<T>& src,
                       const std::type_identity_t<T>& scalar,
                       const int32_t& count,
                       Site site = Site::here()) {
    ScalarCall<T, T>(LaneOp::shift_right, dst, src, scalar, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void ShiftRight(const LocalTensor<T>& dst,
                       const LocalTensor<T>& src,
                       const std::type_identity_t<T>& scalar,
                       Mask mask,
                       const RepeatTimes repeatTimes,
                       const UnaryRepeatParams& params,
                       bool roundEn = false,
                       Site site = Site::here()) {
    ScalarCall<T, T>(roundEn ? LaneOp::shift_right_round : LaneOp::shift_right,
                     dst,
                     src,
                     scalar,
                     MaskShape<isSetMask>(mask, repeatTimes),
                     params,
                     site);
}

template <typename T>
inline void FillCall(const LocalTensor<T>& dst,
                     const T& value,
                     const ascendsim::isa::VectorShape& shape,
                     uint16_t block_stride,
                     uint16_t repeat_stride,
                     Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::lanes(
            LaneOp::duplicate,
            {Operand(dst, block_stride, repeat_stride), {}, {}, ascendsim::isa::ScalarBits(value), shape},
            site);
    }
}

template <typename T>
inline void Duplicate(const LocalTensor<T>& dst,
                      const std::type_identity_t<T>& scalar,
                      const int32_t& count,
                      Site site = Site::here()) {
    FillCall<T>(dst, scalar, CountShape(count), 1, 8, site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Duplicate(const LocalTensor<T>& dst,
                      const std::type_identity_t<T>& scalar,
                      Mask mask,
                      const RepeatTimes repeatTimes,
                      const uint16_t dstBlockStride,
                      const uint8_t dstRepeatStride,
                      Site site = Site::here()) {
    FillCall<T>(dst, scalar, MaskShape<isSetMask>(mask, repeatTimes), dstBlockStride, dstRepeatStride, site);
}

}  // namespace AscendC
