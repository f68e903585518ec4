// SPDX-License-Identifier: Apache-2.0
// CastDeq and AddDeqRelu: conversions with the scales of SetDeqScale.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_cast.h"
#include "models/isa/sync/synchronise.hpp"
#include "models/isa/vector/vector_deq.hpp"

namespace AscendC {

constexpr uint8_t VDEQ_TENSOR_SIZE = 16;

/// Scales, offsets and signs of 16 columns.
struct VdeqInfo {
    VdeqInfo() = default;

    VdeqInfo(const float (&scales)[VDEQ_TENSOR_SIZE],
             const int16_t (&offsets)[VDEQ_TENSOR_SIZE],
             const bool (&signs)[VDEQ_TENSOR_SIZE]) {
        for (uint32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
            vdeqScale[i] = scales[i];
            vdeqOffset[i] = offsets[i];
            vdeqSignMode[i] = signs[i];
        }
    }

    float vdeqScale[VDEQ_TENSOR_SIZE]{};
    int16_t vdeqOffset[VDEQ_TENSOR_SIZE]{};
    bool vdeqSignMode[VDEQ_TENSOR_SIZE]{};
};

/// For CastDeq with one scale.
inline void SetDeqScale(float scale, int16_t offset, bool signMode) {
    ascendsim::isa::set_deq_scale({scale, offset, signMode});
}

/// For CastDeq with a scale for each column: the scalar unit writes them to `vdeq`, 16 words.
template <typename T>
inline void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& info) {
    if constexpr (has_vector_unit) {
        for (uint32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
            const ascendsim::isa::DeqScale one{info.vdeqScale[i], info.vdeqOffset[i], info.vdeqSignMode[i]};
            vdeq.SetValue(i, static_cast<T>(one.pack()));
        }
        ascendsim::isa::set_deq_table(vdeq.address_.bufferAddr);
    }
}

template <bool isVecDeq, bool halfBlock, typename T, typename U>
inline void CastDeqCall(const LocalTensor<T>& dst,
                        const LocalTensor<U>& src,
                        const VectorShape& shape,
                        const UnaryRepeatParams& params,
                        Site site) {
    if constexpr (std::is_same_v<U, int32_t>) {
        CastCall(dst, src, RoundMode::CAST_RINT, shape, params, site);
    } else if constexpr (has_vector_unit) {
        ascendsim::isa::vector_cast_deq(Operand(dst, params.dstBlkStride, params.dstRepStride),
                                        Operand(src, params.srcBlkStride, params.srcRepStride),
                                        isVecDeq,
                                        halfBlock,
                                        shape,
                                        site);
    }
}

template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
inline void CastDeq(const LocalTensor<T>& dst,
                    const LocalTensor<U>& src,
                    const uint32_t count,
                    Site site = Site::here()) {
    const uint8_t repeat = std::is_same_v<U, int32_t> ? 4 : 8;
    CastDeqCall<isVecDeq, halfBlock>(
        dst, src, CountShape(static_cast<int32_t>(count)), UnaryRepeatParams(1, 1, repeat, 8), site);
}

template <typename T,
          typename U,
          bool isSetMask = true,
          bool isVecDeq = true,
          bool halfBlock = true,
          LaneMask Mask>
inline void CastDeq(const LocalTensor<T>& dst,
                    const LocalTensor<U>& src,
                    Mask mask,
                    const RepeatTimes repeatTime,
                    const UnaryRepeatParams& params,
                    Site site = Site::here()) {
    CastDeqCall<isVecDeq, halfBlock>(dst, src, MaskShape<isSetMask>(mask, repeatTime), params, site);
}

/// The name that CastDeq has in older releases, which some documents use.
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
inline void CastDequant(const LocalTensor<T>& dst,
                        const LocalTensor<U>& src,
                        const uint32_t count,
                        Site site = Site::here()) {
    CastDeq<T, U, isVecDeq, halfBlock>(dst, src, count, site);
}

template <typename T, typename U>
inline void AddDeqReluCall(const LocalTensor<T>& dst,
                           const LocalTensor<U>& src0,
                           const LocalTensor<U>& src1,
                           const VectorShape& shape,
                           const BinaryRepeatParams& params,
                           Site site) {
    static_assert(std::is_same_v<PrimT<T>, half> && std::is_same_v<PrimT<U>, int32_t>,
                  "AddDeqRelu adds int32_t and gives half");
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_add_deq_relu(Operand(dst, params.dstBlkStride, params.dstRepStride),
                                            Operand(src0, params.src0BlkStride, params.src0RepStride),
                                            Operand(src1, params.src1BlkStride, params.src1RepStride),
                                            shape,
                                            site);
    }
}

template <typename T, typename U>
inline void AddDeqRelu(const LocalTensor<T>& dst,
                       const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1,
                       const int32_t& count,
                       Site site = Site::here()) {
    AddDeqReluCall(dst, src0, src1, CountShape(count), BinaryRepeatParams(1, 1, 1, 4, 8, 8), site);
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void AddDeqRelu(const LocalTensor<T>& dst,
                       const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1,
                       Mask mask,
                       const RepeatTimes repeatTime,
                       const BinaryRepeatParams& params,
                       Site site = Site::here()) {
    AddDeqReluCall(dst, src0, src1, MaskShape<isSetMask>(mask, repeatTime), params, site);
}

}  // namespace AscendC
