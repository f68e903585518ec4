// SPDX-License-Identifier: Apache-2.0
// Transposes and sorts.
#pragma once

#include "kernels/ascendc/ascendc/data_copy.h"
#include "kernels/ascendc/ascendc/vector/vector_call.h"
#include "models/isa/vector/vector_sort.hpp"

namespace AscendC {

/// The UB offset of an address from GetPhyAddr.
inline uint32_t OffsetOf(uint64_t address, Site site) {
    const auto where = ascendsim::isa::CorePort::current().find_local(reinterpret_cast<const void*>(address));
    if (!where.has_value()) {
        ascendsim::isa::kernel_fault("TransDataTo5HD", "an address lies outside of the unified buffer", site);
    }
    return where->offset;
}

template <typename T>
inline void TransposeRows(const uint32_t (&dst)[16],
                          const uint32_t (&src)[16],
                          const TransDataTo5HDParams& params,
                          Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::TransposeCall call;
        for (int i = 0; i < 16; ++i) {
            call.dst[static_cast<std::size_t>(i)] = dst[i];
            call.src[static_cast<std::size_t>(i)] = src[i];
        }
        call.type = DataTypeOf<T>();
        call.repeats = params.repeatTimes;
        call.dst_stride = params.dstRepStride;
        call.src_stride = params.srcRepStride;
        call.dst_high_half = params.dstHighHalf;
        call.src_high_half = params.srcHighHalf;
        ascendsim::isa::vector_transpose_rows(call, site);
    }
}

template <typename T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[16],
                           const LocalTensor<T> (&srcList)[16],
                           const TransDataTo5HDParams& params,
                           Site site = Site::here()) {
    uint32_t dst[16];
    uint32_t src[16];
    for (int i = 0; i < 16; ++i) {
        dst[i] = dstList[i].address_.bufferAddr;
        src[i] = srcList[i].address_.bufferAddr;
    }
    TransposeRows<T>(dst, src, params, site);
}

/// The form with addresses from GetPhyAddr.
template <typename T>
inline void TransDataTo5HD(uint64_t dstList[16],
                           uint64_t srcList[16],
                           const TransDataTo5HDParams& params,
                           Site site = Site::here()) {
    uint32_t dst[16];
    uint32_t src[16];
    for (int i = 0; i < 16; ++i) {
        dst[i] = OffsetOf(dstList[i], site);
        src[i] = OffsetOf(srcList[i], site);
    }
    TransposeRows<T>(dst, src, params, site);
}

/// The form with pointers.
template <typename T>
inline void TransDataTo5HDImpl(T* const (&dstList)[16],
                               T* const (&srcList)[16],
                               const TransDataTo5HDParams& params,
                               Site site = Site::here()) {
    uint32_t dst[16];
    uint32_t src[16];
    for (int i = 0; i < 16; ++i) {
        dst[i] = OffsetOf(reinterpret_cast<uint64_t>(dstList[i]), site);
        src[i] = OffsetOf(reinterpret_cast<uint64_t>(srcList[i]), site);
    }
    TransposeRows<T>(dst, src, params, site);
}

/// A matrix of 16 x 16 16-bit elements.
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, Site site = Site::here()) {
    static_assert(sizeof(T) == 2, "Transpose works on 16-bit elements");
    uint32_t to[16];
    uint32_t from[16];
    for (uint32_t i = 0; i < 16; ++i) {
        to[i] = dst.address_.bufferAddr + i * 32U;
        from[i] = src.address_.bufferAddr + i * 32U;
    }
    TransposeRows<T>(to, from, TransDataTo5HDParams(), site);
}

template <typename T>
inline void Sort32(const LocalTensor<T>& dst,
                   const LocalTensor<T>& src0,
                   const LocalTensor<uint32_t>& src1,
                   const int32_t repeatTimes,
                   Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_sort32(dst.address_.bufferAddr,
                                      Operand(src0, 1, 8),
                                      src1.address_.bufferAddr,
                                      static_cast<uint32_t>(repeatTimes),
                                      site);
    }
}

template <typename T>
struct MrgSortSrcList {
    MrgSortSrcList() = default;

    MrgSortSrcList(const LocalTensor<T>& first,
                   const LocalTensor<T>& second,
                   const LocalTensor<T>& third,
                   const LocalTensor<T>& fourth)
        : src1(first), src2(second), src3(third), src4(fourth) {}

    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;
};

