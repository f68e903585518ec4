// SPDX-License-Identifier: Apache-2.0
// Reductions of each repeat, the lanes given by mask bits.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_reduce.h"

namespace AscendC {

template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           const uint64_t mask[],
                           const int32_t repeatTimes,
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_repeats_sum(
            {dst.address_.bufferAddr, static_cast<uint32_t>(dstRepStride * sizeof(T))},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(const LocalTensor<T>& dst,
                            const LocalTensor<T>& src,
                            const int32_t repeatTimes,
                            const uint64_t mask[],
                            const int32_t,
                            const int32_t srcBlkStride,
                            const int32_t dstRepStride,
                            const int32_t srcRepStride,
                            Site site = Site::here()) {
    WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTimes, dstRepStride, srcBlkStride, srcRepStride, site);
}

template <typename T, bool isSetMask = true>
inline void PairReduceSum(const LocalTensor<T>& dst,
                          const LocalTensor<T>& src,
                          const int32_t repeatTimes,
                          const uint64_t mask[],
                          const int32_t dstRepStride,
                          const int32_t srcBlkStride,
                          const int32_t srcRepStride,
                          Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_pairs(
            {dst.address_.bufferAddr, static_cast<uint32_t>(dstRepStride) * 128U},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true>
inline void BlockReduceSum(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           const int32_t repeatTimes,
                           const uint64_t mask[],
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_blocks(
            Reduction::sum,
            {dst.address_.bufferAddr, static_cast<uint32_t>(dstRepStride * 8U * sizeof(T))},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true>
inline void BlockReduceMax(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           const int32_t repeatTimes,
                           const uint64_t mask[],
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_blocks(
            Reduction::max,
            {dst.address_.bufferAddr, static_cast<uint32_t>(dstRepStride * 8U * sizeof(T))},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true>
inline void WholeReduceMax(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           const uint64_t mask[],
                           const int32_t repeatTimes,
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                           Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_repeats_extreme(
            Reduction::max,
            FormOf(order),
            {dst.address_.bufferAddr, static_cast<uint32_t>(dstRepStride) * ResultUnit<T>(order)},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true>
inline void BlockReduceMin(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           const int32_t repeatTimes,
                           const uint64_t mask[],
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_blocks(
            Reduction::min,
            {dst.address_.bufferAddr, static_cast<uint32_t>(dstRepStride * 8U * sizeof(T))},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true>
inline void WholeReduceMin(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           const uint64_t mask[],
                           const int32_t repeatTimes,
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                           Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_repeats_extreme(
            Reduction::min,
            FormOf(order),
            {dst.address_.bufferAddr, static_cast<uint32_t>(dstRepStride) * ResultUnit<T>(order)},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

}  // namespace AscendC
