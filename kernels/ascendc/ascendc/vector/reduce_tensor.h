// SPDX-License-Identifier: Apache-2.0
// Reductions of a whole tensor to one value.
//
// A sum by count on the 910B is one instruction that adds repeat after repeat into a register, which the
// scalar unit stores: it needs no `sharedTmpBuffer`, and its order is not that of the forms with a mask. All
// others go in stages (staged_reduction.h).
#pragma once

#include "kernels/ascendc/ascendc/vector/staged_reduction.h"

namespace AscendC {

/// The sum by way of the register.
template <typename T>
inline void AccumulateTensor(const LocalTensor<T>& dst,
                             const LocalTensor<T>& src,
                             const ascendsim::isa::VectorShape& shape,
                             Site site) {
    ascendsim::isa::accumulate_repeats(Operand(src, 1, 8), shape, site);
    PassFlag<HardEvent::V_S>(site);
    StagedReduction<T>::Store(dst.Start(), GetAccVal<T>(), site);
    StagedReduction<T>::Release(site);
}

/// A call that takes a count. Nothing happens if that is 0.
template <typename T>
inline void ReduceCount(Reduction how,
                        const LocalTensor<T>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<T>& work,
                        bool with_index,
                        int32_t count,
                        Site site) {
    if constexpr (has_vector_unit) {
        if (count > 0) {
            StagedReduction<T>{how, dst.Start(), work.Start(), with_index, site}.Count(
                src.Start(), static_cast<uint32_t>(count));
        }
    }
}

/// A call that takes a mask and repeats.
template <typename T, LaneMask Mask>
inline void ReduceMasked(Reduction how,
                         const LocalTensor<T>& dst,
                         const LocalTensor<T>& src,
                         const LocalTensor<T>& work,
                         bool with_index,
                         Mask mask,
                         int32_t repeats,
                         int32_t stride,
                         Site site) {
    if constexpr (has_vector_unit) {
        StagedReduction<T>{how, dst.Start(), work.Start(), with_index, site}.Repeats(
            src.Start(),
            static_cast<uint16_t>(stride),
            MaskShape<true>(mask, static_cast<uint32_t>(repeats)));
    }
}

/// With isSetMask = false the mask register says what is added, and `count` nothing but that it is not 0.
template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<T>& sharedTmpBuffer,
                      const int32_t count,
                      Site site = Site::here()) {
    if constexpr (__NPU_ARCH__ != 2201) {
        ReduceCount(Reduction::sum, dst, src, sharedTmpBuffer, false, count, site);
    } else if constexpr (has_vector_unit) {
        if (count > 0) {
            AccumulateTensor(
                dst, src, isSetMask ? CountShape(count) : MaskShape<false>(MASK_PLACEHOLDER, 1), site);
        }
    }
}

template <typename T>
inline void ReduceMax(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<T>& sharedTmpBuffer,
                      const int32_t count,
                      bool calIndex = false,
                      Site site = Site::here()) {
    ReduceCount(Reduction::max, dst, src, sharedTmpBuffer, calIndex, count, site);
}

template <typename T>
inline void ReduceMin(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<T>& sharedTmpBuffer,
                      const int32_t count,
                      bool calIndex = false,
                      Site site = Site::here()) {
    ReduceCount(Reduction::min, dst, src, sharedTmpBuffer, calIndex, count, site);
}

template <typename T, LaneMask Mask>
inline void ReduceSum(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<T>& sharedTmpBuffer,
                      Mask mask,
                      const int32_t repeatTimes,
                      const int32_t srcRepStride,
                      Site site = Site::here()) {
    ReduceMasked(Reduction::sum, dst, src, sharedTmpBuffer, false, mask, repeatTimes, srcRepStride, site);
}

template <typename T, LaneMask Mask>
inline void ReduceMax(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<T>& sharedTmpBuffer,
                      Mask mask,
                      const int32_t repeatTimes,
                      const int32_t srcRepStride,
                      bool calIndex = false,
                      Site site = Site::here()) {
    ReduceMasked(Reduction::max, dst, src, sharedTmpBuffer, calIndex, mask, repeatTimes, srcRepStride, site);
}

template <typename T, LaneMask Mask>
inline void ReduceMin(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<T>& sharedTmpBuffer,
                      Mask mask,
                      const int32_t repeatTimes,
                      const int32_t srcRepStride,
                      bool calIndex = false,
                      Site site = Site::here()) {
    ReduceMasked(Reduction::min, dst, src, sharedTmpBuffer, calIndex, mask, repeatTimes, srcRepStride, site);
}

}  // namespace AscendC
