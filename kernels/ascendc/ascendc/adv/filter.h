// SPDX-License-Identifier: Apache-2.0
// Choices by masks of bytes or bits: Select with a byte mask, DropOut.
#pragma once

#include "kernels/ascendc/ascendc/adv/scratch.h"
#include "kernels/ascendc/ascendc/adv/steps.h"

namespace AscendC {

struct SelectWithBytesMaskShapeInfo {
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

/// Nothing to prepare here for masks of bits.
template <typename T>
inline void DropOutBitModeInit(const LocalTensor<T>&) {}

inline void DropOutBitModeInit() {}

struct DropOutShapeInfo {
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

namespace adv {

/// bits = mask != 0, or == 0; integers are compared as half or, of 32 bits, float.
template <typename U>
inline void BitsOfMask(const LocalTensor<uint8_t>& bits,
                       const LocalTensor<U>& mask,
                       bool where_zero,
                       uint32_t n,
                       const LocalTensor<float>& wide,
                       Site site) {
    const CMPMODE mode = where_zero ? CMPMODE::EQ : CMPMODE::NE;
    if constexpr (sizeof(U) == 4) {
        Cast(wide, mask.template ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, n, site);
        PipeBarrier<PIPE_V>(site);
        CompareScalar(bits, wide, 0.0F, mode, n, site);
    } else {
        const auto halves = wide.template ReinterpretCast<half>();
        if constexpr (sizeof(U) == 2) {
            Cast(halves, mask.template ReinterpretCast<int16_t>(), RoundMode::CAST_NONE, n, site);
        } else {
            Cast(halves, mask.template ReinterpretCast<uint8_t>(), RoundMode::CAST_NONE, n, site);
        }
        PipeBarrier<PIPE_V>(site);
        CompareScalar(bits, halves, half(0.0F), mode, n, site);
    }
    PipeBarrier<PIPE_V>(site);
}

/// Row by row: dst = (mask != 0) == kept ? src : value.
template <typename T, typename U>
inline void SelectByMask(const LocalTensor<T>& dst,
                         const LocalTensor<T>& src,
                         T value,
                         const LocalTensor<U>& mask,
                         bool keeps_zero,
                         const SelectWithBytesMaskShapeInfo& info,
                         Scratch scratch,
                         Site site) {
    if constexpr (has_vector_unit) {
        const uint32_t share = scratch.Share(2, info.srcLastAxis);
        const LocalTensor<float> wide = scratch.Take<float>(share);
        const LocalTensor<uint8_t> bits = scratch.Take<uint8_t>(share * 4U);
        for (uint32_t row = 0; row < info.firstAxis; ++row) {
            for (uint32_t at = 0; at < info.srcLastAxis; at += share) {
                const uint32_t n = info.srcLastAxis - at < share ? info.srcLastAxis - at : share;
                const uint32_t place = row * info.srcLastAxis + at;
                BitsOfMask(bits, mask[row * info.maskLastAxis + at], keeps_zero, n, wide, site);
                Select(dst[place], bits, src[place], value, SELMODE::VSEL_TENSOR_SCALAR_MODE, n, site);
                PipeBarrier<PIPE_V>(site);
            }
        }
    }
}

/// Row by row: dst = bit or byte ? src / keep : 0.
template <typename T>
inline void DropOutCall(const LocalTensor<T>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<uint8_t>& mask,
                        float keep,
                        bool bytes,
                        const DropOutShapeInfo& info,
                        Scratch scratch,
                        Site site) {
    if constexpr (has_vector_unit) {
        if (bytes) {
            const SelectWithBytesMaskShapeInfo shape{info.firstAxis, info.srcLastAxis, info.maskLastAxis};
            SelectByMask(dst, src, T(0.0F), mask, false, shape, scratch, site);
        } else {
            for (uint32_t row = 0; row < info.firstAxis; ++row) {
                Select(dst[row * info.srcLastAxis],
                       mask[row * info.maskLastAxis],
                       src[row * info.srcLastAxis],
                       T(0.0F),
                       SELMODE::VSEL_TENSOR_SCALAR_MODE,
                       info.srcLastAxis,
                       site);
            }
            PipeBarrier<PIPE_V>(site);
        }
        Muls(dst, dst, T(1.0F / keep), static_cast<int32_t>(info.firstAxis * info.srcLastAxis), site);
        PipeBarrier<PIPE_V>(site);
    }
}

/// Modes 1 and 2 are bytes, 3 and 4 bits; 0 follows from the shape.
template <uint32_t mode>
inline bool MaskIsBytes(const DropOutShapeInfo& info) {
    return mode == 0 ? info.maskLastAxis >= info.srcLastAxis : mode <= 2;
}

}  // namespace adv

/// src0 where mask is 0, else the number src1.
template <typename T, typename U, bool isReuseMask = true>
inline void Select(const LocalTensor<T>& dst,
                   const LocalTensor<T>& src0,
                   const std::type_identity_t<T> src1,
                   const LocalTensor<U>& mask,
                   const LocalTensor<uint8_t>& sharedTmpBuffer,
                   const SelectWithBytesMaskShapeInfo& info,
                   Site site = Site::here()) {
    adv::SelectByMask(dst, src0, src1, mask, true, info, {"Select", sharedTmpBuffer, site}, site);
}

/// The number src0 where mask is 0, else src1.
template <typename T, typename U, bool isReuseMask = true>
inline void Select(const LocalTensor<T>& dst,
                   const std::type_identity_t<T> src0,
                   const LocalTensor<T>& src1,
                   const LocalTensor<U>& mask,
                   const LocalTensor<uint8_t>& sharedTmpBuffer,
                   const SelectWithBytesMaskShapeInfo& info,
                   Site site = Site::here()) {
    adv::SelectByMask(dst, src1, src0, mask, false, info, {"Select", sharedTmpBuffer, site}, site);
}

/// The older name of Select with a mask of bytes.
template <typename T, typename U, bool isReuseMask = true>
inline void SelectWithBytesMask(const LocalTensor<T>& dst,
                                const LocalTensor<T>& src0,
                                const std::type_identity_t<T> src1,
                                const LocalTensor<U>& mask,
                                const LocalTensor<uint8_t>& sharedTmpBuffer,
                                const SelectWithBytesMaskShapeInfo& info,
                                Site site = Site::here()) {
    adv::SelectByMask(
        dst, src0, src1, mask, true, info, {"SelectWithBytesMask", sharedTmpBuffer, site}, site);
}

template <typename T, typename U, bool isReuseMask = true>
inline void SelectWithBytesMask(const LocalTensor<T>& dst,
                                const std::type_identity_t<T> src0,
                                const LocalTensor<T>& src1,
                                const LocalTensor<U>& mask,
                                const LocalTensor<uint8_t>& sharedTmpBuffer,
                                const SelectWithBytesMaskShapeInfo& info,
                                Site site = Site::here()) {
    adv::SelectByMask(
        dst, src1, src0, mask, false, info, {"SelectWithBytesMask", sharedTmpBuffer, site}, site);
}

/// src / keepProb where the mask has a 1, else 0.
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
inline void DropOut(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const LocalTensor<uint8_t>& mask,
                    const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const float keepProb,
                    const DropOutShapeInfo& info,
                    Site site = Site::here()) {
    adv::DropOutCall(dst,
                     src,
                     mask,
                     keepProb,
                     adv::MaskIsBytes<dropOutMode>(info),
                     info,
                     {"DropOut", sharedTmpBuffer, site},
                     site);
}

template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
inline void DropOut(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const LocalTensor<uint8_t>& mask,
                    const float keepProb,
                    const DropOutShapeInfo& info,
                    Site site = Site::here()) {
    adv::DropOutCall(
        dst, src, mask, keepProb, adv::MaskIsBytes<dropOutMode>(info), info, {"DropOut", site}, site);
}

}  // namespace AscendC
