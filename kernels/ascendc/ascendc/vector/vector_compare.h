// SPDX-License-Identifier: Apache-2.0
// Compare and Select.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_call.h"
#include "models/isa/vector/vector_compare.hpp"

namespace AscendC {

using ascendsim::isa::TensorOrScalar;

constexpr ascendsim::isa::Comparison ComparisonOf(CMPMODE mode) {
    return static_cast<ascendsim::isa::Comparison>(mode);
}

template <typename T>
inline TensorOrScalar TensorSide(const LocalTensor<T>& tensor,
                                 uint16_t block_stride,
                                 uint16_t repeat_stride) {
    return {Operand(tensor, block_stride, repeat_stride), {}, false};
}

template <typename T>
inline TensorOrScalar ScalarSide(const T& value) {
    return {{}, ascendsim::isa::ScalarBits(value), true};
}

template <typename T, typename U>
inline void CompareCall(const LocalTensor<U>& dst,
                        const LocalTensor<T>& src0,
                        const TensorOrScalar& right,
                        CMPMODE mode,
                        const ascendsim::isa::VectorShape& shape,
                        uint16_t block_stride,
                        uint16_t repeat_stride,
                        Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_compare(
            dst.Start(), Operand(src0, block_stride, repeat_stride), right, ComparisonOf(mode), shape, site);
    }
}

