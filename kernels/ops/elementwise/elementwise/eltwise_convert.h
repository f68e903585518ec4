// SPDX-License-Identifier: Apache-2.0
// Operands of any element type to the type of the arithmetic and back. Where the chip has no conversion in
// one step, `via` (a tile of 4-byte elements) holds what lies between.
#pragma once

#include "kernel_operator.h"
#include "kernels/ops/elementwise/elementwise/eltwise_tiling.h"
#include "kernels/shared/library_cost.h"

template <typename To, typename From>
__aicore__ inline void EltCast(const AscendC::LocalTensor<uint8_t>& to,
                               const AscendC::LocalTensor<uint8_t>& from,
                               AscendC::RoundMode mode,
                               uint32_t n) {
    AscendC::Cast(to.template ReinterpretCast<To>(), from.template ReinterpretCast<From>(), mode, n);
}

template <typename To, typename Middle, typename From>
__aicore__ inline void EltCastVia(const AscendC::LocalTensor<uint8_t>& to,
                                  const AscendC::LocalTensor<uint8_t>& via,
                                  const AscendC::LocalTensor<uint8_t>& from,
                                  AscendC::RoundMode first,
                                  AscendC::RoundMode second,
                                  uint32_t n) {
    EltCast<Middle, From>(via, from, first, n);
    AscendC::PipeBarrier<PIPE_V>();
    EltCast<To, Middle>(to, via, second, n);
    AscendC::PipeBarrier<PIPE_V>();  // whoever converts next may use `via` again
}

/// Elements of a type as float.
__aicore__ inline void EltWidenToFloat(EltType type,
                                       const AscendC::LocalTensor<uint8_t>& to,
                                       const AscendC::LocalTensor<uint8_t>& from,
                                       const AscendC::LocalTensor<uint8_t>& via,
                                       uint32_t n) {
    constexpr auto none = AscendC::RoundMode::CAST_NONE;
    constexpr auto nearest = AscendC::RoundMode::CAST_RINT;
    switch (type) {
        case EltType::f16:
            EltCast<float, half>(to, from, none, n);
            break;
        case EltType::bf16:
            EltCast<float, bfloat16_t>(to, from, none, n);
            break;
        case EltType::i16:
            EltCast<float, int16_t>(to, from, none, n);
            break;
        case EltType::i32:
            EltCast<float, int32_t>(to, from, nearest, n);
            break;
        case EltType::i64:
            EltCast<float, int64_t>(to, from, nearest, n);
            break;
        case EltType::i8:
            EltCastVia<float, half, int8_t>(to, via, from, none, none, n);
            break;
        case EltType::u8:
            EltCastVia<float, half, uint8_t>(to, via, from, none, none, n);
            break;
        default:
            break;
    }
}

/// Elements of a type as half.
__aicore__ inline void EltWidenToHalf(EltType type,
                                      const AscendC::LocalTensor<uint8_t>& to,
                                      const AscendC::LocalTensor<uint8_t>& from,
                                      uint32_t n) {
    constexpr auto none = AscendC::RoundMode::CAST_NONE;
    constexpr auto nearest = AscendC::RoundMode::CAST_RINT;
    switch (type) {
        case EltType::i8:
            EltCast<half, int8_t>(to, from, none, n);
            break;
        case EltType::u8:
            EltCast<half, uint8_t>(to, from, none, n);
            break;
        case EltType::i16:
            EltCast<half, int16_t>(to, from, nearest, n);
            break;
        case EltType::f32:
            EltCast<half, float>(to, from, nearest, n);
            break;
        default:
            break;
    }
}

/// Elements of a type as int32.
__aicore__ inline void EltWidenToInt(EltType type,
                                     const AscendC::LocalTensor<uint8_t>& to,
                                     const AscendC::LocalTensor<uint8_t>& from,
                                     const AscendC::LocalTensor<uint8_t>& via,
                                     uint32_t n) {
    constexpr auto none = AscendC::RoundMode::CAST_NONE;
    switch (type) {
        case EltType::f32:
            EltCast<int32_t, float>(to, from, AscendC::RoundMode::CAST_TRUNC, n);
            break;
        case EltType::f16:
            EltCast<int32_t, half>(to, from, AscendC::RoundMode::CAST_TRUNC, n);
            break;
        case EltType::i64:
            EltCast<int32_t, int64_t>(to, from, none, n);
            break;
        case EltType::i8:
            EltCastVia<int32_t, half, int8_t>(to, via, from, none, AscendC::RoundMode::CAST_TRUNC, n);
            break;
        case EltType::u8:
            EltCastVia<int32_t, half, uint8_t>(to, via, from, none, AscendC::RoundMode::CAST_TRUNC, n);
            break;
        default:
            break;
    }
}

