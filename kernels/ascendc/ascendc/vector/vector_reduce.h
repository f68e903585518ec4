// SPDX-License-Identifier: Apache-2.0
// Reductions of repeats, blocks and pairs. reduce_tensor.h has those of a whole tensor.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_call.h"
#include "models/isa/vector/vector_reduce.hpp"

namespace AscendC {

using ascendsim::isa::Reduction;

constexpr ascendsim::isa::ExtremeForm FormOf(ReduceOrder order) {
    return static_cast<ascendsim::isa::ExtremeForm>(order);
}

/// Bytes that one step of dstRepStride means.
template <typename T>
constexpr uint32_t ResultUnit(ReduceOrder order) {
    return order == ReduceOrder::ORDER_ONLY_VALUE   ? sizeof(T)
           : order == ReduceOrder::ORDER_ONLY_INDEX ? 4U
                                                    : 2U * sizeof(T);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void WholeReduceSum(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           Mask mask,
                           const int32_t repeatTimes,
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_repeats_sum(
            {dst.Start(), static_cast<uint32_t>(dstRepStride * sizeof(T))},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void RepeatReduceSum(const LocalTensor<T>& dst,
                            const LocalTensor<T>& src,
                            const int32_t repeatTimes,
                            Mask mask,
                            const int32_t,
                            const int32_t srcBlkStride,
                            const int32_t dstRepStride,
                            const int32_t srcRepStride,
                            Site site = Site::here()) {
    WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTimes, dstRepStride, srcBlkStride, srcRepStride, site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void PairReduceSum(const LocalTensor<T>& dst,
                          const LocalTensor<T>& src,
                          const int32_t repeatTimes,
                          Mask mask,
                          const int32_t dstRepStride,
                          const int32_t srcBlkStride,
                          const int32_t srcRepStride,
                          Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_pairs(
            {dst.Start(), static_cast<uint32_t>(dstRepStride) * 128U},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void BlockReduceSum(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           const int32_t repeatTimes,
                           Mask mask,
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_blocks(
            Reduction::sum,
            {dst.Start(), static_cast<uint32_t>(dstRepStride * 8U * sizeof(T))},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void BlockReduceMax(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           const int32_t repeatTimes,
                           Mask mask,
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_blocks(
            Reduction::max,
            {dst.Start(), static_cast<uint32_t>(dstRepStride * 8U * sizeof(T))},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void WholeReduceMax(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           Mask mask,
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
            {dst.Start(), static_cast<uint32_t>(dstRepStride) * ResultUnit<T>(order)},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void BlockReduceMin(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           const int32_t repeatTimes,
                           Mask mask,
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::reduce_blocks(
            Reduction::min,
            {dst.Start(), static_cast<uint32_t>(dstRepStride * 8U * sizeof(T))},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void WholeReduceMin(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           Mask mask,
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
            {dst.Start(), static_cast<uint32_t>(dstRepStride) * ResultUnit<T>(order)},
            Operand(src, static_cast<uint16_t>(srcBlkStride), static_cast<uint16_t>(srcRepStride)),
            MaskShape<isSetMask>(mask, static_cast<uint32_t>(repeatTimes)),
            site);
    }
}

/// The sum that the last reduction left; its bits unless a type is named.
template <typename T = int64_t>
inline T GetAccVal() {
    ascendsim::isa::ScalarBits bits;
    bits.bits = ascendsim::isa::CorePort::current().registers().reduce_accumulator;
    return bits.as<T>();
}

/// The extreme that the last reduction found over all of its repeats, and its place among the elements, whose
/// number is in the bits of a T.
template <typename T>
inline void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex) {
    const uint64_t kept = ascendsim::isa::CorePort::current().registers().reduce_index;
    const uint64_t index = kept >> 32U;
    __builtin_memcpy(static_cast<void*>(&maxMinValue), &kept, sizeof(T));
    __builtin_memcpy(static_cast<void*>(&maxMinIndex), &index, sizeof(T));
}

template <typename T>
inline void GetReduceMaxMinCount(T& maxMinValue) {
    T index;
    GetReduceMaxMinCount(maxMinValue, index);
}

template <typename T>
inline void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex) {
    GetReduceMaxMinCount(maxMinValue, maxMinIndex);
}

template <typename T>
inline void GetReduceRepeatMaxMinSpr(T& maxMinValue) {
    GetReduceMaxMinCount(maxMinValue);
}

/// The newer name: the result of the last ReduceSum of consecutive elements.
template <typename T>
inline T GetReduceRepeatSumSpr() {
    return GetAccVal<T>();
}

}  // namespace AscendC
