// SPDX-License-Identifier: Apache-2.0
// Cast, and conversions in the scalar unit.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_call.h"
#include "models/isa/vector/vector_cast.hpp"

namespace AscendC {

using ascendsim::isa::VectorShape;

constexpr ascendsim::RoundMode RoundingOf(RoundMode mode) {
    return mode == RoundMode::CAST_EVEN ? ascendsim::RoundMode::rint
                                        : static_cast<ascendsim::RoundMode>(mode);
}

/// Blocks from repeat to repeat of a dense operand of T in a call whose widest type is `widest` bytes.
template <typename T>
constexpr uint8_t DenseStride(uint32_t widest) {
    return std::is_same_v<T, int4b_t> ? 2 : static_cast<uint8_t>(8U * sizeof(T) / widest);
}

template <typename T, typename U>
inline void CastCall(const LocalTensor<T>& dst,
                     const LocalTensor<U>& src,
                     RoundMode mode,
                     const VectorShape& shape,
                     const UnaryRepeatParams& params,
                     Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::vector_cast(Operand(dst, params.dstBlkStride, params.dstRepStride),
                                    Operand(src, params.srcBlkStride, params.srcRepStride),
                                    RoundingOf(mode),
                                    shape,
                                    site);
    }
}

template <typename T, typename U>
inline void Cast(const LocalTensor<T>& dst,
                 const LocalTensor<U>& src,
                 const RoundMode& roundMode,
                 const uint32_t count,
                 Site site = Site::here()) {
    constexpr uint32_t widest = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);
    CastCall(dst,
             src,
             roundMode,
             CountShape(static_cast<int32_t>(count)),
             UnaryRepeatParams(1, 1, DenseStride<T>(widest), DenseStride<U>(widest)),
             site);
}

template <typename T, typename U, bool isSetMask = true, LaneMask Mask>
inline void Cast(const LocalTensor<T>& dst,
                 const LocalTensor<U>& src,
                 const RoundMode& roundMode,
                 Mask mask,
                 const RepeatTimes repeatTimes,
                 const UnaryRepeatParams& params,
                 Site site = Site::here()) {
    CastCall(dst, src, roundMode, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

inline void SetDeqScale(half scale) {
    ascendsim::isa::CorePort::current().registers().deq_scale = scale;
}

/// Rounds a bfloat16 or half to float in the scalar unit, and back.
inline float ToFloat(const bfloat16_t& value) {
    return value;
}

inline float Cast(const bfloat16_t& value) {
    return value;
}

inline float ToFloat(const half& value) {
    return value;
}

inline float ToFloat(const float& value) {
    return value;
}

inline bfloat16_t ToBfloat16(const float& value) {
    return bfloat16_t(value);
}

template <typename T, typename U, RoundMode mode = RoundMode::CAST_RINT>
inline U Cast(T value) {
    return ascendsim::cast<U>(value, RoundingOf(mode));
}

template <typename T, typename U, RoundMode roundMode>
inline U ScalarCast(T value) {
    return ascendsim::cast<U>(value, RoundingOf(roundMode));
}

template <int countValue>
inline int64_t ScalarGetCountOfValue(uint64_t value) {
    return countValue == 1 ? __builtin_popcountll(value) : 64 - __builtin_popcountll(value);
}

inline int64_t ScalarCountLeadingZero(uint64_t value) {
    return value == 0 ? 64 : __builtin_clzll(value);
}

inline int64_t CountBitsCntSameAsSignBit(int64_t value) {
    return __builtin_clrsbll(value);
}

template <int countValue>
inline int64_t ScalarGetSFFValue(uint64_t value) {
    const uint64_t bits = countValue == 1 ? value : ~value;
    return bits == 0 ? -1 : __builtin_ctzll(bits);
}

}  // namespace AscendC