template <typename T>
inline void MrgSort(const LocalTensor<T>& dst,
                    const MrgSortSrcList<T>& src,
                    const MrgSort4Info& info,
                    Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::MergeCall call;
        call.dst = dst.address_.bufferAddr;
        call.sources = {src.src1.address_.bufferAddr,
                        src.src2.address_.bufferAddr,
                        src.src3.address_.bufferAddr,
                        src.src4.address_.bufferAddr};
        call.lengths = {
            info.elementLengths[0], info.elementLengths[1], info.elementLengths[2], info.elementLengths[3]};
        call.valid = info.validBit;
        call.stop_when_one_ends = info.ifExhaustedSuspension;
        call.repeats = info.repeatTimes;
        call.type = DataTypeOf<T>();
        ascendsim::isa::vector_merge(call, site);
    }
}

template <typename T>
inline void MrgSort4(const LocalTensor<T>& dst,
                     const MrgSortSrcList<T>& src,
                     const MrgSort4Info& info,
                     Site site = Site::here()) {
    MrgSort(dst, src, info, site);
}

inline void GetMrgSortResult(uint16_t& first, uint16_t& second, uint16_t& third, uint16_t& fourth) {
    const auto counts = ascendsim::isa::merged_counts();
    first = counts[0];
    second = counts[1];
    third = counts[2];
    fourth = counts[3];
}

template <typename T, bool isExhaustedSuspension = false>
inline void MrgSort(const LocalTensor<T>& dst,
                    const MrgSortSrcList<T>& sortList,
                    const uint16_t elementCountList[4],
                    uint32_t sortedNum[4],
                    uint16_t validBit,
                    const int32_t repeatTimes,
                    Site site = Site::here()) {
    const uint16_t lengths[4]{
        elementCountList[0], elementCountList[1], elementCountList[2], elementCountList[3]};
    MrgSort(dst,
            sortList,
            MrgSort4Info(lengths, isExhaustedSuspension, validBit, static_cast<uint16_t>(repeatTimes)),
            site);
    const auto counts = ascendsim::isa::merged_counts();
    for (std::size_t i = 0; i < 4; ++i) {
        sortedNum[i] = counts[i];
    }
}

/// On this architecture a sort takes its scores as they are.
template <typename T>
inline void Concat(LocalTensor<T>& concatLocal,
                   const LocalTensor<T>& src,
                   const LocalTensor<T>&,
                   const int32_t) {
    concatLocal = src;
}

template <typename T>
inline void Extract(const LocalTensor<T>& dstValue,
                    const LocalTensor<uint32_t>& dstIndex,
                    const LocalTensor<T>& sorted,
                    const int32_t repeatTimes,
                    Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_extract(Operand(dstValue, 1, 8),
                                       dstIndex.address_.bufferAddr,
                                       sorted.address_.bufferAddr,
                                       static_cast<uint32_t>(repeatTimes),
                                       site);
    }
}

template <typename T>
inline uint32_t GetSortOffset(const uint32_t elements) {
    return elements * (8U / sizeof(T));
}

template <typename T>
inline uint32_t GetSortLen(const uint32_t elements) {
    return elements * (8U / sizeof(T));
}

/// Sorts every 32 scores; with isFullSort all of them, by merging runs through `tmp`.
template <typename T, bool isFullSort>
inline void Sort(const LocalTensor<T>& dst,
                 const LocalTensor<T>& concat,
                 const LocalTensor<uint32_t>& index,
                 LocalTensor<T>& tmp,
                 const int32_t repeatTimes,
                 Site site = Site::here()) {
    Sort32(dst, concat, index, repeatTimes, site);
    if constexpr (isFullSort) {
        const uint32_t total = static_cast<uint32_t>(repeatTimes) * 32U;
        LocalTensor<T> from = dst;
        LocalTensor<T> to = tmp;
        for (uint32_t run = 32; run < total; run *= 4) {
            PipeBarrier<PIPE_V>(site);
            for (uint32_t start = 0; start < total; start += 4 * run) {
                uint16_t lengths[4];
                uint16_t valid = 0;
                for (uint32_t q = 0; q < 4; ++q) {
                    const uint32_t begin = start + q * run;
                    const uint32_t length = begin >= total ? 0 : total - begin < run ? total - begin : run;
                    lengths[q] = static_cast<uint16_t>(length);
                    valid = static_cast<uint16_t>(valid | (length > 0 ? 1U << q : 0U));
                }
                const auto at = [&](uint32_t q) {
                    return from[GetSortOffset<T>(start + q * run < total ? start + q * run : start)];
                };
                MrgSort(to[GetSortOffset<T>(start)],
                        MrgSortSrcList<T>(at(0), at(1), at(2), at(3)),
                        MrgSort4Info(lengths, false, valid, 1),
                        site);
            }
            const LocalTensor<T> swapped = from;
            from = to;
            to = swapped;
        }
        if (from.address_.bufferAddr != dst.address_.bufferAddr) {
            PipeBarrier<PIPE_V>(site);
            DataCopy(dst, from, GetSortLen<T>(total), site);
        }
    }
}

}  // namespace AscendC