/// Elements as they lie in memory -> C.
template <typename C>
KERNEL_FOLDED __aicore__ inline void EltWiden(EltType type,
                                              const AscendC::LocalTensor<uint8_t>& to,
                                              const AscendC::LocalTensor<uint8_t>& from,
                                              const AscendC::LocalTensor<uint8_t>& via,
                                              uint32_t n) {
    if constexpr (std::is_same_v<C, float>) {
        EltWidenToFloat(type, to, from, via, n);
    } else if constexpr (std::is_same_v<C, half>) {
        EltWidenToHalf(type, to, from, n);
    } else if constexpr (std::is_same_v<C, int32_t>) {
        EltWidenToInt(type, to, from, via, n);
    }
}

/// Floats as elements of a type.
__aicore__ inline void EltNarrowFromFloat(EltType type,
                                          const AscendC::LocalTensor<uint8_t>& to,
                                          const AscendC::LocalTensor<uint8_t>& from,
                                          const AscendC::LocalTensor<uint8_t>& via,
                                          uint32_t n) {
    constexpr auto nearest = AscendC::RoundMode::CAST_RINT;
    constexpr auto cut = AscendC::RoundMode::CAST_TRUNC;
    switch (type) {
        case EltType::f16:
            EltCast<half, float>(to, from, nearest, n);
            break;
        case EltType::bf16:
            EltCast<bfloat16_t, float>(to, from, nearest, n);
            break;
        case EltType::i16:
            EltCast<int16_t, float>(to, from, cut, n);
            break;
        case EltType::i32:
            EltCast<int32_t, float>(to, from, cut, n);
            break;
        case EltType::i64:
            EltCast<int64_t, float>(to, from, cut, n);
            break;
        case EltType::i8:
            EltCastVia<int8_t, half, float>(to, via, from, nearest, cut, n);
            break;
        case EltType::u8:
            EltCastVia<uint8_t, half, float>(to, via, from, nearest, cut, n);
            break;
        default:
            break;
    }
}

/// Halves as elements of a type.
__aicore__ inline void EltNarrowFromHalf(EltType type,
                                         const AscendC::LocalTensor<uint8_t>& to,
                                         const AscendC::LocalTensor<uint8_t>& from,
                                         const AscendC::LocalTensor<uint8_t>& via,
                                         uint32_t n) {
    constexpr auto none = AscendC::RoundMode::CAST_NONE;
    constexpr auto nearest = AscendC::RoundMode::CAST_RINT;
    constexpr auto cut = AscendC::RoundMode::CAST_TRUNC;
    switch (type) {
        case EltType::i8:
            EltCast<int8_t, half>(to, from, cut, n);
            break;
        case EltType::u8:
            EltCast<uint8_t, half>(to, from, cut, n);
            break;
        case EltType::i16:
            EltCast<int16_t, half>(to, from, cut, n);
            break;
        case EltType::i32:
            EltCast<int32_t, half>(to, from, cut, n);
            break;
        case EltType::f32:
            EltCast<float, half>(to, from, none, n);
            break;
        case EltType::bf16:
            EltCastVia<bfloat16_t, float, half>(to, via, from, none, nearest, n);
            break;
        default:
            break;
    }
}

/// Numbers of int32 as elements of a type.
__aicore__ inline void EltNarrowFromInt(EltType type,
                                        const AscendC::LocalTensor<uint8_t>& to,
                                        const AscendC::LocalTensor<uint8_t>& from,
                                        uint32_t n) {
    constexpr auto none = AscendC::RoundMode::CAST_NONE;
    constexpr auto nearest = AscendC::RoundMode::CAST_RINT;
    switch (type) {
        case EltType::f32:
            EltCast<float, int32_t>(to, from, nearest, n);
            break;
        case EltType::i64:
            EltCast<int64_t, int32_t>(to, from, none, n);
            break;
        case EltType::i16:
            EltCast<int16_t, int32_t>(to, from, none, n);
            break;
        default:
            break;
    }
}

/// C -> elements as they lie in memory.
template <typename C>
KERNEL_FOLDED __aicore__ inline void EltNarrow(EltType type,
                                               const AscendC::LocalTensor<uint8_t>& to,
                                               const AscendC::LocalTensor<uint8_t>& from,
                                               const AscendC::LocalTensor<uint8_t>& via,
                                               uint32_t n) {
    if constexpr (std::is_same_v<C, float>) {
        EltNarrowFromFloat(type, to, from, via, n);
    } else if constexpr (std::is_same_v<C, half>) {
        EltNarrowFromHalf(type, to, from, via, n);
    } else if constexpr (std::is_same_v<C, int32_t>) {
        EltNarrowFromInt(type, to, from, n);
    }
}
