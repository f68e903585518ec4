// SPDX-License-Identifier: Apache-2.0
// The vector operations that work lane by lane: one source.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_call.h"

namespace AscendC {

template <typename T>
inline void Abs(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                const int32_t& count,
                Site site = Site::here()) {
    UnaryCall(LaneOp::abs, dst, src, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Abs(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                Mask mask,
                const RepeatTimes repeatTimes,
                const UnaryRepeatParams& params,
                Site site = Site::here()) {
    UnaryCall(LaneOp::abs, dst, src, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Exp(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                const int32_t& count,
                Site site = Site::here()) {
    UnaryCall(LaneOp::exp, dst, src, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Exp(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                Mask mask,
                const RepeatTimes repeatTimes,
                const UnaryRepeatParams& params,
                Site site = Site::here()) {
    UnaryCall(LaneOp::exp, dst, src, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Ln(const LocalTensor<T>& dst,
               const LocalTensor<T>& src,
               const int32_t& count,
               Site site = Site::here()) {
    UnaryCall(LaneOp::ln, dst, src, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Ln(const LocalTensor<T>& dst,
               const LocalTensor<T>& src,
               Mask mask,
               const RepeatTimes repeatTimes,
               const UnaryRepeatParams& params,
               Site site = Site::here()) {
    UnaryCall(LaneOp::ln, dst, src, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Sqrt(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const int32_t& count,
                 Site site = Site::here()) {
    UnaryCall(LaneOp::sqrt, dst, src, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Sqrt(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 Mask mask,
                 const RepeatTimes repeatTimes,
                 const UnaryRepeatParams& params,
                 Site site = Site::here()) {
    UnaryCall(LaneOp::sqrt, dst, src, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Rsqrt(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src,
                  const int32_t& count,
                  Site site = Site::here()) {
    UnaryCall(LaneOp::rsqrt, dst, src, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Rsqrt(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src,
                  Mask mask,
                  const RepeatTimes repeatTimes,
                  const UnaryRepeatParams& params,
                  Site site = Site::here()) {
    UnaryCall(LaneOp::rsqrt, dst, src, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Reciprocal(const LocalTensor<T>& dst,
                       const LocalTensor<T>& src,
                       const int32_t& count,
                       Site site = Site::here()) {
    UnaryCall(LaneOp::reciprocal, dst, src, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Reciprocal(const LocalTensor<T>& dst,
                       const LocalTensor<T>& src,
                       Mask mask,
                       const RepeatTimes repeatTimes,
                       const UnaryRepeatParams& params,
                       Site site = Site::here()) {
    UnaryCall(LaneOp::reciprocal, dst, src, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Relu(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const int32_t& count,
                 Site site = Site::here()) {
    UnaryCall(LaneOp::relu, dst, src, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Relu(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 Mask mask,
                 const RepeatTimes repeatTimes,
                 const UnaryRepeatParams& params,
                 Site site = Site::here()) {
    UnaryCall(LaneOp::relu, dst, src, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Not(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                const int32_t& count,
                Site site = Site::here()) {
    UnaryCall(LaneOp::bit_not, dst, src, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Not(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                Mask mask,
                const RepeatTimes repeatTimes,
                const UnaryRepeatParams& params,
                Site site = Site::here()) {
    UnaryCall(LaneOp::bit_not, dst, src, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Neg(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                const int32_t& count,
                Site site = Site::here()) {
    UnaryCall(LaneOp::neg, dst, src, CountShape(count), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Neg(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                Mask mask,
                const RepeatTimes repeatTimes,
                const UnaryRepeatParams& params,
                Site site = Site::here()) {
    UnaryCall(LaneOp::neg, dst, src, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

}  // namespace AscendC
