// SPDX-License-Identifier: Apache-2.0
// The k largest or smallest elements of each row: full sort of (value, index) pairs, then the first k.
#pragma once

#include "kernels/ascendc/ascendc/adv/scratch.h"
#include "kernels/ascendc/ascendc/vector/vector_progression.h"
#include "kernels/ascendc/ascendc/vector/vector_sort.h"
#include "kernels/ascendc/kernel_tiling/adv_tiling.h"

namespace AscendC {

enum class TopKAlgo { RADIX_SELECT, MERGE_SORT };
enum class TopKOrder { UNSET, LARGEST, SMALLEST };

struct TopKConfig {
    TopKAlgo algo = TopKAlgo::MERGE_SORT;
    TopKOrder order = TopKOrder::UNSET;
    bool sorted = true;
};

inline constexpr TopKConfig defaultTopKConfig{};

/// outter rows of inner elements, a multiple of 32, of which n count.
struct TopKInfo {
    int32_t outter = 1;
    int32_t inner = 0;
    int32_t n = 0;
};

namespace adv {

/// values and indices = the first k of each of `rows` groups of `group` sorted pairs.
template <typename T>
inline void TakePairs(const LocalTensor<T>& values,
                      const LocalTensor<int32_t>& indices,
                      const LocalTensor<T>& sorted,
                      uint32_t rows,
                      uint32_t group,
                      uint32_t k,
                      Site site) {
    constexpr uint32_t step = 8U / sizeof(T);  // elements of T in a pair
    uint64_t count = 0;
    const GatherMaskParams params(1, static_cast<uint16_t>(rows), static_cast<uint16_t>(group / 4U), 0);
    // Of every pair the value comes first: pattern 1 of two words, 3 of four halves. Pattern 2 is the second
    // word.
    GatherMask(values, sorted, static_cast<uint8_t>(step == 2 ? 1 : 3), true, k * step, params, count, site);
    GatherMask(
        indices, sorted.template ReinterpretCast<int32_t>(), uint8_t{2}, true, 2 * k, params, count, site);
    ResetMask();
    PipeBarrier<PIPE_V>(site);
}

/// One call's parts that stay the same for all rows.
template <typename T>
struct TopKSpace {
    LocalTensor<T> sorted;
    LocalTensor<T> merge;
    LocalTensor<T> negated;
    LocalTensor<int32_t> order;