template <typename T, typename U>
inline void Compare(const LocalTensor<U>& dst,
                    const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1,
                    CMPMODE cmpMode,
                    uint32_t count,
                    Site site = Site::here()) {
    CompareCall(
        dst, src0, TensorSide(src1, 1, 8), cmpMode, CountShape(static_cast<int32_t>(count)), 1, 8, site);
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void Compare(const LocalTensor<U>& dst,
                    const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1,
                    CMPMODE cmpMode,
                    Mask mask,
                    const RepeatTimes repeatTimes,
                    const BinaryRepeatParams& params,
                    Site site = Site::here()) {
    CompareCall(dst,
                src0,
                TensorSide(src1, params.src1BlkStride, params.src1RepStride),
                cmpMode,
                MaskShape<isSetMask>(mask, repeatTimes),
                params.src0BlkStride,
                params.src0RepStride,
                site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Compare(const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1,
                    CMPMODE cmpMode,
                    Mask mask,
                    const BinaryRepeatParams& params,
                    Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_compare_to_register(
            Operand(src0, params.src0BlkStride, params.src0RepStride),
            TensorSide(src1, params.src1BlkStride, params.src1RepStride),
            ComparisonOf(cmpMode),
            MaskShape<isSetMask>(mask, 1),
            site);
    }
}

template <typename T, typename U>
inline void CompareScalar(const LocalTensor<U>& dst,
                          const LocalTensor<T>& src0,
                          const std::type_identity_t<T> src1Scalar,
                          CMPMODE cmpMode,
                          uint32_t count,
                          Site site = Site::here()) {
    CompareCall(
        dst, src0, ScalarSide<T>(src1Scalar), cmpMode, CountShape(static_cast<int32_t>(count)), 1, 8, site);
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void CompareScalar(const LocalTensor<U>& dst,
                          const LocalTensor<T>& src0,
                          const std::type_identity_t<T> src1Scalar,
                          CMPMODE cmpMode,
                          Mask mask,
                          const RepeatTimes repeatTimes,
                          const UnaryRepeatParams& params,
                          Site site = Site::here()) {
    CompareCall(dst,
                src0,
                ScalarSide<T>(src1Scalar),
                cmpMode,
                MaskShape<isSetMask>(mask, repeatTimes),
                params.srcBlkStride,
                params.srcRepStride,
                site);
}

template <typename T, typename U>
inline void Compares(const LocalTensor<U>& dst,
                     const LocalTensor<T>& src0,
                     const std::type_identity_t<T> src1Scalar,
                     CMPMODE cmpMode,
                     uint32_t count,
                     Site site = Site::here()) {
    CompareCall(
        dst, src0, ScalarSide<T>(src1Scalar), cmpMode, CountShape(static_cast<int32_t>(count)), 1, 8, site);
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void Compares(const LocalTensor<U>& dst,
                     const LocalTensor<T>& src0,
                     const std::type_identity_t<T> src1Scalar,
                     CMPMODE cmpMode,
                     Mask mask,
                     const RepeatTimes repeatTimes,
                     const UnaryRepeatParams& params,
                     Site site = Site::here()) {
    CompareCall(dst,
                src0,
                ScalarSide<T>(src1Scalar),
                cmpMode,
                MaskShape<isSetMask>(mask, repeatTimes),
                params.srcBlkStride,
                params.srcRepStride,
                site);
}

template <typename T, typename U>
inline void SelectCall(const LocalTensor<T>& dst,
                       const LocalTensor<U>& selMask,
                       const LocalTensor<T>& src0,
                       const TensorOrScalar& other,
                       SELMODE mode,
                       const ascendsim::isa::VectorShape& shape,
                       const BinaryRepeatParams& params,
                       Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_select(Operand(dst, params.dstBlkStride, params.dstRepStride),
                                      {selMask.Start(), false, mode == SELMODE::VSEL_CMPMASK_SPR},
                                      Operand(src0, params.src0BlkStride, params.src0RepStride),
                                      other,
                                      shape,
                                      site);
    }
}

template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst,
                   const LocalTensor<U>& selMask,
                   const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1,
                   SELMODE selMode,
                   uint32_t count,
                   Site site = Site::here()) {
    SelectCall(dst,
               selMask,
               src0,
               TensorSide(src1, 1, 8),
               selMode,
               CountShape(static_cast<int32_t>(count)),
               BinaryRepeatParams(),
               site);
}

template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst,
                   const LocalTensor<U>& selMask,
                   const LocalTensor<T>& src0,
                   const std::type_identity_t<T> src1,
                   SELMODE selMode,
                   uint32_t count,
                   Site site = Site::here()) {
    SelectCall(dst,
               selMask,
               src0,
               ScalarSide<T>(src1),
               selMode,
               CountShape(static_cast<int32_t>(count)),
               BinaryRepeatParams(),
               site);
}

/// Chooses by the register that the last Compare or SetCmpMask set.
template <typename T, SELMODE selMode = SELMODE::VSEL_CMPMASK_SPR>
inline void Select(const LocalTensor<T>& dst,
                   const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1,
                   const RepeatTimes repeatTimes,
                   const BinaryRepeatParams& params,
                   Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_select(Operand(dst, params.dstBlkStride, params.dstRepStride),
                                      {0, true, false},
                                      Operand(src0, params.src0BlkStride, params.src0RepStride),
                                      TensorSide(src1, params.src1BlkStride, params.src1RepStride),
                                      MaskShape<false>(uint64_t{0}, repeatTimes),
                                      site);
    }
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void Select(const LocalTensor<T>& dst,
                   const LocalTensor<U>& selMask,
                   const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1,
                   SELMODE selMode,
                   Mask mask,
                   const RepeatTimes repeatTimes,
                   const BinaryRepeatParams& params,
                   Site site = Site::here()) {
    SelectCall(dst,
               selMask,
               src0,
               TensorSide(src1, params.src1BlkStride, params.src1RepStride),
               selMode,
               MaskShape<isSetMask>(mask, repeatTimes),
               params,
               site);
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void Select(const LocalTensor<T>& dst,
                   const LocalTensor<U>& selMask,
                   const LocalTensor<T>& src0,
                   const std::type_identity_t<T> src1,
                   SELMODE selMode,
                   Mask mask,
                   const RepeatTimes repeatTimes,
                   const BinaryRepeatParams& params,
                   Site site = Site::here()) {
    SelectCall(dst,
               selMask,
               src0,
               ScalarSide<T>(src1),
               selMode,
               MaskShape<isSetMask>(mask, repeatTimes),
               params,
               site);
}

template <typename T>
inline void GetCmpMask(const LocalTensor<T>& dst, Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::store_compare_mask(dst.Start(), site);
    }
}

template <typename T>
inline void SetCmpMask(const LocalTensor<T>& src, Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::load_compare_mask(src.Start(), site);
    }
}

}  // namespace AscendC
