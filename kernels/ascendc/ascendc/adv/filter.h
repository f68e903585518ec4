// SPDX-License-Identifier: Apache-2.0
// Choices by masks of bytes or bits: Select with a byte mask, DropOut.
#pragma once

#include "kernels/ascendc/ascendc/adv/rows.h"

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

/// dst = (mask != 0) == kept ? src : value, of rows that lie dense in src and in the mask.
template <typename T, typename U>
inline void SelectDense(const LocalTensor<T>& dst,
                        const LocalTensor<T>& src,
                        T value,
                        const LocalTensor<U>& mask,
                        bool keeps_zero,
                        uint32_t count,
                        Scratch scratch,
                        Site site) {
    constexpr uint32_t bytes = sizeof(U) == 4 ? 4 : 2;  // of an element of the mask as a number
    constexpr uint32_t unit = 256;                      // elements whose bits fill 32 bytes
    const uint32_t fit = scratch.Room() * 8U / (8U * bytes + 1U) / unit * unit;
    const uint32_t share = fit == 0 ? scratch.Share(2, count) : fit < count ? fit : (count + 7U) / 8U * 8U;
    const LocalTensor<float> wide = scratch.Take<float>((share * (fit == 0 ? 4U : bytes) + 3U) / 4U);
    const LocalTensor<uint8_t> bits = scratch.Take<uint8_t>(fit == 0 ? share * 4U : (share + 7U) / 8U);
    for (uint32_t at = 0; at < count; at += share) {
        const uint32_t n = count - at < share ? count - at : share;
        BitsOfMask(bits, mask[at], keeps_zero, n, wide, site);
        Select(dst[at], bits, src[at], value, SELMODE::VSEL_TENSOR_SCALAR_MODE, n, site);
        PipeBarrier<PIPE_V>(site);
    }
}

/// The same with a mask of bytes whose rows are longer: as halves they lose their padding, as many rows as
/// fit.
template <typename T, typename U>
inline bool SelectPadded(const LocalTensor<T>& dst,
                         const LocalTensor<T>& src,
                         T value,
                         const LocalTensor<U>& mask,
                         bool keeps_zero,
                         const SelectWithBytesMaskShapeInfo& info,
                         Scratch scratch,
                         Site site) {
    const uint32_t n = info.srcLastAxis;
    const uint32_t fit = scratch.Room() < 512 ? 0 : (scratch.Room() - 64U) / (2U * n + n / 8U + 1U);
    if (sizeof(U) != 1 || n % 16U != 0 || info.maskLastAxis % 32U != 0 || fit < 2) {
        return false;
    }
    const uint32_t share = fit < info.firstAxis ? fit : info.firstAxis;
    const LocalTensor<half> wide = scratch.Take<half>(share * n);
    const LocalTensor<uint8_t> bits = scratch.Take<uint8_t>((share * n + 7U) / 8U);
    const auto bytes = mask.template ReinterpretCast<uint8_t>();
    for (uint32_t row = 0; row < info.firstAxis; row += share) {
        const uint32_t rows = info.firstAxis - row < share ? info.firstAxis - row : share;
        const LocalTensor<uint8_t> from = bytes[row * info.maskLastAxis];
        Cover<128>(rows, n, info.maskLastAxis, [&](const Stripe<128>& at) {
            Cast<half, uint8_t, false>(
                wide[at.row * n + at.column],
                from[at.row * info.maskLastAxis + at.column],
                RoundMode::CAST_NONE,
                uint64_t{0},
                at.Times(),
                UnaryRepeatParams(1, 1, at.Hop<half>(n), at.Hop<uint8_t>(info.maskLastAxis)),
                site);
        });
        PipeBarrier<PIPE_V>(site);
        CompareScalar(bits, wide, half(0.0F), keeps_zero ? CMPMODE::EQ : CMPMODE::NE, rows * n, site);
        PipeBarrier<PIPE_V>(site);
        Select(dst[row * n], bits, src[row * n], value, SELMODE::VSEL_TENSOR_SCALAR_MODE, rows * n, site);
        PipeBarrier<PIPE_V>(site);
    }
    return true;
}

/// dst = (mask != 0) == kept ? src : value
template <typename T, typename U>
inline void SelectByMask(const LocalTensor<T>& dst,
                         const LocalTensor<T>& src,
                         T value,
                         const LocalTensor<U>& mask,
                         bool keeps_zero,
                         const SelectWithBytesMaskShapeInfo& info,
                         const Scratch& scratch,
                         Site site) {
    if constexpr (has_vector_unit) {
        const uint32_t n = info.srcLastAxis;
        if (info.maskLastAxis == n) {
            SelectDense(dst, src, value, mask, keeps_zero, info.firstAxis * n, scratch, site);
        } else if (!SelectPadded(dst, src, value, mask, keeps_zero, info, scratch, site)) {
            for (uint32_t row = 0; row < info.firstAxis; ++row) {
                SelectDense(dst[row * n],
                            src[row * n],
                            value,
                            mask[row * info.maskLastAxis],
                            keeps_zero,
                            n,
                            scratch,
                            site);
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
            const bool dense = info.maskLastAxis * 8U == info.srcLastAxis;
            const uint32_t rows = dense ? 1 : info.firstAxis;
            const uint32_t width = dense ? info.firstAxis * info.srcLastAxis : info.srcLastAxis;
            for (uint32_t row = 0; row < rows; ++row) {
                Select(dst[row * width],
                       mask[row * info.maskLastAxis],
                       src[row * width],
                       T(0.0F),
                       SELMODE::VSEL_TENSOR_SCALAR_MODE,
                       width,
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