    TopKSpace(Scratch& scratch, uint32_t elements, bool small, bool negates, bool counts) {
        sorted = scratch.template Take<T>(elements * (8U / sizeof(T)));
        merge = small ? LocalTensor<T>() : scratch.template Take<T>(elements * (8U / sizeof(T)));
        negated = negates ? scratch.template Take<T>(elements) : LocalTensor<T>();
        order = counts ? scratch.Take<int32_t>(elements) : LocalTensor<int32_t>();
    }
};

template <typename T>
inline void Negate(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t n, Site site) {
    Muls(dst, src, T(-1.0F), static_cast<int32_t>(n), site);
    PipeBarrier<PIPE_V>(site);
}

/// Overwrites the indices of finished rows with n.
inline void MarkFinished(const LocalTensor<int32_t>& indices,
                         const LocalTensor<bool>& finished,
                         const TopKInfo& info,
                         uint32_t k,
                         uint32_t stride,
                         Site site) {
    const int32_t read = GetTPipePtr()->FetchEventID<HardEvent::V_S>();
    SetFlag<HardEvent::V_S>(read, site);
    WaitFlag<HardEvent::V_S>(read, site);
    for (uint32_t row = 0; row < static_cast<uint32_t>(info.outter); ++row) {
        if (finished.GetValue(row, site)) {
            Duplicate(indices[row * stride], info.n, static_cast<int32_t>(k), site);
        }
    }
    PipeBarrier<PIPE_V>(site);
}

template <bool has_index, bool has_finish, TopKMode mode, typename T>
inline void TopKCall(const LocalTensor<T>& values,
                     const LocalTensor<int32_t>& indices,
                     const LocalTensor<T>& src,
                     const LocalTensor<int32_t>& src_index,
                     const LocalTensor<bool>& finished,
                     uint32_t k,
                     const TopKInfo& info,
                     bool largest,
                     Scratch scratch,
                     Site site) {
    if constexpr (has_vector_unit) {
        constexpr bool small = mode == TopKMode::TOPK_NSMALL;
        const auto rows = static_cast<uint32_t>(info.outter);
        const auto inner = static_cast<uint32_t>(info.inner);
        const uint32_t elements = small ? rows * inner : inner;  // sorted at once
        TopKSpace<T> space(scratch, elements, small, !largest, !has_index);
        LocalTensor<int32_t> order = src_index;
        if constexpr (!has_index) {
            order = space.order;
            for (uint32_t at = 0; at < elements; at += inner) {
                ArithProgression(order[at], 0, 1, static_cast<int32_t>(inner), site);
            }
            PipeBarrier<PIPE_V>(site);
        }
        const auto one = [&](const LocalTensor<T>& v, const LocalTensor<int32_t>& i, LocalTensor<T> from) {
            if (!largest) {
                Negate(space.negated, from, elements, site);
                from = space.negated;
            }
            const auto order_bits = order.template ReinterpretCast<uint32_t>();
            const auto repeats = static_cast<int32_t>(elements / 32U);
            if constexpr (small) {
                Sort32(space.sorted, from, order_bits, repeats, site);
            } else {
                Sort<T, true>(space.sorted, from, order_bits, space.merge, repeats, site);
            }
            PipeBarrier<PIPE_V>(site);
            TakePairs(v, i, space.sorted, small ? rows : 1, inner, k, site);
            if (!largest) {
                Negate(v, v, small ? rows * k : k, site);
            }
        };
        if constexpr (small) {
            one(values, indices, src);
        } else {
            constexpr uint32_t block = 32U / sizeof(T);
            const uint32_t value_stride = (k + block - 1) / block * block;
            const uint32_t index_stride = (k + 7U) / 8U * 8U;
            for (uint32_t row = 0; row < rows; ++row) {
                one(values[row * value_stride], indices[row * index_stride], src[row * inner]);
            }
            if constexpr (has_finish) {
                MarkFinished(indices, finished, info, k, index_stride, site);
            }
        }
    }
}

}  // namespace adv

/// The k largest, or smallest, of each row with their indices, in order. Rows of results are padded to 32
/// bytes in the normal mode and dense in the small mode, whose rows have 32 elements.
template <typename T,
          bool isInitIndex = false,
          bool isHasfinish = false,
          bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL,
          const TopKConfig& config = defaultTopKConfig>
inline void TopK(const LocalTensor<T>& dstValue,
                 const LocalTensor<int32_t>& dstIndex,
                 const LocalTensor<T>& src,
                 const LocalTensor<int32_t>& srcIndex,
                 const LocalTensor<bool>& finish,
                 const LocalTensor<uint8_t>& tmp,
                 const int32_t k,
                 const TopkTiling&,
                 const TopKInfo& topKInfo,
                 const bool isLargest = true,
                 Site site = Site::here()) {
    adv::TopKCall<isInitIndex, isHasfinish, topkMode>(dstValue,
                                                      dstIndex,
                                                      src,
                                                      srcIndex,
                                                      finish,
                                                      static_cast<uint32_t>(k),
                                                      topKInfo,
                                                      isLargest,
                                                      {"TopK", tmp, site},
                                                      site);
}

template <typename T,
          bool isInitIndex = false,
          bool isHasfinish = false,
          bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL,
          const TopKConfig& config = defaultTopKConfig>
inline void TopK(const LocalTensor<T>& dstValue,
                 const LocalTensor<int32_t>& dstIndex,
                 const LocalTensor<T>& src,
                 const LocalTensor<int32_t>& srcIndex,
                 const LocalTensor<bool>& finish,
                 const int32_t k,
                 const TopkTiling&,
                 const TopKInfo& topKInfo,
                 const bool isLargest = true,
                 Site site = Site::here()) {
    adv::TopKCall<isInitIndex, isHasfinish, topkMode>(dstValue,
                                                      dstIndex,
                                                      src,
                                                      srcIndex,
                                                      finish,
                                                      static_cast<uint32_t>(k),
                                                      topKInfo,
                                                      isLargest,
                                                      {"TopK", site},
                                                      site);
}

}  // namespace AscendC
