// SPDX-License-Identifier: Apache-2.0
// The newer names of the reductions of repeats, blocks and pairs: the operation is a template argument.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_cast.h"
#include "kernels/ascendc/ascendc/vector/vector_reduce.h"

namespace AscendC {

enum class ReduceType : uint8_t { SUM = 0, MAX, MIN };

/// One result for each repeat: WholeReduceSum, WholeReduceMax or WholeReduceMin.
template <ReduceType type, typename T, typename U = T, bool isSetMask = true, typename Mask>
inline void ReduceRepeat(const LocalTensor<T>& dst,
                         const LocalTensor<U>& src,
                         const Mask& mask,
                         const int32_t repeatTime,
                         const int32_t dstRepStride,
                         const int32_t srcBlkStride,
                         const int32_t srcRepStride,
                         ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                         Site site = Site::here()) {
    static_assert(std::is_same_v<T, U>, "this chip reduces within one type");
    if constexpr (type == ReduceType::SUM) {
        WholeReduceSum<T, isSetMask>(
            dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, site);
    } else if constexpr (type == ReduceType::MAX) {
        WholeReduceMax<T, isSetMask>(
            dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order, site);
    } else {
        WholeReduceMin<T, isSetMask>(
            dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order, site);
    }
}

/// One result for each block of 32 B: BlockReduceSum, BlockReduceMax or BlockReduceMin.
template <ReduceType type, typename T, typename U = T, bool isSetMask = true, typename Mask>
inline void ReduceDataBlock(const LocalTensor<T>& dst,
                            const LocalTensor<U>& src,
                            const Mask& mask,
                            const int32_t repeatTime,
                            const int32_t dstRepStride,
                            const int32_t srcBlkStride,
                            const int32_t srcRepStride,
                            Site site = Site::here()) {
    static_assert(std::is_same_v<T, U>, "this chip reduces within one type");
    if constexpr (type == ReduceType::SUM) {
        BlockReduceSum<T, isSetMask>(
            dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride, site);
    } else if constexpr (type == ReduceType::MAX) {
        BlockReduceMax<T, isSetMask>(
            dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride, site);
    } else {
        BlockReduceMin<T, isSetMask>(
            dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride, site);
    }
}

/// One sum for each pair of neighbours: PairReduceSum.
template <ReduceType type, typename T, bool isSetMask = true, typename Mask>
inline void ReducePairElem(const LocalTensor<T>& dst,
                           const LocalTensor<T>& src,
                           const Mask& mask,
                           const int32_t repeatTime,
                           const int32_t dstRepStride,
                           const int32_t srcBlkStride,
                           const int32_t srcRepStride,
                           Site site = Site::here()) {
    static_assert(type == ReduceType::SUM, "pairs are added only");
    PairReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride, site);
}

/// The names of the scalar unit's bit counts.
template <int countValue>
inline int64_t GetBitCount(uint64_t value) {
    return ScalarGetCountOfValue<countValue>(value);
}

inline int64_t CountLeadingZero(uint64_t value) {
    return ScalarCountLeadingZero(value);
}

template <int countValue>
inline int64_t GetSFFValue(uint64_t value) {
    return ScalarGetSFFValue<countValue>(value);
}

}  // namespace AscendC
