// SPDX-License-Identifier: Apache-2.0
// Gather, scatter, compaction, broadcast of blocks, index vectors, copies by lanes.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_call.h"
#include "models/isa/vector/vector_gather.hpp"

namespace AscendC {

template <typename T>
inline void Gather(const LocalTensor<T>& dst,
                   const LocalTensor<T>& src,
                   const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseAddr,
                   const uint32_t count,
                   Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_gather(Operand(dst, 1, 8),
                                      src.address_.bufferAddr + srcBaseAddr,
                                      srcOffset.address_.bufferAddr,
                                      CountShape(static_cast<int32_t>(count)),
                                      site);
    }
}

template <typename T>
inline void Scatter(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const LocalTensor<uint32_t>& dstOffset,
                    const uint32_t dstBaseAddr,
                    const uint32_t count,
                    Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_scatter(Operand(src, 1, 8),
                                       dst.address_.bufferAddr + dstBaseAddr,
                                       dstOffset.address_.bufferAddr,
                                       CountShape(static_cast<int32_t>(count)),
                                       site);
    }
}

template <typename T>
inline void Gatherb(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src0,
                    const LocalTensor<uint32_t>& offset,
                    const RepeatTimes repeatTimes,
                    const GatherRepeatParams& params,
                    Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_gather_blocks(Operand(dst, params.dstBlkStride, params.dstRepStride),
                                             src0.address_.bufferAddr,
                                             offset.address_.bufferAddr,
                                             repeatTimes,
                                             site);
    }
}

template <typename T>
inline void Brcb(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src0,
                 const RepeatTimes repeatTimes,
                 const BrcbRepeatParams& params,
                 Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_broadcast_blocks(Operand(dst, params.dstBlkStride, params.dstRepStride),
                                                src0.address_.bufferAddr,
                                                repeatTimes,
                                                site);
    }
}

template <typename T>
inline uint64_t GatherMaskCallOf(const LocalTensor<T>& dst,
                                 const LocalTensor<T>& src0,
                                 uint8_t pattern,
                                 uint32_t bits,
                                 bool reduceMode,
                                 uint32_t mask,
                                 const GatherMaskParams& params,
                                 Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::GatherMaskCall call;
        call.dst = dst.address_.bufferAddr;
        call.src = Operand(src0, params.src0BlockStride, params.src0RepeatStride);
        call.pattern = pattern;
        call.bits = bits;
        call.bits_stride = params.src1RepeatStride;
        call.repeats = params.repeatTimes;
        call.elements = reduceMode ? mask : 0;
        return ascendsim::isa::vector_gather_mask(call, site);
    } else {
        return 0;
    }
}

template <typename T, typename U, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
inline void GatherMask(const LocalTensor<T>& dst,
                       const LocalTensor<T>& src0,
                       const LocalTensor<U>& src1Pattern,
                       const bool reduceMode,
                       const uint32_t mask,
                       const GatherMaskParams& params,
                       uint64_t& rsvdCnt,
                       Site site = Site::here()) {
    rsvdCnt = GatherMaskCallOf(dst, src0, 0, src1Pattern.address_.bufferAddr, reduceMode, mask, params, site);
}

template <typename T, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
inline void GatherMask(const LocalTensor<T>& dst,
                       const LocalTensor<T>& src0,
                       const uint8_t src1Pattern,
                       const bool reduceMode,
                       const uint32_t mask,
                       const GatherMaskParams& params,
                       uint64_t& rsvdCnt,
                       Site site = Site::here()) {
    rsvdCnt = GatherMaskCallOf(dst, src0, src1Pattern, 0, reduceMode, mask, params, site);
}

inline int64_t GetGatherMaskRemainCount() {
    return static_cast<int64_t>(ascendsim::isa::CorePort::current().registers().gather_count);
}

template <typename T>
inline void ProgressionCall(const LocalTensor<T>& dst,
                            T first,
                            T step,
                            uint16_t block_stride,
                            uint16_t repeat_stride,
                            const ascendsim::isa::VectorShape& shape,
                            Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_progression(Operand(dst, block_stride, repeat_stride),
                                           ascendsim::isa::ScalarBits(first),
                                           ascendsim::isa::ScalarBits(step),
                                           shape,
                                           site);
    }
}

template <typename T, LaneMask Mask>
inline void CreateVecIndex(const LocalTensor<T>& dst,
                           const std::type_identity_t<T>& firstValue,
                           Mask mask,
                           const RepeatTimes repeatTimes,
                           uint16_t dstBlkStride,
                           uint8_t dstRepStride,
                           Site site = Site::here()) {
    ProgressionCall<T>(
        dst, firstValue, T(1), dstBlkStride, dstRepStride, MaskShape<true>(mask, repeatTimes), site);
}

template <typename T, LaneMask Mask>
inline void Gather(const LocalTensor<T>& dst,
                   const LocalTensor<T>& src,
                   const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseAddr,
                   Mask mask,
                   const RepeatTimes repeatTimes,
                   const uint16_t dstRepStride,
                   Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_gather(Operand(dst, 1, dstRepStride),
                                      src.address_.bufferAddr + srcBaseAddr,
                                      srcOffset.address_.bufferAddr,
                                      MaskShape<true>(mask, repeatTimes),
                                      site);
    }
}

template <typename T, LaneMask Mask>
inline void Scatter(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const LocalTensor<uint32_t>& dstOffset,
                    const uint32_t dstBaseAddr,
                    Mask mask,
                    const RepeatTimes repeatTimes,
                    const uint8_t srcRepStride,
                    Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_scatter(Operand(src, 1, srcRepStride),
                                       dst.address_.bufferAddr + dstBaseAddr,
                                       dstOffset.address_.bufferAddr,
                                       MaskShape<true>(mask, repeatTimes),
                                       site);
    }
}

/// The first `count` elements. Published kernels have a function of that name and signature of their own,
/// which must win: so this one is a template that theirs is more specialised than.
template <typename T, template <typename> class Tensor>
requires std::is_same_v<Tensor<T>, LocalTensor<T>>

inline void Copy(const Tensor<T>& dst, const Tensor<T>& src, const uint32_t count, Site site = Site::here()) {
    UnaryCall(LaneOp::copy, dst, src, CountShape(static_cast<int32_t>(count)), UnaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const uint64_t mask,
                 const RepeatTimes repeatTimes,
                 const CopyRepeatParams& params,
                 Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::copy_lanes(Operand(dst, params.dstStride, params.dstRepeatSize),
                                   Operand(src, params.srcStride, params.srcRepeatSize),
                                   MaskShape<isSetMask>(mask, repeatTimes),
                                   repeatTimes,
                                   site);
    }
}

template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const uint64_t mask[],
                 const RepeatTimes repeatTimes,
                 const CopyRepeatParams& params,
                 Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::copy_lanes(Operand(dst, params.dstStride, params.dstRepeatSize),
                                   Operand(src, params.srcStride, params.srcRepeatSize),
                                   MaskShape<isSetMask>(mask, repeatTimes),
                                   repeatTimes,
                                   site);
    }
}

}  // namespace AscendC
